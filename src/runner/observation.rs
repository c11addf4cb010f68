//! What was seen of one trial: all that its judgement may depend on.

use std::collections::BTreeMap;
use std::time::Duration;

/// One trial, after its processes are dead and its files are read.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialObservation {
    /// How the command ended.
    pub ended: Ended,
    /// What it wrote to standard output, before anything is redacted.
    pub stdout: Stream,
    /// What it wrote to standard error, before anything is redacted.
    pub stderr: Stream,
    /// Processes that were left over when the command had ended, or that outlived the teardown.
    pub survivors: Vec<u32>,
    /// What became of each file that the case names, by the path as the manifest has it.
    pub artifacts: BTreeMap<String, Artifact>,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal, which nobody here sent.
    Signaled(i32),
    /// It was stopped after this time.
    TimedOut(Duration),
    /// It never ran: why, in words that follow the program's name.
    NotStarted(String),
    /// Nobody knows: why.
    Lost(String),
}

impl Ended {
    /// The code by which a report names the end: minus the signal's number for a signal, `None` without an end.
    pub const fn code(&self) -> Option<i32> {
        match self {
            Self::Exited(code) => Some(*code),
            Self::Signaled(signal) => Some(-*signal),
            Self::TimedOut(_) | Self::NotStarted(_) | Self::Lost(_) => None,
        }
    }
}

/// A captured stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stream {
    /// What was kept, with bytes that are no UTF-8 made visible.
    pub text: String,
    /// True if something was left out: then nobody can say what the stream does not hold.
    pub cut: bool,
}

impl Stream {
    /// A whole stream.
    pub fn whole(text: impl Into<String>) -> Self {
        Self { text: text.into(), cut: false }
    }
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Artifact {
    /// It is not there after the trial.
    Missing,
    /// It is there, and was there before, unchanged: this trial did not write it.
    Stale,
    /// It is there and must not or cannot be read: why, in words that follow the path.
    Refused(String),
    /// This trial wrote it.
    Written {
        /// Its size in bytes.
        size: u64,
        /// SHA-256, 64 hexadecimal digits in lower case.
        sha256: String,
        /// Its content; `None` if it is larger than what is read into memory.
        content: Option<Vec<u8>>,
    },
}
