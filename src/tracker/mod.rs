//! Trackers: where tickets live. One trait, its snapshot, and the operations that a plan can ask for.
//!
//! The trait is shaped for remote trackers too: a ticket has an id and a number, a listing can fail half way
//! (then there is no snapshot at all: unknown is never zero), and a write can end with an unknown outcome.

mod document;
mod embedded;
mod marker;
mod operation;
mod snapshot;
pub mod words;

pub use document::TicketDocument;
pub use embedded::{EmbeddedTracker, Event};
pub use marker::{Marker, MarkerError, parse_marker};
pub use operation::{Operation, OperationOutcome};
pub use snapshot::{Closure, Link, PersonChange, Receipt, Snapshot, Ticket, TicketState};

/// Why a tracker did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum TrackerError {
    /// The tracker cannot be read or written at all; nothing was changed by this call.
    #[error("the tracker {tracker} cannot be used: {reason}")]
    Unavailable {
        /// Which tracker.
        tracker: String,
        /// What the system said.
        reason: String,
    },
    /// A listing ended before it was complete or contradicts itself. Never treated as "no tickets".
    #[error("the listing of {tracker} is not complete: {reason}")]
    IncompleteListing {
        /// Which tracker.
        tracker: String,
        /// What is missing or contradictory.
        reason: String,
    },
    /// The tracker's data was written by a newer greenloop.
    #[error("{tracker} has format version {found}; this greenloop knows versions up to {known}")]
    NewerFormat {
        /// Which tracker.
        tracker: String,
        /// The version found.
        found: i64,
        /// The newest version this program can write.
        known: i64,
    },
    /// The tracker refused the operation; nothing was changed by it.
    #[error("refused: {0}")]
    Refused(String),
    /// The write may or may not have happened; only the tracker can tell, later.
    #[error("the outcome of the write is unknown: {0}")]
    Unknown(String),
}

/// A place where tickets live.
///
/// Writes happen between [`Tracker::begin`] and [`Tracker::commit`]. A tracker with transactions (the embedded one)
/// makes all of them or none; one without makes each at once, and the apply journal carries the rest.
pub trait Tracker {
    /// What this tracker is, for messages and digests: `embedded`, or `github owner/name`.
    fn identity(&self) -> String;

    /// Everything in the tracker, complete, or an error.
    ///
    /// # Errors
    /// [`TrackerError::IncompleteListing`] when a page is missing; other kinds when it cannot be read.
    fn snapshot(&mut self) -> Result<Snapshot, TrackerError>;

    /// True if everything between `begin` and `commit` happens at once or not at all.
    fn is_transactional(&self) -> bool;

    /// Takes the writer's place (and opens the transaction where there is one).
    ///
    /// # Errors
    /// When another writer does not let go in time, or the tracker cannot be written.
    fn begin(&mut self) -> Result<(), TrackerError>;

    /// The outcome recorded for an idempotency key, if an operation with that key has already been done here.
    ///
    /// # Errors
    /// When the tracker cannot be asked.
    fn find_done(&mut self, key: &str) -> Result<Option<OperationOutcome>, TrackerError>;

    /// Does one operation under an idempotency key. An operation whose key was already done changes nothing and
    /// returns what was done then, with `adopted` set.
    ///
    /// # Errors
    /// [`TrackerError::Refused`] (nothing changed), [`TrackerError::Unknown`] (look again later).
    fn execute(&mut self, key: &str, operation: &Operation) -> Result<OperationOutcome, TrackerError>;

    /// Makes everything since `begin` durable and lets the next writer in.
    ///
    /// # Errors
    /// When it could not be made durable; a transactional tracker has then changed nothing.
    fn commit(&mut self) -> Result<(), TrackerError>;

    /// Gives up the writer's place; a transactional tracker forgets everything since `begin`.
    fn abort(&mut self);
}
