//! Joins the reports of shards to the report of the whole, and says why if they are not the whole.
//!
//! A case is judged afresh from the trials that its shard shows, and so is everything that follows from all cases
//! together (counts, claims, readiness). What a shard says against its own trials or against the fixture is a reason
//! why the whole is incomplete. A case that no shard has is NOT_TESTED, so that it is not lost. A report that was forged
//! with care, trials and all, cannot be told from a real one.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::assemble::{Surroundings, conclude, header};
use super::gate::gate;
use super::manifest::{Case, Manifest};
use super::outcome::{TrialVerdict, judge_case};
use super::provenance::provenance;
use super::shard::{Part, union};
use crate::model::{Outcome, display_safe};
use crate::report::{OwnedCase, OwnedRepo, OwnedReport};

/// A report of a shard, as far as joining needs it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ShardReport {
    /// What people call it.
    #[serde(skip)]
    pub file: String,
    fixture_sha256: Option<String>,
    repo: OwnedRepo,
    claims_coverage: Option<String>,
    shard: Option<serde_json::Value>,
    incomplete_because: Vec<String>,
    runner_version: Option<String>,
    environment_lock_digest: Option<String>,
    trials_planned: Option<u32>,
    timeout_override_s: Option<String>,
    cases: Vec<OwnedCase>,
}

impl ShardReport {
    /// Reads a report of a shard. `file` is what people call it.
    ///
    /// # Errors
    /// If it is not JSON of that shape.
    pub fn parse(file: String, bytes: &[u8]) -> Result<Self, serde_json::Error> {
        Ok(Self { file, ..serde_json::from_slice(bytes)? })
    }
}

/// Joins the parts. `around` has run id, time and source of the joined report.
pub fn merge(
    manifest: &Manifest,
    parts: Vec<ShardReport>,
    around: Surroundings,
    today: jiff::civil::Date,
) -> OwnedReport {
    let described: Vec<Part> = parts
        .iter()
        .map(|part| Part {
            file: part.file.clone(),
            fixture_sha256: part.fixture_sha256.clone(),
            repo_sha: part.repo.sha.clone(),
            cases: part.cases.iter().map(|case| case.name.clone()).collect(),
            incomplete_because: part.incomplete_because.clone(),
        })
        .collect();
    let names: Vec<&str> = manifest.cases.iter().map(|case| case.name.as_str()).collect();
    let joined = union(&manifest.fixture_sha256, &names, &described);
    let mut incomplete = joined.incomplete_because;
    incomplete.extend(disagreements(&parts));
    let trials = parts.iter().find_map(|part| part.trials_planned).unwrap_or(manifest.trials);
    let first = parts.first().cloned().unwrap_or_default();
    let dirty = if parts.iter().any(|part| part.repo.dirty == Some(true)) { Some(true) } else { first.repo.dirty };
    let same = |field: fn(&ShardReport) -> &Option<String>| {
        let values: BTreeSet<&Option<String>> = parts.iter().map(field).collect();
        values.into_iter().next().filter(|_| parts.iter().all(|part| field(part) == field(&first))).cloned().flatten()
    };
    let around = Surroundings {
        repo: OwnedRepo { dirty, ..first.repo.clone() },
        environment_lock_digest: same(|part| &part.environment_lock_digest),
        timeout_override: same(|part| &part.timeout_override_s),
        incomplete_because: incomplete,
        ..around
    };
    let run_id = around.run_id.clone();
    let files: Vec<String> = parts.iter().map(|part| part.file.clone()).collect();
    let mut report = OwnedReport { trials_planned: Some(trials), ..header(manifest, around) };
    let mut parts: Vec<Vec<Option<OwnedCase>>> =
        parts.into_iter().map(|part| part.cases.into_iter().map(Some).collect()).collect();
    for (place, (name, from)) in joined.taken_from.iter().enumerate() {
        let held = from.and_then(|part| {
            parts[part].iter_mut().find(|case| case.as_ref().is_some_and(|case| case.name == *name))?.take()
        });
        let planned = &manifest.cases[place];
        let is_held = held.is_some();
        let mut case = held.unwrap_or_else(|| OwnedCase {
            name: name.clone(),
            kind: planned.case_type.as_str().to_owned(),
            required: planned.required,
            problems: vec!["no shard ran it".to_owned()],
            argv: planned.command.clone(),
            supports_claims: planned.supports_claims.clone(),
            seams: planned.seams.clone(),
            ..OwnedCase::default()
        });
        if is_held {
            let file = from.map_or("", |part| files[part].as_str());
            let against = judge_again(&mut case, planned, trials);
            let plain = |text: &str| display_safe(text).into_owned();
            report.incomplete_because.extend(
                against.iter().map(|why| format!("{} contradicts itself about {}: {why}", plain(file), plain(name))),
            );
        }
        case.case_id = format!("{run_id}-c{place:03}");
        for (number, trial) in case.trials.iter_mut().enumerate() {
            trial.trial_id = format!("{}-t{number}", case.case_id);
        }
        report.cases.push(case);
    }
    conclude(&mut report, manifest, &gate(manifest, trials), today);
    report
}

/// Judges a case by its trials, and takes over what the fixture says of it. Returns what its report says against them.
fn judge_again(case: &mut OwnedCase, planned: &Case, trials: u32) -> Vec<String> {
    let mut against = Vec::new();
    let origin = provenance(planned);
    let same = |stated: &Option<String>, now: &str| stated.as_deref() == Some(now);
    if !same(&case.test_source_sha256, &origin.test_source_sha256) {
        against.push("it ran another test than the fixture has".to_owned());
    }
    if !same(&case.oracle_sha256, &origin.oracle_sha256) {
        against.push("it was judged by other expectations than the fixture has".to_owned());
    }
    for (number, trial) in case.trials.iter_mut().enumerate() {
        let expected = i32::try_from(planned.expected.exit_code).ok();
        let is_clean = trial.problems.is_empty() && trial.exit_code == expected && !trial.timed_out;
        if trial.outcome == Outcome::Pass && !(is_clean && trial.orphan_pids_after_teardown.is_empty()) {
            against.push(format!("trial {} passed, and what is told of it did not", number + 1));
            trial.outcome = Outcome::Fail;
        }
    }
    let verdicts: Vec<TrialVerdict> = case
        .trials
        .iter()
        .map(|trial| TrialVerdict {
            outcome: trial.outcome,
            problems: trial.problems.clone(),
            infra_blocked: trial.outcome == Outcome::Blocked,
        })
        .collect();
    let integrity: Vec<String> = origin.eligibility.integrity_errors.iter().map(|code| (*code).to_owned()).collect();
    let verdict = judge_case(&verdicts, trials as usize, &integrity);
    if verdict.outcome != case.outcome {
        let (stated, shown) = (case.outcome.as_str(), verdict.outcome.as_str());
        against.push(format!("it says {stated}, and its trials say {shown}"));
    }
    if (case.passed_trials, case.total_trials) != (verdict.passed_trials, verdict.total_trials) {
        let stated = format!("{} of {}", case.passed_trials, case.total_trials);
        against.push(format!(
            "it says that {stated} trials passed, and shows {} of {}",
            verdict.passed_trials, verdict.total_trials
        ));
    }
    case.outcome = verdict.outcome;
    case.observed_outcome = verdict.observed_outcome;
    case.passed_trials = verdict.passed_trials;
    case.total_trials = verdict.total_trials;
    case.flaky = verdict.flaky;
    // A shard cannot make a case less important than the fixture says, nor evidence for another claim.
    case.required = planned.required;
    case.supports_claims.clone_from(&planned.supports_claims);
    case.seams.clone_from(&planned.seams);
    case.argv.clone_from(&planned.command);
    against
}

/// Shards that were made in different ways are no run.
fn disagreements(parts: &[ShardReport]) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut compare = |what: &str, values: BTreeSet<String>| {
        if values.len() > 1 {
            let list: Vec<String> = values.iter().map(|value| display_safe(value).into_owned()).collect();
            reasons.push(format!("the parts have different {what}: {}", list.join(", ")));
        }
    };
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    compare("runners", parts.iter().map(|part| text(&part.runner_version)).collect());
    compare("environment locks", parts.iter().map(|part| text(&part.environment_lock_digest)).collect());
    compare("time-outs", parts.iter().map(|part| text(&part.timeout_override_s)).collect());
    let trials =
        |part: &ShardReport| part.trials_planned.map_or_else(|| "none".to_owned(), |trials| trials.to_string());
    compare("numbers of trials", parts.iter().map(trials).collect());
    for part in parts {
        if part.shard.is_none() {
            let coverage = part.claims_coverage.as_deref().unwrap_or("unknown");
            let file = display_safe(&part.file);
            reasons.push(format!("{file} is no shard; it says that it covers: {}", display_safe(coverage)));
        }
    }
    reasons
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
