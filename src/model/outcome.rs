//! Closed vocabularies of a report.

use serde::{Deserialize, Serialize};

/// Outcome of a case or a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Outcome {
    /// Every check held.
    #[serde(rename = "PASS")]
    Pass,
    /// At least one check did not hold.
    #[serde(rename = "FAIL")]
    Fail,
    /// Something outside the product kept the case from being judged.
    #[serde(rename = "BLOCKED")]
    Blocked,
    /// The case did not run.
    #[serde(rename = "NOT_TESTED")]
    NotTested,
}

impl Outcome {
    /// The spelling of the report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Blocked => "BLOCKED",
            Self::NotTested => "NOT_TESTED",
        }
    }
}

/// Readiness of a whole report, of its cases, or of its capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Readiness {
    /// Everything required holds.
    Ready,
    /// Required cases hold; something optional does not.
    UsableWithGaps,
    /// Something required failed.
    NotReady,
    /// Nothing can be said.
    NotEstablished,
}

impl Readiness {
    /// The spelling of the report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "READY",
            Self::UsableWithGaps => "USABLE_WITH_GAPS",
            Self::NotReady => "NOT_READY",
            Self::NotEstablished => "NOT_ESTABLISHED",
        }
    }
}
