//! What was evaluated: the commit, the work tree, the environment, and that none of it moved meanwhile.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Ran, Stage, expects, sh};
use crate::process::eventually;

const MAP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/maps/valid/shop.json");

fn git(stage: &Stage, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"])
        .args(args)
        .current_dir(stage.root())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository with one commit on the branch `trunk`, and the commit.
fn repository(cases: &[Value]) -> (Stage, String) {
    let stage = Stage::new(cases);
    stage.write(".gitignore", "report.json\n.greenloop/\n");
    stage.write("src.txt", "one");
    git(&stage, &["init", "-q", "-b", "trunk"]);
    git(&stage, &["add", "-A"]);
    git(&stage, &["commit", "-qm", "One"]);
    let sha = git(&stage, &["rev-parse", "HEAD"]);
    (stage, sha)
}

#[test]
fn the_commit_is_in_the_report() {
    let (stage, sha) =
        repository(&[expects("a", "printf x > out", &json!({"artifacts": [{"path": "out", "min_bytes": 1}]}))]);
    let ran = stage.run(&[]);
    let report = stage.report();
    assert_eq!(ran.status, Some(0), "{ran:?}");
    // What the trial itself must write, and the report, are no change of the work tree: also when they are there already.
    assert_eq!(report["repo"], json!({"sha": sha, "ref": "trunk", "dirty": false}), "{ran:?}");
    assert_eq!(stage.reported(&[])["repo"]["dirty"], false);
    let digest = greenloop_sha256(&stage);
    assert_eq!(report["fixture_sha256"], digest);
    git(&stage, &["checkout", "-q", "--detach"]);
    let report = stage.reported(&[]);
    assert_eq!((&report["repo"]["sha"], &report["repo"]["ref"]), (&json!(sha), &Value::Null));
}

/// By another program than ours.
fn greenloop_sha256(stage: &Stage) -> String {
    let output = Command::new("sha256sum").arg(stage.path("evals/fixture.json")).output().unwrap();
    format!("sha256:{}", String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap())
}

#[test]
fn outside_a_repository_nothing_is_made_up() {
    let stage = Stage::new(&[sh("a", "true", &json!({}))]);
    let report = stage.reported(&[]);
    assert!(report["repo"]["sha"].is_null() && report["repo"]["ref"].is_null(), "{}", report["repo"]);
    assert_ne!(report["repo"]["dirty"], true);
    assert!(report.get("environment_lock_digest").is_none());
    // A repository without a commit has none to name.
    git(&stage, &["init", "-q"]);
    let ran = stage.run(&[]);
    assert!(stage.report()["repo"]["sha"].is_null() && ran.status == Some(0), "{ran:?}");
}

#[test]
fn a_dirty_work_tree_is_said_and_a_campaign_refuses_it() {
    let (stage, sha) = repository(&[sh("a", "true", &json!({})), sh("b", "exit 1", &json!({}))]);
    let start = stage.say(&["--project", ".", "campaign", "start", "--map", MAP, "--id", "c1"]);
    assert_eq!(start.status, Some(0), "{start:?}");
    for change in ["a changed file", "a new file", "a removed file"] {
        match change {
            "a changed file" => stage.write("src.txt", "two"),
            "a new file" => {
                git(&stage, &["checkout", "-q", "src.txt"]);
                stage.write("new\u{1b}[31m.txt", "x");
            }
            _ => {
                std::fs::remove_file(stage.path("new\u{1b}[31m.txt")).unwrap();
                std::fs::remove_file(stage.path("src.txt")).unwrap();
            }
        }
        let ran = stage.run(&[]);
        assert!(ran.stderr.contains("the work tree is not the commit"), "{change}: {ran:?}");
        assert!(!ran.stderr.contains('\u{1b}'), "{change}: {ran:?}");
        assert_eq!(stage.report()["repo"], json!({"sha": sha, "ref": "trunk", "dirty": true}), "{change}");
        let step = stage.say(&["--project", ".", "campaign", "step", "report.json", "--head", &sha]);
        assert_eq!(step.status, Some(3), "{change}: {step:?}");
        assert!(step.stderr.contains("work tree"), "{change}: {step:?}");
    }
}

#[test]
fn the_environment_is_pinned_by_its_lock_files() {
    let (stage, _) = repository(&[sh("a", "true", &json!({}))]);
    let digest = |args: &[&str]| stage.reported(args)["environment_lock_digest"].clone();
    assert_eq!(digest(&[]), Value::Null);
    stage.write("Cargo.lock", "one");
    let one = digest(&[]);
    assert!(one.as_str().unwrap().starts_with("sha256:"), "{one}");
    stage.write("evals/uv.lock", "x");
    let two = digest(&[]);
    assert_ne!(one, two, "a lock file beside the fixture and one above it both count");
    stage.write("Cargo.lock", "two");
    assert_ne!(digest(&[]), two);
    assert_eq!(digest(&["--environment-lock", "evals/uv.lock"]), digest(&["--environment-lock", "evals/uv.lock"]));
    assert_ne!(digest(&["--environment-lock", "evals/uv.lock"]), digest(&[]));
}

/// Starts a run whose only case waits for the file `go`, changes something, and lets it go on.
fn while_it_runs(stage: &Stage, change: impl FnOnce()) -> Ran {
    let child = stage.command(&[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("it runs", || stage.path(".git/ready").exists());
    change();
    stage.write(".git/go", "");
    child.wait_with_output().unwrap().into()
}

const WAITS: &str = ": > ../.git/ready; while ! test -e ../.git/go; do sleep 0.01; done";

#[test]
fn what_moves_while_it_runs_makes_the_report_incomplete() {
    let refused = |stage: &Stage, ran: &Ran, why: &str| {
        let report = stage.report();
        assert_eq!((ran.status, &report["readiness"]), (Some(1), &json!("NOT_ESTABLISHED")), "{ran:?}");
        assert!(report["incomplete_because"].to_string().contains(why), "{report:#}");
        assert_eq!(report["outcome_counts"]["PASS"], 1);
        let plan = stage.say(&["--project", ".", "plan", "report.json", "--map", MAP]);
        assert!(plan.status == Some(1) && plan.stderr.contains(why), "{plan:?}");
    };
    let (stage, _) = repository(&[sh("a", WAITS, &json!({}))]);
    let ran = while_it_runs(&stage, || {
        let text = std::fs::read_to_string(stage.path("evals/fixture.json")).unwrap();
        stage.write("evals/fixture.json", text + "\n");
    });
    refused(&stage, &ran, "the fixture changed while it ran");
    let (stage, sha) = repository(&[sh("a", WAITS, &json!({}))]);
    let ran = while_it_runs(&stage, || {
        git(&stage, &["commit", "-q", "--allow-empty", "-m", "Two"]);
    });
    refused(&stage, &ran, &format!("the commit changed while it ran, from {sha} to "));
    assert_eq!(stage.report()["repo"]["sha"], sha, "the commit before");
    // The fixture that is gone afterwards is another one, too.
    let (stage, _) = repository(&[sh("a", WAITS, &json!({}))]);
    let ran = while_it_runs(&stage, || std::fs::remove_file(stage.path("evals/fixture.json")).unwrap());
    refused(&stage, &ran, "the fixture changed while it ran");
    // Negative control.
    let (stage, _) = repository(&[sh("a", WAITS, &json!({}))]);
    let ran = while_it_runs(&stage, || {});
    assert!(ran.status == Some(0) && stage.report().get("incomplete_because").is_none(), "{ran:?}");
}

/// A source that changes while it runs: some trials judged something else than the commit.
#[test]
fn a_work_tree_that_changes_while_it_runs_is_no_commit() {
    let (stage, sha) = repository(&[sh("a", WAITS, &json!({}))]);
    let ran = while_it_runs(&stage, || stage.write("src.txt", "two"));
    assert!(ran.stderr.contains("while it ran, the work tree became another than the commit (src.txt)"), "{ran:?}");
    assert_eq!(stage.report()["repo"], json!({"sha": sha, "ref": "trunk", "dirty": true}));
}

/// What a case must write is no change, also if nothing of its folder is in the commit.
#[test]
fn what_a_case_must_write_is_no_change() {
    let artifact = |path: &str| json!({"artifacts": [{"path": path, "min_bytes": 1}]});
    let (stage, _) = repository(&[
        expects("a", "mkdir -p out/deep && printf x > out/deep/a", &artifact("out/deep/a")),
        expects("b", "printf x > out/b", &artifact("out/b")),
    ]);
    for _ in 0..2 {
        let ran = stage.run(&[]);
        assert_eq!(stage.report()["repo"]["dirty"], false, "{ran:?}");
    }
    let ran = stage.say(&["run", "evals/fixture.json", "-o", "new/report.json"]);
    assert_eq!(ran.status, Some(2), "its folder must be there: {ran:?}");
    std::fs::create_dir(stage.path("new")).unwrap();
    for _ in 0..2 {
        let ran = stage.say(&["run", "evals/fixture.json", "-o", "new/report.json"]);
        assert_eq!(stage.read("new/report.json")["repo"]["dirty"], false, "{ran:?}");
    }
    // Beside it, what nobody named is one.
    stage.write("evals/out/c", "x");
    assert_eq!(stage.reported(&[])["repo"]["dirty"], true);
}
