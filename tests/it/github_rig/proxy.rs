//! The loopback proxy: lets GitHub answer, lets faults strike, and records every exchange.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::faults::{Effect, Schedule};
use super::github::{GitHub, now, person};
use super::message::{Exchange, Reply, Request, header_list};

/// What stands between the client and GitHub.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) github: Arc<GitHub>,
    started: Instant,
    schedule: Mutex<Schedule>,
    exchanges: Mutex<Record>,
}

#[derive(Debug, Default)]
struct Record {
    arrived: usize,
    kept: Vec<Exchange>,
}

/// What goes back over the connection.
enum Outcome {
    Answer(Reply),
    /// Only this many bytes of the body, and then the connection closes.
    Cut(Reply, usize),
    Close,
    Hang,
}

/// The connection is to be closed without an answer.
#[derive(Debug)]
struct Dropped;

impl std::fmt::Display for Dropped {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("dropped on request")
    }
}

impl std::error::Error for Dropped {}

impl Proxy {
    pub(crate) fn new(github: Arc<GitHub>) -> Self {
        Self { github, started: Instant::now(), schedule: Mutex::default(), exchanges: Mutex::default() }
    }

    pub(crate) fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every exchange so far, in the order of arrival.
    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        let mut exchanges = self.record().kept.clone();
        exchanges.sort_by_key(|exchange| exchange.sequence);
        exchanges
    }

    pub(crate) fn forget(&self) {
        self.record().kept.clear();
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves until it is dropped; that closes the port and every connection.
    pub(crate) async fn serve(self: Arc<Self>, listener: TcpListener) {
        let mut connections = JoinSet::new();
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            while connections.try_join_next().is_some() {}
            let proxy = Arc::clone(&self);
            connections.spawn(async move {
                let service = service_fn(|request| Arc::clone(&proxy).answer(request));
                // An error here is a connection that ended early, which faults and clients do on purpose.
                let _ =
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    }

    async fn answer(self: Arc<Self>, message: hyper::Request<Incoming>) -> Result<hyper::Response<Frames>, Dropped> {
        let (parts, body) = message.into_parts();
        let body = body.collect().await.map_err(|_| Dropped)?.to_bytes().to_vec();
        let request = Request {
            method: parts.method.as_str().to_owned(),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: header_list(&parts.headers),
            body,
        };
        // A client that gives up must not stop what is under way: GitHub finishes too.
        let done = tokio::spawn(async move { self.take(request).await });
        match done.await.map_err(|_| Dropped)? {
            Outcome::Answer(reply) => {
                let length = reply.body.len();
                frames(reply, length)
            }
            Outcome::Cut(reply, length) => frames(reply, length),
            Outcome::Close => Err(Dropped),
            Outcome::Hang => std::future::pending().await,
        }
    }

    async fn take(&self, request: Request) -> Outcome {
        let (arrived, at) = (Instant::now(), self.started.elapsed().as_millis());
        let sequence = {
            let mut record = self.record();
            record.arrived += 1;
            record.arrived
        };
        let effect = self.schedule().next(&request);
        let (outcome, applied) = self.strike(&request, effect.as_ref()).await;
        let mut exchange = Exchange {
            sequence,
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.query.clone(),
            user: person(&request).map(|person| person.login().to_owned()),
            request: request.document(),
            request_length: request.body.len(),
            fault: effect.map(|effect| format!("{effect:?}")),
            applied,
            at,
            took: arrived.elapsed().as_millis(),
            ..Exchange::default()
        };
        exchange.request_headers = request.headers;
        exchange.request_headers.retain(|(name, _)| name != "authorization");
        if let Outcome::Answer(reply) | Outcome::Cut(reply, _) = &outcome {
            exchange.status = Some(reply.status);
            exchange.response_headers.clone_from(&reply.headers);
            exchange.response = reply.document();
            exchange.response_length = reply.body.len();
        }
        self.record().kept.push(exchange);
        outcome
    }

    /// What becomes of a request, and whether GitHub saw it.
    async fn strike(&self, request: &Request, effect: Option<&Effect>) -> (Outcome, bool) {
        let instead = |reply: Reply| (Outcome::Answer(reply), false);
        match effect {
            None => (Outcome::Answer(self.github.handle(request).await), true),
            Some(Effect::DropBefore) => (Outcome::Close, false),
            Some(Effect::HangBefore) => (Outcome::Hang, false),
            Some(Effect::StatusBefore(status)) => instead(Reply::error(*status, "Server Error")),
            Some(Effect::SecondaryLimit { status, retry_after }) => {
                let reply = Reply::error(
                    *status,
                    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
                );
                instead(retry_after.iter().fold(reply, |reply, seconds| reply.with("retry-after", seconds.to_string())))
            }
            Some(Effect::PrimaryLimit { status, reset }) => instead(
                Reply::error(*status, "API rate limit exceeded for user ID 4.")
                    .with("x-ratelimit-limit", "5000")
                    .with("x-ratelimit-remaining", "0")
                    .with("x-ratelimit-reset", (now() + reset).to_string())
                    .with("x-ratelimit-resource", "core"),
            ),
            Some(Effect::Forbidden) => instead(Reply::error(403, "Resource not accessible by personal access token")),
            Some(Effect::Gone) => instead(Reply::error(410, "This issue was deleted")),
            Some(Effect::Moved { status, location }) => {
                let location = if location.starts_with('/') {
                    format!("{}{location}", self.github.base_url)
                } else {
                    location.clone()
                };
                let mut body = Reply::error(*status, "Moved Permanently").value();
                body["url"] = Value::String(location.clone());
                instead(Reply::json(*status, &body).with("location", location))
            }
            Some(after) => {
                let reply = self.github.handle(request).await;
                (self.spoil(reply, after).await, true)
            }
        }
    }

    /// What becomes of the answer to a request that was done.
    async fn spoil(&self, mut reply: Reply, effect: &Effect) -> Outcome {
        match effect {
            Effect::DropAfter => Outcome::Close,
            Effect::HangAfter => Outcome::Hang,
            Effect::StatusAfter(status) => Outcome::Answer(Reply::error(*status, "Server Error")),
            Effect::CutBody => {
                let half = reply.body.len() / 2;
                Outcome::Cut(reply, half)
            }
            Effect::Delay(time) => {
                tokio::time::sleep(*time).await;
                Outcome::Answer(reply)
            }
            Effect::BadJson => {
                reply.body.truncate(reply.body.len() / 2);
                Outcome::Answer(reply)
            }
            Effect::ShortPage => {
                if let Some(Value::Array(mut items)) = reply.document() {
                    items.truncate(items.len() / 2);
                    reply.body = Value::Array(items).to_string().into_bytes();
                }
                reply.headers.retain(|(name, _)| name != "link");
                Outcome::Answer(reply)
            }
            Effect::Html(status) => Outcome::Answer(Reply {
                status: *status,
                headers: vec![("content-type".to_owned(), "text/html".to_owned())],
                body: b"<html><body><h1>502 Bad Gateway</h1></body></html>".to_vec(),
            }),
            Effect::ListLag { listings } => {
                let number = reply.document().and_then(|issue| issue["number"].as_u64());
                if let (Some(number), 201) = (number, reply.status) {
                    self.github.state().lagging.insert(number, *listings);
                }
                Outcome::Answer(reply)
            }
            // The others strike before GitHub sees the request.
            _ => Outcome::Answer(reply),
        }
    }
}

/// A response that announces its whole body and sends only so many bytes of it.
fn frames(reply: Reply, length: usize) -> Result<hyper::Response<Frames>, Dropped> {
    let mut builder = hyper::Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        builder = builder.header(name, value);
    }
    let announced = reply.body.len();
    let mut body = reply.body;
    body.truncate(length);
    let bytes = (!body.is_empty()).then(|| Bytes::from(body));
    builder.body(Frames { bytes, announced, cut: length < announced }).map_err(|_| Dropped)
}

/// A body that may break off.
#[derive(Debug)]
struct Frames {
    bytes: Option<Bytes>,
    announced: usize,
    cut: bool,
}

impl Body for Frames {
    type Data = Bytes;
    type Error = Dropped;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        match self.bytes.take() {
            Some(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            None if self.cut => Poll::Ready(Some(Err(Dropped))),
            None => Poll::Ready(None),
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.announced as u64)
    }
}
