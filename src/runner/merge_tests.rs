//! Shards, run and merged, are the whole run; anything less says so.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::{Outcome, Readiness};
use crate::report::OwnedReport;
use crate::runner::assemble;
use crate::runner::gate::GateVerdict;
use crate::runner::observation::Ended;
use crate::runner::outcome::TrialVerdict;
use crate::runner::schedule::{RanCase, RanTrial};
use crate::runner::select::Selection;
use crate::runner::shard::Shard;
use crate::runner::testing::{case, manifest};

fn today() -> jiff::civil::Date {
    jiff::civil::date(2026, 12, 1)
}

fn trial(outcome: Outcome) -> RanTrial {
    let problems = if outcome == Outcome::Pass { Vec::new() } else { vec!["exit_code 1 != 0".to_owned()] };
    RanTrial {
        verdict: TrialVerdict { outcome, problems, infra_blocked: outcome == Outcome::Blocked },
        ended: Ended::Exited(i32::from(outcome != Outcome::Pass)),
        stdout: "out".to_owned(),
        stderr: String::new(),
        duration: Duration::from_millis(7),
        orphan_pids: Vec::new(),
        artifact_hashes: Vec::new(),
    }
}

/// A fixture with so many cases, two claims over them.
fn fixture(cases: usize) -> Manifest {
    let cases: Vec<_> = (0..cases)
        .map(|place| {
            case(
                &format!("c{place}"),
                json!({
                    "type": (["positive", "negative", "adversarial"][place % 3]),
                    "evidence_class": "deterministic",
                    "supports_claims": [(["k1", "k2"][place % 2])],
                    "required": place % 5 != 4,
                }),
            )
        })
        .collect();
    let claim = |id: &str| json!({"id": id, "evidence_required": ["deterministic"]});
    manifest(&cases, json!({"capability_claims": [claim("k1"), claim("k2")]}))
}

fn around(run_id: &str) -> Surroundings {
    Surroundings {
        source: "f.json".to_owned(),
        run_id: run_id.to_owned(),
        generated_at: "2026-12-01T00:00:00Z".to_owned(),
        repo: OwnedRepo { sha: Some("abc".to_owned()), reference: None, dirty: Some(false) },
        ..Surroundings::default()
    }
}

fn report(manifest: &Manifest, selection: &Selection, outcomes: &[[Outcome; 2]], run_id: &str) -> OwnedReport {
    let ran: Vec<RanCase> = selection
        .cases
        .iter()
        .map(|place| RanCase { place: *place, trials: outcomes[*place].iter().map(|one| trial(*one)).collect() })
        .collect();
    let open = GateVerdict { exempt: None, violations: Vec::new() };
    assemble(manifest, selection, &ran, 2, &open, around(run_id), today())
}

fn parsed(file: &str, report: &OwnedReport) -> ShardReport {
    ShardReport::parse(file.to_owned(), report.to_json().unwrap().as_bytes()).unwrap()
}

/// The report without what the gate says, which here is about a fixture of one program.
fn ungated(mut report: OwnedReport) -> OwnedReport {
    report.gate = None;
    report.readiness_reasons.retain(|reason| !reason.starts_with("gate "));
    report.readiness = report.case_readiness.max(report.capability_readiness.unwrap_or(Readiness::Ready));
    report
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![4 => Just(Outcome::Pass), 1 => Just(Outcome::Fail), 1 => Just(Outcome::Blocked)]
}

proptest! {
    #[test]
    fn shards_merged_are_the_whole_run(
        outcomes in prop::collection::vec([outcome(), outcome()], 1..12),
        count in 1..5u32,
        rotate in 0..5usize,
    ) {
        let manifest = fixture(outcomes.len());
        let whole = report(&manifest, &Selection::whole(&manifest), &outcomes, "run");
        let mut parts: Vec<ShardReport> = (1..=count)
            .map(|index| {
                let shard: Shard = format!("{index}/{count}").parse().unwrap();
                let part = report(&manifest, &Selection::shard(&manifest, shard), &outcomes, &format!("s{index}"));
                prop_assert!(part.claims_coverage.starts_with("partial: ") && part.shard.is_some());
                Ok(parsed(&format!("s{index}.json"), &part))
            })
            .collect::<Result<_, TestCaseError>>()?;
        parts.rotate_left(rotate % count as usize);
        let merged = merge(&manifest, parts.clone(), around("run"), today());
        prop_assert_eq!(&merged.incomplete_because, &Vec::<String>::new());
        prop_assert_eq!(ungated(merged), ungated(whole));
        // Without one of them that has a case, it is incomplete, and the cases are there, not tested.
        let gone = parts.remove(0);
        let less = merge(&manifest, parts, around("run"), today());
        prop_assert_eq!(less.cases.len(), manifest.cases.len());
        prop_assert_eq!(less.incomplete_because.is_empty(), gone.cases.is_empty());
        prop_assert_eq!(less.outcome_counts.not_tested, gone.cases.len());
    }
}

#[test]
fn parts_that_do_not_belong_together_say_each_reason() {
    let manifest = fixture(4);
    let outcomes = [[Outcome::Pass; 2]; 4];
    let part = |text: &str| {
        let shard: Shard = text.parse().unwrap();
        report(&manifest, &Selection::shard(&manifest, shard), &outcomes, text)
    };
    let (one, mut two) = (part("1/2"), part("2/2"));
    two.runner_version = Some("other 1".to_owned());
    two.environment_lock_digest = Some("sha256:e".to_owned());
    two.trials_planned = Some(3);
    two.timeout_override_s = Some("5".to_owned());
    two.repo.sha = Some("def".to_owned());
    two.repo.dirty = Some(true);
    two.shard = None;
    let merged = merge(&manifest, vec![parsed("1.json", &one), parsed("2.json", &two)], around("run"), today());
    assert_eq!((merged.readiness, merged.repo.dirty), (Readiness::NotEstablished, Some(true)));
    let text = merged.incomplete_because.join("\n").replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(text);
}

/// A shard whose report was changed after it ran.
#[test]
fn a_shard_is_not_believed_against_its_own_trials() {
    let manifest = fixture(1);
    let shard: Shard = "1/1".parse().unwrap();
    let selection = Selection::shard(&manifest, shard);
    let failing = report(&manifest, &selection, &[[Outcome::Fail; 2]], "s");
    let passing = report(&manifest, &selection, &[[Outcome::Pass; 2]], "s");
    let merged = |change: &dyn Fn(&mut OwnedCase), report: &OwnedReport| {
        let mut part = report.clone();
        change(&mut part.cases[0]);
        let merged = merge(&manifest, vec![parsed("s.json", &part)], around("run"), today());
        assert_ne!(merged.readiness, Readiness::Ready);
        (merged.cases[0].outcome, merged.incomplete_because.join("; "))
    };
    let said = [
        merged(&|case| case.outcome = Outcome::Pass, &failing),
        merged(
            &|case| {
                case.outcome = Outcome::Pass;
                case.trials.clear();
            },
            &failing,
        ),
        merged(
            &|case| {
                case.trials.truncate(1);
                case.passed_trials = 1;
                case.total_trials = 1;
            },
            &passing,
        ),
        merged(&|case| case.trials[0].outcome = Outcome::Pass, &failing),
        merged(&|case| case.trials[0].exit_code = Some(3), &passing),
        merged(&|case| case.trials[0].orphan_pids_after_teardown = vec![7], &passing),
        merged(&|case| case.oracle_sha256 = Some("sha256:x".to_owned()), &passing),
        merged(&|case| case.test_source_sha256 = None, &passing),
        merged(&|case| case.passed_trials = 1, &passing),
    ];
    let lines: Vec<String> = said.iter().map(|(outcome, why)| format!("{}: {why}", outcome.as_str())).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_shard_cannot_make_a_case_optional() {
    let manifest = fixture(1);
    let shard: Shard = "1/1".parse().unwrap();
    let mut part = report(&manifest, &Selection::shard(&manifest, shard), &[[Outcome::Fail; 2]], "s");
    part.cases[0].required = false;
    let merged = merge(&manifest, vec![parsed("s.json", &part)], around("run"), today());
    assert!(merged.cases[0].required);
    assert_eq!((merged.readiness, merged.required_case_count), (Readiness::NotEstablished, 1));
}
