//! Opening: made whole or not at all, checked before it is believed, never written when it is newer.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::super::{Event, Operation, OperationOutcome, Snapshot, Tracker, TrackerError};
use super::fault::{damaged, from_sqlite, unavailable};
use super::schema::{APPLICATION_ID, FORMAT, TABLES};
use crate::ledger::{checkpoint, create_folder, sync_folder};

/// How long `begin` waits for another writer.
const WRITER_WAIT: Duration = Duration::from_secs(10);

/// The embedded tracker, on one SQLite file.
#[derive(Debug)]
pub struct EmbeddedTracker {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    writable: bool,
}

impl EmbeddedTracker {
    /// What [`Tracker::identity`] says. The file's place is not part of it, so that a plan can move with its project.
    pub const IDENTITY: &'static str = "embedded";

    /// Opens the tracker at `path` for writing, and makes it first if nothing is there.
    ///
    /// # Errors
    /// When it cannot be made or opened, is damaged or not a tracker, or has a newer format.
    pub fn open_or_create(path: &Path) -> Result<Self, TrackerError> {
        // A broken symbolic link is something, too: SQLite then says that it cannot open it.
        if std::fs::symlink_metadata(path).is_err() {
            create(path)?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let tracker = Self::checked(path, Connection::open_with_flags(path, flags), true)?;
        let found = tracker.format()?;
        if found > FORMAT {
            return Err(TrackerError::NewerFormat { tracker: super::fault::name(path), found, known: FORMAT });
        }
        tracker.configure_for_writing()?;
        // Whoever gave the file its name may have been killed before the name was durable.
        sync_folder(path.parent().unwrap_or(Path::new(""))).map_err(|error| unavailable(path, error.to_string()))?;
        Ok(tracker)
    }

    /// Opens the tracker at `path` for reading only. `None` if nothing is there: whether that means "no tickets yet"
    /// is for the caller to say. The database is never made or changed.
    ///
    /// # Errors
    /// When it cannot be opened, is damaged or not a tracker.
    pub fn open_existing(path: &Path) -> Result<Option<Self>, TrackerError> {
        match std::fs::symlink_metadata(path) {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unavailable(path, error.to_string())),
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Self::checked(path, Connection::open_with_flags(path, flags), false);
        if opened.is_ok() || !is_settled_in_read_only_folder(path) {
            return opened.map(Some);
        }
        // SQLite cannot make its shared-memory file there. Nobody else can either, so the file cannot change.
        let uri = format!("file:{}?immutable=1", percent_encoded(path));
        let connection = Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI);
        Self::checked(path, connection, false).map(Some)
    }

    /// The same tracker with another limit on waiting for a writer. For tests and for callers in a hurry.
    ///
    /// # Errors
    /// When SQLite refuses the setting.
    pub fn with_wait(self, wait: Duration) -> Result<Self, TrackerError> {
        self.connection.busy_timeout(wait).map_err(|error| self.fault(&error))?;
        Ok(self)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn checked(path: &Path, connection: rusqlite::Result<Connection>, writable: bool) -> Result<Self, TrackerError> {
        let failed = |error: rusqlite::Error| from_sqlite(path, &error);
        let connection = connection.map_err(failed)?;
        let length = std::fs::metadata(path).map_err(|error| unavailable(path, error.to_string()))?.len();
        if length == 0 {
            // A tracker is put in place with its tables in it, so an empty file is what is left of one, or never was one.
            return Err(damaged(path, "the file is empty"));
        }
        let tracker = Self { connection, path: path.to_owned(), writable };
        tracker.configure().map_err(failed)?;
        let application: i32 =
            tracker.connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed)?;
        if application != APPLICATION_ID {
            return Err(unavailable(path, "it is an SQLite database, but not a greenloop tracker; name another file"));
        }
        let check: String =
            tracker.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(failed)?;
        if check != "ok" {
            return Err(damaged(path, check.lines().next().unwrap_or("the check failed")));
        }
        if tracker.format()? < 1 {
            return Err(damaged(path, "it has no format version"));
        }
        Ok(tracker)
    }

    fn configure(&self) -> rusqlite::Result<()> {
        let connection = &self.connection;
        connection.busy_timeout(WRITER_WAIT)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.pragma_update(None, "foreign_keys", true)?;
        // What stands in the file must not make SQLite run anything, and wrong cell sizes must be seen at once.
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        Ok(())
    }

    /// Settings of a writer. The journal mode stands in the file, so this comes after everything that may refuse it.
    fn configure_for_writing(&self) -> Result<(), TrackerError> {
        let set = || -> rusqlite::Result<String> {
            self.connection.pragma_update(None, "synchronous", "full")?;
            self.connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))
        };
        match set().map_err(|error| self.fault(&error))?.as_str() {
            "wal" => Ok(()),
            _ => Err(unavailable(
                &self.path,
                "its file system has no shared memory for a write-ahead log; use a local disk",
            )),
        }
    }

    /// The format version in the file.
    pub(super) fn format(&self) -> Result<i64, TrackerError> {
        self.connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(|error| self.fault(&error))
    }

    pub(super) fn fault(&self, error: &rusqlite::Error) -> TrackerError {
        from_sqlite(&self.path, error)
    }

    fn in_transaction(&self) -> Result<(), TrackerError> {
        if self.connection.is_autocommit() {
            return Err(unavailable(&self.path, "no transaction is open: begin was not called, or it was given up"));
        }
        Ok(())
    }
}

impl Tracker for EmbeddedTracker {
    fn identity(&self) -> String {
        Self::IDENTITY.to_owned()
    }

    fn snapshot(&mut self) -> Result<Snapshot, TrackerError> {
        self.read_snapshot()
    }

    fn is_transactional(&self) -> bool {
        true
    }

    fn begin(&mut self) -> Result<(), TrackerError> {
        if !self.writable {
            return Err(unavailable(&self.path, "it was opened for reading only"));
        }
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(|error| self.fault(&error))?;
        // Asked again, now that nobody else can change it.
        let found = self.format().inspect_err(|_| self.roll_back())?;
        if found > FORMAT {
            self.roll_back();
            return Err(TrackerError::NewerFormat { tracker: super::fault::name(&self.path), found, known: FORMAT });
        }
        Ok(())
    }

    fn find_done(&mut self, key: &str) -> Result<Option<OperationOutcome>, TrackerError> {
        Ok(self.done(key)?.map(|done| done.outcome))
    }

    fn execute(&mut self, key: &str, operation: &Operation) -> Result<OperationOutcome, TrackerError> {
        self.in_transaction()?;
        self.execute_once(key, operation)
    }

    fn commit(&mut self) -> Result<(), TrackerError> {
        self.in_transaction()?;
        checkpoint::reached("tracker-commit");
        if let Err(error) = self.connection.execute_batch("COMMIT") {
            self.roll_back();
            // A failed sync leaves open whether the last page reached the disk.
            let unknown = error.sqlite_error_code() == Some(rusqlite::ErrorCode::SystemIoFailure);
            return Err(if unknown { TrackerError::Unknown(error.to_string()) } else { self.fault(&error) });
        }
        checkpoint::reached("tracker-commit");
        Ok(())
    }

    fn abort(&mut self) {
        self.roll_back();
    }

    fn body(&mut self, number: u64) -> Result<Option<String>, TrackerError> {
        self.read_body(number)
    }

    fn history(&mut self, number: u64) -> Result<Vec<Event>, TrackerError> {
        self.read_history(number)
    }
}

impl EmbeddedTracker {
    fn roll_back(&self) {
        if !self.connection.is_autocommit() {
            // If even this fails, closing the connection rolls back; the file is safe in any case.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

/// Makes the database beside and gives it its name when it is whole, so that a crash never leaves half a tracker.
fn create(path: &Path) -> Result<(), TrackerError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = |error: &dyn std::error::Error| {
        let cause = error.source().map_or_else(String::new, |cause| format!(": {cause}"));
        unavailable(path, format!("it cannot be made: {error}{cause}"))
    };
    create_folder(folder).map_err(|error| failed(&error))?;
    let beside = tempfile::Builder::new()
        .prefix(".tracker.")
        .suffix(".tmp")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(|error| failed(&error))?;
    fill(beside.path()).map_err(|error| failed(&error))?;
    beside.as_file().sync_all().map_err(|error| failed(&error))?;
    checkpoint::reached("tracker-create");
    match beside.persist_noclobber(path) {
        Ok(_) => {}
        // Another process was faster; its database is as good as this one.
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(&error.error)),
    }
    checkpoint::reached("tracker-create");
    Ok(())
}

fn fill(path: &Path) -> rusqlite::Result<()> {
    let connection = Connection::open(path)?;
    // The log's contents move into the file, and the log goes away, when the only connection is closed.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.execute_batch(&format!(
        "BEGIN; {TABLES} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}; COMMIT;"
    ))?;
    connection.close().map_err(|(_, error)| error)
}

/// True if `path` has no write-ahead log that still holds something, and its folder does not let SQLite make files.
fn is_settled_in_read_only_folder(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let settled = std::fs::metadata(&log).map_or(true, |log| log.len() == 0);
    let folder = path.parent().unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    settled && tempfile::tempfile_in(folder).is_err()
}

/// `path` as the path of a URI.
fn percent_encoded(path: &Path) -> String {
    let mut out = String::new();
    for byte in std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()) {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(*byte)),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
#[path = "open_tests.rs"]
mod tests;
