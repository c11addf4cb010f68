//! The evidence of one failing case: problems and output of its failing trials.

use std::collections::HashSet;

use serde::Deserialize;

use super::wire::{Str, StrList};
use crate::model::Outcome;

/// A trial as the report has it.
#[derive(Debug, Deserialize)]
pub(super) struct Trial<'a> {
    #[serde(default)]
    outcome: Option<Outcome>,
    #[serde(borrow, default)]
    problems: StrList<'a>,
    #[serde(default)]
    exit_code: Option<i64>,
    #[serde(borrow, default)]
    stdout: Option<Str<'a>>,
    #[serde(borrow, default)]
    stderr: Option<Str<'a>>,
    #[serde(default)]
    timed_out: Option<bool>,
}

/// What a failing case shows.
#[derive(Debug, Default)]
pub struct Evidence<'a> {
    /// Problems of the case and of its failing trials, in report order, without repetition.
    pub problems: Vec<Str<'a>>,
    /// Standard output of each failing trial.
    pub stdout: Vec<Str<'a>>,
    /// Standard error of each failing trial.
    pub stderr: Vec<Str<'a>>,
    /// True when the report names no problem and the problems were derived from exit codes and last lines.
    pub derived: bool,
}

impl<'a> Evidence<'a> {
    /// Collects the evidence of a failing case. A trial without an outcome (v1) fails if it timed out or its exit
    /// code is not 0; if that leaves none, every trial counts: no evidence is dropped.
    pub(super) fn collect(case_problems: &StrList<'a>, trials: Vec<Trial<'a>>) -> Self {
        let failed = |trial: &Trial| match trial.outcome {
            Some(outcome) => outcome == Outcome::Fail,
            None => trial.timed_out == Some(true) || trial.exit_code.is_none_or(|code| code != 0),
        };
        let any_failed = trials.iter().any(failed);
        let mut evidence = Self::default();
        let mut problems = case_problems.0.clone();
        let mut derived: Vec<Str<'a>> = Vec::new();
        for trial in trials.into_iter().filter(|trial| !any_failed || failed(trial)) {
            derived.extend(derive_problems(&trial));
            problems.extend(trial.problems.0);
            evidence.stdout.extend(trial.stdout);
            evidence.stderr.extend(trial.stderr);
        }
        evidence.problems = distinct(problems);
        if evidence.problems.is_empty() {
            evidence.derived = true;
            evidence.problems = distinct(derived);
        }
        evidence
    }
}

/// The texts that are not empty, each once, in order of first appearance.
fn distinct(texts: Vec<Str<'_>>) -> Vec<Str<'_>> {
    let mut seen = HashSet::new();
    texts.into_iter().filter(|text| !text.is_empty() && seen.insert(text.clone())).collect()
}

/// Problems of a trial whose report names none (v1): the time-out, the exit code, and the last line that is not
/// empty of standard error, else of standard output, since that is where programs say why they failed.
fn derive_problems<'a>(trial: &Trial<'a>) -> Vec<Str<'a>> {
    let mut problems = Vec::new();
    if trial.timed_out == Some(true) {
        problems.push(Str::from("timed out".to_owned()));
    }
    if let Some(code) = trial.exit_code {
        problems.push(Str::from(format!("exit_code {code}")));
    }
    let last_line = |text: &Option<Str<'a>>| {
        let text = text.as_ref()?;
        text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    };
    if let Some(line) = last_line(&trial.stderr).or_else(|| last_line(&trial.stdout)) {
        problems.push(Str::from(line));
    }
    problems
}
