//! Whether everything that the tracker needs is there, and what to do about what is not.

use serde_json::{Value, json};

use super::super::TrackerError;
use super::client::{Method, Response, Written, said};
use super::create::OWN_LABELS;
use super::open::{Dependencies, GithubTracker};
use super::write::BLOCKED_LABEL;
use crate::model::display_safe;

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    /// As it should be.
    Ok,
    /// It works, with a restriction that should be known.
    Warning,
    /// It does not work.
    Failed,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// How it went.
    pub state: CheckState,
    /// What was found.
    pub found: String,
    /// What to do, if there is something to do.
    pub remedy: Option<String>,
}

impl Check {
    /// A check that went well.
    pub fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, state: CheckState::Ok, found: found.into(), remedy: None }
    }

    /// A restriction.
    pub fn warning(name: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, state: CheckState::Warning, found: found.into(), remedy: Some(remedy.into()) }
    }

    /// A failure.
    pub fn failed(name: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, state: CheckState::Failed, found: found.into(), remedy: Some(remedy.into()) }
    }
}

impl GithubTracker {
    /// Looks at server, token, repository, dependencies and labels. Changes nothing.
    pub fn doctor(&mut self) -> Vec<Check> {
        let mut checks = Vec::new();
        if let Some(until) = self.client.pace.limited_until() {
            let text = format!("the server asked to wait until {until} (seconds since 1970)");
            checks.push(Check::warning("limit", text, "wait; commands that write wait by themselves"));
        }
        let path = self.client.path("");
        let repository = match self.client.get(&path) {
            Ok(repository) => repository,
            Err(error) => {
                checks.push(unreachable(&error));
                return checks;
            }
        };
        if !repository.is_success() {
            checks.push(Check::failed(
                "repository",
                format!("{} for {}", said(repository.status, &repository.message), self.client.settings.repo),
                "check --repo; give the token access to this repository (fine-grained: Repository access, and \
                 Issues: read and write)",
            ));
            return checks;
        }
        checks.push(Check::ok("repository", self.client.identity()));
        Self::check_repository(&repository.json, &mut checks);
        if repository.json.get("archived").and_then(Value::as_bool) != Some(true) {
            checks.push(self.check_permission());
        }
        checks.push(match self.know_ourselves() {
            Ok(()) => Check::ok("account", display_safe(&self.ours.join(", "))),
            Err(error) => Check::failed("account", error.to_string(), "name the account with --author LOGIN"),
        });
        let issues = self.client.get(&self.client.path("/issues?state=all&per_page=1"));
        checks.push(self.check_dependencies(issues));
        self.check_labels(&mut checks);
        checks
    }

    fn check_repository(repository: &Value, checks: &mut Vec<Check>) {
        let flag = |name: &str| repository.get(name).and_then(Value::as_bool);
        if flag("archived") == Some(true) {
            let remedy = "unarchive it in its settings; nothing can be written to an archived repository";
            checks.push(Check::failed("archived", "it is archived", remedy));
        } else {
            checks.push(Check::ok("archived", "no"));
        }
        if flag("has_issues") == Some(false) {
            checks.push(Check::failed("issues", "switched off", "switch them on: Settings, Features, Issues"));
        } else {
            checks.push(Check::ok("issues", "switched on"));
        }
    }

    /// What the repository says of permissions is the account's right and not the token's. So the server is asked for
    /// something that it refuses in any case: a label without a name. How it refuses tells what it would let us do.
    fn check_permission(&mut self) -> Check {
        const NAME: &str = "permission";
        let answer = self.client.read_with(
            Method::Post,
            &self.client.path("/labels"),
            &json!({ "name": "", "color": "0e8a16" }),
        );
        let response = match answer {
            Ok(Written::Answered(response)) => response,
            Ok(Written::Unknown(why)) => return Check::warning(NAME, why, "try again"),
            Err(error) => return unreachable(&error),
        };
        match response.status {
            422 => Check::ok(NAME, "issues and labels can be written"),
            403 | 404 => Check::failed(
                NAME,
                "the token may only read",
                "fine-grained token: Issues: read and write; classic token: scope repo; workflow: permissions: issues: write",
            ),
            status => Check::warning(
                NAME,
                said(status, &response.message),
                "make sure that the token may write issues; `greenloop apply` says so otherwise and undoes what it did",
            ),
        }
    }

    fn check_dependencies(&mut self, issues: Result<Response, TrackerError>) -> Check {
        const NAME: &str = "dependencies";
        let listed = match issues {
            Err(error) => return unreachable(&error),
            Ok(listed) if !listed.is_success() => {
                let remedy = "the token needs Issues: read and write";
                return Check::failed(NAME, said(listed.status, &listed.message), remedy);
            }
            Ok(listed) => listed.json,
        };
        let Some(issue) = listed.get(0) else {
            return Check::ok(NAME, "cannot be told before there is an issue; it is found out by the first plan");
        };
        let number = issue.get("number").and_then(Value::as_u64).unwrap_or_default();
        match self.client.blocked_by(number) {
            Ok(Some(_)) => {
                self.dependencies = Dependencies::Yes;
                Check::ok(NAME, "the server has issue dependencies")
            }
            Ok(None) => {
                self.dependencies = Dependencies::No;
                Check::warning(
                    NAME,
                    "this server has no issue dependencies",
                    "nothing to do: what waits for what stands in the tickets' text and in the label greenloop:blocked",
                )
            }
            Err(error) => Check::failed(NAME, error.to_string(), "the token needs Issues: read and write"),
        }
    }

    fn check_labels(&mut self, checks: &mut Vec<Check>) {
        for (name, _, _) in OWN_LABELS {
            if name == BLOCKED_LABEL && self.dependencies != Dependencies::No {
                continue;
            }
            let answer = self.client.get(&self.client.path(&format!("/labels/{}", name.replace(':', "%3A"))));
            checks.push(match answer {
                Ok(label) if label.is_success() => Check::ok("label", name),
                Ok(label) if label.status == 404 => {
                    Check::ok("label", format!("{name} is not there yet; the first apply makes it"))
                }
                Ok(label) => Check::failed("label", said(label.status, &label.message), "the token needs Issues: read"),
                Err(error) => unreachable(&error),
            });
        }
    }
}

fn unreachable(error: &TrackerError) -> Check {
    Check::failed("server", error.to_string(), "check --base-url, the network, and the token")
}
