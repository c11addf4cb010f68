//! What SQLite said, as a tracker's error.

use std::path::Path;

use rusqlite::ErrorCode;

use super::super::TrackerError;

/// What to do about a file that is not whole. Part of the reason, so that it is seen wherever the error is.
const DAMAGED: &str = "it is damaged, so nothing can be said about its tickets; restore it from a copy, or move it \
                       away together with its -wal and -shm files";

/// The name of the tracker in messages: with its file, which the identity leaves out.
pub(super) fn name(path: &Path) -> String {
    format!("embedded ({})", path.display())
}

pub(super) fn unavailable(path: &Path, reason: impl Into<String>) -> TrackerError {
    TrackerError::Unavailable { tracker: name(path), reason: reason.into() }
}

pub(super) fn damaged(path: &Path, what: &str) -> TrackerError {
    unavailable(path, format!("{what}: {DAMAGED}"))
}

/// Sorts an error of SQLite.
pub(super) fn from_sqlite(path: &Path, error: &rusqlite::Error) -> TrackerError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => damaged(path, &error.to_string()),
        Some(ErrorCode::DiskFull) => unavailable(path, "the disk is full; free some space, nothing was half done"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            unavailable(path, "another process is writing to it and did not end in time; try again")
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            unavailable(path, format!("it must not be written ({error}); check the owner and mode of file and folder"))
        }
        Some(ErrorCode::CannotOpen) => {
            unavailable(path, format!("{error}; check that it is a file, and the mode of its folder"))
        }
        Some(ErrorCode::SystemIoFailure) => unavailable(path, format!("{error}; is the disk full, or failing?")),
        _ => unavailable(path, error.to_string()),
    }
}
