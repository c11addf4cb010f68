//! The single statements that operations are made of.

use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;

use super::super::{Operation, OperationOutcome, TrackerError};
use super::fault::damaged;
use super::open::EmbeddedTracker;
use crate::model::Digest;

/// What stands under an idempotency key.
pub(super) struct Done {
    /// Digest of the operation, to tell a repetition from a key that is used twice.
    pub(super) operation: String,
    /// What it did, with `adopted` set.
    pub(super) outcome: OperationOutcome,
}

/// The facts about a ticket that operations decide on.
pub(super) struct Standing {
    pub(super) row: i64,
    pub(super) category_id: String,
    pub(super) is_open: bool,
    pub(super) candidate_resolved: bool,
}

impl EmbeddedTracker {
    /// Runs one statement that changes something; the number of rows it changed.
    pub(super) fn run(&self, sql: &str, values: impl rusqlite::Params) -> Result<usize, TrackerError> {
        let run = || self.connection.prepare_cached(sql)?.execute(values);
        run().map_err(|error| self.fault(&error))
    }

    /// True if the query has a row.
    pub(super) fn has(&self, sql: &str, values: impl rusqlite::Params) -> Result<bool, TrackerError> {
        let has = || self.connection.prepare_cached(sql)?.exists(values);
        has().map_err(|error| self.fault(&error))
    }

    pub(super) fn done(&self, key: &str) -> Result<Option<Done>, TrackerError> {
        let read = || {
            let mut statement = self.connection.prepare_cached("SELECT operation, outcome FROM done WHERE key = ?1")?;
            statement.query_row([key], |row| Ok((row.get(0)?, row.get::<_, String>(1)?))).optional()
        };
        let Some((operation, outcome)) = read().map_err(|error| self.fault(&error))? else { return Ok(None) };
        let outcome: OperationOutcome = serde_json::from_str(&outcome)
            .map_err(|error| damaged(&self.path, &format!("the outcome of `{key}` cannot be read ({error})")))?;
        Ok(Some(Done { operation, outcome: OperationOutcome { adopted: true, ..outcome } }))
    }

    pub(super) fn standing(&self, number: u64) -> Result<Option<Standing>, TrackerError> {
        let Ok(number) = i64::try_from(number) else { return Ok(None) };
        let read = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT category_id, state = 'open', candidate_resolved FROM ticket WHERE number = ?1",
            )?;
            let standing = statement.query_row([number], |row| {
                Ok(Standing {
                    row: number,
                    category_id: row.get(0)?,
                    is_open: row.get(1)?,
                    candidate_resolved: row.get(2)?,
                })
            });
            standing.optional()
        };
        read().map_err(|error| self.fault(&error))
    }

    /// The number of the live ticket of a category.
    pub(super) fn live_ticket(&self, category_id: &str) -> Result<Option<i64>, TrackerError> {
        let read = || {
            let mut statement = self
                .connection
                .prepare_cached("SELECT number FROM ticket WHERE category_id = ?1 AND state = 'open'")?;
            statement.query_row([category_id], |row| row.get(0)).optional()
        };
        read().map_err(|error| self.fault(&error))
    }

    /// Sets or clears a label of greenloop, and remembers that greenloop did.
    pub(super) fn mark(&self, number: i64, label: &str, set: bool) -> Result<(), TrackerError> {
        for table in ["label", "written_label"] {
            let sql = if set {
                format!("INSERT OR IGNORE INTO {table} (ticket, label) VALUES (?1, ?2)")
            } else {
                format!("DELETE FROM {table} WHERE ticket = ?1 AND label = ?2")
            };
            self.run(&sql, params![number, label])?;
        }
        Ok(())
    }

    /// Sets the candidate-resolved mark: the flag and the label.
    pub(super) fn mark_candidate(&self, number: i64, set: bool) -> Result<(), TrackerError> {
        self.run("UPDATE ticket SET candidate_resolved = ?2 WHERE number = ?1", params![number, set])?;
        self.mark(number, Operation::CANDIDATE_LABEL, set)
    }

    /// Closes a ticket: no longer dispatchable, no longer a candidate.
    pub(super) fn close(&self, number: i64, reason: &str) -> Result<(), TrackerError> {
        self.run(
            "UPDATE ticket SET state = 'closed', written_state = 'closed', state_reason = ?2 WHERE number = ?1",
            params![number, reason],
        )?;
        self.mark(number, Operation::ROUTING_LABEL, false)?;
        self.mark_candidate(number, false)
    }

    pub(super) fn add_receipt(&self, number: i64, receipt: &impl Serialize) -> Result<(), TrackerError> {
        let text = text_of(receipt)?;
        self.run("INSERT INTO receipt (ticket, receipt) VALUES (?1, ?2)", params![number, text])?;
        Ok(())
    }

    /// True if `from` waits, directly or through other tickets, for `target`. Closed ones count: no tracker
    /// takes circles through them, and they may be opened again.
    pub(super) fn waits_for(&self, from: i64, target: i64) -> Result<bool, TrackerError> {
        self.has(
            "WITH RECURSIVE above (number) AS (
                 SELECT ?1
                 UNION
                 SELECT link.upstream FROM above
                 JOIN link ON link.ticket = above.number
             )
             SELECT 1 FROM above WHERE number = ?2",
            params![from, target],
        )
    }

    /// True if a ticket waits for `number`.
    pub(super) fn is_waited_for(&self, number: i64) -> Result<bool, TrackerError> {
        self.has("SELECT 1 FROM link WHERE upstream = ?1", params![number])
    }
}

/// Canonical JSON of one of our types.
pub(super) fn text_of(value: &impl Serialize) -> Result<String, TrackerError> {
    crate::model::canonical_json(value)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| TrackerError::Refused("the operation cannot be written as JSON".to_owned()))
}

/// What tells one operation from another, in text form.
pub(super) fn operation_digest(canonical_text: &str) -> String {
    Digest::in_domain("greenloop.tracker_operation.v1", canonical_text.as_bytes()).to_string()
}
