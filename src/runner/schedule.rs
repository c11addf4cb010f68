//! Runs the cases of a selection, several at once if asked, and tells a watcher what happens.
//!
//! Cases are started in the order of the manifest. The trials of one case run one after another, and two cases whose
//! expectations name the same file never run at the same time: each would see the other's file as its own.
//! Memory: what trials wrote is kept within [`KEPT`], whatever their number.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::artifacts::{Before, paths_of};
use super::manifest::{Case, Manifest};
use super::observation::{Artifact, Ended};
use super::outcome::{TrialVerdict, judge_trial};
use super::select::Selection;
use super::trial::{Bench, run_trial};
use crate::model::Outcome;
use crate::process::Cancel;

/// Bytes of output that all trials of a run may keep together; what comes later keeps [`SCANT`] bytes a stream.
pub const KEPT: usize = 512 * 1024 * 1024;
/// Bytes that a stream of a trial which passed keeps: nobody reads more of it.
pub const KEPT_OF_PASS: usize = 16 * 1024;
/// Bytes that a stream keeps when [`KEPT`] is used up.
pub const SCANT: usize = 2 * 1024;
/// How many waiting cases are looked at for one whose files are free.
const LOOK_AHEAD: usize = 256;

/// A trial, judged, with nothing secret in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RanTrial {
    /// The judgement.
    pub verdict: TrialVerdict,
    /// How the command ended.
    pub ended: Ended,
    /// Standard output, as it may be stored.
    pub stdout: String,
    /// Standard error, as it may be stored.
    pub stderr: String,
    /// Wall time of the command.
    pub duration: Duration,
    /// Processes that outlived the command.
    pub orphan_pids: Vec<u32>,
    /// SHA-256 per file that the trial wrote, of those that the case names.
    pub artifact_hashes: Vec<(String, String)>,
}

/// A case with the trials that ran. A trial that was cancelled is not among them: it says nothing about the case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RanCase {
    /// Its place in the manifest.
    pub place: usize,
    /// In the order in which they ran.
    pub trials: Vec<RanTrial>,
}

/// What a watcher hears, from several threads.
#[derive(Debug, Clone, Copy)]
pub enum Event<'e> {
    /// The first trial of the case begins.
    Started(&'e Case),
    /// A trial of the case ended with this outcome.
    Trial(&'e Case, Outcome),
    /// The case is done, with these trials.
    Done(&'e Case, &'e [RanTrial]),
}

/// Runs `trials` trials of each selected case, at most `jobs` cases at once. Returns the cases in the order of the
/// manifest, all of them: a case that did not run because of `cancel` has no trials.
pub fn run_cases(
    manifest: &Manifest,
    selection: &Selection,
    trials: u32,
    jobs: usize,
    bench: &Bench,
    cancel: &Cancel,
    watch: &(dyn Fn(Event<'_>) + Sync),
) -> Vec<RanCase> {
    let waiting = selection.cases.iter().map(|place| {
        let paths = places(&bench.folder, &manifest.cases[*place]);
        Waiting { place: *place, paths }
    });
    let shared = Shared {
        queue: Mutex::new(Queue { waiting: waiting.collect(), busy: BTreeSet::new() }),
        freed: Condvar::new(),
        kept: Mutex::new(0),
        ran: Mutex::new(Vec::with_capacity(selection.cases.len())),
    };
    let worker = || {
        while let Some(next) = shared.next() {
            let case = &manifest.cases[next.place];
            let ran = if cancel.is_cancelled() {
                Vec::new()
            } else {
                watch(Event::Started(case));
                let ran = run_case(case, trials, bench, cancel, &shared.kept, watch);
                watch(Event::Done(case, &ran));
                ran
            };
            lock(&shared.ran).push(RanCase { place: next.place, trials: ran });
            shared.free(&next.paths);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.min(selection.cases.len()) {
            scope.spawn(worker);
        }
        worker();
    });
    let mut ran = shared.ran.into_inner().unwrap_or_else(PoisonError::into_inner);
    ran.sort_unstable_by_key(|case| case.place);
    ran
}

struct Waiting {
    place: usize,
    paths: Vec<PathBuf>,
}

struct Queue {
    waiting: VecDeque<Waiting>,
    /// Files that running cases name.
    busy: BTreeSet<PathBuf>,
}

struct Shared {
    queue: Mutex<Queue>,
    freed: Condvar,
    kept: Mutex<usize>,
    ran: Mutex<Vec<RanCase>>,
}

impl Shared {
    /// The next case whose files are free; waits for one. `None` when no case is left.
    fn next(&self) -> Option<Waiting> {
        let mut queue = lock(&self.queue);
        loop {
            if queue.waiting.is_empty() {
                return None;
            }
            let is_free = |waiting: &Waiting| waiting.paths.iter().all(|path| !queue.busy.contains(path));
            if let Some(at) = queue.waiting.iter().take(LOOK_AHEAD).position(is_free) {
                let next = queue.waiting.remove(at)?;
                queue.busy.extend(next.paths.iter().cloned());
                return Some(next);
            }
            queue = self.freed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn free(&self, paths: &[PathBuf]) {
        let mut queue = lock(&self.queue);
        for path in paths {
            queue.busy.remove(path);
        }
        self.freed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The files that a case names, as the same text for the same file: through the links that are there when the run
/// begins, and without `.` and empty parts.
fn places(folder: &Path, case: &Case) -> Vec<PathBuf> {
    let real = |path: &str| {
        let wanted: PathBuf = folder.join(path).components().collect();
        let known = wanted.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
        known.map_or_else(
            || wanted.clone(),
            |(above, real)| wanted.strip_prefix(above).map_or_else(|_| wanted.clone(), |rest| real.join(rest)),
        )
    };
    paths_of(case).into_iter().map(real).collect()
}

fn run_case(
    case: &Case,
    trials: u32,
    bench: &Bench,
    cancel: &Cancel,
    kept: &Mutex<usize>,
    watch: &(dyn Fn(Event<'_>) + Sync),
) -> Vec<RanTrial> {
    let paths = paths_of(case);
    let mut ran = Vec::new();
    for _ in 0..trials {
        if cancel.is_cancelled() {
            break;
        }
        let before = Before::look(&bench.folder, &paths);
        let run = run_trial(case, bench, cancel);
        if run.cancelled {
            break;
        }
        let mut observation = run.observation(before.read_after());
        let mut verdict = judge_trial(case, &observation);
        for problem in &mut verdict.problems {
            if let std::borrow::Cow::Owned(redacted) = bench.redactor.redact(problem) {
                *problem = redacted;
            }
        }
        let artifact_hashes = std::mem::take(&mut observation.artifacts)
            .into_iter()
            .filter_map(|(path, artifact)| match artifact {
                Artifact::Written { sha256, .. } => Some((path, format!("sha256:{sha256}"))),
                Artifact::Missing | Artifact::Stale | Artifact::Refused(_) => None,
            })
            .collect();
        let room = room(&verdict, kept);
        let stdout = run.stdout.within(room);
        let stderr = run.stderr.within(room);
        *lock(kept) += stdout.len() + stderr.len();
        watch(Event::Trial(case, verdict.outcome));
        ran.push(RanTrial {
            verdict,
            ended: run.ended,
            stdout,
            stderr,
            duration: run.duration,
            orphan_pids: observation.survivors,
            artifact_hashes,
        });
    }
    ran
}

/// Bytes that each stream of a trial may keep.
fn room(verdict: &TrialVerdict, kept: &Mutex<usize>) -> usize {
    if *lock(kept) >= KEPT {
        SCANT
    } else if verdict.outcome == Outcome::Pass {
        KEPT_OF_PASS
    } else {
        usize::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::testing::alone;

    #[test]
    fn two_spellings_of_one_file_are_one_place() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("a")).unwrap();
        std::os::unix::fs::symlink("a", dir.path().join("b")).unwrap();
        let place = |path: &str| {
            let expected = serde_json::json!({"exit_code": 0, "artifacts": [{"path": path, "min_bytes": 1}]});
            places(dir.path(), &alone(serde_json::json!({"expected": expected}))).remove(0)
        };
        assert_eq!(place("a/new/x.json"), place("b/./new//x.json"));
        assert_ne!(place("a/x.json"), place("c/x.json"));
    }
}
