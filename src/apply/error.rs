//! Why a plan was not applied.

use crate::ledger::LedgerError;
use crate::tracker::TrackerError;

/// A plan that was not applied, or not wholly.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// Something that the plan was made from has moved; nothing was changed.
    #[error("stale plan: the {what} moved (plan: {planned}, now: {found})")]
    Stale {
        /// What moved.
        what: &'static str,
        /// What the plan says.
        planned: String,
        /// What is there now.
        found: String,
    },
    /// The plan makes more tickets than allowed; nothing was changed.
    #[error("the plan creates {planned} tickets; at most {cap} are allowed in one apply")]
    CreateCap {
        /// Creations in the plan.
        planned: usize,
        /// The limit.
        cap: usize,
    },
    /// The plan touches more tickets than the circuit breaker allows; nothing was changed.
    #[error("the plan changes {planned} tickets; the circuit breaker stops at {limit}")]
    CircuitBreaker {
        /// Tickets touched.
        planned: usize,
        /// The limit.
        limit: usize,
    },
    /// The plan names a ticket or category that cannot be resolved; nothing was changed.
    #[error("step {step} of the plan cannot be resolved: {reason}")]
    Unresolvable {
        /// Position in the plan, from 1.
        step: usize,
        /// Why.
        reason: String,
    },
    /// A step was refused, and everything before it was undone.
    #[error("step {step} ({op}) was refused: {reason}; everything before it was undone")]
    Refused {
        /// Position in the plan, from 1.
        step: usize,
        /// The operation.
        op: &'static str,
        /// What the tracker said.
        reason: String,
    },
    /// A step was refused, and undoing what came before it did not succeed wholly.
    #[error("step {step} ({op}) was refused: {reason}; {left} earlier step(s) could not be undone")]
    RefusedAndLeft {
        /// Position in the plan, from 1.
        step: usize,
        /// The operation.
        op: &'static str,
        /// What the tracker said.
        reason: String,
        /// Steps that stand.
        left: usize,
    },
    /// This plan was refused and compensated before; it is history.
    #[error("this plan was refused before ({0}) and undone; it cannot be applied again")]
    CompensatedBefore(String),
    /// The tracker cannot be used, or the outcome of a write is unknown.
    #[error("step {step} of {steps} did not come to an end")]
    Interrupted {
        /// Position in the plan, from 1.
        step: usize,
        /// Steps of the plan.
        steps: usize,
        /// Why.
        #[source]
        source: TrackerError,
    },
    /// The tracker cannot be used; nothing was changed.
    #[error("the tracker cannot be used; nothing was changed")]
    Tracker(#[source] TrackerError),
    /// The journal cannot be written, so nothing may be changed.
    #[error("the journal cannot be written")]
    Ledger(#[from] LedgerError),
}
