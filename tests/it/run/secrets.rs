//! Secrets appear nowhere: not in the report, not on a stream.

use serde_json::{Value, json};

use super::{Stage, expects, sh};

/// Values that only the environment knows to be secrets, and ones that have the form of a secret. None may be found in what is
/// written, whole or as JSON or a URL spells it.
const OF_THE_ENVIRONMENT: [(&str, &str); 4] = [
    ("SERVICE_TOKEN", "correct-horse-battery-77"),
    ("DB_PASSWORD", "p\"w/ü x%9\\end"),
    ("SIGNING_KEY", "first line of the key 123\nsecond line of the key 456\n"),
    ("LOGIN_COOKIE", "sid%3Dabcdef0123456789"),
];
const OF_FORM: [&str; 4] = [
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "AKIAIOSFODNN7EXAMPLF",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJlLW9mLWFubg",
    "glpat-ABCDEFGHIJ0123456789",
];
const PASSED: [&str; 8] =
    ["--env", "SERVICE_TOKEN", "--env", "DB_PASSWORD", "--env", "SIGNING_KEY", "--env", "LOGIN_COOKIE"];

/// Every spelling in which a secret may not be found.
fn spellings() -> Vec<String> {
    let mut all: Vec<String> = OF_FORM.iter().map(|secret| (*secret).to_owned()).collect();
    for (_, value) in OF_THE_ENVIRONMENT {
        for part in value.lines().chain([value]) {
            let json = serde_json::to_string(part).unwrap();
            let twice = serde_json::to_string(&json[1..json.len() - 1]).unwrap();
            all.extend([part.to_owned(), json[1..json.len() - 1].to_owned(), twice[1..twice.len() - 1].to_owned()]);
        }
    }
    all
}

fn stage() -> Stage {
    let forms = OF_FORM.join(" ");
    let everything = r#"printf '%s\n' "$SERVICE_TOKEN" "$DB_PASSWORD" "$SIGNING_KEY" "$LOGIN_COOKIE""#;
    let write = r#"python3 -c 'import json, os; json.dump({"k": os.environ["DB_PASSWORD"], "t": os.environ["SERVICE_TOKEN"]}, open("a.json", "w"))'"#;
    let value = |pointer: &str| json!({"artifacts": [{"path": "a.json", "json_pointer": pointer, "equals": "x"}]});
    Stage::new(&[
        sh("stdout", &format!("{everything}; exit 1"), &json!({})),
        sh("stderr", &format!("{{ {everything}; }} >&2; exit 1"), &json!({})),
        sh("passing", everything, &json!({})),
        sh(
            "as JSON",
            "python3 -c 'import json, os; print(json.dumps(dict(os.environ)), json.dumps(json.dumps(dict(os.environ))))'; exit 1",
            &json!({}),
        ),
        sh(
            "as a URL",
            "python3 -c 'import os, urllib.parse as u; print([u.quote(v, safe=\"\") for v in os.environ.values()])'; exit 1",
            &json!({}),
        ),
        sh("by form", &format!("echo {forms}; exit 1"), &json!({})),
        sh(
            "cut through",
            r#"head -c 262134 /dev/zero | tr '\0' 'x'; printf '%s' "$SERVICE_TOKEN"; head -c 900000 /dev/zero | tr '\0' y; exit 1"#,
            &json!({}),
        ),
        sh("in argv", "", &json!({"command": ["sh", "-c", "exit 1", "--token", OF_THE_ENVIRONMENT[0].1, OF_FORM[0]]})),
        sh("of the program", "", &json!({"command": [format!("./{}", OF_THE_ENVIRONMENT[0].1)]})),
        expects("a value in a problem", write, &value("/k")),
        expects("another value in a problem", write, &value("/t")),
        expects("a needle in a problem", "true", &json!({"stdout_contains": [OF_THE_ENVIRONMENT[0].1, OF_FORM[1]]})),
        expects("an excluded needle", everything, &json!({"stdout_excludes": [OF_THE_ENVIRONMENT[0].1]})),
    ])
}

fn leaks(text: &str) -> Vec<String> {
    spellings().into_iter().filter(|secret| text.contains(secret.as_str())).collect()
}

#[test]
fn nothing_secret_is_written_anywhere() {
    for format in ["human", "json", "github", "sarif"] {
        let stage = stage();
        let mut args = PASSED.to_vec();
        args.extend(["--format", format]);
        let mut command = stage.command(&args);
        command.envs(OF_THE_ENVIRONMENT).env("CI", "1");
        let ran = super::Ran::from(command.output().unwrap());
        assert_eq!(ran.status, Some(1), "{ran:?}");
        let report = std::fs::read_to_string(stage.path("report.json")).unwrap();
        for (what, text) in [("report", &report), ("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
            let found = leaks(text);
            assert!(found.is_empty(), "{format}: {what}: {found:?} in {}", around(text, &found[0]));
        }
        // They were really there: what is left says so.
        assert!(report.matches("<redacted>").count() > 15, "{report}");
        let judged: Value = serde_json::from_str(&report).unwrap();
        let excluded = super::case(&judged, "an excluded needle");
        assert_eq!(excluded["outcome"], "FAIL", "judged by what was written, not by what is stored: {excluded:#}");
    }
}

/// A merged report takes command lines from the fixture for cases that no shard ran.
#[test]
fn nor_by_a_merge() {
    let stage = stage();
    let mut run = stage.program(&["run", "evals/fixture.json", "--shard", "1/2", "-o", "part.json", "--report-only"]);
    assert_eq!(run.envs(OF_THE_ENVIRONMENT).output().unwrap().status.code(), Some(0));
    let mut merge = stage.program(&["merge", "evals/fixture.json", "part.json", "-o", "report.json"]);
    let ran = super::Ran::from(merge.envs(OF_THE_ENVIRONMENT).output().unwrap());
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let report = std::fs::read_to_string(stage.path("report.json")).unwrap();
    assert_eq!(leaks(&format!("{report}{}{}", ran.stdout, ran.stderr)), [""; 0]);
    assert!(report.contains("no shard ran it"));
}

fn around<'t>(text: &'t str, what: &str) -> &'t str {
    let at = text.find(what).unwrap();
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    &text[boundary(at.saturating_sub(200))..boundary((at + 200).min(text.len()))]
}

/// Without --env a trial does not have them at all.
#[test]
fn a_trial_gets_no_secret_that_was_not_named() {
    let stage = Stage::new(&[sh("a", "env", &json!({}))]);
    let mut command = stage.command(&[]);
    command.envs(OF_THE_ENVIRONMENT).env("LD_LIBRARY_PATH", "/nowhere").env("GIT_DIR", "/nowhere");
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    let stdout = stage.report()["cases"][0]["trials"][0]["stdout"].as_str().unwrap().to_owned();
    for name in ["SERVICE_TOKEN", "DB_PASSWORD", "SIGNING_KEY", "LD_LIBRARY_PATH", "GIT_DIR"] {
        assert!(!stdout.contains(name), "{stdout}");
    }
    assert!(stdout.contains("PATH=") && stdout.contains("TERM=dumb"), "{stdout}");
}
