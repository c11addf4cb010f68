//! A run that is stopped in the middle says so, and leaves nothing.

use std::process::Command;

use serde_json::{Value, json};

use super::teardown::{endless, endless_stage};
use super::{Ran, Stage, outcomes, sh};
use crate::process::{eventually, living, marker};

const MAP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/maps/valid/shop.json");

fn signal(name: &str, pid: u32) {
    assert!(Command::new("kill").args([name, &pid.to_string()]).status().unwrap().success());
}

#[test]
fn an_interrupted_run_reports_what_is_known_and_is_refused_downstream() {
    // At the same time: each takes the grace of a command that ignores TERM.
    std::thread::scope(|scope| {
        for name in ["-INT", "-TERM", "-HUP"] {
            scope.spawn(move || interrupted_by(name));
        }
    });
}

fn interrupted_by(name: &str) {
    let mark = marker(&format!("run-interrupted{name}"));
    let stage = endless_stage(&mark);
    let child = endless(&stage, &mark);
    signal(name, child.id());
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(living(&mark), [0; 0], "{name}");
    assert_eq!(ran.status, Some(130), "{name}: {ran:?}");
    assert!(ran.stdout.contains("incomplete: interrupted after 1 of 3 trials"), "{ran:?}");
    let report = stage.report();
    assert_eq!(outcomes(&report), ["PASS", "NOT_TESTED", "NOT_TESTED"], "{name}");
    assert_eq!(report["incomplete_because"], json!(["interrupted after 1 of 3 trials"]));
    assert_eq!(report["readiness"], "NOT_ESTABLISHED");
    assert_eq!(report["cases"][1]["problems"], json!(["0 of 1 trials ran"]));
    refused_downstream(&stage);
}

fn refused_downstream(stage: &Stage) {
    let read = stage.say(&["categorize", "report.json", "--map", MAP, "--format", "json"]);
    let categorization: Value = serde_json::from_str(&read.stdout).unwrap();
    assert_ne!(read.status, Some(0), "{read:?}");
    assert_ne!(categorization["complete"], true, "{categorization:#}");
    assert!(read.stdout.contains("interrupted after 1 of 3 trials"), "{read:?}");
    let plan = stage.say(&["--project", ".", "plan", "report.json", "--map", MAP]);
    assert_eq!(plan.status, Some(1), "{plan:?}");
    assert!(plan.stderr.contains("interrupted after 1 of 3 trials"), "{plan:?}");
}

/// `Ctrl-C` reaches the whole foreground group of a terminal; a trial must not hear it before greenloop does.
#[test]
fn ctrl_c_on_a_terminal() {
    let mark = marker("run-ctrl-c");
    let stage = endless_stage(&mark);
    let python = r"
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
end = time.time() + 20
while not os.path.exists('evals/ready'):
    assert time.time() < end
    time.sleep(0.01)
os.write(fd, b'\x03')
seen = b''
try:
    while True:
        piece = os.read(fd, 65536)
        if not piece: break
        seen += piece
except OSError:
    pass
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(status))
";
    let mut command = Command::new("python3");
    command.args(["-c", python, env!("CARGO_BIN_EXE_greenloop"), "run", "evals/fixture.json", "-o", "report.json"]);
    super::bare(&mut command);
    let Ok(output) = command.current_dir(stage.root()).output() else {
        eprintln!("SKIPPED: no python3 here");
        return;
    };
    let ran = Ran::from(output);
    assert_eq!(ran.status, Some(130), "{ran:?}");
    assert_eq!(living(&mark), [0; 0]);
    assert_eq!(outcomes(&stage.report()), ["PASS", "NOT_TESTED", "NOT_TESTED"]);
}

/// With several cases at once, each is stopped, and each that was done stays done.
#[test]
fn parallel_cases_stop_together() {
    let mark = marker("run-stop-together");
    let wait = |name: &str| {
        let script = format!(": > {name}.ready; sleep 1000; :");
        sh(name, "", &json!({"command": ["sh", "-c", script, mark], "timeout_seconds": 500}))
    };
    let cases: Vec<Value> =
        ["a", "b", "c", "d"].into_iter().map(wait).chain([sh("e", "echo ok", &json!({}))]).collect();
    let stage = Stage::new(&cases);
    let mut command = stage.command(&["--jobs", "5"]);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    eventually("all run", || {
        living(&mark).len() >= 4
            && ["a", "b", "c", "d"].iter().all(|n| stage.path(&format!("evals/{n}.ready")).exists())
    });
    // The fifth case needs some milliseconds at most; it is done or was stopped, and both are said truly.
    signal("-INT", child.id());
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!((ran.status, living(&mark).len()), (Some(130), 0), "{ran:?}");
    let report = stage.report();
    assert_eq!(outcomes(&report)[..4], ["NOT_TESTED"; 4]);
    let trials = report["trial_count"].as_u64().unwrap();
    assert_eq!(report["incomplete_because"], json!([format!("interrupted after {trials} of 5 trials")]));
}
