//! Drafts of cases → a report. Shared by every importer: grouping attempts into cases, unique names, counts, and
//! honest words about what such a report proves.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::error::{ImportError, Warnings};
use super::inputs::{Input, source_name};
use super::name::unique_names;
use crate::diag::{Diagnostic, Place};
use crate::model::{Digest, Hasher, Outcome, Readiness};
use crate::report::owned::{OwnedCase, OwnedClaims, OwnedRepo, OwnedReport, OwnedTrial};

/// An imported report, and what is worth knowing about the import.
#[derive(Debug)]
pub struct Imported {
    /// The report.
    pub report: OwnedReport,
    /// What was odd in the files, sorted by file; at most one entry per file and rule.
    pub warnings: Vec<Diagnostic>,
    /// Counts for people.
    pub summary: Summary,
}

/// Counts for people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files read.
    pub files: usize,
    /// Cases in the report.
    pub cases: usize,
    /// Cases that failed, flaky ones among them.
    pub failing: usize,
    /// Cases whose trials disagree, passed or failed.
    pub flaky: usize,
    /// Cases that did not run.
    pub skipped: usize,
    /// Trials of all cases.
    pub trials: usize,
}

/// What an importer knows about the run besides its cases.
pub(super) struct Repository {
    pub(super) sha: Option<String>,
    pub(super) reference: Option<String>,
    pub(super) generated_at: Option<String>,
}

/// Identity of a case in the files: equal keys are trials of one case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CaseKey {
    pub(super) suites: Arc<Vec<String>>,
    pub(super) tail: Tail,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Tail {
    /// A failure of the suite itself. The file only if the suite has no name.
    Suite {
        file: String,
    },
    /// Failures that the suite claims and does not show. The file as above.
    Hidden {
        file: String,
    },
    Case {
        class: String,
        name: String,
        file: String,
    },
}

/// One attempt to run a case.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) outcome: Outcome,
    pub(super) problems: Vec<String>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) milliseconds: Option<f64>,
}

impl Default for Attempt {
    fn default() -> Self {
        Self {
            outcome: Outcome::NotTested,
            problems: Vec::new(),
            stdout: String::new(),
            stderr: String::new(),
            milliseconds: None,
        }
    }
}

/// What a producer's annotations say about a case. Order of first mention, without repeats.
#[derive(Debug, Clone, Default)]
pub(super) struct Hints {
    pub(super) seams: Vec<String>,
    pub(super) claims: Vec<String>,
    pub(super) risks: Vec<String>,
    pub(super) category: Option<String>,
}

impl Hints {
    /// Bytes of everything in it.
    pub(super) fn bytes(&self) -> usize {
        let lists = [&self.seams, &self.claims, &self.risks];
        lists.iter().flat_map(|list| list.iter()).chain(&self.category).map(String::len).sum()
    }

    pub(super) fn add_seam(&mut self, value: &str) {
        add_once(&mut self.seams, value);
    }

    pub(super) fn add_claim(&mut self, value: &str) {
        add_once(&mut self.claims, value);
    }

    pub(super) fn add_risk(&mut self, value: &str) {
        add_once(&mut self.risks, value);
    }
}

/// Only for the hints of one entry, which are few: their bytes are capped.
fn add_once(list: &mut Vec<String>, value: &str) {
    if !list.iter().any(|known| known == value) {
        list.push(value.to_owned());
    }
}

/// One entry of a foreign file, with its attempts.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) key: CaseKey,
    pub(super) attempts: Vec<Attempt>,
    /// The entry's outcome in the eyes of its producer: a retried case that passed in the end is a pass.
    pub(super) outcome: Outcome,
    /// True if the producer itself says that attempts disagreed.
    pub(super) flaky: bool,
    pub(super) hints: Hints,
    /// Index of the input that it stands in.
    pub(super) input: usize,
    pub(super) place: Place,
}

/// Builds the report. `prefix` starts the run id; `format` names the format in texts; `incomplete_because` says what
/// the files are known not to show.
pub(super) fn build(
    prefix: &str,
    format: &str,
    inputs: &[Input],
    drafts: Vec<Draft>,
    repository: Repository,
    incomplete_because: Vec<String>,
    mut warnings: Warnings,
) -> Result<Imported, ImportError> {
    let groups = group(drafts, inputs, &mut warnings)?;
    let names = unique_names(&groups.iter().map(|group| &group.key).collect::<Vec<_>>());
    let run_id = format!("{prefix}-{}", content_digest(inputs).short());
    let cases: Vec<OwnedCase> =
        groups.into_iter().zip(names).enumerate().map(|(n, (group, name))| case(group, name, &run_id, n)).collect();
    if cases.is_empty() {
        let place = || Place::file(inputs.first().map_or("", |input| input.name.as_str()));
        let file = inputs.first().map_or("", |input| input.name.as_str());
        warnings.add("no-cases", file, place, || "no case in any file: the report can never be green".to_owned());
    }
    let readiness = readiness(&cases, incomplete_because.is_empty());
    let mut report = OwnedReport {
        source: inputs.iter().map(|input| source_name(&input.name)).collect::<Vec<_>>().join(", "),
        run_id,
        repo: OwnedRepo { sha: repository.sha, reference: repository.reference, dirty: None },
        proof_scope: format!(
            "outcomes as their producer wrote them in {format}; that nothing was mocked, or ran live, is not known"
        ),
        claims: OwnedClaims {
            proves: format!("the producer of the {format} files recorded these outcomes"),
            does_not_prove: "that the tests ran on the named commit, and what they do not check".to_owned(),
        },
        what_was_exercised: format!("the tests that the {format} files name"),
        what_remains_unverified: "tests that the files do not name, and every skipped one".to_owned(),
        readiness,
        case_readiness: readiness,
        incomplete_because,
        generated_at: repository.generated_at,
        cases,
        ..OwnedReport::default()
    };
    report.count();
    let summary = Summary {
        files: inputs.len(),
        cases: report.case_count,
        failing: report.outcome_counts.fail,
        flaky: report.cases.iter().filter(|case| case.flaky).count(),
        skipped: report.outcome_counts.not_tested,
        trials: report.trial_count,
    };
    Ok(Imported { report, warnings: warnings.into_diagnostics(), summary })
}

/// The same files in the same order give the same id; their names do not count.
fn content_digest(inputs: &[Input]) -> Digest {
    let mut hasher = Hasher::new();
    hasher.update(b"greenloop.import.v1\0");
    for input in inputs {
        hasher.update(Digest::of(&input.bytes).as_bytes());
    }
    hasher.finish()
}

struct Group {
    key: CaseKey,
    attempts: Vec<Attempt>,
    outcome: Outcome,
    flaky: bool,
    hints: Hints,
    /// What `hints` holds, made when a second draft brings hints: one name may stand in a file a million times.
    known: Option<HashSet<(List, String)>>,
    input: usize,
}

/// The lists of [`Hints`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum List {
    Seams,
    Claims,
    Risks,
}

impl Group {
    fn add_hints(&mut self, more: Hints) {
        let Hints { seams, claims, risks, category } = more;
        self.add_list(List::Seams, seams);
        self.add_list(List::Claims, claims);
        self.add_list(List::Risks, risks);
        if self.hints.category.is_none() {
            self.hints.category = category;
        }
    }

    fn add_list(&mut self, list: List, more: Vec<String>) {
        if more.is_empty() {
            return;
        }
        let hints = &mut self.hints;
        let known = self.known.get_or_insert_with(|| {
            let of = |list, values: &[String]| values.iter().map(|v| (list, v.clone())).collect::<Vec<_>>();
            let all = [of(List::Seams, &hints.seams), of(List::Claims, &hints.claims), of(List::Risks, &hints.risks)];
            all.into_iter().flatten().collect()
        });
        let values = match list {
            List::Seams => &mut hints.seams,
            List::Claims => &mut hints.claims,
            List::Risks => &mut hints.risks,
        };
        values.extend(more.into_iter().filter(|value| known.insert((list, value.clone()))));
    }
}

/// Joins drafts with equal keys, in the order of their first appearance.
fn group(drafts: Vec<Draft>, inputs: &[Input], warnings: &mut Warnings) -> Result<Vec<Group>, ImportError> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<CaseKey, usize> = HashMap::new();
    for draft in drafts {
        let Some(group) = known.get(&draft.key).and_then(|index| groups.get_mut(*index)) else {
            known.insert(draft.key.clone(), groups.len());
            let Draft { key, attempts, outcome, flaky, hints, input, .. } = draft;
            groups.push(Group { key, attempts, outcome, flaky, hints, known: None, input });
            continue;
        };
        if group.input != draft.input {
            let other = inputs.get(group.input).map_or("", |input| input.name.as_str());
            let place = draft.place.clone();
            let message = || format!("a case of this file also stands in {other}: taken as trials of one case");
            warnings.add("case-in-several-files", &draft.place.file, || place, message);
        }
        if let (Some(first), Some(second)) = (&group.hints.category, &draft.hints.category)
            && first != second
        {
            let message = format!("two categories for one case: `{first}` before, `{second}` here");
            return Err(ImportError::at(draft.place, message).hint("a failure has exactly one root cause; keep one"));
        }
        group.add_hints(draft.hints);
        group.flaky |= draft.flaky;
        group.outcome = joined(group.outcome, draft.outcome);
        group.attempts.extend(draft.attempts);
    }
    Ok(groups)
}

/// Of several entries one failure makes the case fail, whatever their order: which of them is a retry is not
/// written anywhere. A skipped entry is evidence of nothing beside one that ran.
const fn joined(a: Outcome, b: Outcome) -> Outcome {
    match (a, b) {
        (Outcome::Fail, _) | (_, Outcome::Fail) => Outcome::Fail,
        (Outcome::Blocked, _) | (_, Outcome::Blocked) => Outcome::Blocked,
        (Outcome::Pass, _) | (_, Outcome::Pass) => Outcome::Pass,
        _ => Outcome::NotTested,
    }
}

fn case(group: Group, name: String, run_id: &str, index: usize) -> OwnedCase {
    let case_id = format!("{run_id}-c{index:03}");
    let total = group.attempts.len();
    let with = |outcome| group.attempts.iter().filter(|attempt| attempt.outcome == outcome).count();
    let (passed, failed, blocked) = (with(Outcome::Pass), with(Outcome::Fail), with(Outcome::Blocked));
    let times: Vec<f64> = group.attempts.iter().filter_map(|attempt| attempt.milliseconds).collect();
    let flaky = group.flaky || (passed > 0 && failed > 0);
    // A pass has no problem; those of its earlier attempts stay with the trials.
    let mut seen = HashSet::new();
    let problems = group
        .attempts
        .iter()
        .filter(|attempt| attempt.outcome == group.outcome)
        .flat_map(|attempt| &attempt.problems)
        .filter(|problem| seen.insert(problem.as_str()))
        .cloned()
        .collect();
    let trials = group.attempts.into_iter().enumerate().map(|(n, attempt)| trial(attempt, &case_id, n)).collect();
    OwnedCase {
        name,
        kind: "positive".to_owned(),
        case_id,
        required: group.outcome != Outcome::NotTested,
        outcome: group.outcome,
        observed_outcome: group.outcome,
        problems,
        argv: Vec::new(),
        passed_trials: passed,
        total_trials: total,
        pass_rate: ratio(passed, passed + failed),
        avg_latency_ms: mean(&times),
        flaky,
        infra_blocked_trials: blocked,
        declared_evidence_class: None,
        evidence_class_default: None,
        effective_evidence_class: None,
        live_qualified: false,
        evidence_disqualifiers: Vec::new(),
        supports_claims: group.hints.claims,
        seams: group.hints.seams,
        risks: group.hints.risks,
        category: group.hints.category,
        category_id: None,
        execution_mode: None,
        execution_provenance: None,
        test_source_sha256: None,
        oracle_sha256: None,
        evidence_eligibility: None,
        trials,
    }
}

fn trial(attempt: Attempt, case_id: &str, index: usize) -> OwnedTrial {
    OwnedTrial {
        trial_id: format!("{case_id}-t{index}"),
        outcome: attempt.outcome,
        problems: attempt.problems,
        exit_code: None,
        stdout: attempt.stdout,
        stderr: attempt.stderr,
        duration_ms: attempt.milliseconds.unwrap_or(0.0),
        timed_out: false,
        orphan_pids_after_teardown: Vec::new(),
        artifact_hashes: std::collections::BTreeMap::new(),
        execution_provenance: None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of trials are far below 2^52")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[expect(clippy::cast_precision_loss, reason = "counts of trials are far below 2^52")]
fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { (values.iter().sum::<f64>() / values.len() as f64 * 1_000.0).round() / 1_000.0 }
}

/// A flaky case is never green, so a report with one is not READY; one where nothing ran says nothing, and
/// neither does one that does not show the whole run, unless something in it fails.
fn readiness(cases: &[OwnedCase], complete: bool) -> Readiness {
    let any = |outcome| cases.iter().any(|case| case.outcome == outcome);
    if any(Outcome::Fail) || any(Outcome::Blocked) {
        Readiness::NotReady
    } else if !complete || !any(Outcome::Pass) {
        Readiness::NotEstablished
    } else if cases.iter().any(|case| case.flaky) {
        Readiness::UsableWithGaps
    } else {
        Readiness::Ready
    }
}
