//! What a test holds: it starts the rig, breaks it, looks at it, and ends it.

use std::future::Future;
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use super::check::{self, Coverage, Problem};
use super::emulator::Emulator;
use super::faults::{Fault, Schedule};
use super::github::GitHub;
use super::install::{Installed, NotInstalled, install};
use super::message::{Exchange, Reply, Request, send};
use super::people::Person;
use super::proxy::Proxy;
use super::seed::{RigSeed, SeedIssue};
use super::state::{Edit, Edition, HOURLY, IssueNow};

/// The repository that exists only to move ids away from numbers.
const ELSEWHERE: &str = "warehouse";
/// Set to anything, a rig that cannot start fails the test instead of skipping it.
const REQUIRED: &str = "GREENLOOP_RIG_REQUIRED";

/// A running rig. All of it ends with this value. Its methods block; they work inside and outside of async code.
#[derive(Debug)]
pub(crate) struct Rig {
    runtime: Option<Runtime>,
    proxy: Arc<Proxy>,
    emulator: Emulator,
    serving: Mutex<Option<JoinHandle<()>>>,
    address: SocketAddr,
    openapi: PathBuf,
}

impl Rig {
    /// Starts a rig with this seed, or says why not: without npm's registry there is none.
    ///
    /// # Panics
    ///
    /// If npm works but the rig does not: that is a fault of the rig, not of the machine.
    #[expect(clippy::disallowed_methods, reason = "a test may read the environment")]
    pub(crate) fn start(seed: &RigSeed) -> Option<Self> {
        match install() {
            Ok(installed) => Some(Self::start_installed(&installed, seed)),
            Err(NotInstalled::Broken(reason)) => panic!("the GitHub test rig cannot be installed: {reason}"),
            Err(NotInstalled::Unreachable(reason)) => {
                assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, but {reason}");
                let test = std::thread::current().name().unwrap_or("a test").to_owned();
                // Not the macro: the harness keeps what that prints of a test that passes.
                let notice = format!("NOT RUN: {test}, which needs the GitHub test rig: {reason}\n");
                std::io::stderr().write_all(notice.as_bytes()).unwrap();
                None
            }
        }
    }

    fn start_installed(installed: &Installed, seed: &RigSeed) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (installed, seed) = (installed.clone(), seed.clone());
        let openapi = installed.openapi.clone();
        let (proxy, emulator, address, serving) = wait(&runtime, async move {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            let address = listener.local_addr().unwrap();
            let base_url = format!("http://{address}");
            let emulator = Emulator::start(&installed, &base_url, &[ELSEWHERE, &seed.repo]).await;
            let emulator = emulator.unwrap_or_else(|error| panic!("{error}"));
            let repo = format!("{}/{}", Person::Owner.login(), seed.repo);
            let github = Arc::new(GitHub::new(emulator.address, base_url, repo));
            sow(&github, &seed).await;
            github.state().remaining = HOURLY;
            let proxy = Arc::new(Proxy::new(github));
            let serving = tokio::spawn(Arc::clone(&proxy).serve(listener));
            (proxy, emulator, address, serving)
        });
        Self { runtime: Some(runtime), proxy, emulator, serving: Mutex::new(Some(serving)), address, openapi }
    }

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    pub(crate) fn base_url(&self) -> &str {
        &self.proxy.github.base_url
    }

    /// `owner/name`.
    pub(crate) fn repo(&self) -> &str {
        &self.proxy.github.repo
    }

    /// The token of [`Person::Bot`], who may write. Those of the others: [`Person::token`].
    #[expect(clippy::unused_self, reason = "a rig may get tokens of its own one day")]
    pub(crate) fn token(&self) -> &'static str {
        Person::Bot.token()
    }

    /// Replaces all faults. Counting of requests begins anew.
    pub(crate) fn set_faults(&self, faults: Vec<Fault>) {
        *self.proxy.schedule() = Schedule::new(faults);
    }

    /// How many faults have not struck (often enough) yet: a test that set faults should end with 0.
    pub(crate) fn pending_faults(&self) -> usize {
        self.proxy.schedule().pending()
    }

    /// Every exchange since the start, or since [`Rig::forget_exchanges`], in order of arrival.
    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        self.proxy.exchanges()
    }

    pub(crate) fn forget_exchanges(&self) {
        self.proxy.forget();
    }

    /// Checks every exchange against GitHub's OpenAPI description.
    pub(crate) fn validate(&self) -> Result<Coverage, Vec<Problem>> {
        check::Description::load(&self.openapi).check(&self.exchanges())
    }

    /// GitHub's OpenAPI description, as far as the rig uses it.
    pub(crate) fn description(&self) -> check::Description {
        check::Description::load(&self.openapi)
    }

    /// All issues as they are now, pull requests left out, by number. Not recorded, and no fault strikes it.
    pub(crate) fn issues(&self) -> Vec<IssueNow> {
        let github = Arc::clone(&self.proxy.github);
        self.wait(async move {
            let documents = github.all_issues().await.unwrap_or_else(|reply| panic!("{reply:?}"));
            let mut issues = Vec::new();
            for document in documents.iter().filter(|document| document.get("pull_request").is_none()) {
                let mut issue = IssueNow::of(document, &github.state());
                if document["comments"].as_u64() != Some(0) {
                    let comments = github.every_page(&format!("/issues/{}/comments", issue.number)).await;
                    let comments = comments.unwrap_or_else(|reply| panic!("{reply:?}"));
                    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                    issue.comments =
                        comments.iter().map(|one| (text(&one["user"]["login"]), text(&one["body"]))).collect();
                }
                issues.push(issue);
            }
            issues
        })
    }

    /// The issue with this number.
    #[track_caller]
    pub(crate) fn issue(&self, number: u64) -> IssueNow {
        let found = self.issues().into_iter().find(|issue| issue.number == number);
        found.unwrap_or_else(|| panic!("there is no issue {number}"))
    }

    /// Opens an issue as its author would; the number.
    pub(crate) fn seed_issue(&self, issue: &SeedIssue) -> u64 {
        let (github, issue) = (Arc::clone(&self.proxy.github), issue.clone());
        self.wait(async move { open(&github, &issue).await })
    }

    /// Changes an issue as somebody else than the client under test.
    pub(crate) fn edit_as_person(&self, person: Person, number: u64, edit: &Edit) {
        let (github, edit) = (Arc::clone(&self.proxy.github), edit.clone());
        self.wait(async move { change(&github, person, number, &edit).await });
    }

    /// Deletes an issue: GitHub answers 410 from now on, and listings do not have it.
    pub(crate) fn delete_issue(&self, number: u64) {
        self.proxy.github.state().deleted.insert(number);
    }

    pub(crate) fn set_archived(&self, archived: bool) {
        self.proxy.github.state().archived = archived;
    }

    pub(crate) fn set_issues_disabled(&self, disabled: bool) {
        self.proxy.github.state().issues_disabled = disabled;
    }

    /// Whether issues can depend on others; older servers answer 404.
    pub(crate) fn set_dependencies(&self, supported: bool) {
        self.proxy.github.state().dependencies = supported;
    }

    pub(crate) fn set_edition(&self, edition: Edition) {
        self.proxy.github.state().edition = edition;
    }

    /// Requests that are left of the primary limit.
    pub(crate) fn set_remaining(&self, remaining: u32) {
        self.proxy.github.state().remaining = remaining;
    }

    /// Whether the port is open. While it is not, connections are refused; those that were open are closed.
    pub(crate) fn set_listening(&self, listening: bool) {
        let mut serving = self.serving.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = serving.take() {
            old.abort();
            // The error is that it was aborted. Waiting makes sure that the port is closed.
            self.wait(async move { drop(old.await) });
        }
        if listening {
            let (proxy, address) = (Arc::clone(&self.proxy), self.address);
            let task = async move {
                let listener = TcpListener::bind(address).await.unwrap();
                Some(tokio::spawn(proxy.serve(listener)))
            };
            *serving = self.wait(task);
        }
    }

    /// Where the proxy and the emulator behind it listen.
    pub(crate) fn addresses(&self) -> [SocketAddr; 2] {
        [self.address, self.emulator.address]
    }

    /// Sends a request over the network to the proxy, as a client would.
    pub(crate) fn call(&self, token: &str, method: &str, target: &str, body: Option<&Value>) -> Result<Reply, String> {
        let target = target.strip_prefix(self.base_url()).unwrap_or(target);
        let mut request = Request::new(method, target).bearer(token);
        if let Some(body) = body {
            request = request.json(body);
        }
        self.send(request)
    }

    /// Sends any request over the network to the proxy.
    pub(crate) fn send(&self, request: Request) -> Result<Reply, String> {
        let address = self.address;
        self.wait(async move { send(address, &request).await })
    }

    fn wait<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        wait(self.runtime.as_ref().expect("the runtime lives as long as the rig"), work)
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Not the blocking kind, which panics inside of async code.
            runtime.shutdown_background();
        }
    }
}

/// Runs the work on the rig's own threads, so that a caller inside of another runtime is fine.
fn wait<T: Send + 'static>(runtime: &Runtime, work: impl Future<Output = T> + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    runtime.spawn(async move {
        // The receiver waits below; it cannot be gone.
        let _ = sender.send(work.await);
    });
    receiver.recv().expect("the rig's own work ended in a panic, which is above")
}

/// Fills the repositories.
async fn sow(github: &GitHub, seed: &RigSeed) {
    let owner = Person::Owner.token();
    for number in 1..=seed.elsewhere {
        let target = format!("/repos/{}/{ELSEWHERE}/issues", Person::Owner.login());
        let request = Request::new("POST", &target).bearer(owner);
        github.ask(&request.json(&json!({"title": format!("Shelf {number} is empty")}))).await.expect(201);
    }
    let repository = github.as_owner("GET", "", None).await.expect(200).value();
    github.set_repo_id(repository["id"].as_u64().unwrap());
    for (name, color) in &seed.labels {
        github.as_owner("POST", "/labels", Some(&json!({"name": name, "color": color}))).await.expect(201);
    }
    for number in 1..=seed.decoys {
        open(github, &SeedIssue::new(&format!("A person's issue {number}"))).await;
    }
    if seed.pull_request {
        let body = json!({"title": "A pull request", "head": "feature", "base": "main"});
        github.as_owner("POST", "/pulls", Some(&body)).await.expect(201);
    }
    for issue in &seed.issues {
        open(github, issue).await;
    }
}

async fn open(github: &GitHub, issue: &SeedIssue) -> u64 {
    let body = json!({"title": issue.title, "body": issue.body, "labels": issue.labels});
    let request = Request::new("POST", &format!("/repos/{}/issues", github.repo)).bearer(issue.author.token());
    let number = github.handle(&request.json(&body)).await.expect(201).value()["number"].as_u64().unwrap();
    if issue.closed {
        change(github, Person::Owner, number, &Edit { state: Some("closed".to_owned()), ..Edit::default() }).await;
    }
    number
}

async fn change(github: &GitHub, person: Person, number: u64, edit: &Edit) {
    let base = format!("/repos/{}/issues/{number}", github.repo);
    let call = |method: &str, rest: &str, body: &Value| {
        let request = Request::new(method, &format!("{base}{rest}")).bearer(person.token());
        if body.is_null() { request } else { request.json(body) }
    };
    let mut fields = serde_json::Map::new();
    let texts = [("title", &edit.title), ("body", &edit.body), ("state", &edit.state)];
    for (name, text) in texts.into_iter().chain([("state_reason", &edit.state_reason)]) {
        if let Some(text) = text {
            fields.insert(name.to_owned(), json!(text));
        }
    }
    if let Some(labels) = &edit.labels {
        fields.insert("labels".to_owned(), json!(labels));
    }
    if !fields.is_empty() {
        github.handle(&call("PATCH", "", &Value::Object(fields))).await.expect(200);
    }
    if let Some(text) = &edit.comment {
        github.handle(&call("POST", "/comments", &json!({"body": text}))).await.expect(201);
    }
    if let Some(other) = edit.link {
        let id = github.get_issue(other).await.expect(200).value()["id"].clone();
        let body = json!({"issue_id": id});
        github.handle(&call("POST", "/dependencies/blocked_by", &body)).await.expect(201);
    }
    if let Some(other) = edit.unlink {
        let id = github.get_issue(other).await.expect(200).value()["id"].clone();
        let rest = format!("/dependencies/blocked_by/{id}");
        github.handle(&call("DELETE", &rest, &Value::Null)).await.expect(200);
    }
}
