//! The campaign entries of the ledger. The state of a campaign is the fold of these and nothing else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::closure::Transition;
use super::judge::Blocker;
use crate::model::{CaseName, CategoryId, Digest};
use crate::tracker::TrackerChoice;

/// Kinds of entries that a campaign writes.
pub mod kind {
    /// A generation begins: [`super::GenerationStarted`].
    pub const GENERATION_STARTED: &str = "generation-started";
    /// A report was frozen for an iteration: [`super::IterationStarted`].
    pub const ITERATION_STARTED: &str = "iteration-started";
    /// Its plan is saved: [`super::PlanSaved`].
    pub const PLAN_SAVED: &str = "plan-saved";
    /// The iteration is complete and judged: [`super::IterationJudged`].
    pub const ITERATION_JUDGED: &str = "iteration-judged";
    /// The report of the newest iteration was given again: no data that matters.
    pub const REPORT_REPEATED: &str = "report-repeated";
}

/// Data of [`kind::GENERATION_STARTED`]: the frozen inputs and the limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationStarted {
    /// Number of the generation, from 1.
    pub generation: u32,
    /// The frozen map.
    pub map_digest: Digest,
    /// Its version.
    pub map_version: String,
    /// The file it was frozen from, as the user named it: for messages only.
    pub map_file: String,
    /// SHA-256 of the fixture as reports state it; `None` = the first report decides.
    pub fixture_sha256: Option<String>,
    /// The limits of loop.md §13.
    pub limits: Limits,
    /// Where the tickets are; absent for the embedded tracker.
    #[serde(default, skip_serializing_if = "TrackerChoice::is_embedded")]
    pub tracker: TrackerChoice,
    /// The program's version.
    pub greenloop_version: String,
}

/// Limits of a campaign, frozen with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Iterations at most.
    pub iterations: u32,
    /// Integrations without a new best before NO_PROGRESS (K of loop.md §13).
    pub no_progress: u32,
    /// Reopenings of one ticket before REOPEN_CAP.
    pub reopen_cap: u32,
    /// Wall time in seconds since the generation started; 0 = no limit.
    pub wall_s: u64,
    /// Runs on an unmoved head before STALLED (M of loop.md §13).
    pub stalled: u32,
    /// Flaky required cases at most, in per mille of the required cases.
    pub flaky_max_permille: u32,
    /// Tickets created by one apply at most.
    pub create_cap: usize,
    /// Tickets touched by one apply at most.
    pub circuit_breaker: usize,
}

impl Default for Limits {
    /// The defaults of the configuration (`[budget]` and `[tracker]` of greenloop.toml).
    fn default() -> Self {
        Self {
            iterations: 10,
            no_progress: 3,
            reopen_cap: crate::plan::DEFAULT_REOPEN_CAP,
            wall_s: 0,
            stalled: 3,
            flaky_max_permille: 100,
            create_cap: 25,
            circuit_breaker: 100,
        }
    }
}

/// Data of [`kind::ITERATION_STARTED`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationStarted {
    /// Number of the iteration, from 1; it grows across generations.
    pub iteration: u32,
    /// The frozen report.
    pub report_digest: Digest,
    /// The integrated head it ran on.
    pub head: String,
    /// The tree of that head; the head itself when the caller does not know the tree.
    pub tree: String,
    /// The fixture the report names.
    pub fixture_sha256: Option<String>,
}

/// Data of [`kind::PLAN_SAVED`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanSaved {
    /// Number of the iteration.
    pub iteration: u32,
    /// The plan, which is saved in the iteration's folder.
    pub plan_digest: Digest,
}

/// Data of [`kind::ITERATION_JUDGED`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationJudged {
    /// Number of the iteration.
    pub iteration: u32,
    /// What the report showed.
    pub facts: IterationFacts,
    /// How the categories' closure states moved.
    pub transitions: Vec<Transition>,
    /// The verdict.
    pub verdict: VerdictRecord,
}

/// The numbers and fingerprints of one iteration: what the rules of termination look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationFacts {
    /// The integrated head.
    pub head: String,
    /// Its tree.
    pub tree: String,
    /// The frozen report.
    pub report_digest: Digest,
    /// Fingerprint of the failure state.
    pub semantic_fingerprint: Digest,
    /// Fingerprint with all inputs.
    pub provenance_fingerprint: Digest,
    /// Failures (folded).
    pub failures: u64,
    /// Failures by active category.
    pub categories: BTreeMap<CategoryId, u64>,
    /// Required cases.
    pub required: u64,
    /// Flaky required cases.
    pub flaky: u64,
    /// Required blocked cases.
    pub blocked: u64,
    /// Other reasons (kind → count) that keep the report from being green.
    pub not_green: BTreeMap<String, u64>,
    /// Required cases that an earlier run of this generation had and this one lacks, or does not require any more.
    pub missing: u64,
    /// A few of them.
    pub missing_examples: Vec<CaseName>,
    /// Categories that do not fail, but whose ticket is still open because nothing proves them gone.
    pub unproven: Vec<CategoryId>,
    /// Categories that can be dispatched after this iteration's plan.
    pub routable: Vec<CategoryId>,
    /// Categories whose ticket would have to be reopened beyond the cap.
    pub over_reopen_cap: Vec<CategoryId>,
}

/// The verdict as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum VerdictRecord {
    /// Everything holds.
    Green,
    /// Recorded; go on.
    GoOn,
    /// A named blocker: stop.
    Stop {
        /// Which, and why.
        blocker: Blocker,
    },
}
