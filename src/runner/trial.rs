//! One trial: the case's command, run once. What came of it is told and not judged.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::manifest::Case;
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrialRun {
    /// Exit code; the negative number of the signal if one ended the command, as other runners of this report have it; `None`
    /// if it could not be started or its end is not known.
    pub exit_code: Option<i32>,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
    /// Wall time from start to end of the command.
    pub duration: Duration,
    /// True if its time was over.
    pub timed_out: bool,
    /// True if the run was cancelled: the trial says nothing about the case.
    pub cancelled: bool,
    /// True if the command was started.
    pub started: bool,
    /// Processes that outlived the command. All are dead but the survivors.
    pub orphan_pids: Vec<u32>,
    /// Those that could not be killed.
    pub survivor_pids: Vec<u32>,
    /// What is wrong with the run itself, whatever was expected: any of these fails the trial.
    pub problems: Vec<String>,
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
    let mut problems = Vec::new();
    if exit.timed_out {
        problems.push(format!("timed out after {}s", timeout.as_secs_f64()));
    }
    if !exit.orphans.is_empty() || !exit.survivors.is_empty() {
        problems.push(survived(&exit.orphans, &exit.survivors));
    }
    TrialRun {
        exit_code: match exit.status {
            Status::Code(code) => Some(code),
            Status::Signal(signal) => Some(-signal),
            Status::Alive => None,
        },
        stdout: Output::new(&exit.stdout, &bench.redactor),
        stderr: Output::new(&exit.stderr, &bench.redactor),
        duration: exit.duration,
        timed_out: exit.timed_out,
        cancelled: exit.cancelled,
        started: true,
        orphan_pids: pids(&exit.orphans),
        survivor_pids: pids(&exit.survivors),
        problems,
    }
}

fn not_run(error: &SpawnError, redactor: &Redactor) -> TrialRun {
    let orphans = if let SpawnError::Lost { orphans } = error { pids(orphans) } else { Vec::new() };
    TrialRun {
        cancelled: *error == SpawnError::Cancelled,
        started: matches!(error, SpawnError::Lost { .. }),
        orphan_pids: orphans,
        problems: vec![redactor.redact(&error.to_string()).into_owned()],
        ..TrialRun::default()
    }
}

/// In the words of this report's other runners, so that it counts as one kind.
fn survived(orphans: &[i32], survivors: &[i32]) -> String {
    let list = |pids: &[i32]| pids.iter().map(i32::to_string).collect::<Vec<_>>().join(", ");
    let mut text = format!("process group survived teardown: {}", list(orphans));
    if !survivors.is_empty() {
        text.push_str(&format!(" (not killed: {})", list(survivors)));
    }
    text
}

fn pids(pids: &[i32]) -> Vec<u32> {
    pids.iter().filter_map(|pid| u32::try_from(*pid).ok()).collect()
}
