//! Requests, replies and exchanges as the rig keeps them, and the small client that asks the emulator.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::net::TcpStream;

/// What must not be escaped in one segment of a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Names and values, names in small letters.
pub(crate) type Headers = Vec<(String, String)>;

/// A request, as it came in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// As sent, still escaped, without the query.
    pub(crate) path: String,
    /// What follows the `?`, still escaped.
    pub(crate) query: String,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(method: &str, target: &str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let headers = vec![("user-agent".to_owned(), "greenloop-rig".to_owned())];
        Self { method: method.to_owned(), path: path.to_owned(), query: query.to_owned(), headers, body: Vec::new() }
    }

    pub(crate) fn bearer(mut self, token: &str) -> Self {
        self.headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        self
    }

    pub(crate) fn json(mut self, body: &Value) -> Self {
        self.headers.push(("content-type".to_owned(), "application/json".to_owned()));
        self.body = body.to_string().into_bytes();
        self
    }

    pub(crate) fn target(&self) -> String {
        if self.query.is_empty() { self.path.clone() } else { format!("{}?{}", self.path, self.query) }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// The segments of the path, unescaped.
    pub(crate) fn segments(&self) -> Vec<String> {
        self.path.split('/').filter(|part| !part.is_empty()).map(unescape).collect()
    }

    /// The query, unescaped; of a name that is given twice, the last value.
    pub(crate) fn parameters(&self) -> BTreeMap<String, String> {
        let pairs = self.query.split('&').filter(|pair| !pair.is_empty());
        pairs
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(name, value)| (unescape(&name.replace('+', " ")), unescape(&value.replace('+', " "))))
            .collect()
    }

    pub(crate) fn document(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Whether it asks for a change.
    pub(crate) fn writes(&self) -> bool {
        !matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS")
    }
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json; charset=utf-8".to_owned())];
        Self { status, headers, body: body.to_string().into_bytes() }
    }

    /// An error in GitHub's form.
    pub(crate) fn error(status: u16, message: &str) -> Self {
        let body = json!({"message": message, "documentation_url": "https://docs.github.com/rest", "status": status.to_string()});
        Self::json(status, &body)
    }

    /// A 422 that names the field and GitHub's code for what is wrong with it.
    pub(crate) fn invalid(resource: &str, field: &str, code: &str, message: &str) -> Self {
        let error = json!({"resource": resource, "field": field, "code": code, "message": message});
        let body = json!({"message": "Validation Failed", "errors": [error],
            "documentation_url": "https://docs.github.com/rest", "status": "422"});
        Self::json(422, &body)
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.retain(|(other, _)| other != name);
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    pub(crate) fn document(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The body, which must be JSON.
    #[track_caller]
    pub(crate) fn value(&self) -> Value {
        self.document().unwrap_or_else(|| panic!("not JSON ({}): {}", self.status, String::from_utf8_lossy(&self.body)))
    }

    /// Itself, if it has this status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        self
    }
}

/// One request and what came back, or did not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exchange {
    /// Its place among all requests, from 1.
    pub(crate) sequence: usize,
    pub(crate) method: String,
    /// The path, escaped, without the query.
    pub(crate) path: String,
    pub(crate) query: String,
    /// Without the token.
    pub(crate) request_headers: Headers,
    /// The login that the token belongs to.
    pub(crate) user: Option<String>,
    /// The body, if it is JSON.
    pub(crate) request: Option<Value>,
    /// The length of the body, in bytes.
    pub(crate) request_length: usize,
    /// Absent when the connection was dropped or hung.
    pub(crate) status: Option<u16>,
    pub(crate) response_headers: Headers,
    /// The body, if it is JSON.
    pub(crate) response: Option<Value>,
    /// The length of the body, in bytes.
    pub(crate) response_length: usize,
    /// The fault that struck, in words.
    pub(crate) fault: Option<String>,
    /// Whether GitHub itself got to see the request.
    pub(crate) applied: bool,
    /// Milliseconds from the start of the rig to the arrival of the request.
    pub(crate) at: u128,
    /// Milliseconds until the answer was ready.
    pub(crate) took: u128,
}

impl Exchange {
    pub(crate) fn response_header(&self, name: &str) -> Option<&str> {
        find(&self.response_headers, name)
    }

    pub(crate) fn is(&self, method: &str, pattern: &str) -> bool {
        self.method == method && matches(pattern, &self.path)
    }
}

/// Whether the path fits the pattern; `*` stands for one segment, `**` at the end for all that follow. A further page,
/// whose link names the repository by its id, fits the same patterns as the first.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let by_name = path.strip_prefix("/repositories/").map(|rest| format!("/repos/*/{rest}"));
    let mut wanted = pattern.split('/').filter(|part| !part.is_empty());
    let mut found = by_name.as_deref().unwrap_or(path).split('/').filter(|part| !part.is_empty());
    loop {
        match (wanted.next(), found.next()) {
            (Some("**"), _) | (None, None) => return true,
            (Some("*"), Some(_)) => {}
            (Some(left), Some(right)) if left == right => {}
            _ => return false,
        }
    }
}

fn find<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
    headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

pub(crate) fn unescape(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

pub(crate) fn escape(segment: &str) -> String {
    utf8_percent_encode(segment, SEGMENT).to_string()
}

/// Sends one request over a connection of its own. The error says how far it came.
pub(crate) async fn send(to: SocketAddr, request: &Request) -> Result<Reply, String> {
    let stream = TcpStream::connect(to).await.map_err(|error| format!("no connection: {error}"))?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| format!("no handshake: {error}"))?;
    tokio::spawn(connection);
    let mut builder = hyper::Request::builder().method(request.method.as_str()).uri(request.target());
    builder = builder.header("host", to.to_string());
    for (name, value) in &request.headers {
        if !matches!(name.as_str(), "host" | "connection" | "content-length" | "transfer-encoding") {
            builder = builder.header(name, value);
        }
    }
    let message = builder.body(Full::new(Bytes::from(request.body.clone()))).map_err(|error| error.to_string())?;
    let response = sender.send_request(message).await.map_err(|error| format!("no answer: {error}"))?;
    let status = response.status().as_u16();
    let headers = header_list(response.headers());
    let body = response.into_body().collect().await.map_err(|error| format!("half an answer: {error}"))?;
    Ok(Reply { status, headers, body: body.to_bytes().to_vec() })
}

pub(crate) fn header_list(headers: &hyper::HeaderMap) -> Headers {
    let text = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}
