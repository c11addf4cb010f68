//! What greenloop has to remember of a ticket and GitHub has no place for: one comment of ours on the issue, edited in
//! place.
//!
//! The comment is made by [`words::receipts_comment`]: words and a table for people, then one JSON object ([`Record`]) for
//! the program. Case names are sorted and front-coded, sets of cases and receipts refer to them by number, so that a
//! ticket with many receipts of the same cases stays small. When it would be too long for a comment, old receipts are
//! folded, in an order that keeps every decision about closing: first the receipts that a closing answered lose
//! their cases (nothing asks for them again), then the oldest open receipts become one, with all their cases. If even
//! that is too long (some two thousand case names), the write is refused: losing a name could close a ticket unproven.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::super::{Closure, Receipt, words};
use crate::model::{CaseName, CategoryId, Digest};

/// Idempotency keys kept: more than one plan has steps for one ticket.
const KEYS: usize = 64;
/// Open receipts kept one by one when the comment gets too long.
const RECEIPTS: usize = 20;

/// The newest format that this program writes.
const VERSION: u32 = 1;

/// What is remembered of one ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// Grows with every write.
    pub(super) revision: u64,
    /// The id: a record copied to another issue is not its record.
    pub(super) id: u64,
    pub(super) category_id: CategoryId,
    /// Title, labels and state as greenloop last wrote or saw them at its own writes.
    pub(super) title: String,
    pub(super) labels: BTreeSet<String>,
    pub(super) open: bool,
    /// Why greenloop closed it.
    pub(super) reason: Option<String>,
    pub(super) reopened: u32,
    pub(super) candidate: bool,
    pub(super) closure: Option<Closure>,
    pub(super) receipts: Vec<Receipt>,
    /// Links that greenloop wired, by number of the upstream ticket.
    pub(super) links: BTreeMap<u64, OwnLink>,
    /// Operations that were done, oldest first.
    pub(super) done: Vec<DoneKey>,
    /// Said to people when the ticket was closed without a proof; Markdown of [`words`].
    pub(super) farewell: Option<String>,
}

/// A link that greenloop wired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OwnLink {
    pub(super) id: u64,
    pub(super) why: String,
}

/// An operation that was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DoneKey {
    /// [`super::write::short_key`].
    pub(super) key: String,
    /// First digits of the digest of the operation.
    pub(super) digest: String,
    /// Its name.
    pub(super) op: String,
}

/// The JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    v: u32,
    rev: u64,
    id: u64,
    category_id: CategoryId,
    title: String,
    labels: BTreeSet<String>,
    open: bool,
    reason: Option<String>,
    reopened: u32,
    candidate: bool,
    /// Sorted names; each says how many characters it shares with the one before.
    names: Vec<(usize, String)>,
    /// Sets of names, as runs (first, length).
    sets: Vec<Vec<(usize, usize)>>,
    receipts: Vec<StoredReceipt>,
    closure: Option<StoredClosure>,
    links: BTreeMap<u64, OwnLink>,
    done: Vec<DoneKey>,
    farewell: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredReceipt {
    report: Digest,
    head: Option<String>,
    iter: u32,
    cat: Digest,
    prov: Digest,
    set: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredClosure {
    report: Digest,
    head: String,
    iter: u32,
    prov: Digest,
    set: usize,
    manner: String,
    receipts: usize,
}

/// A comment of ours that is not what was written.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordError {
    #[error("its data cannot be read ({0})")]
    Damaged(String),
    #[error("it has format version {0}; this greenloop knows version {VERSION}")]
    Newer(u32),
}

impl Record {
    /// The body of the comment. Folds old receipts of `self` if it would be too long.
    ///
    /// # Errors
    /// When even the folded record is too long; in words.
    pub(super) fn fit_comment(&mut self) -> Result<String, String> {
        let json = self.fitting_json()?;
        words::receipts_comment(&self.receipts, &self.notes(), &json).map_err(|error| error.to_string())
    }

    /// What people want to be told beside the receipts: why it is closed, or what happened last.
    fn notes(&self) -> Vec<String> {
        let answered = self.closure.as_ref().map_or(0, |closure| closure.receipts);
        let came_back = self.receipts.get(answered).filter(|_| self.open && self.reopened > 0);
        let passes = self.receipts.last().filter(|_| self.open && self.candidate);
        let proof = self.closure.as_ref().filter(|_| !self.open && self.farewell.is_none());
        let mut notes: Vec<String> = self.farewell.iter().cloned().collect();
        notes.extend(proof.map(words::closing_note));
        notes.extend(passes.map(words::candidate_note));
        notes.extend(came_back.map(words::reopened_note));
        notes
    }

    /// True if `body` is the body of a record's comment, or was one before somebody edited it.
    pub(super) fn is_comment(body: &str) -> bool {
        !matches!(words::receipts_block(body), Ok(None))
    }

    /// Reads the comment back.
    pub(super) fn from_comment(body: &str) -> Result<Self, RecordError> {
        let block = words::receipts_block(body).map_err(|error| RecordError::Damaged(error.to_string()))?;
        Self::from_json(block.ok_or_else(|| RecordError::Damaged("the data is missing".to_owned()))?)
    }

    /// The JSON as it is in comment and local file.
    pub(super) fn from_json(json: &str) -> Result<Self, RecordError> {
        #[derive(Deserialize)]
        struct Version {
            v: u32,
        }
        let damaged = |error: serde_json::Error| RecordError::Damaged(error.to_string());
        let version: Version = serde_json::from_str(json).map_err(damaged)?;
        if version.v > VERSION {
            return Err(RecordError::Newer(version.v));
        }
        let stored: Stored = serde_json::from_str(json).map_err(damaged)?;
        stored.restore().ok_or_else(|| RecordError::Damaged("its numbers do not fit its names".to_owned()))
    }

    /// Adds a done operation, forgetting the oldest.
    pub(super) fn add_done(&mut self, done: DoneKey) {
        self.done.push(done);
        let over = self.done.len().saturating_sub(KEYS);
        self.done.drain(..over);
    }

    /// The entry of a key.
    pub(super) fn done(&self, key: &str) -> Option<&DoneKey> {
        self.done.iter().find(|done| done.key == key)
    }

    pub(super) fn json(&self) -> String {
        // Invariant: plain structs with string and number keys always serialize.
        #[expect(clippy::expect_used, reason = "plain structs always serialize")]
        let json = serde_json::to_string(&Stored::of(self)).expect("a record is plain data");
        // None of these can stand outside a string, and none may close the HTML comment, mention or refer to anyone.
        let mut out = String::with_capacity(json.len());
        for c in json.chars() {
            match c {
                '<' | '>' | '@' | '#' => out.push_str(&format!("\\u{:04x}", c as u32)),
                c if crate::model::is_unsafe_for_display(c) => {
                    let mut units = [0; 2];
                    for unit in c.encode_utf16(&mut units) {
                        out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                c => out.push(c),
            }
        }
        out
    }

    fn fitting_json(&mut self) -> Result<String, String> {
        for step in 0.. {
            let json = self.json();
            if words::units(&json) <= words::MACHINE_UNITS {
                return Ok(json);
            }
            match step {
                0 => self.fold_answered(),
                1 => self.fold_open(RECEIPTS),
                2 => self.fold_open(1),
                3 => self.done.drain(..self.done.len().saturating_sub(8)).for_each(drop),
                _ => {
                    let names = Stored::of(self).names.len();
                    return Err(format!(
                        "the ticket would have to remember {names} case names, and they do not fit into a comment: \
                         split the category, or give the cases shorter names"
                    ));
                }
            }
        }
        Err(String::new())
    }

    /// The receipts that the last closing answered become one without cases.
    fn fold_answered(&mut self) {
        let Some(closure) = &mut self.closure else { return };
        let answered = closure.receipts.min(self.receipts.len());
        if self.open {
            // The slice was the proof of a closing that did not last.
            closure.slice.clear();
        }
        if answered == 0 {
            return;
        }
        let mut kept = representative(&self.receipts[..answered]);
        kept.cases.clear();
        closure.receipts = 1;
        self.receipts.splice(..answered, [kept]);
    }

    /// All open receipts but the newest `keep` become one with all their cases.
    fn fold_open(&mut self, keep: usize) {
        let answered = self.closure.as_ref().map_or(0, |closure| closure.receipts).min(self.receipts.len());
        let end = self.receipts.len().saturating_sub(keep);
        if end <= answered + 1 {
            return;
        }
        let folded = &self.receipts[answered..end];
        let cases: BTreeSet<&str> = folded.iter().flat_map(|r| r.cases.iter().map(CaseName::as_str)).collect();
        let cases = cases.into_iter().map(CaseName::from).collect();
        let kept = Receipt { cases, ..representative(folded) };
        self.receipts.splice(answered..end, [kept]);
    }
}

/// The newest receipt of a failure, else the newest: the only one of them that a plan still looks at.
fn representative(receipts: &[Receipt]) -> Receipt {
    let failure = receipts.iter().rev().find(|receipt| receipt.category_fingerprint != Digest::zero());
    // Invariant: callers have at least one.
    #[expect(clippy::expect_used, reason = "only called with a range that is not empty")]
    failure.or(receipts.last()).expect("at least one receipt").clone()
}

impl Stored {
    fn of(record: &Record) -> Self {
        let receipts = record.receipts.iter().flat_map(|receipt| &receipt.cases);
        let slices = record.closure.iter().flat_map(|closure| &closure.slice);
        let all: BTreeSet<&str> = receipts.chain(slices).map(CaseName::as_str).collect();
        let all: Vec<&str> = all.into_iter().collect();
        let mut sets: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut set = |cases: &[CaseName]| -> usize {
            // Order is kept: runs need not be sorted.
            let mut runs: Vec<(usize, usize)> = Vec::new();
            for case in cases {
                let Ok(at) = all.binary_search(&case.as_str()) else { continue };
                match runs.last_mut() {
                    Some((first, length)) if *first + *length == at => *length += 1,
                    _ => runs.push((at, 1)),
                }
            }
            sets.iter().position(|known| *known == runs).unwrap_or_else(|| {
                sets.push(runs);
                sets.len() - 1
            })
        };
        let receipts = record
            .receipts
            .iter()
            .map(|receipt| StoredReceipt {
                report: receipt.report_digest,
                head: receipt.head.clone(),
                iter: receipt.iteration,
                cat: receipt.category_fingerprint,
                prov: receipt.provenance_fingerprint,
                set: set(&receipt.cases),
            })
            .collect();
        let closure = record.closure.as_ref().map(|closure| StoredClosure {
            report: closure.report_digest,
            head: closure.proven_head.clone(),
            iter: closure.iteration,
            prov: closure.provenance_fingerprint,
            set: set(&closure.slice),
            manner: closure.manner.clone(),
            receipts: closure.receipts,
        });
        Self {
            v: VERSION,
            rev: record.revision,
            id: record.id,
            category_id: record.category_id.clone(),
            title: record.title.clone(),
            labels: record.labels.clone(),
            open: record.open,
            reason: record.reason.clone(),
            reopened: record.reopened,
            candidate: record.candidate,
            names: front_coded(&all),
            sets,
            receipts,
            closure,
            links: record.links.clone(),
            done: record.done.clone(),
            farewell: record.farewell.clone(),
        }
    }

    fn restore(self) -> Option<Record> {
        let mut names: Vec<String> = Vec::with_capacity(self.names.len());
        for (shared, rest) in self.names {
            let before = names.last().map_or("", String::as_str);
            let at = before.char_indices().map(|(at, _)| at).chain([before.len()]).nth(shared)?;
            names.push(format!("{}{rest}", &before[..at]));
        }
        let mut sets: Vec<Vec<CaseName>> = Vec::with_capacity(self.sets.len());
        for runs in self.sets {
            let mut set = Vec::new();
            for (first, length) in runs {
                set.extend(
                    names.get(first..first.checked_add(length)?)?.iter().map(|name| CaseName::from(name.as_str())),
                );
            }
            sets.push(set);
        }
        let receipts: Option<Vec<Receipt>> = self
            .receipts
            .into_iter()
            .map(|stored| {
                Some(Receipt {
                    report_digest: stored.report,
                    head: stored.head,
                    iteration: stored.iter,
                    category_fingerprint: stored.cat,
                    provenance_fingerprint: stored.prov,
                    cases: sets.get(stored.set)?.clone(),
                })
            })
            .collect();
        let closure = match self.closure {
            None => None,
            Some(stored) => Some(Closure {
                report_digest: stored.report,
                proven_head: stored.head,
                iteration: stored.iter,
                provenance_fingerprint: stored.prov,
                slice: sets.get(stored.set)?.clone(),
                manner: stored.manner,
                receipts: stored.receipts,
            }),
        };
        Some(Record {
            revision: self.rev,
            id: self.id,
            category_id: self.category_id,
            title: self.title,
            labels: self.labels,
            open: self.open,
            reason: self.reason,
            reopened: self.reopened,
            candidate: self.candidate,
            closure,
            receipts: receipts?,
            links: self.links,
            done: self.done,
            farewell: self.farewell,
        })
    }
}

/// Each name as the number of characters it shares with the one before, and the rest.
fn front_coded(sorted: &[&str]) -> Vec<(usize, String)> {
    let mut before = "";
    let mut coded = Vec::with_capacity(sorted.len());
    for name in sorted {
        let shared = before.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
        coded.push((shared, name.chars().skip(shared).collect()));
        before = name;
    }
    coded
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
