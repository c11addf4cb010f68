//! The operations on a ticket: what each asks of GitHub, in which order, and when it is refused.
//!
//! Order of one operation: what is about to happen, on disk; the new record into its comment; the issue itself; done.
//! So a person never sees a change whose reason is not there yet, and a crash anywhere leaves a file that says which
//! ticket may be half changed. Every request here can be repeated with the same effect.

use std::collections::BTreeSet;

use serde_json::json;

use super::super::{Operation, OperationOutcome, TrackerError, words};
use super::client::{Method, Response, Written, said};
use super::open::{Dependencies, GithubTracker};
use super::record::{DoneKey, Record};
use super::retry::Kind;
use super::seen::Seen;
use crate::model::{Digest, TicketRef, canonical_json};

/// The label of a ticket that waits for another one, on servers without dependencies.
pub(super) const BLOCKED_LABEL: &str = "greenloop:blocked";

pub(super) fn refused<T>(why: impl Into<String>) -> Result<T, TrackerError> {
    Err(TrackerError::Refused(why.into()))
}

/// The form of an idempotency key that is stored: 32 hexadecimal digits, whatever the key is made of.
pub(super) fn short_key(key: &str) -> String {
    let mut hex = Digest::in_domain("greenloop.github_key.v1", key.as_bytes()).hex();
    hex.truncate(32);
    hex
}

/// One change of the issue itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    Open,
    Close { reason: &'static str, duplicate_of: Option<u64> },
    AddLabel(&'static str),
    RemoveLabel(&'static str),
}

/// An operation with the forms of its key and content that are stored.
pub(super) struct Ask<'o> {
    pub(super) operation: &'o Operation,
    pub(super) done: DoneKey,
    /// It was begun before, and how far it came is not known.
    pub(super) begun: bool,
}

impl<'o> Ask<'o> {
    fn new(key: &str, operation: &'o Operation, begun: bool) -> Self {
        let bytes = canonical_json(operation).unwrap_or_default();
        let mut digest = Digest::in_domain("greenloop.tracker_operation.v1", &bytes).hex();
        digest.truncate(16);
        let done = DoneKey { key: short_key(key), digest, op: operation.name().to_owned() };
        Self { operation, done, begun }
    }
}

impl GithubTracker {
    /// Does an operation for the first time; or finds that it was done, and changes nothing.
    pub(super) fn execute_once(&mut self, key: &str, operation: &Operation) -> Result<OperationOutcome, TrackerError> {
        let ask = Ask::new(key, operation, false);
        if let Some(found) = self.done_before(&ask, key)? {
            return Ok(found);
        }
        self.perform(&ask)
    }

    /// Brings an operation to its end that was begun under this key, by this process or another.
    pub(super) fn finish_begun(&mut self, key: &str, operation: &Operation) -> Result<OperationOutcome, TrackerError> {
        let ask = Ask::new(key, operation, true);
        if matches!(operation, Operation::Create { .. }) {
            return self.finish_create(&ask);
        }
        self.client.settle();
        let before = self.done_before(&ask, key)?;
        let outcome = self.perform(&ask)?;
        Ok(before.unwrap_or(outcome))
    }

    fn done_before(&mut self, ask: &Ask<'_>, key: &str) -> Result<Option<OperationOutcome>, TrackerError> {
        let Some(seen) = self.tickets()?.values().find(|seen| seen.has_done(&ask.done.key)) else { return Ok(None) };
        let done = seen.record.as_ref().and_then(|record| record.done(&ask.done.key));
        let same = match (done, ask.operation) {
            (Some(done), _) => done.digest == ask.done.digest,
            // Made, and its record is not written yet: the marker tells which category it was made for.
            (None, Operation::Create { category_id, .. }) => *category_id == seen.marker.category_id,
            (None, _) => false,
        };
        if !same {
            return refused(format!("the idempotency key `{key}` was already used for another operation"));
        }
        Ok(Some(OperationOutcome { ticket: seen.ticket.clone(), adopted: true }))
    }

    fn perform(&mut self, ask: &Ask<'_>) -> Result<OperationOutcome, TrackerError> {
        let ticket = match ask.operation {
            Operation::Create { .. } => self.create(ask)?,
            Operation::Link { ticket, upstream, rationale } => {
                self.link(ask, ticket, upstream, rationale)?;
                ticket.clone()
            }
            Operation::Unlink { ticket, upstream } => {
                self.unlink(ask, ticket, upstream)?;
                ticket.clone()
            }
            Operation::Record { ticket, .. }
            | Operation::Reopen { ticket, .. }
            | Operation::CandidateResolved { ticket, .. }
            | Operation::Close { ticket, .. }
            | Operation::Supersede { ticket, .. }
            | Operation::Absorb { ticket, .. }
            | Operation::Publish { ticket } => {
                self.change(ask, ticket)?;
                ticket.clone()
            }
        };
        Ok(OperationOutcome { ticket, adopted: false })
    }

    /// The operations that change one ticket and its record.
    fn change(&mut self, ask: &Ask<'_>, ticket: &TicketRef) -> Result<(), TrackerError> {
        let seen = self.ticket(ticket)?.clone();
        let known = seen.record.as_ref().is_some_and(|record| record.done(&ask.done.key).is_some());
        let mut record = seen.record_to_change();
        let changes = match ask.operation {
            Operation::Record { receipt, .. } => {
                open(&seen, known, "record evidence on")?;
                record.receipts.extend((!known).then(|| receipt.clone()));
                record.candidate = false;
                vec![Change::RemoveLabel(Operation::CANDIDATE_LABEL)]
            }
            Operation::Reopen { receipt, .. } => {
                if !known {
                    self.may_reopen(&seen)?;
                    record.reopened = record.reopened.saturating_add(1);
                    record.receipts.push(receipt.clone());
                }
                record.candidate = false;
                record.farewell = None;
                vec![Change::Open, Change::RemoveLabel(Operation::CANDIDATE_LABEL)]
            }
            Operation::CandidateResolved { receipt, .. } => {
                open(&seen, known, "mark")?;
                record.receipts.extend((!known).then(|| receipt.clone()));
                record.candidate = true;
                vec![Change::RemoveLabel(Operation::ROUTING_LABEL), Change::AddLabel(Operation::CANDIDATE_LABEL)]
            }
            Operation::Close { closure, .. } => {
                open(&seen, known, "close")?;
                record.farewell = None;
                record.closure = Some(closure.clone());
                closing("completed", None)
            }
            Operation::Supersede { successors, note, .. } => {
                open(&seen, known, "supersede")?;
                for successor in successors {
                    self.other(ticket, successor, "be superseded by")?;
                }
                record.farewell = Some(words::superseded_note(note, successors));
                closing("not_planned", None)
            }
            Operation::Absorb { survivor, note, .. } => {
                open(&seen, known, "absorb")?;
                self.other(ticket, survivor, "be absorbed into")?;
                record.farewell = Some(words::absorbed_note(note, survivor));
                closing("duplicate", Some(survivor.id))
            }
            Operation::Publish { .. } => {
                open(&seen, known, "publish")?;
                if record.candidate {
                    return refused(format!(
                        "{ticket} waits for the proof that it is resolved; nothing is to be done on it"
                    ));
                }
                vec![Change::AddLabel(Operation::ROUTING_LABEL)]
            }
            Operation::Create { .. } | Operation::Link { .. } | Operation::Unlink { .. } => return Ok(()),
        };
        for change in &changes {
            change.foresee(&mut record);
        }
        if !known {
            record.add_done(ask.done.clone());
        }
        self.settle_ticket(&seen, record, &ask.done.key, &changes)?;
        if matches!(ask.operation, Operation::Close { .. } | Operation::Supersede { .. } | Operation::Absorb { .. }) {
            self.unblock_dependents(ticket)?;
        }
        Ok(())
    }

    /// Writes the record, then changes the issue, so that a crash between leaves a trace.
    pub(super) fn settle_ticket(
        &mut self,
        seen: &Seen,
        record: Record,
        key: &str,
        changes: &[Change],
    ) -> Result<(), TrackerError> {
        let number = seen.ticket.number;
        let is_new = seen.record.as_ref() != Some(&record);
        let mut record = record;
        if is_new {
            record.revision += 1;
        }
        // Refused before anything is written: what does not fit must not be half there.
        record.fit_comment().map_err(TrackerError::Refused)?;
        self.announce(seen, key, None)?;
        if is_new || seen.unsaved {
            self.save(number, &mut record)?;
        }
        for change in changes {
            match self.make_change(number, change, &mut record) {
                Err(refused @ TrackerError::Refused(_)) => {
                    self.take_back(seen, record.revision)?;
                    return Err(refused);
                }
                other => other?,
            }
        }
        self.forget(number);
        if let Some(seen) = self.tickets()?.get_mut(&number) {
            seen.record = Some(record);
            (seen.unsaved, seen.pending) = (false, None);
        }
        Ok(())
    }

    /// After a refusal: the record as it was before, with the issue as it is now, so that nobody takes what was not done
    /// for a person's doing.
    fn take_back(&mut self, before: &Seen, revision: u64) -> Result<(), TrackerError> {
        let number = before.ticket.number;
        let mut record = before.record_to_change();
        if let Some(now) = self.tickets()?.get(&number) {
            (record.open, record.labels) = (now.open, now.labels.clone());
            record.reason = before.record.as_ref().and_then(|record| record.reason.clone()).filter(|_| !now.open);
        }
        record.revision = revision;
        self.postpone(number, record)
    }

    /// One change of the issue, if it is not so already.
    fn make_change(&mut self, number: u64, change: &Change, record: &mut Record) -> Result<(), TrackerError> {
        let Some(seen) = self.tickets()?.get(&number).cloned() else { return Ok(()) };
        let issue = self.client.path(&format!("/issues/{number}"));
        match change {
            Change::Open if seen.open => Ok(()),
            Change::Open => {
                let body = json!({ "state": "open", "state_reason": "reopened" });
                let response = self.repeatable(Method::Patch, &issue, Some(body))?;
                Self::expect_success(&response, "opening it again")?;
                self.update(number, |seen| (seen.open, seen.reason) = (true, None))
            }
            Change::Close { .. } if !seen.open => Ok(()),
            Change::Close { reason, duplicate_of } => self.close(number, &issue, reason, *duplicate_of, record),
            Change::AddLabel(label) if seen.labels.contains(*label) => Ok(()),
            Change::AddLabel(label) => {
                self.ensure_labels()?;
                let body = json!({ "labels": [label] });
                let response = self.repeatable(Method::Post, &format!("{issue}/labels"), Some(body))?;
                Self::expect_success(&response, "setting its label")?;
                self.update(number, |seen| {
                    seen.labels.insert((*label).to_owned());
                })
            }
            Change::RemoveLabel(label) if !seen.labels.contains(*label) => Ok(()),
            Change::RemoveLabel(label) => {
                let path = format!("{issue}/labels/{}", label.replace(':', "%3A"));
                let response = self.repeatable(Method::Delete, &path, None)?;
                if response.status != 404 {
                    Self::expect_success(&response, "taking its label away")?;
                }
                self.update(number, |seen| {
                    seen.labels.remove(*label);
                })
            }
        }
    }

    /// Closes with the nearest reason that the server knows; the record says what it became.
    fn close(
        &mut self,
        number: u64,
        issue: &str,
        reason: &'static str,
        duplicate_of: Option<u64>,
        record: &mut Record,
    ) -> Result<(), TrackerError> {
        let mut body = json!({ "state": "closed", "state_reason": reason });
        if let Some(id) = duplicate_of {
            body["duplicate_issue_id"] = id.into();
        }
        let mut response = self.repeatable(Method::Patch, issue, Some(body))?;
        if response.status == 422 && reason == "duplicate" {
            // Servers before the reason `duplicate`.
            let body = json!({ "state": "closed", "state_reason": "not_planned" });
            response = self.repeatable(Method::Patch, issue, Some(body))?;
        }
        Self::expect_success(&response, "closing it")?;
        let became = response.json.get("state_reason").and_then(|reason| reason.as_str()).map(str::to_owned);
        let became = became.or_else(|| self.client.settings.rehearse.then(|| reason.to_owned()));
        if record.reason != became {
            record.reason.clone_from(&became);
            record.revision += 1;
            self.save(number, record)?;
        }
        self.update(number, |seen| (seen.open, seen.reason) = (false, became))
    }

    /// A write that may be sent twice.
    pub(super) fn repeatable(
        &mut self,
        method: Method,
        path: &str,
        body: Option<serde_json::Value>,
    ) -> Result<Response, TrackerError> {
        match self.client.write(method, path, body, Kind::Repeatable, Clone::clone)? {
            Written::Answered(response) => Ok(response),
            Written::Unknown(why) => Err(TrackerError::Unknown(format!("{path}: {why}"))),
        }
    }

    /// A rejection in words, with what to do.
    pub(super) fn expect_success(response: &Response, what: &str) -> Result<(), TrackerError> {
        if response.is_success() {
            return Ok(());
        }
        let hint = match response.status {
            403 => "; the token needs the permission to write issues, and the repository must not be archived",
            404 => "; it is gone, or the token may not write to it",
            410 => "; it was deleted, or issues are switched off",
            _ => "",
        };
        refused(format!("{what}: {}{hint}", said(response.status, &response.message)))
    }

    pub(super) fn update(&mut self, number: u64, change: impl FnOnce(&mut Seen)) -> Result<(), TrackerError> {
        if let Some(seen) = self.tickets()?.get_mut(&number) {
            change(seen);
        }
        Ok(())
    }

    /// The ticket, if there is one with this number and this id.
    pub(super) fn ticket(&mut self, ticket: &TicketRef) -> Result<&Seen, TrackerError> {
        let Some(seen) = self.tickets()?.get(&ticket.number) else {
            return refused(format!("there is no ticket {ticket}"));
        };
        if seen.ticket.id != ticket.id {
            return refused(format!(
                "ticket {ticket} has the id {}, not {}: id and number are mixed up",
                seen.ticket.id, ticket.id
            ));
        }
        Ok(seen)
    }

    pub(super) fn other(&mut self, ticket: &TicketRef, other: &TicketRef, action: &str) -> Result<(), TrackerError> {
        self.ticket(other)?;
        if ticket.number == other.number {
            return refused(format!("{ticket} cannot {action} itself"));
        }
        Ok(())
    }

    fn may_reopen(&mut self, seen: &Seen) -> Result<(), TrackerError> {
        if seen.open {
            return refused(format!("{} is open already", seen.ticket));
        }
        self.no_live_ticket(&seen.marker.category_id)?;
        let number = seen.ticket.number;
        if self.above(number, false)?.contains(&number) {
            return refused(format!("with {} open again, tickets would wait for each other in a circle", seen.ticket));
        }
        Ok(())
    }

    /// Numbers of the tickets that `number` waits for, directly or through others: the live ones, or all. `number` itself
    /// counts as live.
    pub(super) fn above(&mut self, number: u64, closed_too: bool) -> Result<BTreeSet<u64>, TrackerError> {
        let tickets = self.tickets()?;
        let mut above = BTreeSet::new();
        let mut stack = vec![number];
        while let Some(at) = stack.pop() {
            for upstream in tickets.get(&at).map(Seen::waits_for).unwrap_or_default() {
                let counts = closed_too || upstream == number || tickets.get(&upstream).is_some_and(|seen| seen.open);
                if counts && above.insert(upstream) {
                    stack.push(upstream);
                }
            }
        }
        Ok(above)
    }

    /// On a server without dependencies: what waited for a ticket that is closed now, and for nothing else, loses its
    /// label.
    fn unblock_dependents(&mut self, ticket: &TicketRef) -> Result<(), TrackerError> {
        if self.dependencies != Dependencies::No {
            return Ok(());
        }
        let tickets = self.tickets()?;
        let is_live = |number: &u64| tickets.get(number).is_some_and(|seen| seen.open);
        let free: Vec<u64> = tickets
            .iter()
            .filter(|(_, seen)| seen.labels.contains(BLOCKED_LABEL) && seen.waits_for().contains(&ticket.number))
            .filter(|(_, seen)| !seen.waits_for().iter().any(is_live))
            .map(|(number, _)| *number)
            .collect();
        for number in free {
            self.mark_blocked(number, false)?;
        }
        Ok(())
    }
}

fn closing(reason: &'static str, duplicate_of: Option<u64>) -> Vec<Change> {
    vec![
        Change::RemoveLabel(Operation::ROUTING_LABEL),
        Change::RemoveLabel(Operation::CANDIDATE_LABEL),
        Change::Close { reason, duplicate_of },
    ]
}

impl Change {
    /// What the record has to say once the change is made.
    fn foresee(&self, record: &mut Record) {
        match self {
            Self::Open => (record.open, record.reason) = (true, None),
            Self::Close { reason, .. } => {
                (record.open, record.reason) = (false, Some((*reason).to_owned()));
                record.candidate = false;
            }
            Self::AddLabel(label) => {
                record.labels.insert((*label).to_owned());
            }
            Self::RemoveLabel(label) => {
                record.labels.remove(*label);
            }
        }
    }
}

/// Refuses on a closed ticket, unless this very operation closed it.
pub(super) fn open(seen: &Seen, known: bool, action: &str) -> Result<(), TrackerError> {
    if seen.open || known {
        return Ok(());
    }
    refused(format!("cannot {action} {}: it is closed", seen.ticket))
}
