//! Trials of cases, from real child processes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use greenloop::categorize::signature::normalize_problem;
use greenloop::model::CaseName;
use greenloop::process::{Cancel, Limits, Pool, Program};
use greenloop::runner::manifest::{Case, CaseType, Expected};
use greenloop::runner::observation::Ended;
use greenloop::runner::outcome::judge_trial;
use greenloop::runner::{Bench, Redactor, TrialRun, environment, run_trial};

fn case(argv: &[&str]) -> Case {
    Case {
        name: CaseName::new("case"),
        case_type: CaseType::Positive,
        command: argv.iter().map(|arg| (*arg).to_owned()).collect(),
        expected: Expected::default(),
        real_world: false,
        timeout: Duration::from_secs(20),
        evidence_class: None,
        supports_claims: Vec::new(),
        seams: Vec::new(),
        risks: Vec::new(),
        required: true,
        readback: None,
        blocked_when_stdout_contains: Vec::new(),
        infra_blocked_when: Vec::new(),
        must_exercise: Vec::new(),
        execution_mode: None,
        category: None,
        category_id: None,
        mocked: false,
        uses_stub: false,
        lineage: BTreeMap::new(),
        description: None,
        source: serde_json::Value::Null,
    }
}

#[expect(clippy::disallowed_methods, reason = "a test may read its environment")]
fn trial(case: &Case, keep: &[&str]) -> TrialRun {
    let caller = [
        ("PATH", std::env::var("PATH").unwrap()),
        ("SERVICE_TOKEN", "tok-12345-value".to_owned()),
        ("LD_PRELOAD", "/nowhere.so".to_owned()),
    ];
    let caller = caller.map(|(name, value)| (name.into(), value.into()));
    let keep: Vec<String> = keep.iter().map(|name| (*name).to_owned()).collect();
    let bench = Bench {
        pool: Pool::new(Program::at(PathBuf::from(env!("CARGO_BIN_EXE_greenloop")))),
        folder: "/".into(),
        redactor: Redactor::new(&caller),
        env: environment::scrubbed(caller, &keep),
        limits: Limits { head: 200, tail: 200, ..Limits::default() },
        timeout: None,
    };
    run_trial(case, &bench, &Cancel::new().unwrap())
}

/// What is wrong with a trial of the case, in the words of the report.
fn problems(case: &Case) -> Vec<String> {
    judge_trial(case, &trial(case, &[]).observation(BTreeMap::new())).problems
}

#[test]
fn a_trial_tells_what_happened() {
    let run = trial(&case(&["sh", "-c", "pwd; printf 'e\\377' >&2; exit 9"]), &[]);
    assert_eq!((run.stdout.stored.as_str(), run.stderr.stored.as_str()), ("/\n", "e\\xff"));
    assert!(run.ended == Ended::Exited(9) && run.orphan_pids.is_empty());
    assert_eq!(trial(&case(&["sh", "-c", "kill -11 $$"]), &[]).ended, Ended::Signaled(11));
}

#[test]
fn a_missing_command_is_a_result() {
    let missing = case(&["no-such-command-here"]);
    assert_eq!(problems(&missing), ["cannot start 'no-such-command-here': command not found"]);
    assert!(!trial(&missing, &[]).cancelled);
}

#[test]
fn problems_are_of_the_kinds_that_signatures_know() {
    let mut slow = case(&["sleep", "100"]);
    slow.timeout = Duration::from_millis(1500);
    let found = problems(&slow);
    assert_eq!(found, ["timed out after 1.5s"]);
    assert_eq!(normalize_problem(&found[0]), "timed out after <duration>");
    let left = case(&["sh", "-c", "sleep 100 & exit 0"]);
    let run = trial(&left, &[]);
    assert_eq!((run.ended, run.orphan_pids.len()), (Ended::Exited(0), 1));
    assert_eq!(normalize_problem(&problems(&left)[0]), "process group survived teardown");
}

#[test]
fn secrets_pass_only_when_named_and_are_never_stored() {
    let print = case(&["sh", "-c", "echo \"[$SERVICE_TOKEN] [$LD_PRELOAD] $TERM password=abc99x\""]);
    let without = trial(&print, &[]);
    assert_eq!(without.stdout.checked, "[] [] dumb password=abc99x\n");
    let with = trial(&print, &["SERVICE_TOKEN"]);
    assert_eq!(with.stdout.checked, "[tok-12345-value] [] dumb password=abc99x\n");
    assert_eq!(with.stdout.stored, "[<redacted>] [] dumb password=<redacted>\n");
    assert!(!format!("{with:?}").contains("tok-12345"));
}

#[test]
fn a_cut_is_marked() {
    let run = trial(&case(&["sh", "-c", "echo start; head -c 100000 /dev/zero | tr '\\0' '\\n'; echo end"]), &[]);
    assert!(run.stdout.stored.contains("[... 99610 bytes left out ...]"), "{:?}", run.stdout);
    assert!(run.stdout.stored.starts_with("start\n") && run.stdout.stored.ends_with("end\n"));
}
