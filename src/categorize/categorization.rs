//! The result of categorizing one report.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::decide::DecidedBy;
use super::fingerprint::Provenance;
use crate::model::{CaseName, CategoryId, Digest, Outcome, Readiness};

/// Every failing case with its decision, what else keeps the report from being green, and the fingerprints.
#[derive(Debug, Clone)]
pub struct Categorization {
    /// The report it was made from.
    pub report: ReportFacts,
    /// The map it was made with.
    pub map: MapFacts,
    /// Numbers; they add up (see [`Counts::add_up`]).
    pub counts: Counts,
    /// Active categories, sorted by id.
    pub active: Vec<ActiveCategory>,
    /// Failing cases with exactly one category, sorted by name.
    pub assignments: Vec<Assignment>,
    /// Failing cases that no category speaks for, sorted by name.
    pub unclassified: Vec<Unclassified>,
    /// Failing cases with several categories, sorted by name.
    pub ambiguous: Vec<Ambiguous>,
    /// Pairs of cases that report one crash, counted as one failure: (parent, child), sorted.
    pub folded: Vec<(CaseName, CaseName)>,
    /// What keeps the report from being green although it is not a failing case, sorted.
    pub not_green: Vec<NotGreen>,
    /// Cases that the caller asked about, with what the report says of them.
    pub watched: BTreeMap<CaseName, WatchedOutcome>,
    /// The guards of each guarded category, with what the report says of them.
    pub guards: BTreeMap<CategoryId, BTreeMap<CaseName, WatchedOutcome>>,
    /// Fingerprint of the failure state.
    pub semantic_fingerprint: Digest,
    /// Semantic fingerprint and everything it was made from.
    pub provenance_fingerprint: Digest,
    /// The inputs of the provenance fingerprint.
    pub provenance: Provenance,
}

impl Categorization {
    /// True if every failing case has exactly one category.
    pub fn is_total(&self) -> bool {
        self.unclassified.is_empty() && self.ambiguous.is_empty()
    }

    /// True if nothing fails and nothing else keeps the report from being green.
    pub fn is_green(&self) -> bool {
        self.report.incomplete_because.is_empty() && self.counts.failing_cases == 0 && self.not_green.is_empty()
    }

    /// The active category with this id.
    pub fn active(&self, id: &CategoryId) -> Option<&ActiveCategory> {
        self.active.binary_search_by(|active| active.category_id.cmp(id)).ok().map(|at| &self.active[at])
    }

    /// Names of the failing cases of an active category, sorted.
    pub fn cases_of<'a>(&'a self, active: &'a ActiveCategory) -> impl Iterator<Item = &'a CaseName> {
        active.cases.iter().map(|at| &self.assignments[*at as usize].case)
    }
}

/// What is known of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportFacts {
    /// BLAKE3 of its bytes.
    pub digest: Digest,
    /// Its schema id.
    pub schema: &'static str,
    /// Its run id.
    pub run_id: Option<String>,
    /// Digest of the fixture it ran.
    pub fixture_sha256: Option<String>,
    /// The commit it ran on.
    pub repo_sha: Option<String>,
    /// Its branch or tag.
    pub repo_ref: Option<String>,
    /// True if the report says that the work tree was not the commit: then nothing is proven about the commit.
    pub repo_dirty: Option<bool>,
    /// When it was generated.
    pub generated_at: Option<String>,
    /// Its readiness.
    pub readiness: Option<Readiness>,
    /// Why it is not a complete run; empty when it is.
    pub incomplete_because: Vec<String>,
}

/// What is known of the map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapFacts {
    /// BLAKE3 of its bytes.
    pub digest: Digest,
    /// Its version.
    pub map_version: String,
    /// Its repository, `owner/name`.
    pub repo: String,
}

/// Numbers of cases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Counts {
    /// Failing cases that are not required.
    pub advisory: u64,
    /// Failures with several.
    pub ambiguous: u64,
    /// Failures with exactly one category.
    pub assigned: u64,
    /// Required cases that are BLOCKED.
    pub blocked: u64,
    /// All cases.
    pub cases: u64,
    /// Failures: failing cases, where a parent and a child that report one crash count once.
    pub failing: u64,
    /// Failing cases: required and FAIL.
    pub failing_cases: u64,
    /// Cases whose trials disagree.
    pub flaky: u64,
    /// Required cases whose trials disagree.
    pub flaky_required: u64,
    /// Failing cases that only repeat another one (parent of a child with the same crash).
    pub folded: u64,
    /// Required cases that are NOT_TESTED.
    pub not_tested: u64,
    /// Required cases.
    pub required: u64,
    /// Failures without a category.
    pub unclassified: u64,
}

impl Counts {
    /// The check of the ledger: no failure is lost and none is counted twice.
    pub const fn add_up(&self) -> bool {
        self.failing == self.assigned + self.unclassified + self.ambiguous
            && self.failing_cases == self.failing + self.folded
    }
}

/// A category with at least one failing case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveCategory {
    /// Its id.
    pub category_id: CategoryId,
    /// Its position in the map.
    pub category: u32,
    /// Positions of its cases in [`Categorization::assignments`], ascending.
    pub cases: Vec<u32>,
    /// Number of failures: its cases less folded parents.
    pub failures: usize,
    /// Fingerprint of its failure state.
    pub fingerprint: Digest,
    /// How many of its cases are flaky.
    pub flaky: usize,
    /// Problems of its first cases by name, cut: what a ticket shows.
    pub excerpts: Vec<Excerpt>,
}

impl ActiveCategory {
    /// True if every failing case disagrees with itself: not a defect to dispatch.
    pub fn all_flaky(&self) -> bool {
        self.flaky == self.cases.len()
    }
}

/// A failing case as a ticket shows it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Excerpt {
    /// The case.
    pub case: CaseName,
    /// Its first problems, each cut.
    pub problems: Vec<String>,
    /// The last lines that its first failing trial wrote to standard error (or to standard output, if nothing stands
    /// there), each cut, redacted: where programs say why they failed.
    #[serde(default)]
    pub last_words: Vec<String>,
    /// Its command, word by word, as the report has it: whoever shows it redacts it. Empty if the report has none, or
    /// one too long to be shown.
    pub argv: Vec<String>,
}

/// A failing case with its category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The case.
    pub case: CaseName,
    /// Position of the category in the map.
    pub category: u32,
    /// What decided.
    pub decided_by: DecidedBy,
    /// The rule, in words; shared between cases.
    pub rule: std::sync::Arc<str>,
    /// Signature of the failure.
    pub signature: Digest,
    /// Digest of the problems alone, cut to 8 bytes; only to find repetitions. 0 = no problems.
    pub(super) problems_hash: u64,
    /// True if its trials disagree.
    pub flaky: bool,
}

/// A failing case without a category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unclassified {
    /// The case.
    pub case: CaseName,
    /// Signature of the failure.
    pub signature: Digest,
    /// Its first problems, each cut.
    pub problems: Vec<String>,
    /// The rule that came closest, in words; looked up for the first 1000 by name.
    pub nearest: Cow<'static, str>,
}

/// A failing case with several categories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ambiguous {
    /// The case.
    pub case: CaseName,
    /// Signature of the failure.
    pub signature: Digest,
    /// Candidates with the rule that named each.
    pub candidates: Vec<(CategoryId, String)>,
    /// Why.
    pub reason: &'static str,
}

/// Something that is not green without being a failing case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct NotGreen {
    /// `blocked`, `not_tested`, `flaky`, `claim` or `readiness`.
    pub kind: String,
    /// The case, the claim, or the field.
    pub name: String,
    /// Why, in words.
    pub reason: String,
}

/// What a report says of a watched case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchedOutcome {
    /// Its outcome.
    pub outcome: Outcome,
    /// Whether it is required.
    pub required: bool,
    /// Whether its trials disagree.
    pub flaky: bool,
}

impl WatchedOutcome {
    /// Evidence that the case holds: required, PASS, and no trial disagrees.
    pub fn proves_absence(&self) -> bool {
        self.required && self.outcome == Outcome::Pass && !self.flaky
    }
}

/// What the caller wants to know beside the failures.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    /// Cases whose outcome must be reported, failing or not.
    pub cases: BTreeSet<CaseName>,
    /// Categories whose guards must be reported: required cases that touch a seam or a claim of the category, whether
    /// they ever failed for it or not.
    pub guarded: BTreeSet<CategoryId>,
    /// Inputs of the provenance fingerprint that the report does not carry.
    pub campaign: Option<String>,
    /// The commit that was evaluated, if the caller knows it; else the report's own.
    pub evaluated_sha: Option<String>,
}
