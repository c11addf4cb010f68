//! The caller's side: supervisors that wait for work, started when they are needed.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, getpgid, getpgrp, kill_process, kill_process_group, waitpid};

use super::cancel::Cancel;
use super::command::{Exit, Invocation, SpawnError};
use super::serve::SUPERVISOR_ARGUMENT;
use super::{sweep, wire};

/// What a supervisor may take longer than the command's own bounds before it counts as lost.
const SLACK: Duration = Duration::from_secs(10);

/// How to start a supervisor.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
}

impl Program {
    /// This program itself. Its `main` must call [`super::serve`] when [`super::serves`] says so.
    ///
    /// # Errors
    /// If the system does not tell where this program is.
    pub fn this() -> io::Result<Self> {
        // The link leads to what is running now, also when the file was replaced by a newer build meanwhile.
        let link = PathBuf::from("/proc/self/exe");
        Ok(Self { path: if link.exists() { link } else { std::env::current_exe()? } })
    }

    /// The program at `path`, which must be greenloop.
    pub const fn at(path: PathBuf) -> Self {
        Self { path }
    }
}

/// Runs commands, any number of them at the same time, each below a supervisor of its own.
#[derive(Debug)]
pub struct Pool {
    program: Program,
    exclusive: bool,
    idle: Mutex<Vec<Supervisor>>,
    /// Supervisors that are alive, and processes that survived: not to be taken for what a lost one left.
    known: Mutex<BTreeSet<i32>>,
}

impl Pool {
    /// A pool whose supervisors are started from `program` when they are needed.
    pub const fn new(program: Program) -> Self {
        Self { program, exclusive: false, idle: Mutex::new(Vec::new()), known: Mutex::new(BTreeSet::new()) }
    }

    /// Like [`Pool::new`], for a process that starts no child but through this pool. When a supervisor is lost (a
    /// command killed it), what it had below it becomes a child of this process, and is found and killed here.
    ///
    /// # Errors
    /// If the system refuses to make this process a child subreaper.
    pub fn exclusive(program: Program) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        Ok(Self { exclusive: true, ..Self::new(program) })
    }

    /// Runs `command` and waits until nothing of it is alive. May be called from several threads at once.
    ///
    /// # Errors
    /// If the command could not be started, or its supervisor was lost.
    pub fn run(&self, command: &Invocation, cancel: &Cancel) -> Result<Exit, SpawnError> {
        if cancel.is_cancelled() {
            return Err(SpawnError::Cancelled);
        }
        // The supervisor has a working folder of its own.
        let folder = std::path::absolute(&command.folder)
            .map_err(|error| SpawnError::Folder { folder: String::new(), reason: error.to_string() })?;
        let body = wire::encode_command(&Invocation { folder, ..command.clone() });
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // An idle one may have been killed while nothing ran in it; a fresh one has not.
        let retry = idle.is_some();
        let mut supervisor = idle.map_or_else(|| self.start(), Ok)?;
        if wire::write_frame(&mut supervisor.socket, &body).is_err() {
            self.bury(supervisor);
            if !retry {
                return Err(SpawnError::Lost { orphans: Vec::new() });
            }
            supervisor = self.start()?;
            if wire::write_frame(&mut supervisor.socket, &body).is_err() {
                self.bury(supervisor);
                return Err(SpawnError::Lost { orphans: Vec::new() });
            }
        }
        match supervisor.answer(command, cancel) {
            Some((result, told)) => {
                let survivors = result.as_ref().map_or(&[][..], |exit| &exit.survivors);
                // One that was told to stop ends, also when its command was done before it heard.
                if survivors.is_empty() && !told {
                    self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(supervisor);
                } else {
                    self.known().extend(survivors);
                    self.bury(supervisor);
                }
                result
            }
            None => Err(SpawnError::Lost { orphans: self.bury(supervisor) }),
        }
    }

    fn known(&self) -> MutexGuard<'_, BTreeSet<i32>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&self) -> Result<Supervisor, SpawnError> {
        let failed = |error: io::Error| SpawnError::Supervisor(error.to_string());
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        // Held until the new one is known, so that no sweep takes it for an orphan.
        let mut known = self.known();
        let child = std::process::Command::new(&self.program.path)
            .arg0("greenloop")
            .arg(SUPERVISOR_ARGUMENT)
            // A command can read its parent's environment; there is nothing in it.
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        known.extend(i32::try_from(child.id()));
        Ok(Supervisor { socket: ours, child })
    }

    /// Ends a supervisor. Returns what it left, which is found only if this process starts nothing else.
    fn bury(&self, mut supervisor: Supervisor) -> Vec<i32> {
        let pid = i32::try_from(supervisor.child.id());
        supervisor.end();
        let mut known = self.known();
        let orphans = if self.exclusive { kill_strangers(&known) } else { Vec::new() };
        if let Ok(pid) = pid {
            known.remove(&pid);
        }
        orphans
    }
}

/// Kills and reaps the children of this process that are not known, and what they started.
fn kill_strangers(known: &BTreeSet<i32>) -> Vec<i32> {
    let deadline = Instant::now() + sweep::KILL_WAIT;
    let mut found = BTreeSet::new();
    loop {
        let strangers: Vec<i32> =
            sweep::children_of("self").into_iter().filter(|child| !known.contains(child)).collect();
        if strangers.is_empty() || Instant::now() >= deadline {
            return found.into_iter().collect();
        }
        for stranger in strangers.into_iter().filter_map(Pid::from_raw) {
            // One that had ended before is no orphan.
            if matches!(waitpid(Some(stranger), WaitOptions::NOHANG), Ok(None)) {
                found.insert(stranger.as_raw_nonzero().get());
                if let Ok(group) = getpgid(Some(stranger))
                    && group != getpgrp()
                {
                    let _ = kill_process_group(group, Signal::KILL);
                }
                let _ = kill_process(stranger, Signal::KILL);
            }
        }
        std::thread::yield_now();
    }
}

/// One supervisor process.
#[derive(Debug)]
struct Supervisor {
    socket: UnixStream,
    child: Child,
}

impl Supervisor {
    /// Waits for the answer, and whether it was told to stop; `None` if the supervisor is lost.
    fn answer(&mut self, command: &Invocation, cancel: &Cancel) -> Option<(Result<Exit, SpawnError>, bool)> {
        let limits = command.limits;
        let after = limits.grace.saturating_add(limits.settle).saturating_add(sweep::KILL_WAIT * 2 + SLACK);
        let mut deadline = Instant::now().checked_add(limits.timeout.saturating_add(after));
        let mut cancelled = false;
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return None;
            }
            let timeout = left.and_then(|left| Timespec::try_from(left).ok());
            let mut fds =
                [PollFd::new(&self.socket, PollFlags::IN), PollFd::from_borrowed_fd(cancel.as_fd(), PollFlags::IN)];
            let count = if cancelled { 1 } else { 2 };
            if poll(&mut fds[..count], timeout.as_ref()).is_err() {
                continue;
            }
            if !fds[0].revents().is_empty() {
                // A supervisor that stops in the middle of its answer is lost, too.
                self.socket.set_read_timeout(Some(SLACK)).ok()?;
                let result = wire::decode_result(&wire::read_frame(&mut self.socket).ok()?)?;
                return Some((result, cancelled));
            }
            if count == 2 && !fds[1].revents().is_empty() {
                cancelled = true;
                deadline = Instant::now().checked_add(after);
                // Its other end may be gone; the next round sees that.
                let _ = self.socket.shutdown(std::net::Shutdown::Write);
            }
        }
    }

    /// Lets an idle supervisor end, kills any other.
    fn end(&mut self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        let deadline = Instant::now() + Duration::from_secs(1);
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() >= deadline {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.end();
    }
}
