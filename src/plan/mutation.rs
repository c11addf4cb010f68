//! The mutations of a plan, with every ticket by reference or, where it does not exist yet, by category.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::model::{CategoryId, TicketRef};
use crate::tracker::{Closure, Receipt};

/// One change of the tracker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Mutation {
    /// The category whose ticket changes.
    #[schemars(with = "String")]
    pub category_id: CategoryId,
    /// The ticket; `null` when this plan creates it.
    pub ticket: Option<TicketRef>,
    /// Why.
    pub reason: String,
    /// What.
    #[serde(flatten)]
    pub action: Action,
}

/// What a mutation does. The names are those of [`crate::tracker::Operation`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Action {
    /// Stage a new ticket.
    Create {
        /// Its title.
        title: String,
        /// Its body, Markdown.
        body: String,
        /// Its labels, without the routing label.
        labels: BTreeSet<String>,
        /// The evidence.
        receipt: Receipt,
    },
    /// Record new evidence.
    Record {
        /// The evidence.
        receipt: Receipt,
    },
    /// Reopen and count it.
    Reopen {
        /// The evidence.
        receipt: Receipt,
    },
    /// Mark as candidate-resolved.
    CandidateResolved {
        /// The report that shows it.
        receipt: Receipt,
    },
    /// Close with the proof.
    Close {
        /// The proof.
        closure: Closure,
    },
    /// Keep as history after a split or a removal.
    Supersede {
        /// Categories it was split into.
        #[schemars(with = "Vec<String>")]
        successors: Vec<CategoryId>,
    },
    /// Close as a duplicate after a merge.
    Absorb {
        /// The category that lives on.
        #[schemars(with = "String")]
        survivor: CategoryId,
    },
    /// Wire a dependency.
    Link {
        /// The category that is waited for.
        #[schemars(with = "String")]
        upstream: CategoryId,
        /// Its ticket; `null` when this plan creates it.
        upstream_ticket: Option<TicketRef>,
        /// Why, from the map.
        rationale: String,
    },
    /// Unwire a dependency that greenloop wired.
    Unlink {
        /// The ticket that was waited for.
        upstream_ticket: TicketRef,
    },
    /// Set the routing label.
    Publish,
}

impl Action {
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
            Self::Publish => "publish",
        }
    }

    /// The sign people know from other tools: `+` makes, `~` changes, `-` takes away.
    pub const fn sign(&self) -> char {
        match self {
            Self::Create { .. } | Self::Link { .. } => '+',
            Self::Unlink { .. } | Self::Close { .. } | Self::Supersede { .. } | Self::Absorb { .. } => '-',
            _ => '~',
        }
    }

    /// The phase of apply it belongs to.
    pub const fn phase(&self) -> Phase {
        match self {
            Self::Link { .. } | Self::Unlink { .. } => Phase::Wire,
            Self::Publish => Phase::Publish,
            _ => Phase::Stage,
        }
    }
}

/// Phases of apply, in order. Nothing is dispatchable before the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Tickets exist and carry their evidence.
    Stage,
    /// Dependencies are wired.
    Wire,
    /// Routing labels are set.
    Publish,
}
