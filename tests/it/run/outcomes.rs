//! Outcomes of cases, readiness of the whole, and what the exit status says of it.

use serde_json::{Value, json};

use super::{Stage, case, expects, outcomes, sh};

const MAP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/maps/valid/shop.json");

#[test]
fn flaky_blocked_and_infrastructure() {
    // Passes in its first trial only.
    let flaky = "test ! -e once && : > once";
    let blocked = |script: &str, exit: i32| {
        (script.to_owned(), json!({"expected": {"exit_code": exit}, "blocked_when_stdout_contains": ["NO NETWORK"]}))
    };
    let (out, out_keys) = blocked("echo NO NETWORK", 0);
    let (err, err_keys) = blocked("echo NO NETWORK >&2; exit 1", 0);
    let (free, free_keys) = blocked("echo no network", 0);
    let infra = json!({"infra_blocked_when": ["QUOTA"]});
    let stage = Stage::of(
        &[
            sh("flaky", flaky, &json!({})),
            sh("blocked, also if every check held", &out, &out_keys),
            sh("blocked by the other stream", &err, &err_keys),
            sh("not blocked by another spelling", &free, &free_keys),
            sh("infra-blocked after a failed check", "echo QUOTA; exit 1", &infra),
            sh("no infra block where every check held", "echo QUOTA", &infra),
            sh("sometimes infra-blocked", "test -e twice && { echo QUOTA; exit 1; }; : > twice", &infra),
            sh(
                "infra-blocked once and failed once",
                "test -e thrice && exit 1; : > thrice; echo QUOTA; exit 1",
                &infra,
            ),
            sh("left over beats blocked", "sleep 1000 & echo NO NETWORK", &out_keys),
            sh("not required", "exit 1", &json!({"required": false})),
        ],
        &json!({"trials": 2}),
    );
    let ran = stage.run(&[]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let report = stage.report();
    let mut all = String::new();
    for case in report["cases"].as_array().unwrap() {
        let trials: Vec<&str> =
            case["trials"].as_array().unwrap().iter().map(|trial| trial["outcome"].as_str().unwrap()).collect();
        all.push_str(&format!(
            "{}: {} from {trials:?}, {} of {} passed, flaky {}, infra-blocked {}\n",
            case["name"].as_str().unwrap(),
            case["outcome"].as_str().unwrap(),
            case["passed_trials"],
            case["total_trials"],
            case["flaky"],
            case["infra_blocked_trials"],
        ));
    }
    insta::assert_snapshot!(all);
    assert!(ran.stdout.contains("4 flaky") || ran.stdout.contains("3 flaky"), "{}", ran.stdout);
}

/// Readiness, its reasons and the exit status, by what the cases do.
#[test]
fn readiness_table() {
    let pass = |name: &str| sh(name, "true", &json!({}));
    let fail = |name: &str| sh(name, "exit 1", &json!({}));
    let blocked = |name: &str| sh(name, "echo B", &json!({"blocked_when_stdout_contains": ["B"]}));
    let optional = |name: &str| sh(name, "exit 1", &json!({"required": false}));
    let table: [(&str, Vec<Value>, &str, i32); 7] = [
        ("all pass", vec![pass("a"), pass("b")], "READY", 0),
        ("an advisory failure", vec![pass("a"), optional("b")], "READY", 0),
        ("one fails", vec![pass("a"), fail("b")], "USABLE_WITH_GAPS", 1),
        ("one is blocked", vec![pass("a"), blocked("b")], "USABLE_WITH_GAPS", 1),
        ("all fail", vec![fail("a"), fail("b")], "NOT_READY", 1),
        ("all blocked", vec![blocked("a"), blocked("b")], "NOT_READY", 1),
        ("nothing is required", vec![optional("a")], "NOT_ESTABLISHED", 1),
    ];
    for (name, cases, readiness, status) in table {
        let stage = Stage::new(&cases);
        let ran = stage.run(&[]);
        let report = stage.report();
        assert_eq!((&report["readiness"], ran.status), (&json!(readiness), Some(status)), "{name}: {ran:?}");
        assert_eq!(report.get("readiness_reasons").is_none(), readiness == "READY", "{name}: {report:#}");
        assert!(ran.stdout.contains(readiness), "{name}: {ran:?}");
        let ran = stage.run(&["--report-only"]);
        assert_eq!(ran.status, Some(0), "{name}: --report-only: {ran:?}");
        assert_eq!(stage.report()["readiness"], readiness, "{name}: the report says the same");
        assert!(stage.say(&["run", "evals/fixture.json", "--format", "json"]).stdout.starts_with('{'));
    }
}

#[test]
fn named_cases_are_a_partial_report() {
    let stage =
        Stage::new(&[sh("a", "true", &json!({})), sh("b", "exit 1", &json!({})), sh("c d", "true", &json!({}))]);
    let report = stage.reported(&["--case", "c d", "--case", "a"]);
    let names: Vec<&str> = report["cases"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!((names, &report["focused_cases"]), (vec!["a", "c d"], &json!(["a", "c d"])));
    assert!(report["claims_coverage"].as_str().unwrap().starts_with("partial: 2 of 3 cases"), "{report:#}");
    let categorized = stage.say(&["categorize", "report.json", "--map", MAP, "--format", "json"]);
    assert_eq!(categorized.status, Some(1), "{categorized:?}");
    let plan = stage.say(&["--project", ".", "plan", "report.json", "--map", MAP]);
    assert_eq!(plan.status, Some(1), "{plan:?}");
    let unknown = stage.run(&["--case", "c  d"]);
    assert!(unknown.status == Some(2) && unknown.stderr.contains("did you mean \"c d\"?"), "{unknown:?}");
}

/// A run without -o still tells everything, and writes nothing.
#[test]
fn without_an_output_nothing_is_written() {
    let stage = Stage::new(&[sh("a", "true", &json!({}))]);
    let ran = stage.say(&["run", "evals/fixture.json"]);
    assert!(ran.status == Some(0) && ran.stdout.contains("READY") && !ran.stdout.contains("report:"), "{ran:?}");
    let names: Vec<_> = std::fs::read_dir(stage.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["evals"]);
}

#[test]
fn trials_and_time_limits_can_be_given() {
    let stage = Stage::of(&[sh("a", "sleep 0.6", &json!({"timeout_seconds": 60}))], &json!({"trials": 3}));
    let report = stage.reported(&["--trials", "2", "--timeout-seconds", "0.2"]);
    assert_eq!((&report["trial_count"], &report["trials_planned"]), (&json!(2), &json!(2)));
    assert_eq!(case(&report, "a")["problems"], json!(["timed out after 0.2s"]));
    assert_eq!(report["timeout_override_s"], "0.2");
}

/// Two cases that name one file never run at the same time, also with many jobs: each would see the other's.
#[test]
fn cases_that_share_a_file_wait_for_each_other() {
    let write = |n: usize| {
        let script = format!("printf '{{\"by\": {n}}}' > shared; sleep 0.05");
        let path = if n.is_multiple_of(2) { "shared" } else { "./shared" };
        expects(
            &format!("case {n}"),
            &script,
            &json!({"artifacts": [{"path": path, "json_pointer": "/by", "equals": n}]}),
        )
    };
    let cases: Vec<Value> = (0..8).map(write).collect();
    let report = Stage::new(&cases).reported(&["--jobs", "8"]);
    assert_eq!(outcomes(&report), ["PASS"; 8], "{}", super::table(&report));
}

/// The same fixture gives the same report but for times, ids and durations, whatever the number of jobs.
#[test]
fn reports_are_the_same_but_for_what_changes() {
    let cases: Vec<Value> = (0..12)
        .map(|n| sh(&format!("case {n}"), &format!("echo {n}; exit {}", i32::from(n % 5 == 0)), &json!({})))
        .collect();
    let stage = Stage::of(&cases, &json!({"trials": 2}));
    let stable = |args: &[&str]| {
        let mut report = stage.reported(args);
        scrub(&mut report);
        report
    };
    let one = stable(&[]);
    assert_eq!(one, stable(&["--jobs", "8"]));
    assert_eq!(one, stable(&["--jobs", "3"]));
}

fn scrub(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for key in ["run_id", "case_id", "trial_id", "generated_at", "duration_ms", "avg_latency_ms"] {
                members.remove(key);
            }
            members.values_mut().for_each(scrub);
        }
        Value::Array(items) => items.iter_mut().for_each(scrub),
        _ => {}
    }
}
