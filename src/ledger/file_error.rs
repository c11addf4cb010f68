//! The error of every file operation here: what was tried, on which path, and plainly when the disk is full.

use std::io;
use std::path::{Path, PathBuf};

/// A file operation that failed. Says the path, and names the two causes that people can do something about.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// No space, or no quota, is left.
    #[error("the disk is full: cannot {action} {}", path.display())]
    DiskFull {
        /// What was tried, as in "cannot …".
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file, its folder or the whole file system must not be written.
    #[error("no permission to {action} {}", path.display())]
    NotWritable {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Anything else.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl FileError {
    /// Sorts what the system said into one of the three kinds.
    pub fn new(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { action, path, source },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::NotWritable { action, path, source }
            }
            _ => Self::Io { action, path, source },
        }
    }

    /// What the system said.
    pub fn system_error(&self) -> &io::Error {
        match self {
            Self::DiskFull { source, .. } | Self::NotWritable { source, .. } | Self::Io { source, .. } => source,
        }
    }

    /// What a person can do about it, where that is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::DiskFull { .. } => Some("free some space, then run the same command again; nothing was half done"),
            Self::NotWritable { .. } => Some("check the owner and the mode of the folder, or use another --project"),
            Self::Io { .. } => None,
        }
    }
}
