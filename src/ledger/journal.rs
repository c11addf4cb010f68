//! The ledger file: opened, repaired where that is safe, appended to, never rewritten.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::chain::{Broken, Summary, TornTail, head_of, verify};
use super::checkpoint;
use super::entry::{Entry, Head, NewEntry, SCHEMA, UnfitData, version_of};
use super::file_error::FileError;
use super::folder::{create_folder, sync_folder};
use super::lock::lock_within;

/// How long [`Ledger::open`] waits for another writer to let go.
const WRITER_WAIT: Duration = Duration::from_secs(5);

/// Why a ledger cannot be opened or appended to.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// A line is damaged; nothing was changed.
    #[error("{}: {broken}", path.display())]
    Broken {
        /// The ledger.
        path: PathBuf,
        /// The first damaged line.
        broken: Broken,
    },
    /// Another process (or another part of this one) writes to this ledger.
    #[error("{} is in use by another writer", path.display())]
    InUse {
        /// The ledger.
        path: PathBuf,
    },
    /// The ledger belongs to another campaign.
    #[error("{} is the ledger of campaign `{found}`, not of `{expected}`", path.display())]
    OtherCampaign {
        /// The ledger.
        path: PathBuf,
        /// The campaign that was asked for.
        expected: String,
        /// The campaign in the entries.
        found: String,
    },
    /// A newer greenloop wrote to it: it can be read and verified, not written.
    #[error("{} has entries of format version {found}; this greenloop writes version {}", path.display(), version_of(SCHEMA).unwrap_or(1))]
    NewerFormat {
        /// The ledger.
        path: PathBuf,
        /// The newest version found.
        found: u32,
    },
    /// The data of an entry cannot be hashed or read back; nothing was written.
    #[error("this event cannot be recorded")]
    Unfit(#[from] UnfitData),
    /// The file has another length than this writer left it with.
    #[error("{} was changed by somebody else while it was open: expected {expected} bytes, found {found}", path.display())]
    Changed {
        /// The ledger.
        path: PathBuf,
        /// Length after the last append.
        expected: u64,
        /// Length now.
        found: u64,
    },
    /// An earlier append failed half way and could not be undone. Opening the ledger again repairs it.
    #[error("{} must be opened again: an earlier write to it failed", path.display())]
    Spoiled {
        /// The ledger.
        path: PathBuf,
    },
}

/// What [`Ledger::open`] had to repair. Say it to the user, unless it is `Nothing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// The file was whole.
    Nothing,
    /// A crash had cut off the last write; the part of an entry that was there is gone. No effect depended on it.
    TornTail {
        /// How many bytes were cut off.
        bytes: u64,
    },
    /// A crash had cut off only the line feed of the last entry; it was added.
    LineFeedAdded {
        /// Sequence number of that entry.
        seq: u64,
    },
}

/// The one writer of a ledger. Holds an exclusive lock on the file until dropped.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    file: File,
    campaign: String,
    entries: Vec<Entry>,
    /// Length of the file, all of it whole lines.
    length: u64,
    spoiled: bool,
}

impl Ledger {
    /// Opens the ledger of `campaign` at `path` for writing; makes it (and its folder) if it is not there. Verifies
    /// every link, and repairs a torn last line: see the docs of [`super`].
    ///
    /// # Errors
    /// When the file cannot be used, is damaged, is of a newer format, belongs to another campaign, or has another
    /// writer that does not let go within 5 seconds. Nothing is changed then.
    pub fn open(path: &Path, campaign: &str) -> Result<(Self, Recovery), LedgerError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        create_folder(folder)?;
        let failed = |error| FileError::new("open the ledger", path, error);
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        if !lock_within(&file, WRITER_WAIT).map_err(|error| FileError::new("lock the ledger", path, error))? {
            return Err(LedgerError::InUse { path: path.to_owned() });
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| FileError::new("read the ledger", path, error))?;
        let summary = verify(&bytes).map_err(|broken| LedgerError::Broken { path: path.to_owned(), broken })?;
        let known = version_of(SCHEMA).unwrap_or(1);
        if summary.newest_version > known {
            return Err(LedgerError::NewerFormat { path: path.to_owned(), found: summary.newest_version });
        }
        if let Some(other) = summary.entries.first().filter(|entry| entry.campaign != campaign) {
            let (expected, found) = (campaign.to_owned(), other.campaign.clone());
            return Err(LedgerError::OtherCampaign { path: path.to_owned(), expected, found });
        }
        let recovery = repair(&mut file, &summary).map_err(|error| FileError::new("repair the ledger", path, error))?;
        if summary.entries.is_empty() {
            // Also when the file was there: whoever made it may have been killed before its name was durable.
            file.sync_all().map_err(failed)?;
            sync_folder(folder)?;
        }
        let length = match recovery {
            Recovery::LineFeedAdded { .. } => bytes.len() as u64 + 1,
            Recovery::Nothing | Recovery::TornTail { .. } => summary.whole_bytes,
        };
        let (path, campaign) = (path.to_owned(), campaign.to_owned());
        Ok((Self { path, file, campaign, entries: summary.entries, length, spoiled: false }, recovery))
    }

    /// Reads without ever repairing or locking: for `show`, `verify` and `status`, also while a writer is at work.
    ///
    /// # Errors
    /// When it cannot be read or is damaged.
    pub fn read_only(path: &Path) -> Result<Summary, LedgerError> {
        let bytes = std::fs::read(path).map_err(|error| FileError::new("read the ledger", path, error))?;
        verify(&bytes).map_err(|broken| LedgerError::Broken { path: path.to_owned(), broken })
    }

    /// Appends one event. When this returns, the entry is on the disk (`fdatasync`): do the effect it announces
    /// after that, never before.
    ///
    /// # Errors
    /// Nothing was recorded. After a failed write the file is cut back to its last whole entry; if even that fails,
    /// every later append is refused until the ledger is opened again.
    pub fn append(&mut self, kind: &str, data: Value, at: &str, epoch: u64) -> Result<Entry, LedgerError> {
        let new = NewEntry { kind: kind.to_owned(), data, at: at.to_owned(), epoch };
        let entry = Entry::seal(new, &self.campaign, self.head())?;
        self.write(std::slice::from_ref(&entry))?;
        self.entries.push(entry.clone());
        Ok(entry)
    }

    /// Appends several events with one write and one sync. A crash can leave only some of the first of them.
    ///
    /// # Errors
    /// As [`Ledger::append`]; none of them is recorded then.
    pub fn append_many(&mut self, events: Vec<NewEntry>) -> Result<Vec<Entry>, LedgerError> {
        let mut head = self.head();
        let mut sealed = Vec::with_capacity(events.len());
        for event in events {
            let entry = Entry::seal(event, &self.campaign, head)?;
            head = Head { entries: entry.seq + 1, hash: entry.hash };
            sealed.push(entry);
        }
        if !sealed.is_empty() {
            self.write(&sealed)?;
            self.entries.extend_from_slice(&sealed);
        }
        Ok(sealed)
    }

    /// All entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The end of the chain, for others to pin.
    pub fn head(&self) -> Head {
        head_of(&self.entries)
    }

    /// True if the ledger had exactly this head at some time.
    pub fn extends(&self, pinned: &Head) -> bool {
        pinned.is_in(&self.entries)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The campaign it belongs to.
    pub fn campaign(&self) -> &str {
        &self.campaign
    }

    fn write(&mut self, entries: &[Entry]) -> Result<(), LedgerError> {
        if self.spoiled {
            return Err(LedgerError::Spoiled { path: self.path.clone() });
        }
        let mut bytes = Vec::with_capacity(512 * entries.len());
        for entry in entries {
            entry.write_line(&mut bytes);
        }
        let found = self.file.metadata().map_err(|error| FileError::new("read the ledger", &self.path, error))?.len();
        if found != self.length {
            return Err(LedgerError::Changed { path: self.path.clone(), expected: self.length, found });
        }
        checkpoint::reached("ledger-append");
        if let Err(error) = self.file.write_all(&bytes) {
            // Take back what was written of it. Only if that is durable, the next append may go on from here.
            self.spoiled = self.file.set_len(self.length).and_then(|()| self.file.sync_data()).is_err();
            return Err(FileError::new("append to the ledger", &self.path, error).into());
        }
        if let Err(error) = self.file.sync_data() {
            // After a failed sync nobody knows what is on the disk, and a second sync would lie about it.
            self.spoiled = true;
            return Err(FileError::new("sync the ledger", &self.path, error).into());
        }
        checkpoint::reached("ledger-append");
        self.length += bytes.len() as u64;
        Ok(())
    }
}

fn repair(file: &mut File, summary: &Summary) -> io::Result<Recovery> {
    let recovery = match summary.torn {
        None => return Ok(Recovery::Nothing),
        Some(TornTail::Part { bytes }) => {
            file.set_len(summary.whole_bytes)?;
            Recovery::TornTail { bytes }
        }
        Some(TornTail::NoLineFeed) => {
            file.write_all(b"\n")?;
            Recovery::LineFeedAdded { seq: summary.entries.len() as u64 - 1 }
        }
    };
    file.sync_data()?;
    Ok(recovery)
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
