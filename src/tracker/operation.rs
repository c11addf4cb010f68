//! The operations a plan can ask a tracker for, with every ticket already resolved.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::snapshot::{Closure, Receipt};
use crate::model::{CategoryId, TicketRef};

/// One write. The names are those of the plan's mutations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Operation {
    /// A new ticket, without the routing label: nothing is dispatchable before `Publish`.
    Create {
        /// Its identity; at most one live ticket carries it.
        category_id: CategoryId,
        /// What people see first.
        title: String,
        /// Markdown, already made safe.
        body: String,
        /// Labels, without the routing label.
        labels: BTreeSet<String>,
        /// The evidence it is made from.
        receipt: Receipt,
    },
    /// New evidence on an existing ticket. Takes the candidate-resolved mark away if it is set.
    Record {
        /// The ticket.
        ticket: TicketRef,
        /// The new evidence.
        receipt: Receipt,
    },
    /// A closed ticket fails again: open it, count it, record the evidence.
    Reopen {
        /// The ticket.
        ticket: TicketRef,
        /// The new evidence.
        receipt: Receipt,
    },
    /// Its cases all pass in a complete report. Marks it and takes the routing label away; does not close it.
    CandidateResolved {
        /// The ticket.
        ticket: TicketRef,
        /// The report that shows it.
        receipt: Receipt,
    },
    /// Closed as completed, with the evidence.
    Close {
        /// The ticket.
        ticket: TicketRef,
        /// The proof.
        closure: Closure,
    },
    /// The category was split: keep the ticket as history, link the successors, close as not planned.
    Supersede {
        /// The ticket.
        ticket: TicketRef,
        /// Tickets of the categories it was split into.
        successors: Vec<TicketRef>,
        /// Why, for people.
        note: String,
    },
    /// The category was merged into another: link the survivor, close as duplicate.
    Absorb {
        /// The ticket.
        ticket: TicketRef,
        /// The ticket that lives on.
        survivor: TicketRef,
        /// Why, for people.
        note: String,
    },
    /// `ticket` is blocked by `upstream`.
    Link {
        /// The dependent ticket.
        ticket: TicketRef,
        /// The ticket it waits for.
        upstream: TicketRef,
        /// Why, from the map.
        rationale: String,
    },
    /// `ticket` is no longer blocked by `upstream`. Only for edges that greenloop wired.
    Unlink {
        /// The dependent ticket.
        ticket: TicketRef,
        /// The ticket it waited for.
        upstream: TicketRef,
    },
    /// Sets the routing label: from now on the ticket can be dispatched once nothing blocks it.
    Publish {
        /// The ticket.
        ticket: TicketRef,
    },
}

impl Operation {
    /// The routing label. A ticket is dispatchable when it is open, carries this label, and nothing live blocks it.
    pub const ROUTING_LABEL: &'static str = "greenloop:ready";
    /// The label of a ticket whose cases passed but which is not yet proven.
    pub const CANDIDATE_LABEL: &'static str = "greenloop:candidate-resolved";

    /// The name of the operation, as plans and receipts spell it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Create { .. } => "create",
            Self::Record { .. } => "record",
            Self::Reopen { .. } => "reopen",
            Self::CandidateResolved { .. } => "candidate-resolved",
            Self::Close { .. } => "close",
            Self::Supersede { .. } => "supersede",
            Self::Absorb { .. } => "absorb",
            Self::Link { .. } => "link",
            Self::Unlink { .. } => "unlink",
            Self::Publish { .. } => "publish",
        }
    }
}

/// What an operation did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationOutcome {
    /// The ticket it made or changed.
    pub ticket: TicketRef,
    /// True if it had been done before under the same key, and nothing was changed now.
    pub adopted: bool,
}
