//! Pure checks of what a trial did against what its case expects. An expectation that cannot be checked does not hold.
//!
//! Problems are worded as contracts.md "Problem kinds" has them, so that the signature normalizer knows their kind.
//! A trial that was stopped for its time, or never ran, has that one problem: what its half-written output lacks is
//! chance, and would make another signature of the same failure every time.
//!
//! `equals` keeps JSON types apart: `1`, `true`, `"1"` and `null` are four values. Numbers are one type, as in JSON
//! itself, and are compared by value: `1` and `1.0` are equal, `9007199254740993` and `9007199254740992.0` are not,
//! and neither are whole numbers of any length that differ in one digit. A key that stands twice in what is compared, or
//! on the way to it, is a problem: readers disagree about which one counts.

mod artifacts;
#[cfg(test)]
mod tests;

use super::manifest::Expected;
use super::observation::{Ended, Stream, TrialObservation};
use crate::model::display_safe;

/// Everything about the trial that is not as expected, in the order of the documentation, each once. Empty: all held.
pub fn check(expected: &Expected, program: &str, trial: &TrialObservation) -> Vec<String> {
    let mut problems = Vec::new();
    match &trial.ended {
        Ended::TimedOut(limit) => problems.push(format!("timed out after {}s", limit.as_secs_f64())),
        Ended::NotStarted(why) => {
            problems.push(format!("cannot start '{}': {}", display_safe(program), display_safe(why)));
        }
        Ended::Lost(why) => {
            problems.push(format!("evidence integrity: the end of the command is not known: {}", display_safe(why)));
        }
        Ended::Exited(_) | Ended::Signaled(_) => {
            let code = trial.ended.code().map(i64::from);
            if let Some(code) = code.filter(|code| *code != expected.exit_code) {
                problems.push(format!("exit_code {code} != {}", expected.exit_code));
            }
            let streams = [
                ("stdout", &trial.stdout, &expected.stdout_contains, &expected.stdout_excludes),
                ("stderr", &trial.stderr, &expected.stderr_contains, &expected.stderr_excludes),
            ];
            for (name, stream, contains, excludes) in streams {
                check_stream(name, stream, contains, excludes, &mut problems);
            }
            for artifact in &expected.artifacts {
                artifacts::check(artifact, trial, &mut problems);
            }
        }
    }
    if !trial.survivors.is_empty() {
        let pids: Vec<String> = trial.survivors.iter().map(u32::to_string).collect();
        problems.push(format!("process group survived teardown: {}", pids.join(", ")));
    }
    let mut said = std::collections::HashSet::new();
    problems.retain(|problem| said.insert(problem.clone()));
    problems
}

fn check_stream(name: &str, stream: &Stream, contains: &[String], excludes: &[String], problems: &mut Vec<String>) {
    let mut unsure = false;
    for needle in contains {
        if !stream.text.contains(needle.as_str()) {
            problems.push(format!("{name} missing {}", quoted(needle)));
            unsure |= stream.cut;
        }
    }
    for needle in excludes {
        if stream.text.contains(needle.as_str()) {
            problems.push(format!("{name} unexpectedly contains {}", quoted(needle)));
        } else {
            unsure |= stream.cut;
        }
    }
    if unsure {
        problems.push(format!("evidence integrity: {name} was too long to keep whole, so what it lacks is not known"));
    }
}

/// A needle in the quotes of problem kinds, on one line.
pub(super) fn quoted(needle: &str) -> String {
    format!("'{}'", display_safe(needle))
}
