//! Time between writes, and the end of a limit: kept on disk, so that the next process honours it too.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// What the file holds. Times in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Times {
    /// When the last write was sent.
    last_write: u64,
    /// When a limit ends.
    resume_at: u64,
}

/// The pace of one repository.
#[derive(Debug)]
pub(super) struct Pace {
    file: PathBuf,
    times: Times,
}

impl Pace {
    /// Reads the file. One that is missing or unreadable sets no limit: the server will say so again.
    pub(super) fn open(file: PathBuf) -> Self {
        let times = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self { file, times: times.unwrap_or_default() }
    }

    /// When a limit ends, seconds since 1970, if it has not ended yet.
    pub(super) fn limited_until(&self) -> Option<u64> {
        (self.times.resume_at > now_ms()).then(|| self.times.resume_at.div_ceil(1000))
    }

    /// How long to wait before the next request, for a limit.
    pub(super) fn until_limit_ends(&self) -> Duration {
        Duration::from_millis(self.times.resume_at.saturating_sub(now_ms()))
    }

    /// How long until `interval` has passed since the last write. A clock that was set back never makes it longer.
    pub(super) fn since_write(&self, interval: Duration) -> Duration {
        let passed = Duration::from_millis(now_ms().saturating_sub(self.times.last_write));
        interval.saturating_sub(passed)
    }

    /// True if something was ever written.
    pub(super) const fn has_written(&self) -> bool {
        self.times.last_write > 0
    }

    /// A write is about to be sent.
    pub(super) fn writing(&mut self) {
        self.times.last_write = now_ms();
        self.save();
    }

    /// The server sets a limit until this time, seconds since 1970.
    pub(super) fn limited(&mut self, until: u64) {
        self.times.resume_at = until.saturating_mul(1000);
        self.save();
    }

    /// Not synced: after a power cut the worst is a request that the server refuses again.
    fn save(&self) {
        if let Ok(bytes) = serde_json::to_vec(&self.times) {
            let beside = self.file.with_extension("tmp");
            // A full disk must not stop what is under way; the journal stops it before the next write.
            let _ = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, &self.file));
        }
    }
}

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Seconds since 1970.
pub(super) fn now_s() -> u64 {
    now_ms() / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_process_knows_the_limit_and_the_last_write() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("pace.json");
        let mut pace = Pace::open(file.clone());
        assert_eq!((pace.limited_until(), pace.since_write(Duration::from_secs(9))), (None, Duration::ZERO));
        pace.writing();
        pace.limited(now_s() + 100);
        let next = Pace::open(file.clone());
        assert!(next.limited_until().unwrap() >= now_s() + 99);
        assert!(next.until_limit_ends() > Duration::from_secs(90));
        assert!(next.since_write(Duration::from_secs(9)) > Duration::from_secs(5) && next.has_written());
        std::fs::write(&file, b"{").unwrap();
        assert_eq!(Pace::open(file).limited_until(), None);
    }
}
