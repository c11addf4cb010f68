//! greenloop's own evals (`evals/agentic_eval.json`), run by the real program on itself: READY, every case placed by the
//! map of this repository, and no case passes with a program that does nothing.

use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use greenloop::categorize::{DecidedBy, Watch, categorize};
use greenloop::category_map::parse;
use greenloop::report::ReportSource;
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_greenloop");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap).filter(|entry| entry.file_name() != "out") {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Runs the fixture in a folder of its own, so that nobody else's run is disturbed. The trials find the programs of
/// `programs` first.
fn run(programs: &Path, options: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("evals"), &folder.path().join("evals"));
    for name in ["examples", "category_maps"] {
        symlink(root().join(name), folder.path().join(name)).unwrap();
    }
    #[expect(clippy::disallowed_methods, reason = "a test may read the environment")]
    let path = std::env::var("PATH").unwrap();
    let report = folder.path().join("report.json");
    let output = Command::new(PROGRAM)
        .args(["run", "evals/agentic_eval.json", "--jobs", "4", "--report-only", "--output"])
        .arg(&report)
        .args(options)
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", programs.display()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap()
}

fn cases(report: &Value) -> &[Value] {
    report["cases"].as_array().unwrap()
}

/// The same report, in which every case failed.
fn all_failed(mut report: Value) -> Value {
    let count = cases(&report).len();
    report["outcome_counts"] = json!({"PASS": 0, "FAIL": count, "BLOCKED": 0, "NOT_TESTED": 0});
    for case in report["cases"].as_array_mut().unwrap() {
        case["outcome"] = json!("FAIL");
        case["passed_trials"] = json!(0);
        case["problems"] = json!(["exit_code 70 != 0"]);
        for trial in case["trials"].as_array_mut().unwrap() {
            trial["outcome"] = json!("FAIL");
            trial["problems"] = json!(["exit_code 70 != 0"]);
        }
    }
    report
}

#[test]
fn the_program_is_ready_by_its_own_evals() {
    let report = run(Path::new(PROGRAM).parent().unwrap(), &[]);
    let not_passed: Vec<String> = cases(&report)
        .iter()
        .filter(|case| case["outcome"] != "PASS")
        .map(|case| format!("{}: {}\n{}", case["name"], case["problems"], case["trials"][0]["stderr"]))
        .collect();
    assert_eq!(not_passed, [""; 0]);
    assert_eq!(report["readiness"], "READY", "{}", report["readiness_reasons"]);
    assert_eq!(report["gate"], json!({"open": true, "exemption": null, "violations": []}));
    let promises: Vec<&str> = report["capability_claims"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|claim| claim["verdict"] == "PROVEN" && claim["criticality"] == "critical")
        .map(|claim| claim["id"].as_str().unwrap())
        .collect();
    assert_eq!(promises, ["no-failure-lost", "no-duplicate-ticket", "no-false-green", "no-endless-loop"]);

    // Whatever fails one day has its category in the map of this repository.
    let bytes = std::fs::read(root().join("category_maps/greenloop-self.json")).unwrap();
    let map = parse("greenloop-self.json", &bytes).map.unwrap();
    let names: BTreeSet<&str> = cases(&report).iter().map(|case| case["name"].as_str().unwrap()).collect();
    let failed = ReportSource::from_bytes("report.json", all_failed(report.clone()).to_string().into_bytes());
    let placed = categorize(&failed, &map, &Watch::default()).unwrap();
    assert!(placed.is_total(), "{:?} {:?}", placed.unclassified, placed.ambiguous);
    assert_eq!(placed.assignments.iter().map(|one| one.case.as_str()).collect::<BTreeSet<_>>(), names);
    assert!(placed.assignments.iter().all(|one| one.decided_by == DecidedBy::Explicit));
    assert_eq!(placed.report.incomplete_because, [""; 0]);
}

/// The evals can fail: with a program that agrees to everything, and with one that refuses everything, no case passes.
#[test]
fn a_program_that_does_nothing_passes_no_case() {
    for script in ["#!/bin/sh\nexit 0\n", "#!/bin/sh\necho '{\"ok\": false, \"findings\": []}'\nexit 1\n"] {
        let folder = tempfile::tempdir().unwrap();
        let program: PathBuf = folder.path().join("greenloop");
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let report = run(folder.path(), &["--trials", "1"]);
        let passed: Vec<&Value> =
            cases(&report).iter().filter(|case| case["outcome"] == "PASS").map(|case| &case["name"]).collect();
        assert!(passed.is_empty(), "{script}: {passed:?}");
        assert!(cases(&report).len() > 70);
    }
}
