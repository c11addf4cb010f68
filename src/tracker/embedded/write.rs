//! The operations: what each changes, and when it is refused.

use std::collections::BTreeSet;

use rusqlite::params;

use super::super::{Closure, Operation, OperationOutcome, Receipt, TrackerError};
use super::open::EmbeddedTracker;
use super::read::reference;
use super::store::{Standing, operation_digest, text_of};
use crate::model::{CategoryId, TicketRef};

fn refused<T>(why: impl Into<String>) -> Result<T, TrackerError> {
    Err(TrackerError::Refused(why.into()))
}

impl EmbeddedTracker {
    /// Does the operation, or finds that it was done.
    pub(super) fn execute_once(&self, key: &str, operation: &Operation) -> Result<OperationOutcome, TrackerError> {
        let text = text_of(operation)?;
        let digest = operation_digest(&text);
        if let Some(done) = self.done(key)? {
            if done.operation != digest {
                return refused(format!("the idempotency key `{key}` was already used for another operation"));
            }
            return Ok(done.outcome);
        }
        // A refusal in the middle of an operation takes back the part that was done, and nothing else.
        self.batch("SAVEPOINT operation")?;
        let result = self.perform(operation).and_then(|ticket| {
            let outcome = OperationOutcome { ticket, adopted: false };
            let row = self.ticket(&outcome.ticket)?.row;
            let recorded = text_of(&outcome)?;
            self.run("INSERT INTO done (key, operation, outcome) VALUES (?1, ?2, ?3)", params![key, digest, recorded])?;
            self.run(
                "INSERT INTO event (ticket, key, op, detail) VALUES (?1, ?2, ?3, ?4)",
                params![row, key, operation.name(), text],
            )?;
            Ok(outcome)
        });
        match result {
            Ok(outcome) => {
                self.batch("RELEASE operation")?;
                Ok(outcome)
            }
            Err(error) => {
                // On a full disk SQLite may have rolled back everything already; then there is no savepoint any more.
                if !self.connection.is_autocommit() {
                    self.batch("ROLLBACK TO operation; RELEASE operation")?;
                }
                Err(error)
            }
        }
    }

    fn batch(&self, sql: &str) -> Result<(), TrackerError> {
        self.connection.execute_batch(sql).map_err(|error| self.fault(&error))
    }

    /// Does the operation; the ticket that it made or changed.
    fn perform(&self, operation: &Operation) -> Result<TicketRef, TrackerError> {
        let ticket = match operation {
            Operation::Create { category_id, title, body, labels, receipt } => {
                return self.create(category_id, title, body, labels, receipt);
            }
            Operation::Record { ticket, receipt } => {
                let row = self.open_ticket(ticket, "record evidence on")?.row;
                self.add_receipt(row, receipt)?;
                self.mark_candidate(row, false)?;
                ticket
            }
            Operation::Reopen { ticket, receipt } => {
                self.reopen(ticket, receipt)?;
                ticket
            }
            Operation::CandidateResolved { ticket, receipt } => {
                let row = self.open_ticket(ticket, "mark")?.row;
                self.add_receipt(row, receipt)?;
                self.mark(row, Operation::ROUTING_LABEL, false)?;
                self.mark_candidate(row, true)?;
                ticket
            }
            Operation::Close { ticket, closure } => {
                self.close_with_proof(ticket, closure)?;
                ticket
            }
            Operation::Supersede { ticket, successors, .. } => {
                let row = self.open_ticket(ticket, "supersede")?.row;
                for successor in successors {
                    self.other_ticket(ticket, successor, "be superseded by")?;
                }
                self.close(row, "not_planned")?;
                ticket
            }
            Operation::Absorb { ticket, survivor, .. } => {
                let row = self.open_ticket(ticket, "absorb")?.row;
                self.other_ticket(ticket, survivor, "be absorbed into")?;
                self.close(row, "duplicate")?;
                ticket
            }
            Operation::Link { ticket, upstream, rationale } => {
                self.link(ticket, upstream, rationale)?;
                ticket
            }
            Operation::Unlink { ticket, upstream } => {
                self.unlink(ticket, upstream)?;
                ticket
            }
            Operation::Publish { ticket } => {
                let standing = self.open_ticket(ticket, "publish")?;
                if standing.candidate_resolved {
                    return refused(format!(
                        "{ticket} waits for the proof that it is resolved; nothing is to be done on it"
                    ));
                }
                self.mark(standing.row, Operation::ROUTING_LABEL, true)?;
                ticket
            }
        };
        Ok(ticket.clone())
    }

    fn create(
        &self,
        category_id: &CategoryId,
        title: &str,
        body: &str,
        labels: &BTreeSet<String>,
        receipt: &Receipt,
    ) -> Result<TicketRef, TrackerError> {
        if let Some(marker) =
            [Operation::ROUTING_LABEL, Operation::CANDIDATE_LABEL].into_iter().find(|m| labels.contains(*m))
        {
            return refused(format!("a new ticket must not carry the label {marker}"));
        }
        if let Some(live) = self.live_ticket(category_id.as_str())? {
            return refused(format!("{category_id} already has the live ticket #{live}"));
        }
        self.run(
            "INSERT INTO ticket (category_id, title, body, state, written_title, written_state)
             VALUES (?1, ?2, ?3, 'open', ?2, 'open')",
            params![category_id.as_str(), title, body],
        )?;
        // AUTOINCREMENT counts from 1 upwards.
        let row = self.connection.last_insert_rowid();
        for label in labels {
            self.mark(row, label, true)?;
        }
        self.add_receipt(row, receipt)?;
        Ok(reference(row.unsigned_abs()))
    }

    fn reopen(&self, ticket: &TicketRef, receipt: &Receipt) -> Result<(), TrackerError> {
        let standing = self.ticket(ticket)?;
        if standing.is_open {
            return refused(format!("{ticket} is open already"));
        }
        if let Some(live) = self.live_ticket(&standing.category_id)? {
            return refused(format!("{} already has the live ticket #{live}", standing.category_id));
        }
        if self.closes_a_cycle(standing.row)? {
            return refused(format!("with {ticket} open again, tickets would wait for each other in a circle"));
        }
        self.run(
            "UPDATE ticket SET state = 'open', written_state = 'open', state_reason = NULL, reopened = reopened + 1
             WHERE number = ?1",
            [standing.row],
        )?;
        self.mark_candidate(standing.row, false)?;
        self.add_receipt(standing.row, receipt)
    }

    fn close_with_proof(&self, ticket: &TicketRef, closure: &Closure) -> Result<(), TrackerError> {
        let row = self.open_ticket(ticket, "close")?.row;
        let proof = text_of(closure)?;
        self.run("UPDATE ticket SET closure = ?2 WHERE number = ?1", params![row, proof])?;
        self.close(row, "completed")
    }

    fn link(&self, ticket: &TicketRef, upstream: &TicketRef, rationale: &str) -> Result<(), TrackerError> {
        let from = self.open_ticket(ticket, "link")?.row;
        self.other_ticket(ticket, upstream, "wait for")?;
        let to = self.open_ticket(upstream, "wait for")?.row;
        if self.has("SELECT 1 FROM link WHERE ticket = ?1 AND upstream = ?2", params![from, to])? {
            return refused(format!("{ticket} waits for {upstream} already"));
        }
        // Wiring goes upstream first, so mostly nothing waits for `ticket` yet, and then there can be no cycle.
        if self.is_waited_for(from)? && self.waits_for(to, from)? {
            return refused(format!("{ticket} cannot wait for {upstream}, which waits for {ticket}"));
        }
        self.run("INSERT INTO link (ticket, upstream, rationale) VALUES (?1, ?2, ?3)", params![from, to, rationale])?;
        self.run("INSERT OR IGNORE INTO written_link (ticket, upstream) VALUES (?1, ?2)", params![from, to])?;
        Ok(())
    }

    fn unlink(&self, ticket: &TicketRef, upstream: &TicketRef) -> Result<(), TrackerError> {
        let (from, to) = (self.ticket(ticket)?.row, self.ticket(upstream)?.row);
        if self.run("DELETE FROM written_link WHERE ticket = ?1 AND upstream = ?2", params![from, to])? == 0 {
            return if self.has("SELECT 1 FROM link WHERE ticket = ?1 AND upstream = ?2", params![from, to])? {
                refused(format!("a person made {ticket} wait for {upstream}; greenloop removes only its own links"))
            } else {
                refused(format!("{ticket} does not wait for {upstream}"))
            };
        }
        // If a person had removed it before, there is nothing left to remove, and now both agree.
        self.run("DELETE FROM link WHERE ticket = ?1 AND upstream = ?2", params![from, to])?;
        Ok(())
    }

    /// True if the ticket, once open, would be on a cycle of live tickets.
    fn closes_a_cycle(&self, row: i64) -> Result<bool, TrackerError> {
        self.has(
            "WITH RECURSIVE above (number) AS (
                 SELECT link.upstream FROM link
                 JOIN ticket ON ticket.number = link.upstream AND ticket.state = 'open' WHERE link.ticket = ?1
                 UNION
                 SELECT link.upstream FROM above
                 JOIN link ON link.ticket = above.number
                 JOIN ticket ON ticket.number = link.upstream AND (ticket.state = 'open' OR ticket.number = ?1)
             )
             SELECT 1 FROM above WHERE number = ?1",
            [row],
        )
    }

    /// The ticket, if there is one with this number and this id.
    fn ticket(&self, ticket: &TicketRef) -> Result<Standing, TrackerError> {
        let Some(standing) = self.standing(ticket.number)? else {
            return refused(format!("there is no ticket {ticket}"));
        };
        let id = reference(ticket.number).id;
        if ticket.id != id {
            return refused(format!("ticket {ticket} has the id {id}, not {}: id and number are mixed up", ticket.id));
        }
        Ok(standing)
    }

    fn open_ticket(&self, ticket: &TicketRef, action: &str) -> Result<Standing, TrackerError> {
        let standing = self.ticket(ticket)?;
        if standing.is_open { Ok(standing) } else { refused(format!("cannot {action} {ticket}: it is closed")) }
    }

    fn other_ticket(&self, ticket: &TicketRef, other: &TicketRef, action: &str) -> Result<(), TrackerError> {
        self.ticket(other)?;
        if ticket.number == other.number { refused(format!("{ticket} cannot {action} itself")) } else { Ok(()) }
    }
}
