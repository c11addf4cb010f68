//! What GitHub does and the emulator does not: who may do what, which repository answers at all, the headers.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::message::{Reply, Request, send};
use super::people::Person;
use super::state::{Edition, HOURLY, ID_OFFSET, State};

/// Headers of the emulator that go on to the client.
const KEPT: &[&str] = &["content-type", "link", "location"];

/// The version of the API that the rig plays. GitHub has a newer one, whose answers lack some fields.
const VERSION: &str = "2022-11-28";
/// The emulator has a limit of its own, 5000 requests an hour for each token; looking must never reach it.
const LOOKS: u64 = 4000;

/// GitHub, as far as the rig plays it.
#[derive(Debug)]
pub(crate) struct GitHub {
    emulator: SocketAddr,
    pub(crate) base_url: String,
    /// `owner/name`.
    pub(crate) repo: String,
    /// The id of the repository; links to further pages use it.
    repo_id: Mutex<u64>,
    state: Mutex<State>,
    /// How often the rig itself has looked.
    looks: AtomicU64,
    /// One request at a time, so that checking and doing are one step.
    turn: tokio::sync::Mutex<()>,
}

impl GitHub {
    pub(crate) fn new(emulator: SocketAddr, base_url: String, repo: String) -> Self {
        let state = Mutex::new(State::default());
        let (repo_id, looks, turn) = (Mutex::new(0), AtomicU64::new(0), tokio::sync::Mutex::new(()));
        Self { emulator, base_url, repo, repo_id, state, looks, turn }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_repo_id(&self, id: u64) {
        *self.repo_id.lock().unwrap_or_else(PoisonError::into_inner) = id;
    }

    pub(crate) fn repo_id(&self) -> u64 {
        *self.repo_id.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a request as GitHub would.
    pub(crate) async fn handle(&self, request: &Request) -> Reply {
        let _turn = self.turn.lock().await;
        let client = person(request).is_some_and(|person| person.login() == Person::Bot.login());
        let spent = client && self.state().remaining == 0;
        let reply =
            if spent { Reply::error(403, "API rate limit exceeded for user ID 3.") } else { self.route(request).await };
        if client {
            let mut state = self.state();
            state.remaining = state.remaining.saturating_sub(1);
        }
        self.finish(reply)
    }

    async fn route(&self, request: &Request) -> Reply {
        if request.header("user-agent").is_none_or(str::is_empty) {
            return Reply::error(
                403,
                "Request forbidden by administrative rules. Please make sure your request has a User-Agent header",
            );
        }
        if let Some(version) = request.header("x-github-api-version").filter(|version| *version != VERSION) {
            return Reply::error(400, &format!("the rig plays version {VERSION}, not {version}"));
        }
        if request.header("authorization").and_then(bearer).is_none() {
            return Reply::error(401, "Requires authentication");
        }
        let Some(person) = person(request) else {
            return Reply::error(401, "Bad credentials");
        };
        let segments = request.segments();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        match (request.method.as_str(), segments.as_slice()) {
            ("GET", ["meta"]) => self.meta(),
            (_, ["repos", owner, name, rest @ ..]) if self.is_ours(owner, name) => {
                self.repository(request, person, rest).await
            }
            (_, ["repositories", id, rest @ ..]) if *id == self.repo_id().to_string() => {
                self.repository(request, person, rest).await
            }
            ("GET", ["user" | "rate_limit"] | ["repos", ..]) => self.ask(request).await,
            _ => Reply::error(404, "Not Found"),
        }
    }

    /// Names of owners and repositories are the same in small and capital letters.
    fn is_ours(&self, owner: &str, name: &str) -> bool {
        self.repo.eq_ignore_ascii_case(&format!("{owner}/{name}"))
    }

    async fn repository(&self, request: &Request, person: Person, rest: &[&str]) -> Reply {
        let method = request.method.as_str();
        if request.writes() && person == Person::ReadOnly {
            return Reply::error(403, "Resource not accessible by personal access token");
        }
        let (archived, disabled, supported) = {
            let state = self.state();
            (state.archived, state.issues_disabled, state.dependencies)
        };
        if request.writes() && archived {
            return Reply::error(403, "Repository was archived so is read-only.");
        }
        if disabled && rest.first() == Some(&"issues") {
            return Reply::error(410, "Issues has been disabled in this repository.");
        }
        if let ("GET", ["issues", "comments"]) = (method, rest) {
            return self.list_comments(request).await;
        }
        if let ["issues", "comments", ..] = rest {
            return self.comment(request).await;
        }
        let Some(&first) = rest.get(1) else {
            return match (method, rest) {
                ("GET", []) => self.describe(person).await,
                ("GET", ["issues"]) => self.list_issues(request).await,
                ("POST", ["issues"]) => self.create_issue(request, person).await,
                ("GET", ["labels"]) => self.list_labels(request).await,
                ("POST", ["labels"]) => self.create_label(request, person).await,
                _ => Reply::error(404, "Not Found"),
            };
        };
        if let ["labels", name] = rest {
            return self.one_label(request, person, name).await;
        }
        let (["issues", ..], Ok(number)) = (rest, first.parse::<u64>()) else {
            return Reply::error(404, "Not Found");
        };
        if self.state().deleted.contains(&number) {
            return Reply::error(410, "This issue was deleted");
        }
        match (method, &rest[2..]) {
            ("GET", []) => self.get_issue(number).await,
            ("PATCH", []) => self.patch_issue(request, person, number).await,
            (_, ["labels", ..]) => self.issue_labels(request, person, number, rest.get(3).copied()).await,
            ("GET" | "POST", ["comments"]) => self.comment(request).await,
            (_, ["dependencies", ..]) if !supported => Reply::error(404, "Not Found"),
            (_, ["dependencies", which, more @ ..]) => {
                self.dependencies(request, person, number, which, more.first().copied()).await
            }
            _ => Reply::error(404, "Not Found"),
        }
    }

    async fn describe(&self, person: Person) -> Reply {
        let reply = self.as_owner("GET", "", None).await;
        let Some(mut body) = reply.document().filter(|_| reply.status == 200) else { return reply };
        let (pushes, admin) = (person.pushes(), person == Person::Owner);
        body["permissions"] =
            json!({"admin": admin, "maintain": admin, "push": pushes, "triage": pushes, "pull": true});
        let state = self.state();
        body["archived"] = json!(state.archived);
        body["has_issues"] = json!(!state.issues_disabled);
        // Parts of GitHub's description of a repository that the emulator leaves out.
        body["network_count"] = json!(0);
        body["subscribers_count"] = json!(0);
        drop(state);
        Reply::json(200, &body)
    }

    fn meta(&self) -> Reply {
        let mut body = json!({"verifiable_password_authentication": false});
        if let Edition::Server(version) = &self.state().edition {
            body["installed_version"] = json!(version);
        }
        Reply::json(200, &body)
    }

    async fn comment(&self, request: &Request) -> Reply {
        if matches!(request.method.as_str(), "POST" | "PATCH") {
            let body = request.document();
            let Some(text) =
                body.as_ref().and_then(|body| body["body"].as_str()).filter(|text| !text.trim().is_empty())
            else {
                return Reply::invalid("IssueComment", "body", "missing_field", "body cannot be blank");
            };
            if text.chars().count() > 65_536 {
                let message = "body is too long (maximum is 65536 characters)";
                return Reply::invalid("IssueComment", "body", "custom", message);
            }
        }
        self.ask(request).await
    }

    /// Lets the emulator answer a part of the repository, with the owner's token.
    pub(crate) async fn as_owner(&self, method: &str, rest: &str, body: Option<&Value>) -> Reply {
        let request = Request::new(method, &format!("/repos/{}{rest}", self.repo));
        let request = if method == "GET" {
            // The emulator lets any token read, so a fresh one comes with a fresh limit.
            let look = self.looks.fetch_add(1, Ordering::Relaxed);
            request.bearer(&format!("rig-look-{}", look / LOOKS))
        } else {
            request.bearer(Person::Owner.token())
        };
        self.ask(&body.iter().fold(request, |request, body| request.json(body))).await
    }

    /// Lets the emulator answer, and mends what it says.
    pub(crate) async fn ask(&self, request: &Request) -> Reply {
        let mut request = request.clone();
        if let Some(rest) = request.path.strip_prefix(&format!("/repositories/{}", self.repo_id())) {
            request.path = format!("/repos/{}{rest}", self.repo);
        }
        let mut reply = match send(self.emulator, &request).await {
            Ok(reply) => reply,
            Err(error) => return Reply::error(500, &format!("the rig does not reach its emulator: {error}")),
        };
        reply.headers.retain(|(name, _)| KEPT.contains(&name.as_str()));
        for (_, value) in &mut reply.headers {
            // The emulator makes links to itself; they must lead back here.
            *value = value.replace(&format!("http://{}", self.emulator), &self.base_url);
        }
        if let Some(mut document) = reply.document() {
            mend(&mut document, &self.state());
            if reply.status >= 400 {
                document["status"] = json!(reply.status.to_string());
            }
            reply.body = document.to_string().into_bytes();
        }
        reply
    }

    /// The headers that every answer of GitHub has.
    fn finish(&self, reply: Reply) -> Reply {
        let mut state = self.state();
        state.replies += 1;
        let reset = now() + 3600;
        let mut reply = reply
            .with("x-github-request-id", format!("RIG0:{:06X}", state.replies))
            .with("x-github-media-type", "github.v3; format=json")
            .with("x-github-api-version-selected", VERSION)
            .with("x-oauth-scopes", "repo")
            .with("x-accepted-oauth-scopes", "repo")
            .with("x-ratelimit-limit", HOURLY.to_string())
            .with("x-ratelimit-remaining", state.remaining.to_string())
            .with("x-ratelimit-used", (HOURLY - state.remaining).to_string())
            .with("x-ratelimit-reset", reset.to_string())
            .with("x-ratelimit-resource", "core");
        if let Edition::Server(version) = &state.edition {
            reply = reply.with("x-github-enterprise-version", version.clone());
        }
        reply
    }
}

/// The token in an `authorization` header.
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") || scheme.eq_ignore_ascii_case("token")).then_some(token.trim())
}

/// Who sends the request.
pub(crate) fn person(request: &Request) -> Option<Person> {
    request.header("authorization").and_then(bearer).and_then(Person::of_token)
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs())
}

/// Mends every issue and every time in a document of the emulator.
fn mend(document: &mut Value, state: &State) {
    match document {
        Value::Array(items) => items.iter_mut().for_each(|item| mend(item, state)),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                match value {
                    // GitHub's times have whole seconds.
                    Value::String(time) if name.ends_with("_at") => {
                        if let Some((seconds, _)) = time.split_once('.') {
                            *time = format!("{seconds}Z");
                        }
                    }
                    Value::Array(_) | Value::Object(_) => mend(value, state),
                    _ => {}
                }
            }
            let login = fields.get("user").and_then(|user| user["login"].as_str());
            if let (Some(association), true) =
                (login.map(Person::association), fields.contains_key("author_association"))
            {
                fields.insert("author_association".to_owned(), json!(association));
            }
            if fields.contains_key("labels_url") && fields.contains_key("number") {
                mend_issue(document, state);
            }
        }
        _ => {}
    }
}

fn mend_issue(issue: &mut Value, state: &State) {
    let number = issue["number"].as_u64().unwrap_or_default();
    issue["id"] = json!(issue["id"].as_u64().unwrap_or_default() + ID_OFFSET);
    issue["state_reason"] = json!(state.reasons.get(&number));
    if state.dependencies {
        let open = |numbers: &[u64]| numbers.iter().filter(|number| !state.closed.contains(number)).count();
        let (by, blocking) = (state.blockers(number), state.blocking(number));
        issue["issue_dependencies_summary"] = json!({"blocked_by": open(by), "total_blocked_by": by.len(),
            "blocking": open(&blocking), "total_blocking": blocking.len()});
    }
}
