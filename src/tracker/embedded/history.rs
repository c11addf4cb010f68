//! What greenloop did to a ticket, oldest first.

use rusqlite::OptionalExtension as _;
use serde::Serialize;
use serde_json::Value;

use super::super::TrackerError;
use super::fault::damaged;
use super::open::EmbeddedTracker;

/// One operation of greenloop on a ticket. The tracker has no clock: the time is in the campaign's ledger, under the
/// same key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Event {
    /// The operation: `create`, `record`, …
    pub op: String,
    /// Its idempotency key, as the apply journal has it.
    pub key: String,
    /// The whole operation.
    pub detail: Value,
}

impl EmbeddedTracker {
    /// The body of ticket `number`; `None` if there is no such ticket.
    ///
    /// # Errors
    /// When the tracker cannot be read.
    pub(super) fn read_body(&mut self, number: u64) -> Result<Option<String>, TrackerError> {
        let Ok(number) = i64::try_from(number) else { return Ok(None) };
        let read = || {
            let mut statement = self.connection.prepare_cached("SELECT body FROM ticket WHERE number = ?1")?;
            statement.query_row([number], |row| row.get(0)).optional()
        };
        read().map_err(|error| self.fault(&error))
    }

    /// The history of ticket `number`, oldest first. Empty if there is no such ticket.
    ///
    /// # Errors
    /// When the tracker cannot be read or holds text that is not what was written.
    pub(super) fn read_history(&mut self, number: u64) -> Result<Vec<Event>, TrackerError> {
        let Ok(number) = i64::try_from(number) else { return Ok(Vec::new()) };
        let read = || -> rusqlite::Result<Vec<(String, String, String)>> {
            let mut statement =
                self.connection.prepare_cached("SELECT op, key, detail FROM event WHERE ticket = ?1 ORDER BY id")?;
            statement.query_map([number], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        };
        let rows = read().map_err(|error| self.fault(&error))?;
        rows.into_iter()
            .map(|(op, key, detail)| match serde_json::from_str(&detail) {
                Ok(detail) => Ok(Event { op, key, detail }),
                Err(error) => {
                    Err(damaged(&self.path, &format!("the history of ticket #{number} is not JSON ({error})")))
                }
            })
            .collect()
    }
}
