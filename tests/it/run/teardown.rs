//! Nothing of a trial outlives it, whatever it does: proven from outside, by a marker that is looked for in `/proc`.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::{Stage, as_nobody, case, outcomes, public_program, sh};
use crate::process::{eventually, living, marker};

/// Scripts that leave something behind and end well. `$0` is the marker; what is left says so with a file of its own
/// before the script ends, so that it is what it says.
const LEAVES: [(&str, &str); 8] = [
    ("plain", "sh -c ': > r1; sleep 1000; :' \"$0\" & wait_for r1"),
    ("new-session", "setsid sh -c ': > r2; sleep 1000; :' \"$0\" & wait_for r2"),
    ("double-fork", "(setsid sh -c '(setsid sh -c \": > r3; sleep 1000; :\" \"$0\" &)' \"$0\" &); wait_for r3"),
    ("term-proof", "setsid sh -c 'trap \"\" TERM HUP INT QUIT; : > r4; sleep 1000; :' \"$0\" & wait_for r4"),
    ("closed-streams", "setsid sh -c 'exec <&- >&- 2>&-; : > r5; sleep 1000; :' \"$0\" & wait_for r5"),
    ("open-pipe", "sh -c ': > r6; sleep 1000; :' \"$0\" & wait_for r6; exec >&- 2>&-"),
    (
        "forks-while-it-is-killed",
        "perl -e 'use POSIX; open(F, \">r7\"); close F; while (1) { my $p = fork(); POSIX::_exit(0) if $p; POSIX::setsid(); }' \"$0\" & wait_for r7",
    ),
    (
        "a-family",
        "for n in 1 2 3; do setsid sh -c 'sleep 1000 & sleep 1000 & sleep 1000; :' \"$0\" & done; : > r8; wait_for r8",
    ),
];

const WAIT: &str = "wait_for() { while ! test -e \"$1\"; do sleep 0.01; done; }\n";

fn leaving(name: &str, script: &str, mark: &str) -> Value {
    let command = json!(["sh", "-c", format!("{WAIT}{script}"), mark]);
    sh(name, "", &json!({"command": command, "timeout_seconds": 20}))
}

/// Runs a fixture whose cases leave all of these behind, by this command, and looks for what is left.
fn everything_is_dead(name: &str, stage: &Stage, mark: &str, mut command: Command) {
    let output = command.output().unwrap();
    assert_eq!(living(mark), [0; 0], "{name}");
    assert_eq!(output.status.code(), Some(1), "{name}: {output:?}");
    let report = stage.report();
    for (leaver, _) in LEAVES {
        let case = case(&report, leaver);
        let shown = format!("{name}: {case:#}");
        assert_eq!(case["outcome"], "FAIL", "{shown}");
        let problem = case["problems"][0].as_str().unwrap();
        assert!(problem.starts_with("process group survived teardown: "), "{shown}");
        let trial = &case["trials"][0];
        assert_eq!((&trial["exit_code"], &trial["timed_out"]), (&json!(0), &json!(false)), "{shown}");
        assert!(!trial["orphan_pids_after_teardown"].as_array().unwrap().is_empty(), "{shown}");
        assert!(trial["duration_ms"].as_f64().unwrap() < 10_000.0, "{shown}");
    }
    assert_eq!(case(&report, "innocent")["outcome"], "PASS", "{name}: the next case is not blamed");
}

fn stage_of_leavers(mark: &str) -> Stage {
    let mut cases: Vec<Value> = LEAVES.iter().map(|(name, script)| leaving(name, script, mark)).collect();
    cases.push(sh("innocent", "echo fine", &json!({})));
    Stage::new(&cases)
}

#[test]
fn whatever_a_trial_leaves_behind_is_dead_and_fails_it() {
    let mark = marker("run-leaves");
    let stage = stage_of_leavers(&mark);
    let command = stage.command(&["--jobs", "4"]);
    everything_is_dead("as the caller", &stage, &mark, command);
}

#[test]
fn also_for_an_unprivileged_user() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = public_program(folder.path()) else { return };
    let mark = marker("run-leaves-nobody");
    let stage = stage_of_leavers(&mark);
    stage.open_to_all();
    let command = as_nobody(&program, &stage, &["run", "evals/fixture.json", "-o", "report.json", "--jobs", "4"]);
    everything_is_dead("as nobody", &stage, &mark, command);
}

#[test]
fn a_command_that_is_out_of_time_dies_with_all_that_it_started() {
    let mark = marker("run-timeout");
    let script = "trap '' TERM; sh -c 'trap \"\" TERM; sleep 1000; :' \"$0\" & setsid sh -c 'sleep 1000; :' \"$0\" & sleep 1000; :";
    let slow = sh("slow", "", &json!({"command": ["sh", "-c", script, mark], "timeout_seconds": 0.5}));
    let stage = Stage::new(&[slow]);
    let report = stage.reported(&[]);
    assert_eq!(living(&mark), [0; 0]);
    let problems = case(&report, "slow")["problems"].as_array().unwrap();
    assert_eq!(problems[0], "timed out after 0.5s");
    assert_eq!(case(&report, "slow")["trials"][0]["timed_out"], true);
}

#[test]
fn parallel_trials_never_blame_each_other() {
    let mark = marker("run-parallel");
    let work = |name: &str| sh(name, "sleep 0.1; sh -c 'exit 0'; (sleep 0.05); echo ok", &json!({}));
    let mut cases: Vec<Value> = (0..7).map(|n| work(&format!("innocent-{n}"))).collect();
    cases.insert(
        3,
        leaving("guilty", "setsid sh -c ': > r0; sleep 1000; :' \"$0\" & wait_for r0; sleep 0.05; rm r0", &mark),
    );
    let stage = Stage::of(&cases, &json!({"trials": 3}));
    let report = stage.reported(&["--jobs", "8"]);
    assert_eq!(living(&mark), [0; 0]);
    let wanted: Vec<&str> = (0..8).map(|n| if n == 3 { "FAIL" } else { "PASS" }).collect();
    assert_eq!(outcomes(&report), wanted);
    let named = |case: &Value| -> usize {
        let trials = case["trials"].as_array().unwrap();
        trials.iter().map(|trial| trial["orphan_pids_after_teardown"].as_array().unwrap().len()).sum()
    };
    for case in report["cases"].as_array().unwrap() {
        assert_eq!(named(case) > 0, case["name"] == "guilty", "{case:#}");
    }
}

#[test]
fn a_trial_that_kills_its_supervisor_fails_alone() {
    let mark = marker("run-lost");
    let script = "setsid sh -c ': > r9; sleep 1000; :' \"$0\" & wait_for r9; kill -9 $PPID; sleep 1000; :";
    let stage = Stage::new(&[
        sh("before", "echo ok", &json!({})),
        leaving("murderer", script, &mark),
        sh("after", "echo ok", &json!({})),
    ]);
    let report = stage.reported(&[]);
    assert_eq!(living(&mark), [0; 0]);
    assert_eq!(outcomes(&report), ["PASS", "FAIL", "PASS"]);
    let problems = case(&report, "murderer")["problems"].to_string();
    assert!(problems.contains("evidence integrity: the end of the command is not known"), "{problems}");
}

/// A run of one case that never ends, with a child in a session of its own, and both are there.
pub(super) fn endless(stage: &Stage, mark: &str) -> Child {
    let child = stage.command(&[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the case runs", || living(mark).len() >= 2 && stage.path("evals/ready").exists());
    child
}

pub(super) fn endless_stage(mark: &str) -> Stage {
    let script = "trap '' TERM; setsid sh -c 'trap \"\" TERM INT; : > ready; sleep 1000; :' \"$0\" & sleep 1000; :";
    let endless = sh("endless", "", &json!({"command": ["sh", "-c", script, mark], "timeout_seconds": 500}));
    Stage::new(&[sh("first", "echo ok", &json!({})), endless, sh("last", "echo ok", &json!({}))])
}

/// Children of a process, by `/proc`.
fn children(pid: u32) -> Vec<i32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    Path::new("/proc").join(pid.to_string()).exists()
        && !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
}

#[test]
fn nothing_is_left_when_the_program_is_killed() {
    let mark = marker("run-killed");
    let stage = endless_stage(&mark);
    let mut child = endless(&stage, &mark);
    let supervisors = children(child.id());
    assert!(!supervisors.is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("the trial is torn down", || living(&mark).is_empty());
    eventually("the supervisors end, too", || !supervisors.iter().any(|pid| is_alive(*pid)));
    assert!(!stage.path("report.json").exists(), "no half report");
}
