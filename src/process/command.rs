//! What is run, within which bounds, and what came of it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::capture::Captured;

/// A command. Nothing is inherited: the environment is complete, standard input is `/dev/null`.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// Program and arguments. A program without a `/` is looked up in the `PATH` of `env`; one with a `/` is relative
    /// to `folder`.
    pub argv: Vec<OsString>,
    /// Working folder.
    pub folder: PathBuf,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Bounds of time and output.
    pub limits: Limits,
}

/// Bounds of one command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall time until the process group gets `SIGTERM`.
    pub timeout: Duration,
    /// Time between `SIGTERM` and `SIGKILL`.
    pub grace: Duration,
    /// How long children that outlive the command may take to end by themselves before they are left-over. A pipeline
    /// or a helper that is just ending is none.
    pub settle: Duration,
    /// Bytes kept from the start of each stream.
    pub head: usize,
    /// Bytes kept from the end of each stream.
    pub tail: usize,
}

impl Default for Limits {
    /// 30 s (the default of a manifest), 2 s of grace, 100 ms to settle, 256 KiB from each end of a stream.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            grace: Duration::from_secs(2),
            settle: Duration::from_millis(100),
            head: 256 * 1024,
            tail: 256 * 1024,
        }
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// It could not be made to end; it is among the survivors.
    Alive,
}

/// What came of a command that could be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// How the command itself ended.
    pub status: Status,
    /// True if it was stopped because its time was over.
    pub timed_out: bool,
    /// True if it was stopped because the caller cancelled.
    pub cancelled: bool,
    /// Wall time from its start to its end, by a clock that does not jump.
    pub duration: Duration,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// Processes that were alive after the command had ended and settled, in ascending order; at most 64 are named.
    pub orphans: Vec<i32>,
    /// Those that were alive after `SIGKILL`, too.
    pub survivors: Vec<i32>,
}

/// Why a command could not be started, or its result is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpawnError {
    /// There is no program to run.
    #[error("the command is empty")]
    Empty,
    /// Neither a file of that name nor one in a folder of `PATH`.
    #[error("command not found: {0}")]
    NotFound(String),
    /// A file is there, but it may not be executed.
    #[error("command not executable: {0}")]
    NotExecutable(String),
    /// The working folder is missing or may not be entered.
    #[error("cannot enter the folder {folder}: {reason}")]
    Folder {
        /// The folder.
        folder: String,
        /// What the system says.
        reason: String,
    },
    /// The system refused to start it.
    #[error("cannot start {program}: {reason}")]
    System {
        /// The program.
        program: String,
        /// What the system says.
        reason: String,
    },
    /// The caller had cancelled before it started.
    #[error("cancelled before it started")]
    Cancelled,
    /// The supervisor could not be started.
    #[error("cannot start the supervisor: {0}")]
    Supervisor(String),
    /// The supervisor ended or hung while the command ran: the result is not known.
    #[error("the supervisor was lost while the command ran")]
    Lost {
        /// Processes of the command that were found and killed afterwards.
        orphans: Vec<i32>,
    },
}
