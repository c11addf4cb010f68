//! What is not a failure, and what keeps a report from being green all the same.

use std::collections::BTreeSet;

use super::*;
use crate::model::{CaseName, Outcome};

fn case(name: &str, outcome: &str, more: &Value) -> Value {
    let mut case = failing(name, more);
    case["outcome"] = outcome.into();
    case
}

/// `kind name: reason` of everything that is not green.
fn not_green(c: &Categorization) -> Vec<String> {
    c.not_green.iter().map(|n| format!("{} {}: {}", n.kind, n.name, n.reason)).collect()
}

#[test]
fn outcomes_and_the_required_default() {
    let cart = json!({"seams": ["cart.totals"]});
    let optional = json!({"seams": ["cart.totals"], "required": false});
    let cases = [
        case("pass", "PASS", &cart),
        case("fails", "FAIL", &cart),
        case("advisory", "FAIL", &optional),
        case("blocked", "BLOCKED", &json!({"problems": ["external blocker: saw 'quota'"]})),
        case("mute", "BLOCKED", &json!({"problems": []})),
        case("blocked-optional", "BLOCKED", &optional),
        case("skipped", "NOT_TESTED", &cart),
        case("skipped-optional", "NOT_TESTED", &optional),
        case("flaky-pass", "PASS", &json!({"flaky": true})),
        case("flaky-pass-optional", "PASS", &json!({"flaky": true, "required": false})),
        case("flaky-fail", "FAIL", &json!({"seams": ["cart.totals"], "passed_trials": 1, "total_trials": 3})),
    ];
    let c = run(&usual(), &report(&cases));
    let n = c.counts;
    assert_eq!((n.cases, n.required, n.failing, n.advisory), (11, 7, 2, 1));
    assert_eq!((n.blocked, n.not_tested, n.flaky, n.flaky_required), (2, 1, 3, 2));
    assert_eq!(
        not_green(&c),
        [
            "blocked blocked: external blocker: saw 'quota'",
            "blocked mute: the report gives no reason",
            "flaky flaky-pass: its trials disagree",
            "not_tested skipped: it did not run",
        ]
    );
    assert_eq!(c.report.incomplete_because, ["1 required case(s) are NOT_TESTED"]);
    let active = &c.active[0];
    assert_eq!((active.flaky, active.cases.len(), active.all_flaky()), (1, 2, false));
    assert!(!c.is_green());
}

#[test]
fn a_category_of_flaky_cases_only_is_no_defect() {
    let flaky = json!({"seams": ["cart.totals"], "flaky": true});
    let c = run(&usual(), &report(&[failing("a", &flaky), failing("b", &flaky)]));
    assert!(c.active[0].all_flaky());
}

#[test]
fn readiness_without_a_failing_case_is_not_green() {
    let with = |fields: &Value, cases: &[Value]| {
        let mut report = report(cases);
        for (field, value) in fields.as_object().unwrap() {
            report[field] = value.clone();
        }
        run(&usual(), &report)
    };
    let pass = [case("a", "PASS", &json!({}))];
    let fail = [failing("a", &json!({"seams": ["cart.totals"]}))];
    let ready = json!({"readiness": "READY", "case_readiness": "READY", "capability_readiness": null});
    assert!(with(&ready, &pass).is_green());
    let gaps = with(&json!({"readiness": "USABLE_WITH_GAPS"}), &pass);
    assert_eq!(not_green(&gaps), ["readiness readiness: it is USABLE_WITH_GAPS"]);
    let not_ready = json!({"readiness": "NOT_READY", "case_readiness": "NOT_READY"});
    assert_eq!(not_green(&with(&not_ready, &fail)), Vec::<String>::new());
    assert_eq!(not_green(&with(&not_ready, &pass)).len(), 2);
    // A claim is never explained by a failing case.
    let claims = json!({"capability_readiness": "NOT_ESTABLISHED", "capability_claims": [
        {"id": "c1", "verdict": "PROVEN"}, {"id": "c2", "verdict": "FAILED"}, {"id": "c3", "verdict": "FAILED", "required": false}]});
    assert_eq!(
        not_green(&with(&claims, &fail)),
        ["claim c2: its verdict is FAILED", "readiness capability_readiness: it is NOT_ESTABLISHED"]
    );
}

#[test]
fn reports_that_are_no_complete_run() {
    let base = report(&[case("a", "PASS", &json!({"passed_trials": 3, "total_trials": 3}))]);
    let with = |field: &str, value: Value| {
        let mut report = base.clone();
        report[field] = value;
        let c = run(&usual(), &report);
        assert_eq!(c.is_green(), c.report.incomplete_because.is_empty());
        c.report.incomplete_because.join("; ")
    };
    assert_eq!(with("case_count", json!(1)), "");
    assert_eq!(with("case_count", json!(2)), "case_count says 2, but there are 1");
    assert_eq!(with("required_case_count", json!(0)), "required_case_count says 0, but there are 1");
    assert_eq!(with("trial_count", json!(4)), "trial_count says 4, but there are 3");
    assert_eq!(
        with("outcome_counts", json!({"FAIL": 1})),
        "outcome_counts.PASS says 0, but there are 1; outcome_counts.FAIL says 1, but there are 0"
    );
    assert_eq!(with("cases", json!([])), "it has no cases");
    assert_eq!(with("focused_cases", json!(["a"])), "it was focused on 1 case(s)");
    assert_eq!(with("claims_coverage", json!("partial: focus")), "claims_coverage is \"partial: focus\"");
    assert_eq!(with("incomplete_because", json!(["interrupted"])), "interrupted");
    assert_eq!(with("shard", json!({"index": 2})), "it is one shard of a run: {\"index\":2}");
    let lie = "the trial counts of 1 case(s) contradict their outcome";
    assert_eq!(with("cases", json!([case("a", "PASS", &json!({"passed_trials": 0, "total_trials": 3}))])), lie);
    assert_eq!(with("cases", json!([case("a", "PASS", &json!({"passed_trials": 4, "total_trials": 3}))])), lie);
}

#[test]
fn a_parent_and_its_child_with_one_crash_are_one_failure() {
    let crash = json!({"seams": ["cart.totals"], "problems": ["panic in cart after 3 ms"]});
    let again = json!({"seams": ["cart.totals"], "problems": ["panic in cart after 5 ms"]});
    let other = json!({"seams": ["cart.totals"], "problems": ["another panic"]});
    let cases = [failing("pkg", &crash), failing("pkg/TestA", &again), failing("pkg/TestB", &other)];
    let c = run(&usual(), &report(&cases));
    assert_eq!((c.counts.failing_cases, c.counts.folded, c.counts.failing), (3, 1, 2));
    assert_eq!(c.folded, [(CaseName::from("pkg"), CaseName::from("pkg/TestA"))]);
    assert_eq!((c.active[0].cases.len(), c.active[0].failures), (3, 2));
}

#[test]
fn watched_cases_are_told_whatever_they_are() {
    let cases =
        [case("a", "PASS", &json!({})), case("b", "BLOCKED", &json!({"required": false})), failing("c", &json!({}))];
    let watch = Watch {
        cases: ["a", "b", "gone"].into_iter().map(CaseName::from).collect::<BTreeSet<_>>(),
        ..Watch::default()
    };
    let c = run_watching(&usual(), &report(&cases), &watch);
    assert_eq!(c.watched.len(), 2);
    assert!(c.watched[&CaseName::from("a")].proves_absence());
    let b = c.watched[&CaseName::from("b")];
    assert_eq!((b.outcome, b.required, b.proves_absence()), (Outcome::Blocked, false, false));
}
