//! From observations to outcomes: of a trial, and of a case from its trials.
//!
//! | trial | outcome |
//! |---|---|
//! | a process was left over | FAIL, whatever else is true: it may spoil every trial after it |
//! | a text of `blocked_when_stdout_contains` on either stream | BLOCKED, also if every check held |
//! | every check held | PASS |
//! | a check did not hold, and a text of `infra_blocked_when` is on either stream | BLOCKED |
//! | a check did not hold | FAIL |
//!
//! A case passes only if all trials that were planned ran and passed. One FAIL among its trials makes it FAIL: a flaky
//! case is never a pass. Without a FAIL, one BLOCKED makes it BLOCKED; a trial that is missing makes it NOT_TESTED.

use std::collections::HashSet;

use super::expect::{check, quoted};
use super::manifest::Case;
use super::observation::{Stream, TrialObservation};
use crate::model::Outcome;

/// The judgement of one trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialVerdict {
    /// PASS, FAIL or BLOCKED.
    pub outcome: Outcome,
    /// Why it is not PASS. The reason for BLOCKED stands first.
    pub problems: Vec<String>,
    /// True if the infrastructure is to blame, or a precondition was not met.
    pub infra_blocked: bool,
}

/// The judgement of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseVerdict {
    /// The outcome that counts.
    pub outcome: Outcome,
    /// The outcome by the trials alone, before a rule of evidence changed it.
    pub observed_outcome: Outcome,
    /// What is wrong, each once, in the order of the trials.
    pub problems: Vec<String>,
    /// Trials that passed.
    pub passed_trials: usize,
    /// Trials that ran.
    pub total_trials: usize,
    /// True if the trials disagree.
    pub flaky: bool,
    /// Trials that the infrastructure stopped.
    pub infra_blocked_trials: usize,
}

/// Judges one trial.
pub fn judge_trial(case: &Case, trial: &TrialObservation) -> TrialVerdict {
    let mut problems = check(&case.expected, case.command.first().map_or("", String::as_str), trial);
    let saw = |markers: &[String]| -> Option<String> {
        let holds = |stream: &Stream, marker: &String| stream.text.contains(marker.as_str());
        markers.iter().find(|marker| holds(&trial.stdout, marker) || holds(&trial.stderr, marker)).cloned()
    };
    if !trial.survivors.is_empty() {
        return TrialVerdict { outcome: Outcome::Fail, problems, infra_blocked: false };
    }
    let blocked = saw(&case.blocked_when_stdout_contains)
        .map(|marker| format!("precondition unmet: saw {}", quoted(&marker)))
        .or_else(|| {
            let marker = if problems.is_empty() { None } else { saw(&case.infra_blocked_when) };
            marker.map(|marker| format!("external blocker: saw {}", quoted(&marker)))
        });
    if let Some(reason) = blocked {
        problems.insert(0, reason);
        return TrialVerdict { outcome: Outcome::Blocked, problems, infra_blocked: true };
    }
    let outcome = if problems.is_empty() { Outcome::Pass } else { Outcome::Fail };
    TrialVerdict { outcome, problems, infra_blocked: false }
}

/// Judges a case by the trials that ran, of `planned` ones. `integrity` are the errors that the rules of evidence found
/// about the case: with one of them it fails, whatever its trials say.
pub fn judge_case(trials: &[TrialVerdict], planned: usize, integrity: &[String]) -> CaseVerdict {
    let count = |outcome: Outcome| trials.iter().filter(|trial| trial.outcome == outcome).count();
    let passed = count(Outcome::Pass);
    let observed_outcome = if count(Outcome::Fail) > 0 {
        Outcome::Fail
    } else if count(Outcome::Blocked) > 0 {
        Outcome::Blocked
    } else if passed > 0 && passed == trials.len() && passed >= planned {
        Outcome::Pass
    } else {
        Outcome::NotTested
    };
    let mut said = HashSet::new();
    let all = trials.iter().flat_map(|trial| &trial.problems);
    let mut problems: Vec<String> = all.filter(|problem| said.insert(*problem)).cloned().collect();
    if observed_outcome == Outcome::NotTested {
        problems.push(format!("{} of {planned} trials ran", trials.len()));
    }
    problems.extend(integrity.iter().map(|error| format!("evidence integrity: {error}")));
    let is_sound = integrity.is_empty() || observed_outcome == Outcome::NotTested;
    CaseVerdict {
        outcome: if is_sound { observed_outcome } else { Outcome::Fail },
        observed_outcome,
        problems,
        passed_trials: passed,
        total_trials: trials.len(),
        flaky: trials.windows(2).any(|pair| pair[0].outcome != pair[1].outcome),
        infra_blocked_trials: trials.iter().filter(|trial| trial.infra_blocked).count(),
    }
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
