//! What the rig itself remembers, because the emulator does not; and what tests see and change of a repository.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// What is added to the emulator's ids of issues. GitHub's have long outgrown 32 bits.
pub(crate) const ID_OFFSET: u64 = 3_500_000_000;
/// What is added to the emulator's ids of pull requests, to get the id of the issue that each of them is.
pub(crate) const PULL_OFFSET: u64 = 3_900_000_000;
/// The primary limit of a token, in requests an hour.
pub(crate) const HOURLY: u32 = 5000;

/// Which GitHub the rig plays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Edition {
    Cloud,
    /// GitHub Enterprise Server of this version, which it says in a header and in `GET /meta`.
    Server(String),
}

/// What the emulator does not keep, or keeps wrongly.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) edition: Edition,
    /// Whether issues can depend on others.
    pub(crate) dependencies: bool,
    pub(crate) archived: bool,
    pub(crate) issues_disabled: bool,
    /// Requests left of the primary limit.
    pub(crate) remaining: u32,
    /// Numbers of the issues that are closed.
    pub(crate) closed: BTreeSet<u64>,
    /// Why an issue is in its state, where GitHub says so.
    pub(crate) reasons: BTreeMap<u64, String>,
    /// Blocked number to the numbers that block it, in the order of wiring.
    pub(crate) blocked_by: BTreeMap<u64, Vec<u64>>,
    pub(crate) deleted: BTreeSet<u64>,
    /// Issues that listings do not show yet, and for how many listings more.
    pub(crate) lagging: BTreeMap<u64, u32>,
    /// Issues that the listing that is being read does not show.
    pub(crate) hidden: BTreeSet<u64>,
    pub(crate) replies: u64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            edition: Edition::Cloud,
            dependencies: true,
            archived: false,
            issues_disabled: false,
            remaining: HOURLY,
            closed: BTreeSet::new(),
            reasons: BTreeMap::new(),
            blocked_by: BTreeMap::new(),
            deleted: BTreeSet::new(),
            lagging: BTreeMap::new(),
            hidden: BTreeSet::new(),
            replies: 0,
        }
    }
}

impl State {
    pub(crate) fn blockers(&self, number: u64) -> &[u64] {
        self.blocked_by.get(&number).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn blocking(&self, number: u64) -> Vec<u64> {
        self.blocked_by.iter().filter(|(_, by)| by.contains(&number)).map(|(blocked, _)| *blocked).collect()
    }

    /// Whether `from` waits for `to`, over any number of steps.
    pub(crate) fn waits_for(&self, from: u64, to: u64) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(next) = open.pop() {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                open.extend(self.blockers(next));
            }
        }
        false
    }

    /// A new listing begins: what lags is hidden from it, and comes nearer to being seen.
    pub(crate) fn begin_listing(&mut self) {
        self.hidden = self.lagging.keys().copied().collect();
        for left in self.lagging.values_mut() {
            *left -= 1;
        }
        self.lagging.retain(|_, left| *left > 0);
    }
}

/// An issue as it is now, for assertions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IssueNow {
    pub(crate) number: u64,
    pub(crate) id: u64,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) author: String,
    /// `open` or `closed`.
    pub(crate) state: String,
    pub(crate) state_reason: Option<String>,
    /// Sorted.
    pub(crate) labels: Vec<String>,
    /// Author and text, oldest first.
    pub(crate) comments: Vec<(String, String)>,
    /// Numbers of the issues that block it, sorted.
    pub(crate) blocked_by: Vec<u64>,
}

impl IssueNow {
    /// From the document that GitHub sends; comments are read separately.
    pub(crate) fn of(document: &Value, state: &State) -> Self {
        let text = |name: &str| document[name].as_str().unwrap_or_default().to_owned();
        let number = document["number"].as_u64().unwrap_or_default();
        let mut labels: Vec<String> = names(&document["labels"]);
        labels.sort();
        let mut blocked_by = state.blockers(number).to_vec();
        blocked_by.sort_unstable();
        Self {
            number,
            id: document["id"].as_u64().unwrap_or_default(),
            title: text("title"),
            body: text("body"),
            author: document["user"]["login"].as_str().unwrap_or_default().to_owned(),
            state: text("state"),
            state_reason: document["state_reason"].as_str().map(str::to_owned),
            labels,
            comments: Vec::new(),
            blocked_by,
        }
    }
}

/// The names in a list of labels, each a text or an object with a name.
pub(crate) fn names(labels: &Value) -> Vec<String> {
    let name = |label: &Value| label.as_str().or_else(|| label["name"].as_str()).map(str::to_owned);
    labels.as_array().into_iter().flatten().filter_map(name).collect()
}

/// What a person changes on an issue; what is absent stays.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edit {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
    /// All labels, from now on.
    pub(crate) labels: Option<Vec<String>>,
    /// `open` or `closed`.
    pub(crate) state: Option<String>,
    pub(crate) state_reason: Option<String>,
    /// The number of an issue that is to block it.
    pub(crate) link: Option<u64>,
    /// The number of an issue that is to block it no longer.
    pub(crate) unlink: Option<u64>,
    pub(crate) comment: Option<String>,
}
