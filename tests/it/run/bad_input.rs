//! Fixtures that are none, and what cannot be done: named errors with the documented status, nothing run, nothing written.

use serde_json::{Value, json};

use super::{Ran, Stage, as_nobody, expects, manifest, public_program, sh};

/// Runs a fixture that must be refused, and returns what is said. A case that ran would leave the file `ran`.
fn refused(fixture: &[u8], status: i32) -> String {
    let stage = Stage::with(fixture);
    let ran = stage.run(&[]);
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(status), ""), "{ran:?}");
    assert!(!stage.path("report.json").exists() && !stage.path("evals/ran").exists(), "{ran:?}");
    assert!(!ran.stderr.contains('\u{1b}'), "{ran:?}");
    ran.stderr
}

fn refused_json(fixture: &Value) -> String {
    refused(&serde_json::to_vec_pretty(fixture).unwrap(), 1)
}

/// A sound manifest after a change at this place.
fn changed(pointer: &str, to: Value) -> Value {
    let mut sound = manifest(&[sh("a", ": > ran", &json!({})), sh("b", ": > ran", &json!({}))], &json!({}));
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    sound.pointer_mut(parent).unwrap()[key] = to;
    sound
}

#[test]
fn what_is_not_sound_is_not_run() {
    // Negative control: the manifest without a change runs.
    let sound = Stage::with(changed("/trials", json!(1)).to_string());
    assert_eq!(sound.run(&[]).status, Some(0));
    assert!(sound.path("evals/ran").exists());
    let table = [
        ("/version", json!(1)),
        ("/version", json!("2")),
        ("/version", json!(2.5)),
        ("/trials", json!(true)),
        ("/trials", json!(0)),
        ("/trials", json!(-1)),
        ("/cases", json!([])),
        ("/cases", json!({})),
        ("/cases/0/name", json!("b")),
        ("/cases/0/name", json!("")),
        ("/cases/0/name", json!(7)),
        ("/cases/0/type", json!("optimistic")),
        ("/cases/0/command", json!([])),
        ("/cases/0/command", json!([""])),
        ("/cases/0/command", json!("sh -c true")),
        ("/cases/0/command", json!(["sh", 1])),
        ("/cases/0/command", json!(["sh", "a\u{0}b"])),
        ("/cases/0/evidence_class", json!("hearsay")),
        ("/cases/0/supports_claims", json!(["nowhere"])),
        ("/cases/0/required", json!("false")),
        ("/cases/0/timeout_seconds", json!("30")),
        ("/cases/0/timeout_seconds", json!(-1)),
        ("/cases/0/expected/exit_code", json!("0")),
        ("/cases/0/expected/stdout_matches", json!(["x"])),
        ("/cases/0/expected/stdout_contains", json!([""])),
        ("/cases/0/expected/artifacts", json!([{"path": "../outside"}])),
        ("/cases/0/expected/artifacts", json!([{"path": "/etc/passwd"}])),
        ("/cases/0/expected/artifacts", json!([{"path": "a/../../b"}])),
        ("/cases/0/expected/artifacts", json!([{"path": "a", "equals_artifact": {"path": "../b"}}])),
        ("/cases/0/expected/artifacts", json!([{"path": "a", "json_pointer": "no/slash", "equals": 1}])),
        ("/cases/0/expected/artifacts", json!([{"path": "a", "sha256": "abc"}])),
        ("/cases/0/expected/artifacts", json!([{"path": "a", "absent": true, "equals": 1}])),
    ];
    let mut all = String::new();
    for (pointer, to) in table {
        let said = refused_json(&changed(pointer, to.clone()));
        let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error")).collect();
        assert!(!errors.is_empty(), "{pointer} {to}: {said}");
        assert!(said.contains("refused: the fixture is not valid; nothing was run"), "{pointer} {to}: {said}");
        all.push_str(&format!("{pointer} = {to}\n    {}\n", errors.join("\n    ")));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn bytes_that_are_no_manifest() {
    let deep = format!("{{\"version\": 2, \"cases\": {}", "[".repeat(100_000));
    let table: [(&str, Vec<u8>); 9] = [
        ("nothing", Vec::new()),
        ("not JSON", b"version: 2".to_vec()),
        ("cut off", b"{\"version\": 2, \"cases\": [".to_vec()),
        ("a list", b"[]".to_vec()),
        ("not UTF-8", b"{\"version\": 2, \"skill\": \"\xff\xfe\"}".to_vec()),
        ("a byte order mark only", b"\xef\xbb\xbf".to_vec()),
        ("zeros", vec![0; 4096]),
        ("deep", deep.into_bytes()),
        ("the same key twice", b"{\"version\": 2, \"version\": 2, \"cases\": []}".to_vec()),
    ];
    let mut all = String::new();
    for (name, bytes) in table {
        let said = refused(&bytes, 1);
        let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error")).collect();
        all.push_str(&format!("{name}\n    {}\n", errors.join("\n    ")));
    }
    insta::assert_snapshot!(all);
}

/// All mistakes are said together, in every format.
#[test]
fn all_reasons_at_once() {
    let fixture = json!({"version": 2, "trials": 0, "cases": [
        {"name": "x", "type": "positive", "command": [], "expected": {"exit_code": 0}},
        {"name": "x", "type": "positive", "command": ["true"], "expected": {"exit_code": 0, "artifacts": [{"path": "../y"}]}},
    ]});
    let stage = Stage::with(fixture.to_string());
    let wanted = ["manifest-bad-number", "manifest-empty-command", "manifest-duplicate-name", "manifest-bad-path"];
    for (format, check) in [("human", false), ("json", false), ("github", false), ("sarif", false), ("json", true)] {
        let mut args = vec!["run", "evals/fixture.json", "--format", format];
        args.extend(check.then_some("--check"));
        let ran = stage.say(&args);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        let both = format!("{}{}", ran.stdout, ran.stderr);
        for code in wanted {
            assert!(both.contains(code), "{format}: {code}: {both}");
        }
        if format != "human" {
            assert!(!ran.stdout.is_empty(), "{format}");
        }
    }
}

/// What the gate refuses is not run either, and `--check` says the same without running.
#[test]
fn the_gate_refuses_and_nothing_runs() {
    let mut fixture = changed("/trials", json!(1));
    fixture.as_object_mut().unwrap().remove("eval_kind");
    let said = refused_json(&fixture);
    assert!(said.contains("refused: the gate refuses the fixture"), "{said}");
    for code in ["too-few-trials", "only-positive", "no-real-world", "trivial-case"] {
        assert!(said.contains(code), "{code}: {said}");
    }
    let stage = Stage::with(fixture.to_string());
    let checked = stage.say(&["run", "evals/fixture.json", "--check"]);
    assert!(checked.status == Some(1) && checked.stdout.contains("only-positive"), "{checked:?}");
    assert!(!stage.path("evals/ran").exists());
    // With --report-only it runs, and the report is not READY and says why.
    let ran = stage.run(&["--report-only"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let report = stage.report();
    assert!(stage.path("evals/ran").exists());
    assert_eq!((&report["readiness"], &report["gate"]["open"]), (&json!("NOT_ESTABLISHED"), &json!(false)));
    assert!(report["readiness_reasons"].to_string().contains("gate only-positive"), "{report:#}");
}

#[test]
fn what_cannot_be_read_is_status_3() {
    let stage = Stage::new(&[sh("a", "true", &json!({}))]);
    let at = |ran: Ran| {
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(3), ""), "{ran:?}");
        ran.stderr
    };
    assert!(at(stage.say(&["run", "nowhere.json"])).contains("No such file"));
    assert!(at(stage.say(&["run", "evals"])).contains("the fixture cannot be read"));
    let said = at(stage.run(&["--environment-lock", "no.lock"]));
    assert!(said.contains("a lock file cannot be read"), "{said}");
    let usage = |args: &[&str]| {
        let ran = stage.run(args);
        assert_eq!(ran.status, Some(2), "{args:?}: {ran:?}");
    };
    usage(&["--case", "no such case"]);
    usage(&["--shard", "3/2"]);
    usage(&["--jobs", "0"]);
    usage(&["--trials", "0"]);
    usage(&["--timeout-seconds", "0"]);
    usage(&["--only-category", "a:b:c"]);
    assert!(!stage.path("report.json").exists());
}

/// Names that look like attacks are data: shown harmlessly, kept exactly.
#[test]
fn hostile_names_do_not_act() {
    let name = "a\u{1b}[31m\n::error::owned\u{202e} $(touch pwned) `x`";
    let stage = Stage::new(&[expects(name, "exit 1", &json!({})), sh("../../etc/passwd", "true", &json!({}))]);
    for format in ["human", "json", "github", "sarif"] {
        let ran = stage.run(&["--format", format]);
        let both = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(!both.chars().any(|c| c != '\n' && greenloop::model::is_unsafe_for_display(c)), "{format}: {both:?}");
        assert!(!both.lines().any(|line| line.starts_with("::error::owned")), "{format}: {both}");
    }
    assert_eq!(stage.report()["cases"][0]["name"], name);
    assert!(!stage.path("pwned").exists() && !stage.path("evals/pwned").exists());
}

/// The folder of the fixture may not be entered, or not be written: the trial or the report fails, by name.
#[test]
fn folders_of_somebody_else() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = public_program(folder.path()) else { return };
    let stage = Stage::new(&[sh("a", "echo ok", &json!({}))]);
    let mode = |mode: u32| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(stage.path("evals"), permissions).unwrap();
    };
    let run = |args: &[&str]| -> Ran { as_nobody(&program, &stage, args).output().unwrap().into() };
    stage.open_to_all();
    mode(0o700);
    let ran = run(&["run", "evals/fixture.json"]);
    assert!(ran.status == Some(3) && ran.stderr.contains("Permission denied"), "{ran:?}");
    mode(0o755);
    let ran = run(&["run", "evals/fixture.json", "-o", "evals/report.json"]);
    assert!(
        ran.status == Some(3) && ran.stderr.contains("evals/report.json cannot be written: permission denied"),
        "{ran:?}"
    );
    assert!(!ran.stdout.contains("READY"), "nothing was run: {ran:?}");
    let ran = run(&["run", "evals/fixture.json", "-o", "report.json"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
}

/// A path that is no text is a path all the same.
#[test]
fn a_fixture_at_a_path_that_is_not_utf8() {
    use std::os::unix::ffi::OsStringExt as _;
    let stage = Stage::new(&[sh("a", "echo ok", &json!({}))]);
    let folder = stage.root().join(std::ffi::OsString::from_vec(b"ev\xff".to_vec()));
    std::fs::rename(stage.path("evals"), &folder).unwrap();
    let mut command = stage.program(&["run", "-o", "report.json"]);
    let ran = Ran::from(command.arg(folder.join("fixture.json")).output().unwrap());
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(stage.report().get("incomplete_because").is_none(), "{:#}", stage.report());
}

/// Nobody listens any more: the run goes on to its end, and its report is there.
#[test]
fn closed_streams_of_the_program() {
    for (out, err) in [(true, false), (false, true), (true, true)] {
        let stage = Stage::new(&[sh("a", "exit 1", &json!({})), sh("b", "echo ok", &json!({}))]);
        let mut command = stage.command(&[]);
        command.env("CI", "1").stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop((out.then(|| child.stdout.take()), err.then(|| child.stderr.take())));
        let status = child.wait().unwrap();
        assert!(status.code().is_some(), "{status}");
        assert_eq!(stage.report()["case_count"], 2, "stdout closed: {out}, stderr closed: {err}");
    }
}
