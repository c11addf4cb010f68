//! Cancelling from another thread or from a signal handler.

use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// A flag that can be waited for. Once set it stays set, and every clone sees it.
///
/// It is a socket that becomes readable and is never read: waiting costs no thread, and a signal handler may set it,
/// because writing a byte is all it takes.
#[derive(Debug, Clone)]
pub struct Cancel {
    ends: Arc<(UnixStream, UnixStream)>,
}

impl Cancel {
    /// A flag that is not set.
    ///
    /// # Errors
    /// If the system has no file descriptors left.
    pub fn new() -> io::Result<Self> {
        let (read, write) = UnixStream::pair()?;
        // A full socket is a set flag, so a signal handler never waits.
        write.set_nonblocking(true)?;
        Ok(Self { ends: Arc::new((read, write)) })
    }

    /// Sets the flag when this process gets `SIGINT`, `SIGTERM` or `SIGHUP`, instead of ending.
    ///
    /// # Errors
    /// If the handlers cannot be installed.
    pub fn on_signals(&self) -> io::Result<()> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::low_level::pipe::register(signal, self.ends.1.try_clone()?)?;
        }
        Ok(())
    }

    /// Sets the flag.
    pub fn cancel(&self) {
        // The only failure is a full socket, and then the flag is set.
        let _ = (&self.ends.1).write(&[1]);
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        let mut fds = [PollFd::new(&self.ends.0, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut fds, Some(&now)).is_ok_and(|ready| ready > 0)
    }
}

impl AsFd for Cancel {
    /// Readable as soon as the flag is set.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.ends.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_set_once_for_all_clones_and_stays_set() {
        let cancel = Cancel::new().unwrap();
        let clone = cancel.clone();
        assert!(!cancel.is_cancelled() && !clone.is_cancelled());
        for _ in 0..100_000 {
            cancel.cancel();
        }
        assert!(cancel.is_cancelled() && clone.is_cancelled() && clone.is_cancelled());
    }
}
