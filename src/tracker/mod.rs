//! Trackers: where tickets live. One trait, its snapshot, and the operations that a plan can ask for.
//!
//! The trait is shaped for remote trackers too: a ticket has an id and a number, a listing can fail half way
//! (then there is no snapshot at all: unknown is never zero), and a write can end with an unknown outcome.

mod choice;
mod document;
mod embedded;
mod github;
mod marker;
mod operation;
mod snapshot;
pub mod words;

pub use choice::TrackerChoice;
pub use document::TicketDocument;
pub use embedded::{EmbeddedTracker, Event};
pub use github::{Check, CheckState, GithubSettings, GithubTracker, PlannedRequest, Token};
pub use marker::{Marker, MarkerError, parse_marker};
pub use operation::{Operation, OperationOutcome};
pub use snapshot::{Closure, Link, PersonChange, Receipt, Snapshot, Ticket, TicketState};

use std::collections::BTreeSet;

use crate::model::TicketRef;

/// A time in words, for messages.
fn at(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    time.map_or_else(|| format!("{seconds} s after 1970"), |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

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
    /// The server asked to wait for longer than this run may. The time is kept, and the next run honours it.
    #[error("{tracker} asks to wait until {} before the next request", at(*.resume_at))]
    Limited {
        /// Which tracker.
        tracker: String,
        /// When it may go on, in seconds since 1970.
        resume_at: u64,
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

    /// Brings an operation to its end that was begun under this key before, by this process or one that died: looks at
    /// what was done, and does the rest. The same as [`Tracker::execute`] where operations are done wholly or not at all.
    ///
    /// # Errors
    /// As for [`Tracker::execute`].
    fn finish(&mut self, key: &str, operation: &Operation) -> Result<OperationOutcome, TrackerError> {
        self.execute(key, operation)
    }

    /// Makes everything since `begin` durable and lets the next writer in.
    ///
    /// # Errors
    /// When it could not be made durable; a transactional tracker has then changed nothing.
    fn commit(&mut self) -> Result<(), TrackerError>;

    /// Gives up the writer's place; a transactional tracker forgets everything since `begin`.
    fn abort(&mut self);

    /// Names tickets that must be there, from a journal. A tracker whose listings can lag or lie looks twice for them.
    fn expect(&mut self, known: &BTreeSet<TicketRef>) {
        let _ = known;
    }

    /// What the last snapshot noticed that people should know and that changes nothing. Safe to show.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// The writes that a rehearsal would have sent, in order; empty for a tracker that sends none.
    fn planned_requests(&self) -> Vec<PlannedRequest> {
        Vec::new()
    }

    /// Where people see ticket `number`; `None` for a tracker without pages.
    fn page(&self, number: u64) -> Option<String> {
        let _ = number;
        None
    }

    /// The text of ticket `number`; `None` if there is no such ticket.
    ///
    /// # Errors
    /// When the tracker cannot be read.
    fn body(&mut self, number: u64) -> Result<Option<String>, TrackerError>;

    /// What greenloop did to ticket `number`, oldest first, as far back as the tracker remembers.
    ///
    /// # Errors
    /// When the tracker cannot be read.
    fn history(&mut self, number: u64) -> Result<Vec<Event>, TrackerError>;
}
