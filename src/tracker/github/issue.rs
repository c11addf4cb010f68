//! The parts of GitHub's JSON that are read. Unknown fields are passed over; missing ones that matter are errors.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

/// Who wrote something.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct User {
    pub(super) login: String,
    #[serde(rename = "type", default)]
    pub(super) kind: Option<String>,
}

impl User {
    /// True if this is the account `login`. The two interfaces spell the login of an app's bot with and without
    /// `[bot]`, which no person's login can hold.
    pub(super) fn is(&self, login: &str) -> bool {
        let plain = |login: &str| login.strip_suffix("[bot]").unwrap_or(login).to_ascii_lowercase();
        let is_bot = self.kind.as_deref() == Some("Bot");
        self.login.eq_ignore_ascii_case(login) || (is_bot && plain(&self.login) == plain(login))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Label {
    Name(String),
    Object { name: Option<String> },
}

/// Counts of dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) struct DependencySummary {
    #[serde(default)]
    blocked_by: u64,
    #[serde(default)]
    total_blocked_by: Option<u64>,
}

impl DependencySummary {
    /// Blockers, open and closed.
    pub(super) fn blockers(self) -> u64 {
        self.total_blocked_by.unwrap_or(self.blocked_by)
    }
}

/// An issue, or a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Issue {
    pub(super) id: u64,
    pub(super) number: u64,
    pub(super) title: String,
    pub(super) state: String,
    #[serde(default)]
    pub(super) state_reason: Option<String>,
    #[serde(default)]
    pub(super) body: Option<String>,
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(default)]
    pub(super) user: Option<User>,
    #[serde(default)]
    pub(super) comments: u64,
    #[serde(default)]
    pull_request: Option<Value>,
    #[serde(default, rename = "issue_dependencies_summary")]
    pub(super) dependencies: Option<DependencySummary>,
    #[serde(default)]
    pub(super) repository_url: Option<String>,
}

impl Issue {
    pub(super) fn is_open(&self) -> bool {
        self.state == "open"
    }

    pub(super) const fn is_pull_request(&self) -> bool {
        self.pull_request.is_some()
    }

    pub(super) fn labels(&self) -> BTreeSet<String> {
        let name = |label: &Label| match label {
            Label::Name(name) => Some(name.clone()),
            Label::Object { name } => name.clone(),
        };
        self.labels.iter().filter_map(name).collect()
    }
}

/// A comment on an issue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Comment {
    pub(super) id: u64,
    #[serde(default)]
    pub(super) body: Option<String>,
    #[serde(default)]
    pub(super) user: Option<User>,
    #[serde(default)]
    pub(super) issue_url: Option<String>,
}

impl Comment {
    /// The number of the issue it stands on.
    pub(super) fn issue(&self) -> Option<u64> {
        self.issue_url.as_deref()?.rsplit('/').next()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_have_two_spellings_and_people_one() {
        let user = |login: &str, kind: &str| User { login: login.into(), kind: Some(kind.into()) };
        assert!(user("github-actions[bot]", "Bot").is("github-actions"));
        assert!(user("Me", "User").is("me"));
        assert!(!user("github-actions", "User").is("github-actions[bot]"));
    }
}
