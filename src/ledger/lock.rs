//! Exclusive locks that die with their process.
//!
//! The lock is the operating system's (`flock`), so a killed holder never leaves a stale one behind. What stands in
//! the file is only for the message: who holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::file_error::FileError;
use super::folder::create_folder;

/// How often a waiting process looks again.
const POLL: Duration = Duration::from_millis(10);

/// Longest holder text that is read back.
const HOLDER_BYTES: u64 = 4096;

/// Who holds a lock. Never used to decide anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// Name of the machine, where it can be read.
    pub host: Option<String>,
    /// Identity of the machine's current boot, where it can be read: the same pid after a reboot is another process.
    pub boot_id: Option<String>,
}

impl Holder {
    /// This process.
    pub fn this_process() -> Self {
        Self {
            pid: std::process::id(),
            host: line_of("/proc/sys/kernel/hostname"),
            boot_id: line_of("/proc/sys/kernel/random/boot_id"),
        }
    }
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {}", self.pid)?;
        if let Some(host) = &self.host {
            write!(f, " on {}", crate::model::display_safe(host))?;
        }
        Ok(())
    }
}

fn line_of(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else has it and did not let go in time.
    #[error("{} is held by {}", path.display(), holder.as_ref().map_or_else(|| "another process".to_owned(), ToString::to_string))]
    Held {
        /// The lock file.
        path: PathBuf,
        /// Who, if the holder has already said so.
        holder: Option<Holder>,
    },
    /// The lock file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

/// An exclusive lock on a campaign, let go when dropped or when the process ends, however it ends.
#[derive(Debug)]
pub struct CampaignLock {
    // Closing the file lets go of the lock. The file itself stays: removing it would let two processes lock two files.
    _file: File,
}

impl CampaignLock {
    /// Takes the lock at `path` (made if it is not there), waiting up to `timeout` for another holder.
    ///
    /// # Errors
    /// [`LockError::Held`] after the timeout, or when the file cannot be made or written.
    pub fn acquire(path: &Path, timeout: Duration) -> Result<Self, LockError> {
        create_folder(path.parent().unwrap_or(Path::new("")))?;
        let failed = |error| FileError::new("lock", path, error);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        if !lock_within(&file, timeout).map_err(failed)? {
            let mut text = String::new();
            let read = (&file).take(HOLDER_BYTES).read_to_string(&mut text);
            let holder = read.ok().and_then(|_| serde_json::from_str(&text).ok());
            return Err(LockError::Held { path: path.to_owned(), holder });
        }
        write_holder(&mut file).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

fn write_holder(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    serde_json::to_writer(&mut *file, &Holder::this_process())?;
    file.flush()
}

/// Locks `file` exclusively; `false` if somebody else still holds it after `timeout`.
pub(super) fn lock_within(file: &File, timeout: Duration) -> io::Result<bool> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let left = timeout.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(false);
        }
        std::thread::sleep(POLL.min(left));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_names_its_holder_and_is_free_after_the_drop() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("campaign/lock");
        let lock = CampaignLock::acquire(&path, Duration::ZERO).unwrap();
        let error = CampaignLock::acquire(&path, Duration::from_millis(30)).unwrap_err();
        assert!(error.to_string().contains(&format!("held by process {}", std::process::id())), "{error}");
        drop(lock);
        CampaignLock::acquire(&path, Duration::ZERO).unwrap();
    }

    #[test]
    fn a_waiting_process_gets_it_when_it_is_let_go() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let lock = CampaignLock::acquire(&path, Duration::ZERO).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| CampaignLock::acquire(&path, Duration::from_secs(20)));
            std::thread::sleep(Duration::from_millis(50));
            assert!(!waiting.is_finished());
            drop(lock);
            waiting.join().unwrap().unwrap();
        });
    }

    #[test]
    fn what_stands_in_the_file_cannot_hurt() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let file = File::create(&path).unwrap();
        file.lock().unwrap();
        for text in [&b"\xff\xfe"[..], b"[[[[", b"{\"pid\":\"x\"}", b""] {
            std::fs::write(&path, text).unwrap();
            let error = CampaignLock::acquire(&path, Duration::ZERO).unwrap_err();
            assert!(error.to_string().ends_with("held by another process"), "{error}");
        }
    }
}
