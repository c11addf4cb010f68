//! What a report says about itself, outside its cases.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::model::{Outcome, Readiness};

/// The schema a report was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaVersion {
    /// `agentic_evals.report.v1`: no outcomes; they are derived from the counts of passed trials.
    V1,
    /// `agentic_evals.report.v2`.
    V2,
}

impl SchemaVersion {
    /// The schema id as it stands in the file.
    pub const fn id(self) -> &'static str {
        match self {
            Self::V1 => "agentic_evals.report.v1",
            Self::V2 => "agentic_evals.report.v2",
        }
    }

    pub(super) fn parse(id: &str) -> Option<Self> {
        [Self::V1, Self::V2].into_iter().find(|version| version.id() == id)
    }
}

/// The report without its cases. Fields that the report does not have are `None` or empty.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// The schema; `None` only while reading.
    pub schema: Option<SchemaVersion>,
    /// Random per run; never compared.
    pub run_id: Option<String>,
    /// Digest of the fixture manifest that was run.
    pub fixture_sha256: Option<String>,
    /// The commit that was evaluated.
    pub repo_sha: Option<String>,
    /// Its branch or tag.
    pub repo_ref: Option<String>,
    /// True if the report says that the work tree was not the commit.
    pub repo_dirty: Option<bool>,
    /// Overall readiness.
    pub readiness: Option<Readiness>,
    /// Readiness of the required cases.
    pub case_readiness: Option<Readiness>,
    /// Readiness of the capability claims.
    pub capability_readiness: Option<Readiness>,
    /// `manifest-spanning`, or `partial: …`.
    pub claims_coverage: Option<String>,
    /// Names of the cases the run was focused on; empty for a full run.
    pub focused_cases: Vec<String>,
    /// When it was generated, as the report says it.
    pub generated_at: Option<String>,
    /// Stated number of cases.
    pub case_count: Option<u64>,
    /// Stated number of required cases.
    pub required_case_count: Option<u64>,
    /// Stated numbers of outcomes.
    pub outcome_counts: Option<BTreeMap<Outcome, u64>>,
    /// Stated number of trials.
    pub trial_count: Option<u64>,
    /// Verdicts of capability claims, where the report has them.
    pub capability_claims: Vec<ClaimVerdict>,
    /// Reasons why the runner itself says that the report is incomplete (interrupted, a shard missing).
    pub incomplete_because: Vec<String>,
    /// Version of the runner.
    pub runner_version: Option<String>,
    /// Digest of the environment's lock file.
    pub environment_lock_digest: Option<String>,
}

/// The verdict on one capability claim.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ClaimVerdict {
    /// The claim.
    pub id: String,
    /// `PROVEN`, `PARTIALLY_PROVEN`, `BLOCKED_EXTERNAL`, `FAILED` or `NOT_ESTABLISHED`.
    pub verdict: String,
    /// False for an optional claim.
    #[serde(default = "yes")]
    pub required: bool,
}

const fn yes() -> bool {
    true
}
