//! One command from its start to the proof that nothing of it is alive.
//!
//! One loop waits for four things at once: either stream, the end of the command, and a word from the caller. After
//! the end of the command, children get a short time to end by themselves; then all are killed.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, waitid, waitpid};

use super::capture::Capture;
use super::command::{Exit, Invocation, SpawnError, Status};
use super::{resolve, sweep};

/// Longest wait where the system has no descriptor for the end of a process.
const SLICE: Duration = Duration::from_millis(2);
/// How long streams are read after everything is dead: only a process outside the tree can still hold them.
const DRAIN: Duration = Duration::from_millis(250);
/// Bytes read at once.
const PIECE: usize = 64 * 1024;

/// Runs `command` as the only thing below this process. A readable `caller` (a word, or its end) cancels it.
pub(super) fn supervise(command: &Invocation, caller: BorrowedFd<'_>) -> Result<Exit, SpawnError> {
    let program = resolve::program(command)?;
    let name = command.argv.first().ok_or(SpawnError::Empty)?;
    let start = Instant::now();
    let mut child = std::process::Command::new(&program)
        .arg0(name)
        .args(&command.argv[1..])
        .current_dir(&command.folder)
        .env_clear()
        .envs(command.env.iter().map(|(key, value)| (key, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|error| resolve::start_error(name, &program, &error))?;
    let limits = command.limits;
    let mut streams = Streams {
        stdout: Stream::new(child.stdout.take().map(Into::into), limits.head, limits.tail),
        stderr: Stream::new(child.stderr.take().map(Into::into), limits.head, limits.tail),
        buffer: vec![0; PIECE],
    };
    let main = run_main(command, &mut child, &mut streams, caller, start);
    let swept = after(limits.settle, &main, &child, &mut streams, caller);
    streams.drain(DRAIN);
    Ok(Exit {
        status: main.status,
        timed_out: main.timed_out,
        cancelled: main.cancelled,
        duration: main.duration,
        stdout: streams.stdout.capture.finish(),
        stderr: streams.stderr.capture.finish(),
        orphans: swept.orphans,
        survivors: swept.survivors,
    })
}

/// How the command itself went.
struct Main {
    status: Status,
    duration: Duration,
    timed_out: bool,
    cancelled: bool,
    /// Something was left in the group when the command had ended; known without a subreaper only.
    group_left: bool,
}

/// Waits for the command's own end: until its time is over, then through its grace, then after the kill.
fn run_main(
    command: &Invocation,
    child: &mut Child,
    streams: &mut Streams,
    caller: BorrowedFd<'_>,
    start: Instant,
) -> Main {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // The group cannot be another's: its leader is not reaped yet. It may be gone, which is as good.
    let signal = |signal| group.is_some_and(|group| kill_process_group(group, signal).is_ok());
    let ended = end_descriptor(group);
    let mut main =
        Main { status: Status::Alive, duration: Duration::ZERO, timed_out: false, cancelled: false, group_left: false };
    let mut deadline = start.checked_add(command.limits.timeout);
    let mut killed = false;
    loop {
        let stopping = main.timed_out || main.cancelled;
        // Not reaped yet, so its group's id is still its own.
        if has_ended(group) {
            main.duration = start.elapsed();
            if stopping && !killed {
                // The rest of the group was told to end, too, and has what is left of the grace. After the kill nothing
                // is left of it: what left the group in time is for the sweep, at once.
                while others_left(child) && deadline.is_some_and(|deadline| Instant::now() < deadline) {
                    streams.wait(Some(SLICE), None, None);
                }
            }
            if stopping || !cfg!(target_os = "linux") {
                main.group_left = signal(Signal::KILL);
            }
            if let Ok(status) = child.wait() {
                let code = status.code().map(Status::Code);
                main.status = code.unwrap_or_else(|| Status::Signal(status.signal().unwrap_or_default()));
            }
            return main;
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            if killed {
                main.duration = start.elapsed();
                return main;
            }
            if stopping {
                signal(Signal::KILL);
                killed = true;
                deadline = Some(Instant::now() + sweep::KILL_WAIT);
                continue;
            }
            main.timed_out = true;
        } else if streams.wait(left, ended.as_ref(), (!stopping).then_some(caller)) {
            main.cancelled = true;
        } else {
            continue;
        }
        signal(Signal::TERM);
        // A stopped process could not react to it.
        signal(Signal::CONT);
        deadline = Instant::now().checked_add(command.limits.grace);
    }
}

/// Settles and sweeps. In the clean case this is one system call.
fn after(settle: Duration, main: &Main, child: &Child, streams: &mut Streams, caller: BorrowedFd<'_>) -> sweep::Swept {
    if !cfg!(target_os = "linux") {
        // Without a subreaper: what was left of the group is dead, and named by the group's id.
        let group = i32::try_from(child.id()).ok().filter(|_| main.group_left && !main.timed_out && !main.cancelled);
        return sweep::Swept { orphans: group.into_iter().collect(), survivors: Vec::new() };
    }
    let deadline = Instant::now() + settle;
    // A command that was stopped had its grace, and its group was killed: it only needs the time to be gone.
    let caller = (!main.timed_out && !main.cancelled).then_some(caller);
    while sweep::children_left() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return sweep::kill_all(|| {
                streams.wait(Some(Duration::ZERO), None, None);
            });
        }
        if streams.wait(Some(left.min(SLICE)), None, caller) {
            return sweep::kill_all(|| {
                streams.wait(Some(Duration::ZERO), None, None);
            });
        }
    }
    sweep::Swept::default()
}

/// Whether the process has ended; it is not reaped.
fn has_ended(pid: Option<Pid>) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    pid.is_none_or(|pid| matches!(waitid(WaitId::Pid(pid), options), Ok(Some(_)) | Err(Errno::CHILD)))
}

/// Whether anything alive but the command itself is below this process. Reaps what has ended of it.
fn others_left(child: &Child) -> bool {
    let others = sweep::children_of("self").into_iter().filter(|pid| u32::try_from(*pid) != Ok(child.id()));
    // Each is asked, so that all that ended are reaped.
    others.filter_map(Pid::from_raw).filter(|pid| matches!(waitpid(Some(*pid), WaitOptions::NOHANG), Ok(None))).count()
        > 0
}

/// A descriptor that becomes readable when the process ends, where the system has that (Linux 5.3).
#[cfg(target_os = "linux")]
fn end_descriptor(pid: Option<Pid>) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid?, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
const fn end_descriptor(_: Option<Pid>) -> Option<OwnedFd> {
    None
}

/// Both streams of the command.
struct Streams {
    stdout: Stream,
    stderr: Stream,
    buffer: Vec<u8>,
}

struct Stream {
    /// `None` after the end of the stream.
    pipe: Option<std::fs::File>,
    capture: Capture,
}

impl Stream {
    fn new(pipe: Option<OwnedFd>, head: usize, tail: usize) -> Self {
        Self { pipe: pipe.map(Into::into), capture: Capture::new(head, tail) }
    }

    /// Takes what is there; called when the pipe is readable, so it does not wait.
    fn take(&mut self, buffer: &mut [u8]) {
        match self.pipe.as_mut().map(|pipe| pipe.read(buffer)) {
            Some(Ok(length)) if length > 0 => self.capture.push(&buffer[..length]),
            Some(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => self.pipe = None,
        }
    }
}

impl Streams {
    /// Waits until something happens, at most `longest` (`None` = no limit), and takes what the streams have.
    /// True if the caller has a word.
    fn wait(&mut self, longest: Option<Duration>, ended: Option<&OwnedFd>, caller: Option<BorrowedFd<'_>>) -> bool {
        let longest = if ended.is_none() { Some(longest.unwrap_or(SLICE).min(SLICE)) } else { longest };
        let timeout = longest.and_then(|longest| Timespec::try_from(longest).ok());
        let (ready, word) = {
            let pipes = [self.stdout.pipe.as_ref(), self.stderr.pipe.as_ref()];
            let all = [pipes[0].map(AsFd::as_fd), pipes[1].map(AsFd::as_fd), ended.map(AsFd::as_fd), caller];
            let mut fds: Vec<PollFd> = Vec::with_capacity(4);
            let mut places = [None; 4];
            for (place, fd) in places.iter_mut().zip(all) {
                if let Some(fd) = fd {
                    *place = Some(fds.len());
                    fds.push(PollFd::from_borrowed_fd(fd, PollFlags::IN));
                }
            }
            if poll(&mut fds, timeout.as_ref()).is_err() {
                return false;
            }
            let is_ready = |place: Option<usize>| place.is_some_and(|at| !fds[at].revents().is_empty());
            ([is_ready(places[0]), is_ready(places[1])], is_ready(places[3]))
        };
        if ready[0] {
            self.stdout.take(&mut self.buffer);
        }
        if ready[1] {
            self.stderr.take(&mut self.buffer);
        }
        word
    }

    /// Takes the rest of both streams, for at most `longest`.
    fn drain(&mut self, longest: Duration) {
        let deadline = Instant::now() + longest;
        while self.stdout.pipe.is_some() || self.stderr.pipe.is_some() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            self.wait(Some(left), None, None);
        }
    }
}
