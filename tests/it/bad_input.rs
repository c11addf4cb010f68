//! Reports that are no reports, reports that lie, hostile ones: an error with file, place and hint, the documented exit
//! status, nothing changed on disk, and no control character on any stream.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use greenloop::model::is_unsafe_for_display;
use serde_json::{Value, json};

const MAP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/maps/valid/shop.json");

struct Seen {
    status: i32,
    stdout: String,
    stderr: String,
}

/// Runs a command on report.json in `folder`, and checks what must hold for every input.
fn run(folder: &Path, command: &str, format: &str) -> Seen {
    let before = files(folder);
    let output = assert_cmd::Command::cargo_bin("greenloop")
        .unwrap()
        .current_dir(folder)
        .args(["--project", ".", command, "report.json", "--map", MAP, "--format", format])
        .timeout(std::time::Duration::from_secs(60))
        .output()
        .unwrap();
    assert_eq!(files(folder), before, "{command} changed something on disk");
    let seen = Seen {
        status: output.status.code().expect("no signal, so no crash"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    let both = format!("{}{}", seen.stdout, seen.stderr);
    assert!(!both.chars().any(|c| c != '\n' && is_unsafe_for_display(c)), "{command} --format {format}: {both:?}");
    assert!(!both.contains("panicked"), "{both}");
    seen
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.clone(), std::fs::read(&path).unwrap_or_default())).collect()
}

fn folder_with(report: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.json"), report).unwrap();
    folder
}

/// Checks that `categorize` and `plan` refuse the bytes as unreadable, and returns what they say.
fn unreadable(report: &[u8]) -> String {
    let folder = folder_with(report);
    let seen = run(folder.path(), "categorize", "human");
    assert_eq!((seen.status, seen.stdout.as_str()), (3, ""), "{}", seen.stderr);
    assert!(seen.stderr.contains("at: report.json"), "{}", seen.stderr);
    for (command, format) in [("categorize", "json"), ("categorize", "github"), ("plan", "human"), ("dag", "human")] {
        assert_eq!(run(folder.path(), command, format).status, 3, "{command} {format}");
    }
    seen.stderr
}

fn v2(more: &Value, cases: &Value) -> Vec<u8> {
    let mut report = json!({"schema": "agentic_evals.report.v2", "cases": cases});
    for (field, value) in more.as_object().unwrap() {
        report[field] = value.clone();
    }
    report.to_string().into_bytes()
}

#[test]
fn what_cannot_be_read_is_refused_with_place_and_hint() {
    let deep = "[".repeat(100_000);
    let deep_cases = format!(r#"{{"schema": "agentic_evals.report.v2", "cases": {deep}{}}}"#, "]".repeat(100_000));
    let whole = v2(&json!({}), &json!([{"name": "a", "outcome": "PASS"}]));
    let twice = v2(&json!({}), &json!([{"name": "a", "outcome": "PASS"}, {"name": "a", "outcome": "FAIL"}]));
    let mut not_utf8 = whole.clone();
    let at = not_utf8.iter().position(|byte| *byte == b'a').unwrap();
    not_utf8[at] = 0xff;
    let mut text = String::new();
    for (what, bytes) in [
        ("empty", &b""[..]),
        ("not JSON", b"<testsuite/>"),
        ("another document", b"{\"schema\": \"agentic_evals.category_map.v1\"}"),
        ("an unknown version", b"{\"schema\": \"agentic_evals.report.v9\", \"cases\": []}"),
        ("a duplicate key", b"{\"schema\": \"agentic_evals.report.v2\", \"cases\": [],\n \"cases\": []}"),
        ("deep nesting", deep_cases.as_bytes()),
        ("a huge number", b"{\"schema\": \"agentic_evals.report.v2\", \"case_count\": 1e999, \"cases\": []}"),
        ("invalid UTF-8", &not_utf8),
        ("cut off", &whole[..whole.len() - 3]),
        ("two names", &twice),
        (
            "an unknown outcome",
            b"{\"schema\": \"agentic_evals.report.v2\", \"cases\": [{\"name\": \"a\", \"outcome\": \"ok\"}]}",
        ),
    ] {
        text += &format!("=== {what}\n{}", unreadable(bytes));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_missing_file_and_a_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), "categorize", "human").status, 3);
    std::fs::create_dir(folder.path().join("report.json")).unwrap();
    let seen = run(folder.path(), "categorize", "human");
    assert_eq!(seen.status, 3);
    assert!(seen.stderr.contains("this is a folder"), "{}", seen.stderr);
}

#[test]
fn reports_that_lie_or_are_partial_never_hold_and_never_lead_to_a_plan() {
    let pass = json!([{"name": "a", "outcome": "PASS"}]);
    let blocked = json!([{"name": "a", "outcome": "BLOCKED"}, {"name": "b", "outcome": "BLOCKED"}]);
    let ready = |more: Value| {
        let mut more = more;
        more["readiness"] = "READY".into();
        more
    };
    for (what, report) in [
        ("case_count", v2(&ready(json!({"case_count": 2})), &pass)),
        ("outcome_counts", v2(&ready(json!({"outcome_counts": {"PASS": 2}})), &pass)),
        ("focused", v2(&ready(json!({"focused_cases": ["a"]})), &pass)),
        ("partial", v2(&ready(json!({"claims_coverage": "partial: focus"})), &pass)),
        ("NOT_TESTED", v2(&ready(json!({})), &json!([{"name": "a", "outcome": "NOT_TESTED"}]))),
        ("no cases", v2(&ready(json!({})), &json!([]))),
    ] {
        let folder = folder_with(&report);
        let seen = run(folder.path(), "categorize", "human");
        assert_eq!(seen.status, 1, "{what}: {}{}", seen.stdout, seen.stderr);
        assert!(seen.stdout.contains("incomplete:"), "{what}: {}", seen.stdout);
        assert!(run(folder.path(), "categorize", "github").stdout.starts_with("::error file=report.json"), "{what}");
        let plan = run(folder.path(), "plan", "human");
        assert_eq!(plan.status, 1, "{what}: {}{}", plan.stdout, plan.stderr);
    }
    // A run in which everything is blocked is complete, but it proves nothing.
    let folder = folder_with(&v2(&ready(json!({})), &blocked));
    assert!(!run(folder.path(), "categorize", "human").stdout.contains("green:"));
    assert_eq!(run(folder.path(), "plan", "human").status, 1);
}

#[test]
fn hostile_text_reaches_no_stream_as_it_is() {
    let evil = "\u{1b}[2J\u{202e}\u{200b}\u{9b}31m\r\n::error::owned%0A\u{7}\u{e0041}\u{2028}";
    let failing = |name: String, more: Value| {
        let mut case = json!({"name": name, "outcome": "FAIL", "problems": [evil], "trials": [{"outcome": "FAIL", "stdout": evil}]});
        for (field, value) in more.as_object().unwrap() {
            case[field] = value.clone();
        }
        case
    };
    let cases = json!([
        failing(format!("1{evil}"), json!({"seams": ["cart.totals"]})),
        failing(format!("2{evil}"), json!({"seams": ["cart.totals", "catalog.price_lookup"]})),
        failing(format!("3{evil}"), json!({"category": evil})),
        failing(format!("4{evil}"), json!({"seams": [format!("cart.total{evil}")]})),
        {"name": format!("5{evil}"), "outcome": "BLOCKED", "problems": [evil]},
    ]);
    let more = json!({"run_id": evil, "repo": {"sha": evil, "ref": evil}, "claims_coverage": format!("partial{evil}"),
        "fixture_sha256": evil, "shard": evil, "capability_claims": [{"id": evil, "verdict": evil}]});
    for report in [
        v2(&more, &cases),
        v2(&json!({"schema": evil}), &cases),
        v2(&json!({"readiness": evil}), &cases),
        v2(&json!({}), &json!([failing(evil.to_owned(), json!({})), failing(evil.to_owned(), json!({}))])),
        v2(&json!({}), &json!([failing(evil.to_owned(), json!({"outcome": evil}))])),
    ] {
        let folder = folder_with(&report);
        for (command, formats) in [
            ("categorize", &["human", "json", "github"][..]),
            ("plan", &["human", "json"]),
            ("fingerprint", &["human", "json"]),
            ("dag", &["human", "json"]),
        ] {
            for format in formats {
                let seen = run(folder.path(), command, format);
                assert!(matches!(seen.status, 0 | 1 | 3), "{command} {format}: {}", seen.status);
                let forged = seen.stdout.lines().filter(|line| line.starts_with("::error::")).count();
                assert_eq!(forged, 0, "{command} {format}: {}", seen.stdout);
            }
        }
    }
}
