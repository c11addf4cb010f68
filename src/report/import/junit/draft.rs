//! Suites and cases of one file → drafts of report cases: attempts, outcome, hints, and the failures that a suite
//! claims without showing them.

use std::collections::HashSet;
use std::sync::Arc;

use super::super::build::{Attempt, CaseKey, Draft, Hints, Tail};
use super::super::error::{ImportError, Source, Warnings};
use super::super::inputs::source_name;
use super::claims::{hidden_failures, missing_tests};
use super::parse::{Hint, HintName, MAX_HINT_BYTES, Problem, ProblemKind, RawCase, RawFile, RawSuite};
use super::problem::problem_text;
use crate::diag::Place;
use crate::model::Outcome;

/// Bytes of the names of nested suites together, and of a suite's file. Every case has them, so the cap bounds
/// memory and the report.
const MAX_SUITE_NAME_BYTES: usize = 2_048;

/// What a `status` or `result` attribute says; `None` if it is not known. A list of what producers write
/// (GoogleTest, CTest, Catch2, Mocha, Jenkins, NUnit converters). Letter case, spaces, `-` and `_` do not count;
/// any other character does, so that `!ok` is not taken for `ok`.
fn outcome_of_status(status: &str) -> Option<Outcome> {
    let plain: String = status.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_')).collect();
    match plain.to_lowercase().as_str() {
        "run" | "pass" | "passed" | "success" | "successful" | "succeeded" | "ok" | "completed" | "executed"
        | "finished" | "fixed" => Some(Outcome::Pass),
        "fail" | "failed" | "failure" | "error" | "errored" | "broken" | "timeout" | "timedout" | "crashed"
        | "aborted" => Some(Outcome::Fail),
        "notrun" | "notexecuted" | "disabled" | "skip" | "skipped" | "ignored" | "pending" | "suppressed" | "todo"
        | "undefined" | "untested" | "nottested" | "inconclusive" => Some(Outcome::NotTested),
        _ => None,
    }
}

/// What the attributes of a case say about its outcome.
#[derive(Default)]
pub(super) struct Stated {
    outcome: Option<Outcome>,
    /// What to tell if nothing else says why.
    problems: Vec<String>,
    /// True if a status is not known. What is not known to have passed did not pass, but a `skipped` explains it.
    unknown: bool,
}

impl Stated {
    pub(super) fn of(case: &RawCase) -> Self {
        let mut stated = Self::default();
        for status in &case.status {
            // Of several, the worst: a case that says `completed` and `failed` failed.
            if let Some(outcome) = outcome_of_status(status) {
                stated.outcome = Some(worse(stated.outcome, outcome));
            } else {
                stated.unknown = true;
                stated.problems.push(format!("status \"{status}\""));
            }
        }
        if stated.outcome == Some(Outcome::Fail) {
            stated.problems = vec![format!("status is `{}`, and nothing says why", case.status.join("`, `"))];
        }
        if let Some(word) = &case.no_success {
            stated.outcome = Some(Outcome::Fail);
            stated.problems.push(format!("success is `{word}`, and nothing says why"));
        }
        if case.not_executed {
            stated.outcome = Some(worse(stated.outcome, Outcome::NotTested));
        }
        if stated.unknown && case.skipped.is_none() {
            stated.outcome = Some(Outcome::Fail);
        }
        stated
    }
}

pub(super) fn has(case: &RawCase, wanted: impl Fn(ProblemKind) -> bool) -> bool {
    case.problems.iter().any(|problem| wanted(problem.kind))
}

/// The outcome of one entry: its elements and its attributes together.
pub(super) fn outcome_of(case: &RawCase, stated: &Stated) -> Outcome {
    if has(case, |kind| kind != ProblemKind::Flaky) || stated.outcome == Some(Outcome::Fail) {
        Outcome::Fail
    } else if case.skipped.is_some() || stated.outcome == Some(Outcome::NotTested) {
        // An attempt that failed and no later one that passed.
        if has(case, |kind| kind == ProblemKind::Flaky) { Outcome::Fail } else { Outcome::NotTested }
    } else {
        Outcome::Pass
    }
}

/// All drafts of one file, in the order of the document: a suite's own before those of its cases.
pub(super) fn drafts(
    mut file: RawFile,
    source: Source<'_>,
    input: usize,
    incomplete: &mut Vec<String>,
    warnings: &mut Warnings,
) -> Result<Vec<Draft>, ImportError> {
    let paths = suite_paths(&file.suites, source)?;
    let hints = suite_hints(&file.suites, source)?;
    let hidden = hidden_failures(&file, source, warnings);
    missing_tests(&file, &paths, source, incomplete, warnings);
    lone_case_output(&mut file);
    let mut lines = LineCursor::new(source);
    let mut found = Vec::new();
    for (index, suite) in file.suites.iter_mut().enumerate() {
        if suite.problems.is_empty() && hidden[index].is_none() {
            continue;
        }
        let place = lines.place(suite.at);
        // Suites without a name in two files are two suites.
        let file = if paths[index].is_empty() { source_name(source.file) } else { String::new() };
        let failing = |tail, attempts| Draft {
            key: CaseKey { suites: Arc::clone(&paths[index]), tail },
            attempts,
            outcome: Outcome::Fail,
            flaky: false,
            hints: hints[index].clone(),
            input,
            place: place.clone(),
        };
        if !suite.problems.is_empty() {
            let problems = std::mem::take(&mut suite.problems);
            let output = (std::mem::take(&mut suite.stdout), std::mem::take(&mut suite.stderr));
            let tail = Tail::Suite { file: file.clone() };
            found.push((suite.at, failing(tail, attempts(problems, None, output, None, None))));
        }
        if let Some(problem) = &hidden[index] {
            let attempt = Attempt { outcome: Outcome::Fail, problems: vec![problem.clone()], ..Attempt::default() };
            found.push((suite.at, failing(Tail::Hidden { file }, vec![attempt])));
        }
    }
    let mut lines = LineCursor::new(source);
    for case in file.cases {
        let at = case.at;
        let place = lines.place(at);
        let mut all = hints[case.suite].clone();
        add_hints(&mut all, &case.hints, source)?;
        let suite_file = &file.suites[case.suite].file;
        let key = CaseKey {
            suites: Arc::clone(&paths[case.suite]),
            tail: Tail::Case {
                class: case.class.clone(),
                name: case.name.clone(),
                file: if case.file.is_empty() { suite_file.clone() } else { case.file.clone() },
            },
        };
        found.push((at, draft(case, key, all, input, place, source, warnings)));
    }
    // Suites and cases are each in document order; a stable sort weaves the two.
    found.sort_by_key(|(at, _)| *at);
    Ok(found.into_iter().map(|(_, draft)| draft).collect())
}

fn draft(
    case: RawCase,
    key: CaseKey,
    hints: Hints,
    input: usize,
    place: Place,
    source: Source<'_>,
    warnings: &mut Warnings,
) -> Draft {
    let stated = Stated::of(&case);
    for status in case.status.iter().filter(|status| outcome_of_status(status).is_none()) {
        let message = || format!("status `{status}` is not known; it is no pass");
        warnings.add("unknown-status", source.file, || place.clone(), message);
    }
    let failed = has(&case, |kind| kind != ProblemKind::Flaky);
    let flaky = has(&case, |kind| kind == ProblemKind::Flaky);
    let outcome = outcome_of(&case, &stated);
    let attempt = |problems| Some(Attempt { outcome, problems, ..Attempt::default() });
    let last = match outcome {
        Outcome::NotTested => attempt(vec![skip_text(&case)]),
        Outcome::Pass => attempt(Vec::new()),
        // The attempts that failed say why.
        _ if failed || (flaky && stated.outcome != Some(Outcome::Fail)) => None,
        _ => attempt(stated.problems),
    };
    let attempts = attempts(case.problems, last, (case.stdout, case.stderr), case.milliseconds, case.skipped.as_ref());
    Draft { key, attempts, outcome, flaky, hints, input, place }
}

fn worse(a: Option<Outcome>, b: Outcome) -> Outcome {
    match (a, b) {
        (Some(Outcome::Fail), _) | (_, Outcome::Fail) => Outcome::Fail,
        (Some(Outcome::NotTested), _) | (_, Outcome::NotTested) => Outcome::NotTested,
        _ => b,
    }
}

fn skip_text(case: &RawCase) -> String {
    match &case.skipped {
        Some(skipped) => skipped_text(skipped),
        None if case.not_executed => "not run: executed is `false`".to_owned(),
        None => format!("not run: status `{}`", case.status.join("`, `")),
    }
}

fn skipped_text((head, body): &(String, String)) -> String {
    let body = body.trim();
    match (head.is_empty(), body.is_empty()) {
        (true, true) => "skipped".to_owned(),
        (false, true) => format!("skipped: {head}"),
        (true, false) => format!("skipped: {body}"),
        (false, false) if head.contains(body) => format!("skipped: {head}"),
        (false, false) => format!("skipped: {head}\n{body}"),
    }
}

/// The attempts of one `testcase` or suite, in the order in which they ran: those that were retried and passed in
/// the end, the one that the element itself describes, further ones that failed too.
fn attempts(
    problems: Vec<Problem>,
    last: Option<Attempt>,
    (stdout, stderr): (String, String),
    milliseconds: Option<f64>,
    skipped: Option<&(String, String)>,
) -> Vec<Attempt> {
    let (mut before, mut own, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for problem in problems {
        match problem.kind {
            ProblemKind::Flaky => before.push(failed_attempt(vec![problem])),
            ProblemKind::Rerun => after.push(failed_attempt(vec![problem])),
            ProblemKind::Failure | ProblemKind::Error => own.push(problem),
        }
    }
    let main = if own.is_empty() { last } else { Some(failed_attempt(own)) };
    let has_main = main.is_some();
    let mut all = before;
    all.extend(main);
    let main_at = all.len().saturating_sub(1);
    all.append(&mut after);
    // Without an attempt of its own, the element describes its last retry.
    let main_at = if has_main { main_at } else { all.len().saturating_sub(1) };
    if let Some(main) = all.get_mut(main_at) {
        if let Some(skipped) = skipped.filter(|_| main.outcome == Outcome::Fail) {
            main.problems.push(format!("also marked as {}", skipped_text(skipped)));
        }
        push_line(&mut main.stdout, &stdout);
        push_line(&mut main.stderr, &stderr);
        main.milliseconds = main.milliseconds.or(milliseconds);
    }
    all
}

fn failed_attempt(problems: Vec<Problem>) -> Attempt {
    let mut attempt = Attempt { outcome: Outcome::Fail, ..Attempt::default() };
    let mut seen = HashSet::new();
    for problem in problems {
        let (text, cut) = problem_text(&problem);
        if cut && !problem.body.contains(problem.message.trim()) {
            push_line(&mut attempt.stderr, problem.message.trim_matches('\n'));
        }
        if seen.insert(text.clone()) {
            attempt.problems.push(text);
        }
        push_line(&mut attempt.stderr, problem.body.trim_matches('\n'));
        push_line(&mut attempt.stdout, &problem.stdout);
        push_line(&mut attempt.stderr, &problem.stderr);
        attempt.milliseconds = attempt.milliseconds.or(problem.milliseconds);
    }
    attempt
}

fn push_line(text: &mut String, more: &str) {
    if more.trim().is_empty() {
        return;
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(more);
}

/// The names of the suites around and including each suite; those without a name are left out.
fn suite_paths(suites: &[RawSuite], source: Source<'_>) -> Result<Vec<Arc<Vec<String>>>, ImportError> {
    let mut paths: Vec<Arc<Vec<String>>> = Vec::with_capacity(suites.len());
    for suite in suites {
        if suite.file.len() > MAX_SUITE_NAME_BYTES {
            let message = format!("the file of a suite is longer than {MAX_SUITE_NAME_BYTES} bytes");
            return Err(source.error(suite.at, message));
        }
        let parent = suite.parent.map_or_else(Arc::default, |parent| Arc::clone(&paths[parent]));
        if suite.name.is_empty() {
            paths.push(parent);
            continue;
        }
        let mut path = parent.as_ref().clone();
        path.push(suite.name.clone());
        if path.iter().map(String::len).sum::<usize>() > MAX_SUITE_NAME_BYTES {
            let message = format!("the names of nested suites are longer than {MAX_SUITE_NAME_BYTES} bytes together");
            return Err(source.error(suite.at, message));
        }
        paths.push(Arc::new(path));
    }
    Ok(paths)
}

/// Hints of each suite, with those of the suites around it. A category of an inner suite wins.
fn suite_hints(suites: &[RawSuite], source: Source<'_>) -> Result<Vec<Hints>, ImportError> {
    let mut all: Vec<Hints> = Vec::with_capacity(suites.len());
    for suite in suites {
        let mut hints = suite.parent.map_or_else(Hints::default, |parent| all[parent].clone());
        add_hints(&mut hints, &suite.hints, source)?;
        all.push(hints);
    }
    Ok(all)
}

fn add_hints(hints: &mut Hints, own: &[Hint], source: Source<'_>) -> Result<(), ImportError> {
    let mut category: Option<&str> = None;
    let mut bytes = hints.bytes();
    for hint in own.iter().filter(|hint| !hint.value.is_empty()) {
        bytes += hint.value.len();
        if bytes > MAX_HINT_BYTES {
            let message = format!(
                "the properties seam, claim, risk and category are longer than {MAX_HINT_BYTES} bytes together"
            );
            return Err(source.error(hint.at, message));
        }
        match hint.name {
            HintName::Seam => hints.add_seam(&hint.value),
            HintName::Claim => hints.add_claim(&hint.value),
            HintName::Risk => hints.add_risk(&hint.value),
            HintName::Category => match category {
                Some(first) if first != hint.value => {
                    let message = format!("two categories for one case: `{first}` and `{}`", hint.value);
                    return Err(source.error(hint.at, message).hint("a failure has exactly one root cause; keep one"));
                }
                _ => category = Some(&hint.value),
            },
        }
    }
    if let Some(category) = category {
        hints.category = Some(category.to_owned());
    }
    Ok(())
}

/// Bazel and others write the output of the only case beside it, into the suite. With more cases nobody knows
/// whose output it is, so it stays out of the evidence of every one.
fn lone_case_output(file: &mut RawFile) {
    let mut only: Vec<Option<usize>> = vec![None; file.suites.len()];
    let mut several = vec![false; file.suites.len()];
    for (index, case) in file.cases.iter().enumerate() {
        several[case.suite] |= only[case.suite].is_some();
        only[case.suite] = Some(index);
    }
    for (suite, case) in only.into_iter().enumerate() {
        if let (Some(case), false, true) = (case, several[suite], file.suites[suite].problems.is_empty()) {
            let (stdout, stderr) =
                (std::mem::take(&mut file.suites[suite].stdout), std::mem::take(&mut file.suites[suite].stderr));
            push_line(&mut file.cases[case].stdout, &stdout);
            push_line(&mut file.cases[case].stderr, &stderr);
        }
    }
}

/// Line and column of offsets that only grow, in one pass over the text.
struct LineCursor<'t> {
    source: Source<'t>,
    line: usize,
    column: usize,
    done: usize,
}

impl<'t> LineCursor<'t> {
    const fn new(source: Source<'t>) -> Self {
        Self { source, line: 1, column: 1, done: 0 }
    }

    fn place(&mut self, at: usize) -> Place {
        let passed = self.source.text.get(self.done..at).unwrap_or_default();
        match passed.rfind('\n') {
            Some(last) => {
                self.line += passed.bytes().filter(|byte| *byte == b'\n').count();
                self.column = passed[last + 1..].chars().count() + 1;
            }
            None => self.column += passed.chars().count(),
        }
        self.done = self.done.max(at);
        Place { line: Some(self.line), column: Some(self.column), ..Place::file(self.source.file) }
    }
}
