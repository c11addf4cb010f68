use super::*;
use crate::report::OwnedTrial;

fn trial(outcome: Outcome, exit_code: i32, stderr: &str) -> OwnedTrial {
    OwnedTrial { outcome, exit_code: Some(exit_code), stderr: stderr.to_owned(), ..OwnedTrial::default() }
}

fn case(name: &str, outcome: Outcome, problems: &[&str], trials: Vec<OwnedTrial>) -> OwnedCase {
    let passed = trials.iter().filter(|trial| trial.outcome == Outcome::Pass).count();
    OwnedCase {
        name: name.to_owned(),
        outcome,
        problems: problems.iter().map(|problem| (*problem).to_owned()).collect(),
        passed_trials: passed,
        total_trials: trials.len(),
        flaky: passed > 0 && passed < trials.len(),
        trials,
        ..OwnedCase::default()
    }
}

fn red_report() -> OwnedReport {
    let fail = |code, stderr| trial(Outcome::Fail, code, stderr);
    let pass = || trial(Outcome::Pass, 0, "all is well\n");
    let mut report = OwnedReport {
        readiness: Readiness::NotReady,
        readiness_reasons: vec![format!("3 of 4 required cases failed: {}", "a-long-name, ".repeat(40))],
        capability_claims: vec![
            serde_json::json!({"id": "shop.money", "verdict": "PROVEN"}),
            serde_json::json!({"id": "shop.tax\u{1b}[2J", "verdict": "FAILED"}),
        ],
        cases: vec![
            case("passes", Outcome::Pass, &[], vec![pass(), pass()]),
            case(
                "fails",
                Outcome::Fail,
                &["exit_code 1 != 0", "stdout missing 'held'", "a", "b", "c"],
                vec![fail(1, "Traceback\nAssertionError: 2 != \u{1b}[31m3\n\n"), fail(1, "another")],
            ),
            case("flaky", Outcome::Fail, &["timed out after 2s"], vec![pass(), fail(124, "")]),
            case("wrong-file", Outcome::Fail, &["out.json: missing"], vec![fail(0, "done, it says")]),
            OwnedCase { required: false, ..case("not-asked", Outcome::NotTested, &["not run"], Vec::new()) },
        ],
        ..OwnedReport::default()
    };
    report.count();
    report
}

#[test]
fn a_red_run_says_what_failed_and_how() {
    let text = run_summary(&red_report(), Some(Path::new("out/report.json")), Some(Duration::from_millis(4250)));
    insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string());
}

#[test]
fn a_green_run_is_short() {
    let trial = trial(Outcome::Pass, 0, "");
    let mut report = OwnedReport {
        readiness: Readiness::Ready,
        capability_claims: vec![serde_json::json!({"id": "shop.money", "verdict": "PROVEN"})],
        cases: vec![case("passes", Outcome::Pass, &[], vec![trial])],
        ..OwnedReport::default()
    };
    report.count();
    let text = run_summary(&report, None, Some(Duration::from_secs(12)));
    let text = anstream::adapter::strip_str(&text).to_string();
    assert_eq!(text, "1 of 1 claim proven\nREADY · 1 case: 1 passed · 1 trial in 12 s\n");
}

#[test]
fn times_are_as_exact_as_people_need_them() {
    let of = |seconds: f64| took(Duration::from_secs_f64(seconds));
    assert_eq!([of(0.04), of(9.96), of(10.2), of(59.9)], ["0.0 s", "10.0 s", "10 s", "59 s"]);
    assert_eq!(
        [of(60.0), of(3599.0), of(3600.0), of(90061.0)],
        ["1 min 00 s", "59 min 59 s", "1 h 00 min", "25 h 01 min"]
    );
}
