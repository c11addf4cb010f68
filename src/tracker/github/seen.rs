//! One ticket as GitHub shows it and as the record remembers it, side by side.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Link, Marker, PersonChange, Ticket, TicketState};
use super::issue::Issue;
use super::record::Record;
use super::unfinished::LinkIntent;
use crate::model::TicketRef;

/// An issue that a ticket is blocked by, by its number (or by its id, if it is in another repository).
pub(super) type Upstream = BTreeMap<u64, u64>;

/// One ticket of ours.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) ticket: TicketRef,
    pub(super) marker: Marker,
    pub(super) title: String,
    pub(super) body: String,
    pub(super) open: bool,
    pub(super) reason: Option<String>,
    pub(super) labels: BTreeSet<String>,
    /// The comment that holds the record.
    pub(super) comment: Option<u64>,
    /// What is remembered; `None` if the ticket was made and nothing was recorded yet.
    pub(super) record: Option<Record>,
    /// True if the record is not in its comment yet.
    pub(super) unsaved: bool,
    /// An operation of ours that may be half done.
    pub(super) pending: Option<String>,
    /// What GitHub says it is blocked by; `None` where the server has no dependencies.
    pub(super) upstream: Option<Upstream>,
}

impl Seen {
    /// What GitHub shows; nothing remembered yet.
    pub(super) fn new(issue: &Issue, marker: Marker) -> Self {
        Self {
            ticket: TicketRef { number: issue.number, id: issue.id },
            marker,
            title: issue.title.clone(),
            body: issue.body.clone().unwrap_or_default(),
            open: issue.is_open(),
            reason: issue.state_reason.clone(),
            labels: issue.labels(),
            comment: None,
            record: None,
            unsaved: false,
            pending: None,
            upstream: Some(Upstream::new()),
        }
    }

    /// The record to change: what is remembered, or the ticket as it is now.
    pub(super) fn record_to_change(&self) -> Record {
        self.record.clone().unwrap_or_else(|| Record {
            revision: 0,
            id: self.ticket.id,
            category_id: self.marker.category_id.clone(),
            title: self.title.clone(),
            labels: self.labels.clone(),
            open: self.open,
            reason: None,
            reopened: 0,
            candidate: false,
            closure: None,
            receipts: Vec::new(),
            links: BTreeMap::new(),
            done: Vec::new(),
            farewell: None,
        })
    }

    /// A link that was about to be made or removed when a process died: if it is there, it is ours; if not, it was.
    pub(super) fn take_intent(&mut self, intent: LinkIntent) {
        let there = |number: &u64| self.upstream.as_ref().is_some_and(|upstream| upstream.contains_key(number));
        let mut record = self.record_to_change();
        match intent {
            LinkIntent::Wire(number, own) if there(&number) => {
                record.links.insert(number, own);
            }
            LinkIntent::Unwire(number) if !there(&number) => {
                record.links.remove(&number);
            }
            LinkIntent::Wire(..) | LinkIntent::Unwire(_) => return,
        }
        self.record = Some(record);
        self.unsaved = true;
    }

    /// Numbers of the tickets that it waits for.
    pub(super) fn waits_for(&self) -> BTreeSet<u64> {
        match (&self.upstream, &self.record) {
            (Some(upstream), _) => upstream.keys().copied().collect(),
            (None, Some(record)) => record.links.keys().copied().collect(),
            (None, None) => BTreeSet::new(),
        }
    }

    pub(super) fn is_candidate(&self) -> bool {
        self.record.as_ref().is_some_and(|record| record.candidate)
    }

    /// As the snapshot has it, without `blocks`.
    pub(super) fn to_ticket(&self) -> Ticket {
        let record = self.record.as_ref();
        let own = |number: &u64| record.and_then(|record| record.links.get(number));
        let link = |number: u64, id: u64| Link {
            upstream: TicketRef { number, id },
            ours: own(&number).is_some(),
            rationale: own(&number).map(|link| link.why.clone()).unwrap_or_default(),
        };
        let blocked_by = match (&self.upstream, record) {
            (Some(upstream), _) => upstream.iter().map(|(number, id)| link(*number, *id)).collect(),
            (None, Some(record)) => record.links.iter().map(|(number, own)| link(*number, own.id)).collect(),
            (None, None) => Vec::new(),
        };
        Ticket {
            ticket: self.ticket.clone(),
            category_id: self.marker.category_id.clone(),
            title: self.title.clone(),
            state: if self.open { TicketState::Open } else { TicketState::Closed },
            // Closed by an older server, or before there were reasons.
            state_reason: (!self.open).then(|| self.reason.clone().unwrap_or_else(|| "completed".to_owned())),
            labels: self.labels.clone(),
            blocked_by,
            blocks: Vec::new(),
            reopened: record.map_or(0, |record| record.reopened),
            receipts: record.map(|record| record.receipts.clone()).unwrap_or_default(),
            closure: record.and_then(|record| record.closure.clone()),
            candidate_resolved: self.is_candidate(),
            person_changed: self.person_changed(),
        }
    }

    fn person_changed(&self) -> BTreeSet<PersonChange> {
        let mut changed = BTreeSet::new();
        let Some(record) = self.record.as_ref().filter(|_| self.pending.is_none()) else { return changed };
        let mut note = |differs: bool, what| differs.then(|| changed.insert(what));
        note(self.title != record.title, PersonChange::Title);
        note(self.labels != record.labels, PersonChange::Labels);
        // Closing again for another reason is a decision, too; some servers know fewer reasons than we write.
        note(self.open != record.open || self.is_other_reason(record), PersonChange::State);
        let links = |upstream: &Upstream| !upstream.keys().eq(record.links.keys());
        note(self.upstream.as_ref().is_some_and(links), PersonChange::Links);
        changed
    }

    fn is_other_reason(&self, record: &Record) -> bool {
        !self.open
            && matches!((self.reason.as_deref(), record.reason.as_deref()), (Some(now), Some(written)) if now != written)
    }
}
