//! What a tracker holds at one moment.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::operation::Operation;
use crate::model::{CaseName, CategoryId, Digest, TicketRef, canonical_json};

/// Everything a tracker holds, complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Snapshot {
    /// What [`super::Tracker::identity`] says.
    pub tracker: String,
    /// All tickets that greenloop made, open and closed, sorted by number.
    pub tickets: Vec<Ticket>,
}

impl Snapshot {
    /// A tracker that holds nothing. For a tracker that is not there yet, when the caller knows that this is so.
    pub fn empty(tracker: impl Into<String>) -> Self {
        Self { tracker: tracker.into(), tickets: Vec::new() }
    }

    /// Digest of all that a plan depends on. Two snapshots with the same digest lead to the same plan.
    ///
    /// # Panics
    /// Never: every key of a snapshot is a string.
    pub fn digest(&self) -> Digest {
        // Invariant: the derived Serialize of these types has string keys only.
        #[expect(clippy::expect_used, reason = "plain structs with string keys always serialize")]
        let bytes = canonical_json(self).expect("a snapshot is plain data");
        Digest::in_domain("greenloop.tracker_snapshot.v1", &bytes)
    }

    /// True if a fix for the ticket can be dispatched now: it is open, published, and nothing live blocks it.
    /// A blocker that is not in the snapshot counts as live: unknown is never "done".
    pub fn is_ready(&self, ticket: &Ticket) -> bool {
        ticket.state == TicketState::Open
            && ticket.labels.contains(Operation::ROUTING_LABEL)
            && self.live_blockers(ticket).next().is_none()
    }

    /// The tickets that hold `ticket` up: those it waits for that are open or unknown, in order of number.
    pub fn live_blockers<'a>(&'a self, ticket: &'a Ticket) -> impl Iterator<Item = &'a TicketRef> {
        let is_live = |upstream: &TicketRef| self.ticket(upstream).is_none_or(|t| t.state == TicketState::Open);
        ticket.blocked_by.iter().map(|link| &link.upstream).filter(move |upstream| is_live(upstream))
    }

    /// The ready tickets in topological order, ties by category. As nothing live blocks any of them, none waits for
    /// another: all are ties.
    pub fn ready(&self) -> Vec<&Ticket> {
        let mut ready: Vec<&Ticket> = self.tickets.iter().filter(|ticket| self.is_ready(ticket)).collect();
        ready.sort_by(|a, b| a.category_id.cmp(&b.category_id));
        ready
    }

    /// The ticket with this reference.
    pub fn ticket(&self, ticket: &TicketRef) -> Option<&Ticket> {
        self.tickets.binary_search_by_key(&ticket.number, |t| t.ticket.number).ok().map(|at| &self.tickets[at])
    }
}

/// Open or closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TicketState {
    /// Work remains.
    Open,
    /// Proven, superseded, absorbed, or closed by a person.
    Closed,
}

/// Something that a person changed since greenloop last wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PersonChange {
    /// The title.
    Title,
    /// The labels.
    Labels,
    /// Open or closed.
    State,
    /// A dependency was added or removed.
    Links,
}

/// One ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Ticket {
    /// Where it is.
    #[serde(rename = "ref")]
    pub ticket: TicketRef,
    /// The category it stands for, from the machine-readable marker (never from label or title).
    #[schemars(with = "String")]
    pub category_id: CategoryId,
    /// Title, as it is now.
    pub title: String,
    /// Open or closed.
    pub state: TicketState,
    /// Why it is closed: `completed`, `not_planned`, `duplicate`; `None` while open.
    pub state_reason: Option<String>,
    /// Labels, as they are now.
    pub labels: BTreeSet<String>,
    /// Tickets it waits for, sorted by number.
    pub blocked_by: Vec<Link>,
    /// Tickets that wait for it, sorted by number. Always the mirror of the others' `blocked_by`.
    pub blocks: Vec<TicketRef>,
    /// How often greenloop reopened it.
    pub reopened: u32,
    /// The evidence recorded so far, oldest first.
    pub receipts: Vec<Receipt>,
    /// The proof of the last closing by greenloop; kept when the ticket is reopened.
    pub closure: Option<Closure>,
    /// True while its cases passed in a complete report and it waits for the proof.
    pub candidate_resolved: bool,
    /// What a person changed since greenloop last wrote it, sorted.
    pub person_changed: BTreeSet<PersonChange>,
}

/// A dependency of a ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Link {
    /// The ticket that is waited for.
    pub upstream: TicketRef,
    /// True if greenloop wired it; a link that a person made is never removed.
    pub ours: bool,
    /// Why, from the map; empty for a person's link.
    pub rationale: String,
}

/// Evidence that a category fails (or, for candidate-resolved, that its cases pass) in one frozen report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Receipt {
    /// The frozen report.
    #[schemars(with = "String")]
    pub report_digest: Digest,
    /// The commit that was evaluated, if known.
    pub head: Option<String>,
    /// Number of the iteration in its campaign; 0 outside a campaign.
    pub iteration: u32,
    /// Fingerprint of the category's failure state: its sorted signatures, map version and signature version.
    /// [`Digest::zero`] when the receipt shows that the cases pass.
    #[schemars(with = "String")]
    pub category_fingerprint: Digest,
    /// Provenance fingerprint of the whole report.
    #[schemars(with = "String")]
    pub provenance_fingerprint: Digest,
    /// The failing cases, sorted. A category is absent only when all of these pass.
    #[schemars(with = "Vec<String>")]
    pub cases: Vec<CaseName>,
}

/// The proof that closed a ticket. Names both scopes: the full suite and the category slice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Closure {
    /// The frozen full report.
    #[schemars(with = "String")]
    pub report_digest: Digest,
    /// The integrated head it ran on.
    pub proven_head: String,
    /// Number of the iteration in its campaign; 0 outside a campaign.
    pub iteration: u32,
    /// Provenance fingerprint of the report.
    #[schemars(with = "String")]
    pub provenance_fingerprint: Digest,
    /// The category slice: cases that once failed for this category, all of them passing in the report, sorted.
    #[schemars(with = "Vec<String>")]
    pub slice: Vec<CaseName>,
    /// How it came to be: `direct`, or why only indirectly.
    pub manner: String,
    /// How many receipts the ticket had when it was closed: those are answered; later ones are a recurrence.
    pub receipts: usize,
}
