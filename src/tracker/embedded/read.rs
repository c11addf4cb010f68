//! The snapshot: everything, from one moment, or an error.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Row;
use serde::de::DeserializeOwned;

use super::super::{Closure, Link, PersonChange, Receipt, Snapshot, Ticket, TicketState, TrackerError};
use super::fault::{damaged, name};
use super::open::EmbeddedTracker;
use super::schema::{FORMAT, ID_OFFSET};
use crate::model::TicketRef;

/// The reference of ticket `number`.
pub(super) const fn reference(number: u64) -> TicketRef {
    TicketRef { number, id: ID_OFFSET.saturating_add(number) }
}

/// Everything as the tables have it.
#[derive(Default)]
struct Tables {
    tickets: Vec<TicketRow>,
    labels: BTreeMap<i64, BTreeSet<String>>,
    written_labels: BTreeMap<i64, BTreeSet<String>>,
    links: BTreeMap<i64, BTreeMap<i64, String>>,
    written_links: BTreeMap<i64, BTreeSet<i64>>,
    receipts: BTreeMap<i64, Vec<String>>,
}

struct TicketRow {
    number: i64,
    category_id: String,
    title: String,
    state: String,
    state_reason: Option<String>,
    reopened: i64,
    candidate_resolved: bool,
    closure: Option<String>,
    written_title: String,
    written_state: String,
}

impl EmbeddedTracker {
    pub(super) fn read_snapshot(&self) -> Result<Snapshot, TrackerError> {
        let own_transaction = self.connection.is_autocommit();
        if own_transaction {
            // All tables as of one moment, also while another process commits.
            self.connection.execute_batch("BEGIN").map_err(|error| self.fault(&error))?;
        }
        let tables = self.read_tables();
        if own_transaction {
            // It read only: there is nothing to lose.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        let tables = match tables {
            Ok(tables) => tables,
            Err(error) => {
                // A newer format may have other tables: then that is the reason, not damage.
                let found = self.format()?;
                let newer = TrackerError::NewerFormat { tracker: name(&self.path), found, known: FORMAT };
                return Err(if found > FORMAT { newer } else { self.fault(&error) });
            }
        };
        self.assemble(tables)
    }

    fn read_tables(&self) -> rusqlite::Result<Tables> {
        let mut tables = Tables {
            tickets: self.rows(
                "SELECT number, category_id, title, state, state_reason, reopened, candidate_resolved, closure, \
                 written_title, written_state FROM ticket ORDER BY number",
                |row| {
                    Ok(TicketRow {
                        number: row.get(0)?,
                        category_id: row.get(1)?,
                        title: row.get(2)?,
                        state: row.get(3)?,
                        state_reason: row.get(4)?,
                        reopened: row.get(5)?,
                        candidate_resolved: row.get(6)?,
                        closure: row.get(7)?,
                        written_title: row.get(8)?,
                        written_state: row.get(9)?,
                    })
                },
            )?,
            ..Tables::default()
        };
        let pair = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?));
        for (ticket, label) in self.rows("SELECT ticket, label FROM label", pair)? {
            tables.labels.entry(ticket).or_default().insert(label);
        }
        for (ticket, label) in self.rows("SELECT ticket, label FROM written_label", pair)? {
            tables.written_labels.entry(ticket).or_default().insert(label);
        }
        for (ticket, receipt) in self.rows("SELECT ticket, receipt FROM receipt ORDER BY id", pair)? {
            tables.receipts.entry(ticket).or_default().push(receipt);
        }
        let link = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?));
        for (ticket, upstream, rationale) in self.rows("SELECT ticket, upstream, rationale FROM link", link)? {
            tables.links.entry(ticket).or_default().insert(upstream, rationale);
        }
        let link = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        for (ticket, upstream) in self.rows("SELECT ticket, upstream FROM written_link", link)? {
            tables.written_links.entry(ticket).or_default().insert(upstream);
        }
        Ok(tables)
    }

    fn rows<T>(&self, sql: &str, map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>) -> rusqlite::Result<Vec<T>> {
        self.connection.prepare_cached(sql)?.query_map([], map)?.collect()
    }

    fn assemble(&self, mut tables: Tables) -> Result<Snapshot, TrackerError> {
        let mut blocks: BTreeMap<i64, Vec<TicketRef>> = BTreeMap::new();
        for (ticket, upstreams) in &tables.links {
            for upstream in upstreams.keys() {
                blocks.entry(*upstream).or_default().push(reference(self.number(*ticket)?));
            }
        }
        let mut tickets = Vec::with_capacity(tables.tickets.len());
        for row in std::mem::take(&mut tables.tickets) {
            let number = row.number;
            let labels = tables.labels.remove(&number).unwrap_or_default();
            let links = tables.links.remove(&number).unwrap_or_default();
            let wired = tables.written_links.remove(&number).unwrap_or_default();
            let mut person_changed = BTreeSet::new();
            let mut note = |changed: bool, what| changed.then(|| person_changed.insert(what));
            note(row.title != row.written_title, PersonChange::Title);
            note(labels != tables.written_labels.remove(&number).unwrap_or_default(), PersonChange::Labels);
            note(row.state != row.written_state, PersonChange::State);
            note(!links.keys().eq(wired.iter()), PersonChange::Links);
            let state = if row.state == "open" { TicketState::Open } else { TicketState::Closed };
            let ticket = reference(self.number(number)?);
            let mut blocked_by = Vec::with_capacity(links.len());
            for (upstream, rationale) in links {
                let ours = wired.contains(&upstream);
                blocked_by.push(Link { upstream: reference(self.number(upstream)?), ours, rationale });
            }
            let receipts = tables.receipts.remove(&number).unwrap_or_default();
            tickets.push(Ticket {
                category_id: row.category_id.parse().map_err(|error| self.unreadable(&ticket, "category", &error))?,
                title: row.title,
                state,
                // A person who reopens with plain SQL may leave the old reason behind.
                state_reason: row.state_reason.filter(|_| state == TicketState::Closed),
                labels,
                blocked_by,
                blocks: blocks.remove(&number).unwrap_or_default(),
                reopened: u32::try_from(row.reopened).map_err(|error| self.unreadable(&ticket, "reopened", &error))?,
                receipts: receipts
                    .iter()
                    .map(|text| self.json::<Receipt>(&ticket, "receipt", text))
                    .collect::<Result<_, _>>()?,
                closure: row.closure.map(|text| self.json::<Closure>(&ticket, "closure", &text)).transpose()?,
                candidate_resolved: row.candidate_resolved,
                person_changed,
                ticket,
            });
        }
        Ok(Snapshot { tracker: Self::IDENTITY.to_owned(), tickets })
    }

    fn json<T: DeserializeOwned>(&self, ticket: &TicketRef, what: &str, text: &str) -> Result<T, TrackerError> {
        serde_json::from_str(text).map_err(|error| self.unreadable(ticket, what, &error))
    }

    fn number(&self, number: i64) -> Result<u64, TrackerError> {
        u64::try_from(number).map_err(|_| damaged(&self.path, &format!("it has the ticket number {number}")))
    }

    fn unreadable(&self, ticket: &TicketRef, what: &str, error: &dyn std::fmt::Display) -> TrackerError {
        damaged(&self.path, &format!("the {what} of ticket {ticket} cannot be read ({error})"))
    }
}
