//! One trial: the case's command, run once. What came of it is told and not judged.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::manifest::Case;
use super::observation::{Artifact, Ended, Stream, TrialObservation};
use super::redact::Redactor;
use super::text::Output;
use crate::process::{Cancel, Invocation, Limits, Pool, SpawnError, Status};

/// Where trials run, and with what: the same for all of a run.
#[derive(Debug)]
pub struct Bench {
    /// Runs the commands.
    pub pool: Pool,
    /// The manifest's folder: working folder of every trial.
    pub folder: PathBuf,
    /// The whole environment of every trial; see [`super::environment::scrubbed`].
    pub env: Vec<(OsString, OsString)>,
    /// Knows the secrets.
    pub redactor: Redactor,
    /// Bounds; the case has its own time-out.
    pub limits: Limits,
    /// A time-out that replaces those of the cases.
    pub timeout: Option<Duration>,
}

/// What one trial did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialRun {
    /// How the command ended.
    pub ended: Ended,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
    /// Wall time from start to end of the command.
    pub duration: Duration,
    /// True if the run was cancelled: the trial says nothing about the case.
    pub cancelled: bool,
    /// Processes that outlived the command. All are dead but the survivors.
    pub orphan_pids: Vec<u32>,
    /// Those that could not be killed.
    pub survivor_pids: Vec<u32>,
}

impl TrialRun {
    /// What its judgement depends on: the streams as they were, before anything was redacted.
    pub fn observation(&self, artifacts: BTreeMap<String, Artifact>) -> TrialObservation {
        let stream = |output: &Output| Stream { text: output.checked.clone(), cut: output.omitted > 0 };
        let mut survivors: Vec<u32> = self.orphan_pids.iter().chain(&self.survivor_pids).copied().collect();
        survivors.sort_unstable();
        survivors.dedup();
        TrialObservation {
            ended: self.ended.clone(),
            stdout: stream(&self.stdout),
            stderr: stream(&self.stderr),
            survivors,
            artifacts,
        }
    }
}

/// Runs one trial. Everything that can go wrong is in the result; nothing aborts a run.
pub fn run_trial(case: &Case, bench: &Bench, cancel: &Cancel) -> TrialRun {
    let timeout = bench.timeout.unwrap_or(case.timeout);
    let command = Invocation {
        argv: case.command.iter().map(OsString::from).collect(),
        folder: bench.folder.clone(),
        env: bench.env.clone(),
        limits: Limits { timeout, ..bench.limits },
    };
    let exit = match bench.pool.run(&command, cancel) {
        Ok(exit) => exit,
        Err(error) => return not_run(&error, &bench.redactor),
    };
    let ended = match exit.status {
        _ if exit.timed_out => Ended::TimedOut(timeout),
        Status::Code(code) => Ended::Exited(code),
        Status::Signal(signal) => Ended::Signaled(signal),
        Status::Alive => Ended::Lost("it could not be killed".to_owned()),
    };
    TrialRun {
        ended,
        stdout: Output::new(&exit.stdout, &bench.redactor),
        stderr: Output::new(&exit.stderr, &bench.redactor),
        duration: exit.duration,
        cancelled: exit.cancelled,
        orphan_pids: pids(&exit.orphans),
        survivor_pids: pids(&exit.survivors),
    }
}

fn not_run(error: &SpawnError, redactor: &Redactor) -> TrialRun {
    let orphans = if let SpawnError::Lost { orphans } = error { pids(orphans) } else { Vec::new() };
    let why = redactor.redact(&reason(error)).into_owned();
    TrialRun {
        ended: if matches!(error, SpawnError::Lost { .. }) { Ended::Lost(why) } else { Ended::NotStarted(why) },
        stdout: Output::default(),
        stderr: Output::default(),
        duration: Duration::ZERO,
        cancelled: *error == SpawnError::Cancelled,
        orphan_pids: orphans,
        survivor_pids: Vec::new(),
    }
}

/// In words that follow the program's name, which the error's own words repeat.
fn reason(error: &SpawnError) -> String {
    match error {
        SpawnError::NotFound(_) => "command not found".to_owned(),
        SpawnError::NotExecutable(_) => "it is not executable".to_owned(),
        SpawnError::System { reason, .. } => reason.clone(),
        other => other.to_string(),
    }
}

fn pids(pids: &[i32]) -> Vec<u32> {
    pids.iter().filter_map(|pid| u32::try_from(*pid).ok()).collect()
}
