//! Which issue waits for which. The emulator knows nothing of this; the rig keeps it.

use serde_json::Value;

use super::github::GitHub;
use super::message::{Reply, Request};
use super::people::Person;

/// Issues that can block one issue. Source: GitHub's documentation of issue dependencies.
const BLOCKERS: usize = 50;

impl GitHub {
    pub(crate) async fn dependencies(
        &self,
        request: &Request,
        person: Person,
        number: u64,
        which: &str,
        id: Option<&str>,
    ) -> Reply {
        let issues = match self.all_issues().await {
            Ok(issues) => issues,
            Err(reply) => return reply,
        };
        let Some(issue) = issues.iter().find(|issue| issue["number"] == number) else {
            return Reply::error(404, "Not Found");
        };
        if request.writes() && !person.pushes() {
            return Reply::error(403, "Must have admin rights to Repository.");
        }
        match (request.method.as_str(), which, id) {
            ("GET", "blocked_by", None) => {
                let numbers = self.state().blockers(number).to_vec();
                self.page(request, pick(&issues, &numbers))
            }
            ("GET", "blocking", None) => {
                let numbers = self.state().blocking(number);
                self.page(request, pick(&issues, &numbers))
            }
            ("POST", "blocked_by", None) => self.block(request, &issues, number).await,
            ("DELETE", "blocked_by", Some(id)) => self.unblock(issue, &issues, id).await,
            _ => Reply::error(404, "Not Found"),
        }
    }

    async fn block(&self, request: &Request, issues: &[Value], number: u64) -> Reply {
        let Some(fields) = request.document() else { return Reply::error(400, "Problems parsing JSON") };
        let invalid = |message: &str| Reply::invalid("IssueDependency", "issue_id", "invalid", message);
        let Some(id) = fields["issue_id"].as_u64() else { return invalid("issue_id is not a number") };
        // The id, not the number: a number that is taken for an id finds nothing.
        let Some(blocker) = issues.iter().find(|issue| issue["id"] == id) else {
            return Reply::error(404, "Not Found");
        };
        if blocker.get("pull_request").is_some() {
            return invalid("a pull request cannot block an issue");
        }
        let by = blocker["number"].as_u64().unwrap_or_default();
        {
            let mut state = self.state();
            if by == number {
                return invalid("an issue cannot block itself");
            }
            if state.blockers(number).contains(&by) {
                return invalid("the dependency exists already");
            }
            if state.waits_for(by, number) {
                return invalid("the dependency would make a circle");
            }
            if state.blockers(number).len() >= BLOCKERS {
                return invalid("an issue has at most 50 blockers");
            }
            state.blocked_by.entry(number).or_default().push(by);
        }
        let reply = self.get_issue(number).await;
        let location = format!("{}/repos/{}/issues/{number}/dependencies/blocked_by", self.base_url, self.repo);
        Reply { status: 201, ..reply }.with("location", location)
    }

    async fn unblock(&self, issue: &Value, issues: &[Value], id: &str) -> Reply {
        let Ok(id) = id.parse::<u64>() else { return Reply::error(400, "issue_id is not a number") };
        let number = issue["number"].as_u64().unwrap_or_default();
        let by = issues.iter().find(|issue| issue["id"] == id).and_then(|issue| issue["number"].as_u64());
        let removed = by.is_some_and(|by| {
            let mut state = self.state();
            let blockers = state.blocked_by.entry(number).or_default();
            let before = blockers.len();
            blockers.retain(|other| *other != by);
            blockers.len() < before
        });
        if removed { self.get_issue(number).await } else { Reply::error(404, "Not Found") }
    }
}

fn pick(issues: &[Value], numbers: &[u64]) -> Vec<Value> {
    let find = |number: &u64| issues.iter().find(|issue| issue["number"] == *number).cloned();
    numbers.iter().filter_map(find).collect()
}
