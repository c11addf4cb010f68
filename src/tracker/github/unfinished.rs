//! Records that are not in their comment yet, on disk: what a crash must not lose, and what saves requests (a ticket's
//! record is written once, when its links are wired, and not once for each link).
//!
//! One file per ticket, written whole. Only the holder of the repository's lock writes them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::record::{OwnLink, Record};
use crate::ledger::{FileError, write_atomic};

/// What is not finished on one ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unfinished {
    /// The id.
    pub(super) id: u64,
    /// What was done and is not in the comment yet.
    pub(super) record: Option<Record>,
    /// The operation that may be half done: its requests may or may not have reached the server.
    pub(super) pending: Option<String>,
    /// The link that this operation is about to make or to remove: whatever is there afterwards is our doing.
    pub(super) link: Option<LinkIntent>,
}

/// A link that is about to be changed, by the number of the upstream ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LinkIntent {
    /// To be made.
    Wire(u64, OwnLink),
    /// To be removed.
    Unwire(u64),
}

#[derive(Serialize, Deserialize)]
struct Stored {
    id: u64,
    pending: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<LinkIntent>,
    record: Option<String>,
}

/// The folder of one repository.
#[derive(Debug)]
pub(super) struct UnfinishedFiles {
    folder: PathBuf,
}

impl UnfinishedFiles {
    pub(super) const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// All of them, by the ticket's number. A file that cannot be read is an error: it may name a link of ours.
    pub(super) fn all(&self) -> Result<BTreeMap<u64, Unfinished>, String> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(format!("{} cannot be read: {error}", self.folder.display())),
        };
        let mut all = BTreeMap::new();
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            let number = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".json"));
            let Some(number) = number.and_then(|name| name.parse().ok()) else { continue };
            let damaged = |what: String| format!("{} cannot be read ({what}); remove it", path.display());
            let bytes = match std::fs::read(&path) {
                Ok(bytes) => bytes,
                // Finished by the writer since the folder was listed.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(damaged(error.to_string())),
            };
            let stored: Stored = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
            let record = stored.record.as_deref().map(Record::from_json).transpose();
            let record = record.map_err(|error| damaged(error.to_string()))?;
            all.insert(number, Unfinished { id: stored.id, record, pending: stored.pending, link: stored.link });
        }
        Ok(all)
    }

    pub(super) fn put(&self, number: u64, unfinished: &Unfinished) -> Result<(), FileError> {
        let record = unfinished.record.as_ref().map(Record::json);
        let stored =
            Stored { id: unfinished.id, pending: unfinished.pending.clone(), link: unfinished.link.clone(), record };
        // Invariant: numbers and strings always serialize.
        let bytes = serde_json::to_vec(&stored).unwrap_or_default();
        write_atomic(&self.folder.join(format!("{number}.json")), &bytes)
    }

    /// Forgets a record that is in its comment. If that fails it is forgotten later, by its revision.
    pub(super) fn remove(&self, number: u64) {
        let _ = std::fs::remove_file(self.folder.join(format!("{number}.json")));
    }
}
