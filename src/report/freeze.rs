//! Frozen files: bytes kept under their digest, read-only, checked again whenever they are read.
//!
//! `.greenloop/frozen/<64 hexadecimal digits>.json` holds exactly the bytes whose BLAKE3 digest is its name. It is
//! written beside, synced and given its name only when no file has it; it is never replaced. Symbolic links and
//! anything else that is not a plain file are refused: the bytes must be here, not elsewhere.
//!
//! Cost: storing copies and hashes in one pass, opening hashes in one pass, both with a fixed buffer.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::ledger::{FileError, checkpoint, create_folder, sync_folder};
use crate::model::{Digest, Hasher};

/// Bytes per read: large enough that the calls do not matter, small enough for any cache.
const BUFFER: usize = 256 * 1024;

/// Read-only for everybody.
const MODE: u32 = 0o444;

/// Why bytes cannot be frozen or a frozen file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FreezeError {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// Nothing with this digest was frozen here.
    #[error("nothing with the digest {digest} is frozen here ({} does not exist)", path.display())]
    Missing {
        /// The digest that was asked for.
        digest: Digest,
        /// Where it would be.
        path: PathBuf,
    },
    /// The bytes are not those that were frozen.
    #[error("the frozen file {} was changed: its digest should be {expected}, but is {found}", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The digest in its name.
        expected: Digest,
        /// The digest of its bytes.
        found: Digest,
    },
    /// Not a plain file.
    #[error("{} is {what}; a frozen file is a plain file", path.display())]
    NotPlain {
        /// What is in the place of the file.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
}

impl FreezeError {
    /// What a person can do about it, where that is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::File(error) => error.hint(),
            Self::Missing { .. } => Some("freeze the report again from its source; the same bytes get the same digest"),
            Self::Changed { .. } => Some(
                "remove the changed file and freeze the original again; nothing that was judged by it can be trusted",
            ),
            Self::NotPlain { .. } => Some("remove it and freeze the original again"),
        }
    }
}

/// A frozen file whose bytes were checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frozen {
    digest: Digest,
    path: PathBuf,
    length: u64,
}

impl Frozen {
    /// Freezes the file at `source`: copies and hashes it in one pass. `state_dir` is the project's `.greenloop`.
    /// The same bytes again give the same file, checked once more.
    ///
    /// # Errors
    /// When the source cannot be read, the folder cannot be written (nothing is left behind then), or a file with the
    /// right name has other bytes.
    pub fn store(state_dir: &Path, source: &Path) -> Result<Self, FreezeError> {
        let file = File::open(source).map_err(|error| FileError::new("read", source, error))?;
        Self::store_from(state_dir, file, source)
    }

    /// Freezes bytes in memory. As [`Frozen::store`] in all else.
    ///
    /// # Errors
    /// As [`Frozen::store`].
    pub fn store_bytes(state_dir: &Path, bytes: &[u8]) -> Result<Self, FreezeError> {
        Self::store_from(state_dir, bytes, Path::new("memory"))
    }

    /// Opens the frozen file with this digest, and hashes it.
    ///
    /// # Errors
    /// When it is missing, not a plain file, or its bytes have another digest: both are in the message.
    pub fn open(state_dir: &Path, digest: Digest) -> Result<Self, FreezeError> {
        let path = path_of(state_dir, digest);
        let file = open_plain(&path, digest)?;
        let (found, length) = hash(file, &path, &mut io::sink(), &path)?;
        let frozen = Self { digest, path, length };
        frozen.check(found)?;
        Ok(frozen)
    }

    /// The bytes, whole in memory, hashed once more on the way: what is returned is what was frozen.
    ///
    /// # Errors
    /// As [`Frozen::open`].
    pub fn read(&self) -> Result<Vec<u8>, FreezeError> {
        let mut bytes = Vec::new();
        self.file()?.read_to_end(&mut bytes).map_err(|error| FileError::new("read", &self.path, error))?;
        self.check(Digest::of(&bytes))?;
        Ok(bytes)
    }

    /// The file, for a reader that hashes in its own pass and then asks [`Frozen::check`].
    ///
    /// # Errors
    /// When it is no longer there or no longer a plain file.
    pub fn file(&self) -> Result<File, FreezeError> {
        open_plain(&self.path, self.digest)
    }

    /// Compares with the digest that a reader computed over the bytes it used.
    ///
    /// # Errors
    /// [`FreezeError::Changed`] when they differ.
    pub fn check(&self, found: Digest) -> Result<(), FreezeError> {
        if found == self.digest {
            return Ok(());
        }
        Err(FreezeError::Changed { path: self.path.clone(), expected: self.digest, found })
    }

    /// The digest: the identity of the bytes.
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Length in bytes.
    pub const fn length(&self) -> u64 {
        self.length
    }

    fn store_from(state_dir: &Path, source: impl Read, source_path: &Path) -> Result<Self, FreezeError> {
        let folder = folder_of(state_dir);
        create_folder(&folder)?;
        let failed = |error| FileError::new("write into", &folder, error);
        let mut beside = tempfile::Builder::new()
            .prefix(".freezing.")
            .suffix(".tmp")
            .tempfile_in(&folder)
            // `tempfile` wraps the system's error and hides its code, but keeps its kind.
            .map_err(|error| failed(io::Error::from(error.kind())))?;
        let (digest, length) = hash(source, source_path, beside.as_file_mut(), &folder)?;
        let path = path_of(state_dir, digest);
        if std::fs::symlink_metadata(&path).is_err() {
            beside.as_file().set_permissions(Permissions::from_mode(MODE)).map_err(failed)?;
            beside.as_file().sync_all().map_err(failed)?;
            checkpoint::reached("freeze-rename");
            match beside.persist_noclobber(&path) {
                Ok(_) => {
                    checkpoint::reached("freeze-rename");
                    sync_folder(&folder)?;
                    return Ok(Self { digest, path, length });
                }
                // Somebody else froze the same bytes meanwhile: theirs are checked below.
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error.error).into()),
            }
        }
        let frozen = Self::open(state_dir, digest)?;
        // A copy may have lost the mode, and a killed process the durable name.
        let file = frozen.file()?;
        if file.metadata().map_err(failed)?.permissions().mode() & 0o222 != 0 {
            file.set_permissions(Permissions::from_mode(MODE)).map_err(failed)?;
        }
        sync_folder(&folder)?;
        Ok(frozen)
    }
}

fn folder_of(state_dir: &Path) -> PathBuf {
    state_dir.join("frozen")
}

fn path_of(state_dir: &Path, digest: Digest) -> PathBuf {
    folder_of(state_dir).join(format!("{}.json", digest.hex()))
}

/// Opens without following a link and without waiting for the other end of a pipe.
fn open_plain(path: &Path, digest: Digest) -> Result<File, FreezeError> {
    let not_plain = |what| FreezeError::NotPlain { path: path.to_owned(), what };
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(FreezeError::Missing { digest, path: path.to_owned() });
        }
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            return Err(not_plain("a symbolic link"));
        }
        Err(error) => return Err(FileError::new("read", path, error).into()),
    };
    let kind = file.metadata().map_err(|error| FileError::new("read", path, error))?.file_type();
    if kind.is_dir() {
        return Err(not_plain("a folder"));
    }
    if kind.is_file() { Ok(file) } else { Err(not_plain("a special file")) }
}

/// Copies `from` into `to` and hashes it, in one pass with a fixed buffer. Digest and length.
fn hash(
    mut from: impl Read,
    from_path: &Path,
    to: &mut impl Write,
    to_path: &Path,
) -> Result<(Digest, u64), FileError> {
    let mut hasher = Hasher::new();
    let mut buffer = vec![0; BUFFER];
    let mut length = 0;
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok((hasher.finish(), length)),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(FileError::new("read", from_path, error)),
        };
        hasher.update(&buffer[..count]);
        to.write_all(&buffer[..count]).map_err(|error| FileError::new("write into", to_path, error))?;
        length += count as u64;
    }
}

#[cfg(test)]
#[path = "freeze_tests.rs"]
mod tests;
