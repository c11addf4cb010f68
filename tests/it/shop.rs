//! The recordings of the demo are real: the suite is run again, and its outcomes are those of the recording.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Outcome of every case, its problems and the last words of its failing trials: nothing that changes from run to run.
type Semantics = BTreeMap<String, (String, BTreeSet<String>)>;

#[test]
fn the_suite_says_today_what_the_recording_says() {
    if missing("python3") || missing("git") {
        eprintln!("skip: the shop needs python3 and git");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Stage 4 is partly fixed: it has cases of every kind, and a run that says all red or all green would not do.
    for stage in ["1", "4"] {
        let fresh = folder.path().join(format!("run-{stage}.json"));
        let status = Command::new("python3")
            .arg("-B")
            .arg(shop().join("record.py"))
            .args(["campaign", stage, "--greenloop", env!("CARGO_BIN_EXE_greenloop"), "-o"])
            .arg(&fresh)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "record.py: {status}");
        let (fresh, recorded) = (read(&fresh), read(&shop().join(format!("runs/campaign/run-{stage}.json"))));
        assert_eq!(semantics(&fresh), semantics(&recorded), "stage {stage}: record the runs again");
        for field in ["fixture_sha256", "repo", "readiness", "readiness_reasons", "outcome_counts", "capability_claims"]
        {
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

/// Negative control of the comparison: it sees a changed outcome, a changed problem and other last words.
#[test]
fn the_comparison_sees_what_matters() {
    let run = read(&shop().join("runs/campaign/run-1.json"));
    let mut other = run.clone();
    other["cases"][0]["problems"][0] = "exit_code 2 != 0".into();
    assert_ne!(semantics(&run), semantics(&other));
    let mut other = run.clone();
    other["cases"][1]["outcome"] = "BLOCKED".into();
    assert_ne!(semantics(&run), semantics(&other));
    let mut other = run.clone();
    other["cases"][0]["trials"][1]["stderr"] = "Traceback\nAssertionError: half of 5 cents: 4 != 3\n".into();
    assert_ne!(semantics(&run), semantics(&other));
}

fn semantics(report: &Value) -> Semantics {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = |value: &Value| value.as_array().unwrap().clone();
    // What a check wrote before it failed names its process and its folder; the error itself is the last line.
    let last_words = |trial: &Value| text(&trial["stderr"]).lines().last().unwrap_or_default().to_owned();
    let of_case = |case: &Value| {
        let failed = list(&case["trials"]).into_iter().filter(|trial| trial["exit_code"] == 1);
        let mut said: BTreeSet<String> = failed.map(|trial| last_words(&trial)).collect();
        said.extend(list(&case["problems"]).iter().map(text));
        (text(&case["name"]), (text(&case["outcome"]), said))
    };
    list(&report["cases"]).iter().map(of_case).collect()
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
