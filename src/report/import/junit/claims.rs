//! What a suite claims in numbers and does not show: failures become a failing case, tests make the report
//! incomplete.

use std::sync::Arc;

use super::super::error::{Source, Warnings};
use super::super::inputs::source_name;
use super::draft::{Stated, has, outcome_of};
use super::parse::{ProblemKind, RawFile, RawSuite};
use crate::diag::Place;
use crate::model::{Outcome, truncate_chars};

/// Reasons per file; the others are counted in one more.
const MAX_REASONS: usize = 10;
/// Longest reason, in characters: it quotes names of the file.
const MAX_REASON: usize = 400;

/// Failing cases of a suite and its inner suites, by what a producer would count them as. A case that fails in two
/// ways stands in both lists once: `failures` counts cases, and each of several assertions is not one.
#[derive(Debug, Clone, Copy, Default)]
struct Shown {
    failures: u64,
    errors: u64,
    /// Cases that fail without saying in which way.
    either: u64,
    all: u64,
}

impl Shown {
    fn add(&mut self, more: Self) {
        self.failures = self.failures.saturating_add(more.failures);
        self.errors = self.errors.saturating_add(more.errors);
        self.either = self.either.saturating_add(more.either);
        self.all = self.all.saturating_add(more.all);
    }

    /// One failing case or, of a suite itself, one problem. A retry that was rescued is no failure.
    const fn one(failure: bool, error: bool) -> Self {
        Self { failures: failure as u64, errors: error as u64, either: (!failure && !error) as u64, all: 1 }
    }

    /// How many more failures and errors are claimed. Where only one number is given, it may
    /// count both: Nette Tester writes `errors` alone, and its cases have `failure`.
    const fn missing(&self, suite: &RawSuite) -> (u64, u64) {
        match (suite.claimed_failures, suite.claimed_errors) {
            (None, None) => (0, 0),
            (Some(failures), None) => (failures.saturating_sub(self.all), 0),
            (None, Some(errors)) => (0, errors.saturating_sub(self.all)),
            (Some(failures), Some(errors)) => {
                let (failures, errors) = (failures.saturating_sub(self.failures), errors.saturating_sub(self.errors));
                let left = self.either.saturating_sub(failures);
                (failures.saturating_sub(self.either), errors.saturating_sub(left))
            }
        }
    }
}

/// Per suite: the text of the problem if it claims more failures than it and its inner suites show.
pub(super) fn hidden_failures(file: &RawFile, source: Source<'_>, warnings: &mut Warnings) -> Vec<Option<String>> {
    let mut shown = vec![Shown::default(); file.suites.len()];
    for case in &file.cases {
        if outcome_of(case, &Stated::of(case)) == Outcome::Fail {
            let with = |wanted| has(case, |kind| kind == wanted);
            shown[case.suite].add(Shown::one(with(ProblemKind::Failure), with(ProblemKind::Error)));
        }
    }
    let mut hidden = vec![None; file.suites.len()];
    // A parent comes before its children, so backwards every suite is complete when it is looked at.
    for (index, suite) in file.suites.iter().enumerate().rev() {
        for problem in &suite.problems {
            let kind = problem.kind;
            shown[index].add(Shown::one(kind == ProblemKind::Failure, kind == ProblemKind::Error));
        }
        let (failures, errors) = shown[index].missing(suite);
        let all = failures.saturating_add(errors);
        if all > 0 {
            // Only the difference: the text must not change because a failure that is shown came or went.
            hidden[index] = Some(format!("failures that the suite claims and does not show: {all}"));
            shown[index].add(Shown { failures, errors, either: 0, all });
        } else if suite.unreadable_claim && shown[index].all == 0 {
            hidden[index] = Some("failures that the suite claims and does not show: at least 1".to_owned());
            shown[index].add(Shown::one(false, false));
        }
        if let Some(parent) = suite.parent {
            let inner = shown[index];
            shown[parent].add(inner);
        }
    }
    for (suite, problem) in file.suites.iter().zip(&hidden) {
        if let Some(problem) = problem {
            let place = || source.place(suite.at);
            warnings.add("failures-not-shown", source.file, place, || format!("{problem} (taken as a failing case)"));
        }
    }
    hidden
}

/// Notes the suites that claim more tests than they and their inner suites show: a run that crashed writes such files.
pub(super) fn missing_tests(
    file: &RawFile,
    paths: &[Arc<Vec<String>>],
    source: Source<'_>,
    incomplete: &mut Vec<String>,
    warnings: &mut Warnings,
) {
    let mut tests = vec![0u64; file.suites.len()];
    for case in &file.cases {
        // Some producers count every attempt as a test.
        let retries = case.problems.iter().filter(|p| matches!(p.kind, ProblemKind::Flaky | ProblemKind::Rerun));
        tests[case.suite] += 1 + retries.count() as u64;
    }
    let mut short: Vec<(usize, u64, u64)> = Vec::new();
    for (index, suite) in file.suites.iter().enumerate().rev() {
        if let Some(claimed) = suite.claimed_tests.filter(|claimed| *claimed > tests[index]) {
            short.push((index, claimed, tests[index]));
            // The suites around it count these too; they are told once.
            tests[index] = claimed;
        }
        if let Some(parent) = suite.parent {
            tests[parent] = tests[parent].saturating_add(tests[index]);
        }
    }
    short.reverse();
    for (index, claimed, shown) in short.iter().copied() {
        let place = || -> Place { source.place(file.suites[index].at) };
        let message = || format!("a suite claims {claimed} tests and shows {shown}: the report is incomplete");
        warnings.add("tests-not-shown", source.file, place, message);
    }
    let name = source_name(source.file);
    for (index, claimed, shown) in short.iter().copied().take(MAX_REASONS) {
        let suite = match paths[index].join(" > ") {
            path if path.is_empty() => "the test run".to_owned(),
            path => format!("suite `{}`", truncate_chars(&path, MAX_REASON / 2)),
        };
        let reason = format!("{name}: {suite} claims {claimed} tests and shows {shown}");
        incomplete.push(truncate_chars(&reason, MAX_REASON).into_owned());
    }
    if short.len() > MAX_REASONS {
        let more = short.len() - MAX_REASONS;
        incomplete.push(format!("{name}: {more} more suites claim more tests than they show"));
    }
}
