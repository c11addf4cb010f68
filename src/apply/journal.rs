//! The apply entries of the ledger: written before (intent) and after (result) the effects they announce.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::receipt::{ApplyReceipt, ReceiptStep, StepOutcome};
use crate::ledger::Entry;
use crate::model::{Digest, TicketRef};

/// Kinds of entries that apply writes.
pub mod kind {
    /// A plan is about to be applied: [`super::Started`].
    pub const STARTED: &str = "apply-started";
    /// One step is about to be tried (trackers without transactions): [`super::StepStarted`].
    pub const STEP_STARTED: &str = "apply-step-started";
    /// One step is done: [`super::StepDone`].
    pub const STEP_DONE: &str = "apply-step-done";
    /// All steps are done: [`super::Finished`].
    pub const FINISHED: &str = "apply-finished";
    /// The plan was refused and undone: [`super::Compensated`].
    pub const COMPENSATED: &str = "apply-compensated";
}

/// Data of [`kind::STARTED`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Started {
    /// The plan.
    pub plan_digest: Digest,
    /// The tracker.
    pub tracker: String,
    /// Number of steps.
    pub steps: usize,
}

/// Data of [`kind::STEP_STARTED`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepStarted {
    /// The plan.
    pub plan_digest: Digest,
    /// Position, from 0.
    pub step: usize,
    /// The idempotency key, minted before this entry.
    pub key: String,
}

/// Data of [`kind::STEP_DONE`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepDone {
    /// The plan.
    pub plan_digest: Digest,
    /// Position, from 0.
    pub step: usize,
    /// What was done.
    #[serde(flatten)]
    pub done: ReceiptStep,
}

/// Data of [`kind::FINISHED`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Finished {
    /// The receipt.
    pub receipt: ApplyReceipt,
}

/// Data of [`kind::COMPENSATED`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Compensated {
    /// Why.
    pub reason: String,
    /// What was done and undone.
    pub receipt: ApplyReceipt,
}

/// What the journal knows of one plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanProgress {
    /// Nothing.
    Unknown,
    /// It was started and did not come to an end.
    Started,
    /// It was applied.
    Finished(Box<ApplyReceipt>),
    /// It was refused and undone.
    Compensated(String),
}

/// Reads the progress of the plan with `digest` from the journal. Entries of other kinds and plans are passed over.
pub fn progress(entries: &[Entry], digest: Digest) -> PlanProgress {
    let mut progress = PlanProgress::Unknown;
    for entry in entries {
        match entry.kind.as_str() {
            kind::STARTED if parse::<Started>(entry).is_some_and(|started| started.plan_digest == digest) => {
                progress = PlanProgress::Started;
            }
            kind::FINISHED => {
                if let Some(finished) = parse::<Finished>(entry).filter(|f| f.receipt.plan_digest == digest) {
                    progress = PlanProgress::Finished(Box::new(finished.receipt));
                }
            }
            kind::COMPENSATED => {
                if let Some(c) = parse::<Compensated>(entry).filter(|c| c.receipt.plan_digest == digest) {
                    progress = PlanProgress::Compensated(c.reason);
                }
            }
            _ => {}
        }
    }
    progress
}

/// What the journal knows of the steps of one plan that was begun.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepsSoFar {
    /// The last result of each step.
    pub done: std::collections::BTreeMap<usize, ReceiptStep>,
    /// Steps whose intent is recorded, whether or not a result is; with the keys of their undoing.
    pub begun: std::collections::BTreeSet<String>,
}

impl StepsSoFar {
    /// The step that was refused, with its position: everything before it is to be undone.
    pub fn refused(&self) -> Option<(usize, &ReceiptStep)> {
        self.done.iter().find(|(_, step)| step.outcome == StepOutcome::Refused).map(|(at, step)| (*at, step))
    }
}

/// Reads the steps of the plan with `digest` from the journal.
pub fn steps_so_far(entries: &[Entry], digest: Digest) -> StepsSoFar {
    let mut steps = StepsSoFar::default();
    for entry in entries {
        match entry.kind.as_str() {
            kind::STEP_STARTED => {
                if let Some(started) = parse::<StepStarted>(entry).filter(|s| s.plan_digest == digest) {
                    steps.begun.insert(started.key);
                }
            }
            kind::STEP_DONE => {
                if let Some(done) = parse::<StepDone>(entry).filter(|s| s.plan_digest == digest) {
                    steps.done.insert(done.step, done.done);
                }
            }
            _ => {}
        }
    }
    steps
}

/// How many plans of this journal were refused and undone.
pub fn compensations(entries: &[Entry]) -> u32 {
    let count = entries.iter().filter(|entry| entry.kind == kind::COMPENSATED).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Tickets and edges that the journal says greenloop made: the memory against which a tracker's listing is held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Made {
    /// Tickets by category.
    pub tickets: std::collections::BTreeMap<crate::model::CategoryId, std::collections::BTreeSet<TicketRef>>,
    /// Edges (dependent, upstream) wired and not unwired.
    pub wired: std::collections::BTreeSet<(TicketRef, TicketRef)>,
}

/// Folds the step entries of all plans. Results in `apply-finished` entries repeat the steps and change nothing.
pub fn made(entries: &[Entry]) -> Made {
    let mut made = Made::default();
    for step in entries.iter().filter(|e| e.kind == kind::STEP_DONE).filter_map(parse::<StepDone>) {
        let Some(ticket) = step.done.ticket else { continue };
        match (step.done.op.as_str(), step.done.outcome, step.done.upstream) {
            (_, StepOutcome::Refused | StepOutcome::Skipped, _) => {}
            ("create", _, _) => {
                made.tickets.entry(step.done.category_id).or_default().insert(ticket);
            }
            ("link", StepOutcome::Compensated, Some(upstream)) | ("unlink", _, Some(upstream)) => {
                made.wired.remove(&(ticket, upstream));
            }
            ("link", _, Some(upstream)) => {
                made.wired.insert((ticket, upstream));
            }
            _ => {}
        }
    }
    made
}

/// An entry of a known kind whose data this program cannot read: damaged, or written by a newer version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {seq} of the ledger is of the kind {kind:?}, but its data cannot be read: {reason}")]
pub struct UnreadableEntry {
    /// Its sequence number.
    pub seq: u64,
    /// Its kind.
    pub kind: String,
    /// What is wrong with its data.
    pub reason: String,
}

/// Checks that every entry of a kind that apply writes can be read, so that no fold passes over one.
///
/// # Errors
/// The first that cannot.
pub fn check(entries: &[Entry]) -> Result<(), UnreadableEntry> {
    entries.iter().try_for_each(|entry| match entry.kind.as_str() {
        kind::STARTED => readable::<Started>(entry),
        kind::STEP_STARTED => readable::<StepStarted>(entry),
        kind::STEP_DONE => readable::<StepDone>(entry),
        kind::FINISHED => readable::<Finished>(entry),
        kind::COMPENSATED => readable::<Compensated>(entry),
        _ => Ok(()),
    })
}

/// Checks that the data of one entry has the expected form.
///
/// # Errors
/// When it has not.
pub fn readable<T: DeserializeOwned>(entry: &Entry) -> Result<(), UnreadableEntry> {
    match serde_json::from_value::<T>(entry.data.clone()) {
        Ok(_) => Ok(()),
        Err(error) => Err(UnreadableEntry { seq: entry.seq, kind: entry.kind.clone(), reason: error.to_string() }),
    }
}

/// The data of an entry, if it has the expected form. [`check`] has seen to it that known kinds have. Entries of a newer version may not.
pub fn parse<T: DeserializeOwned>(entry: &Entry) -> Option<T> {
    serde_json::from_value(entry.data.clone()).ok()
}

/// The data of an entry to be.
pub(super) fn data<T: Serialize>(value: &T) -> Value {
    // Invariant: plain structs with string keys always become JSON.
    #[expect(clippy::expect_used, reason = "plain structs with string keys always serialize")]
    serde_json::to_value(value).expect("an entry is plain data")
}
