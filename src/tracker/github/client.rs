//! Requests to one server: sent, paced, sent again where that is right, and told apart by outcome.
//!
//! octocrab is built without its retry: that repeats a POST whose answer was lost, which makes a second issue. Its models and
//! error mapping are not used either, as both drop what the decision needs (headers, the dependency fields).

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use octocrab::Octocrab;
use serde_json::Value;

use super::super::TrackerError;
use super::pace::{Pace, now_s};
use super::retry::{Answer, Kind, Next, Outcome, decide};
use super::settings::GithubSettings;
use crate::ledger::checkpoint;

/// HTTP methods that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Patch,
    Delete,
}

impl Method {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// A request that a rehearsal would have sent.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PlannedRequest {
    /// `POST`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// Path below the API's root. What does not exist yet has a number from 900,000,001 on.
    pub path: String,
    /// The JSON that is sent, if any.
    pub body: Option<Value>,
}

/// A successful or rejected request.
#[derive(Debug, Clone)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) message: String,
    /// The JSON; `null` if there was none.
    pub(super) json: Value,
    /// Query of the next page.
    pub(super) next: Option<String>,
    /// Number of the last page, where it is said.
    pub(super) last_page: Option<u64>,
}

impl Response {
    pub(super) const fn is_success(&self) -> bool {
        self.status < 300
    }
}

/// What came of a write.
#[derive(Debug)]
pub(super) enum Written {
    /// The server answered, with success or a rejection.
    Answered(Response),
    /// It may have been done. The server has had its time by now.
    Unknown(String),
}

/// One server, one token.
pub(super) struct Client {
    runtime: tokio::runtime::Runtime,
    octocrab: Arc<Octocrab>,
    pub(super) settings: GithubSettings,
    pub(super) pace: Pace,
    identity: String,
    /// Requests of a rehearsal.
    pub(super) planned: Vec<PlannedRequest>,
    /// Requests that were sent, for the cost of a run.
    pub(super) sent: usize,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("tracker", &self.identity).finish_non_exhaustive()
    }
}

impl Client {
    pub(super) fn new(settings: GithubSettings) -> Result<Self, TrackerError> {
        let identity = format!("github {}", settings.place());
        let unavailable = |reason: String| TrackerError::Unavailable { tracker: identity.clone(), reason };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| unavailable(format!("the network runtime cannot start: {error}")))?;
        let octocrab = {
            // octocrab starts a task of its own.
            let _inside = runtime.enter();
            let timeout = Some(settings.timeout);
            let mut builder = Octocrab::builder()
                .personal_token(settings.token.expose())
                .set_connect_timeout(timeout)
                .set_read_timeout(timeout)
                .set_write_timeout(timeout);
            if let Some(base) = &settings.base_url {
                builder = builder
                    .base_uri(base.trim_end_matches('/'))
                    .map_err(|_| unavailable(format!("{base} is not the address of a server")))?;
            }
            builder.build().map_err(|error| unavailable(chain(&error)))?
        };
        let pace = Pace::open(settings.folder().join("pace.json"));
        Ok(Self { runtime, octocrab: octocrab.into(), settings, pace, identity, planned: Vec::new(), sent: 0 })
    }

    pub(super) fn identity(&self) -> &str {
        &self.identity
    }

    pub(super) fn unavailable(&self, reason: impl Into<String>) -> TrackerError {
        TrackerError::Unavailable { tracker: self.identity.clone(), reason: reason.into() }
    }

    pub(super) fn incomplete(&self, reason: impl Into<String>) -> TrackerError {
        TrackerError::IncompleteListing { tracker: self.identity.clone(), reason: reason.into() }
    }

    /// `/repos/owner/name` and the rest.
    pub(super) fn path(&self, rest: &str) -> String {
        format!("/repos/{}{rest}", self.settings.repo)
    }

    /// Reads; a rejection is an answer.
    pub(super) fn get(&mut self, path: &str) -> Result<Response, TrackerError> {
        match self.send(Method::Get, path, None, Kind::Read)? {
            Written::Answered(response) => Ok(response),
            Written::Unknown(reason) => Err(self.unavailable(reason)),
        }
    }

    /// Reads with a method that carries a body.
    pub(super) fn read_with(&mut self, method: Method, path: &str, body: &Value) -> Result<Written, TrackerError> {
        self.send(method, path, Some(body), Kind::Read)
    }

    /// A write. `rehearsed` is the answer in a rehearsal.
    pub(super) fn write(
        &mut self,
        method: Method,
        path: &str,
        body: Option<Value>,
        kind: Kind,
        rehearsed: impl FnOnce(&Value) -> Value,
    ) -> Result<Written, TrackerError> {
        if self.settings.rehearse {
            let json = body.as_ref().map_or(Value::Null, rehearsed);
            self.planned.push(PlannedRequest { method: method.as_str(), path: path.to_owned(), body });
            return Ok(Written::Answered(Response {
                status: 200,
                message: String::new(),
                json,
                next: None,
                last_page: None,
            }));
        }
        self.send(method, path, body.as_ref(), kind)
    }

    /// Reads anew when the last write was, and whether there is a limit.
    pub(super) fn read_pace(&mut self) {
        self.pace = Pace::open(self.settings.folder().join("pace.json"));
    }

    /// Waits until the server has surely finished, or given up, what was sent last.
    pub(super) fn settle(&self) {
        if self.pace.has_written() {
            self.sleep(self.pace.since_write(self.settings.unknown_wait));
        }
    }

    pub(super) fn sleep(&self, duration: Duration) {
        if !duration.is_zero() {
            // Inside the runtime, so that a connection that the server closes meanwhile is noticed.
            self.runtime.block_on(async { tokio::time::sleep(duration).await });
        }
    }

    fn send(&mut self, method: Method, path: &str, body: Option<&Value>, kind: Kind) -> Result<Written, TrackerError> {
        let mut attempt = 0;
        loop {
            self.wait_for_limit()?;
            if kind != Kind::Read {
                self.sleep(self.pace.since_write(self.settings.write_interval));
                self.pace.writing();
                checkpoint::reached("github-write");
            }
            let (outcome, response) = self.once(method, path, body);
            self.sent += 1;
            if kind != Kind::Read {
                checkpoint::reached("github-write");
            }
            let why = || match &outcome {
                Outcome::Answer(answer) => said(answer.status, &answer.message),
                Outcome::NotSent(why) | Outcome::Lost(why) => why.clone(),
            };
            match decide(&outcome, kind, attempt, now_s()) {
                Next::Done | Next::Rejected => {
                    return match response {
                        Some(response) => self.answered(response),
                        None => Err(self.unavailable(why())),
                    };
                }
                Next::Limited(until) => self.pace.limited(until),
                Next::Again(ms) => self.sleep(Duration::from_millis(ms)),
                Next::AgainWhenSettled => self.settle(),
                Next::Look => {
                    self.settle();
                    return Ok(Written::Unknown(why()));
                }
                Next::Moved => return Err(self.moved()),
                Next::GiveUp => {
                    let done = matches!(outcome, Outcome::Lost(_)) && kind != Kind::Read;
                    return if done { Ok(Written::Unknown(why())) } else { Err(self.unavailable(why())) };
                }
            }
            attempt += 1;
        }
    }

    /// A token that is not valid ends everything; other rejections are for the caller.
    fn answered(&self, response: Response) -> Result<Written, TrackerError> {
        if response.status == 401 {
            return Err(self.unavailable("the token is not valid (401); give another one"));
        }
        Ok(Written::Answered(response))
    }

    fn moved(&self) -> TrackerError {
        self.unavailable(
            "the repository was renamed or moved (the server redirects); say where it is now with --repo, and in the map",
        )
    }

    fn wait_for_limit(&self) -> Result<(), TrackerError> {
        let wait = self.pace.until_limit_ends();
        if wait > self.settings.limit_wait {
            let resume_at = self.pace.limited_until().unwrap_or_default();
            return Err(TrackerError::Limited { tracker: self.identity.clone(), resume_at });
        }
        self.sleep(wait);
        Ok(())
    }

    /// One request, once.
    fn once(&self, method: Method, path: &str, body: Option<&Value>) -> (Outcome, Option<Response>) {
        let octocrab = Arc::clone(&self.octocrab);
        // Connecting, writing and reading have their own limits; this one is for a server that sends byte by byte.
        let whole = self.settings.timeout.saturating_mul(3);
        let exchange = async {
            let response = match method {
                Method::Get => octocrab._get(path).await,
                Method::Post => octocrab._post(path, body).await,
                Method::Patch => octocrab._patch(path, body).await,
                Method::Delete => octocrab._delete(path, None::<&()>).await,
            }?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let text = octocrab.body_to_string(response).await?;
            Ok::<_, octocrab::Error>((status, headers, text))
        };
        let result = self.runtime.block_on(within(whole, exchange));
        let (status, headers, text) = match result {
            None => return (Outcome::Lost("no answer in time".to_owned()), None),
            Some(Err(error)) if was_not_sent(&error) => return (Outcome::NotSent(chain(&error)), None),
            Some(Err(error)) => return (Outcome::Lost(chain(&error)), None),
            Some(Ok(parts)) => parts,
        };
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let number = |name: &str| header(name).and_then(|text| text.trim().parse().ok());
        let json = if text.is_empty() { Ok(Value::Null) } else { serde_json::from_str(&text) };
        let json = match json {
            Ok(json) => json,
            // An error page of a gateway has its status; a success that cannot be read says nothing.
            Err(_) if status >= 300 => Value::Null,
            Err(error) => return (Outcome::Lost(format!("the answer is not JSON: {error}")), None),
        };
        let answer = Answer {
            status,
            retry_after: number("retry-after"),
            remaining: number("x-ratelimit-remaining"),
            reset: number("x-ratelimit-reset"),
            message: message(&json),
        };
        let link = header("link").unwrap_or_default();
        let response = Response {
            status,
            message: answer.message.clone(),
            json,
            next: link_query(link, "next"),
            last_page: link_query(link, "last").and_then(|query| page_of(&query)),
        };
        (Outcome::Answer(answer), Some(response))
    }
}

async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(limit, work).await.ok()
}

/// `422: Validation Failed`, in words that may be shown.
pub(super) fn said(status: u16, message: &str) -> String {
    let message = crate::model::truncate_chars(message, 300);
    if message.is_empty() {
        format!("the server said {status}")
    } else {
        format!("the server said {status}: {message}")
    }
}

/// `message` and the messages of `errors`.
fn message(json: &Value) -> String {
    let mut text = json.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    for error in json.get("errors").and_then(Value::as_array).into_iter().flatten().take(5) {
        let part = |name: &str| error.get(name).and_then(Value::as_str);
        let said = error.as_str().or_else(|| part("message")).or_else(|| part("code")).unwrap_or_default();
        if !said.is_empty() {
            text += &format!(" ({said})");
        }
    }
    text
}

/// Query of the link with this relation. Only the query is used: the address is always that of our own server, so that
/// no answer can send the token elsewhere.
fn link_query(header: &str, relation: &str) -> Option<String> {
    header.split(',').find_map(|link| {
        let (target, parameters) = link.trim().split_once('>')?;
        let is_it = parameters.split(';').any(|p| p.trim() == format!("rel=\"{relation}\""));
        let query = target.strip_prefix('<')?.split_once('?')?.1;
        is_it.then(|| query.to_owned())
    })
}

fn page_of(query: &str) -> Option<u64> {
    query.split('&').find_map(|part| part.strip_prefix("page=")).and_then(|page| page.parse().ok())
}

/// True if the connection was never made.
fn was_not_sent(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(cause) = next {
        if let Some(hyper) = cause.downcast_ref::<hyper_util::client::legacy::Error>() {
            return hyper.is_connect();
        }
        next = cause.source();
    }
    false
}

/// The error and what lies behind it, on one line. octocrab adds a backtrace to some; only first lines are kept.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(cause) = next {
        let text = cause.to_string();
        let line = text.lines().next().unwrap_or_default().to_owned();
        if !line.is_empty() && !parts.iter().any(|part| part.contains(&line)) {
            parts.push(line);
        }
        next = cause.source();
    }
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_query_of_a_link_is_followed() {
        let header = "<https://evil.example/x?per_page=100&page=2>; rel=\"next\", <https://a/b?page=7>; rel=\"last\"";
        assert_eq!(link_query(header, "next").as_deref(), Some("per_page=100&page=2"));
        assert_eq!(link_query(header, "last").as_deref().and_then(page_of), Some(7));
        assert_eq!(link_query(header, "prev"), None);
        assert_eq!(link_query("garbage", "next"), None);
    }

    #[test]
    fn messages_are_joined_with_their_details() {
        let json = serde_json::json!({ "message": "Validation Failed", "errors": [{ "code": "already_exists" }, "x"] });
        assert_eq!(message(&json), "Validation Failed (already_exists) (x)");
        assert_eq!(message(&Value::Null), "");
    }
}
