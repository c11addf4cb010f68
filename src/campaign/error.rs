//! Why a campaign could not be started or stepped.

use crate::apply::ApplyError;
use crate::apply::journal::UnreadableEntry;
use crate::categorize::{Categorization, CategorizeError};
use crate::ledger::{FileError, LedgerError};
use crate::model::Digest;
use crate::plan::PlanRefusal;
use crate::report::{FreezeError, ReportError};
use crate::tracker::TrackerError;

use super::events::VerdictRecord;

/// A campaign that could not be started or stepped. Unless it says otherwise, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// There is no such campaign.
    #[error("there is no campaign {0:?} here")]
    NotStarted(String),
    /// The campaign has come to its end.
    #[error("the campaign has come to its end: {}", describe(.0))]
    Over(VerdictRecord),
    /// The same id, other frozen inputs.
    #[error("the campaign {id:?} was started with another {what} ({frozen}; now: {now})")]
    InputsDiffer {
        /// The campaign.
        id: String,
        /// Map or fixture.
        what: &'static str,
        /// What it froze.
        frozen: String,
        /// What is asked for now.
        now: String,
    },
    /// The report ran another fixture than the campaign froze.
    #[error("the report ran the fixture {found}; the campaign froze {frozen}")]
    FixtureMoved {
        /// What it froze.
        frozen: String,
        /// What the report says.
        found: String,
    },
    /// The very report of an earlier iteration: not a new run, so it says nothing new.
    #[error("this report is that of iteration {0}, and not of a new run")]
    Replayed(u32),
    /// Nobody says which commit was evaluated.
    #[error("the report does not say which commit it ran on")]
    NoHead,
    /// The work tree was not the commit, so the report proves nothing about it.
    #[error("the report says that its work tree had changes beside the commit: it proves nothing about a head")]
    Dirty,
    /// The report and the caller name different commits.
    #[error("the report ran on {report}, but the head is given as {given}")]
    HeadsDiffer {
        /// The report's commit.
        report: String,
        /// The caller's.
        given: String,
    },
    /// The report changed between reading it and freezing it.
    #[error("the report changed while it was read: {read}, then {frozen}")]
    ChangedWhileRead {
        /// Digest when it was categorized.
        read: Digest,
        /// Digest when it was frozen.
        frozen: Digest,
    },
    /// The report does not lead to a plan.
    #[error("the report cannot be planned for")]
    Refused {
        /// Why.
        #[source]
        refusal: PlanRefusal,
        /// The categorization, for a list of what is missing.
        categorization: Box<Categorization>,
    },
    /// The frozen map is not valid for this program.
    #[error("the frozen map {digest} cannot be used: {reason}")]
    Map {
        /// Its digest.
        digest: Digest,
        /// Why.
        reason: String,
    },
    /// The saved plan is not the one that the ledger names.
    #[error("{path} is not the plan that the ledger names ({expected}): {reason}")]
    SavedPlan {
        /// The file.
        path: String,
        /// The digest in the ledger.
        expected: Digest,
        /// What is wrong.
        reason: String,
    },
    /// The report cannot be read or categorized.
    #[error(transparent)]
    Categorize(#[from] CategorizeError),
    /// The report cannot be read.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A frozen file is missing or changed.
    #[error(transparent)]
    Freeze(#[from] FreezeError),
    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The same report again and again: the suite does not run any more.
    #[error("the report of iteration {iteration} was given {times} more time(s): does the suite still run?")]
    SameReport {
        /// The iteration it belongs to.
        iteration: u32,
        /// How often it was given again.
        times: usize,
    },
    /// An entry of the ledger cannot be read.
    #[error(transparent)]
    Entry(#[from] UnreadableEntry),
    /// The new map breaks what the old one promised.
    #[error("the new map cannot follow the frozen one: {}", .0.join("; "))]
    MapsDiffer(Vec<String>),
    /// The tracker cannot be used.
    #[error(transparent)]
    Tracker(#[from] TrackerError),
    /// The plan was not applied.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// A document could not be made.
    #[error("a document cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

fn describe(verdict: &VerdictRecord) -> String {
    match verdict {
        VerdictRecord::Green => "GREEN".to_owned(),
        VerdictRecord::GoOn => "not green yet".to_owned(),
        VerdictRecord::Stop { blocker } => format!("{}: {}", blocker.kind.as_str(), blocker.detail),
    }
}
