//! The recordings of the demo are real: the suite is run again, and its outcomes are those of the recording.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Outcome and problems of every case, without what changes from run to run.
type Semantics = BTreeMap<String, (String, BTreeSet<String>)>;

#[test]
fn the_suite_says_today_what_the_recording_says() {
    if missing("python3") || missing("git") {
        eprintln!("skip: the shop's suite needs python3 and git");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Stage 4 is partly fixed: it has cases of every kind, and a run that says all red or all green would not do.
    for stage in ["1", "4"] {
        let fresh = folder.path().join(format!("run-{stage}.json"));
        let status = Command::new("python3")
            .arg("-B")
            .arg(shop().join("record.py"))
            .args(["campaign", stage, "-o"])
            .arg(&fresh)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "record.py: {status}");
        let (fresh, recorded) = (read(&fresh), read(&shop().join(format!("runs/campaign/run-{stage}.json"))));
        assert_eq!(semantics(&fresh), semantics(&recorded), "stage {stage}: record the runs again");
        for field in ["fixture_sha256", "repo", "readiness", "case_count", "outcome_counts"] {
            assert_eq!(fresh[field], recorded[field], "stage {stage}: {field}; record the runs again");
        }
        assert_ne!(fresh["run_id"], recorded["run_id"], "a run id is random");
    }
}

/// The second history must recur exactly: same failing cases, same messages, other commits; and not before run 4.
#[test]
fn the_oscillation_has_period_three() {
    let runs: Vec<Value> = (1..=4).map(|n| read(&shop().join(format!("runs/oscillation/run-{n}.json")))).collect();
    let states: Vec<Semantics> = runs.iter().map(semantics).collect();
    assert_eq!(states[0], states[3]);
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        assert_ne!(states[a], states[b], "runs {} and {}", a + 1, b + 1);
    }
    let commits: BTreeSet<&str> = runs.iter().map(|run| run["repo"]["sha"].as_str().unwrap()).collect();
    assert_eq!(commits.len(), 4);
    assert!(commits.iter().all(|sha| sha.len() == 40));
}

/// Negative control of the comparison: it sees a changed outcome and a changed problem, and no temporary path.
#[test]
fn the_comparison_sees_what_matters() {
    let run = read(&shop().join("runs/campaign/run-1.json"));
    let mut other = run.clone();
    other["cases"][0]["problems"][0] = "exit_code 2 != 0".into();
    assert_ne!(semantics(&run), semantics(&other));
    let mut other = run.clone();
    other["cases"][1]["outcome"] = "BLOCKED".into();
    assert_ne!(semantics(&run), semantics(&other));
    assert_eq!(steady("/tmp/shop-a_1b2c3d/order-1.json/total: 1 != 2"), "<work>/order-1.json/total: 1 != 2");
}

fn semantics(report: &Value) -> Semantics {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    report["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| {
            let problems = case["problems"].as_array().unwrap().iter().map(|p| steady(&text(p))).collect();
            (text(&case["name"]), (text(&case["outcome"]), problems))
        })
        .collect()
}

/// A problem without the name of its temporary folder.
fn steady(problem: &str) -> String {
    let Some(at) = problem.find("/shop-") else { return problem.to_owned() };
    let start = problem[..at].rfind([' ', '\'']).map_or(0, |before| before + 1);
    let end = problem[at + 1..].find('/').map_or(problem.len(), |slash| at + 1 + slash);
    format!("{}<work>{}", &problem[..start], &problem[end..])
}

fn missing(program: &str) -> bool {
    !Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn shop() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/shop")
}

fn read(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap()
}
