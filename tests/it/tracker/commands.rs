//! The ticket commands of the real program.

use std::path::Path;

use super::*;
use assert_cmd::assert::{Assert, OutputAssertExt as _};

fn greenloop(project: &Path, arguments: &[&str]) -> Assert {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_greenloop"));
    command.args(arguments).arg("--project").arg(project).assert()
}

/// Both streams, with the project's place taken out.
fn shown(assert: &Assert, project: &Path) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().replace(project.to_str().unwrap(), "PROJECT");
    let output = assert.get_output();
    format!("{}--- standard error\n{}", text(&output.stdout), text(&output.stderr))
}

fn json(assert: &Assert) -> serde_json::Value {
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

/// A project with a ticket in each state that people tell apart.
fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut tracker = EmbeddedTracker::open_or_create(&dir.path().join(".greenloop/tracker.db")).unwrap();
    tracker.begin().unwrap();
    let [cart, checkout, mail, search, old] =
        ["cart-total", "checkout", "mail", "search", "old"].map(|name| create(&mut tracker, name));
    let mut run = |key: &str, operation: Operation| {
        tracker.execute(key, &operation).unwrap();
    };
    run(
        "link",
        Operation::Link { ticket: checkout.clone(), upstream: cart.clone(), rationale: "pays the total".into() },
    );
    run("link-old", Operation::Link { ticket: search.clone(), upstream: old.clone(), rationale: "uses it".into() });
    for ticket in [&search, &cart, &checkout] {
        run(&format!("publish-{ticket}"), Operation::Publish { ticket: ticket.clone() });
    }
    run("resolved", Operation::CandidateResolved { ticket: mail, receipt: receipt(2, &[]) });
    run("close", Operation::Close { ticket: old, closure: closure() });
    tracker.commit().unwrap();
    dir
}

#[test]
fn no_tracker_and_an_empty_one_are_said_kindly() {
    let dir = tempfile::tempdir().unwrap();
    for command in ["list", "ready"] {
        let assert = greenloop(dir.path(), &["ticket", command]).success();
        insta::allow_duplicates! { insta::assert_snapshot!("no_tracker", shown(&assert, dir.path())) };
    }
    let document = json(&greenloop(dir.path(), &["ticket", "list", "--format", "json"]).success());
    assert_eq!(document, serde_json::json!({"schema": "greenloop.ticket.v1", "tickets": []}));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "reading makes nothing");
    drop(EmbeddedTracker::open_or_create(&dir.path().join(".greenloop/tracker.db")).unwrap());
    let empty = shown(&greenloop(dir.path(), &["ticket", "list"]).success(), dir.path());
    assert!(empty.contains("the tracker is empty"), "{empty}");
}

#[test]
fn lists_show_what_can_be_done() {
    let dir = project();
    let all = greenloop(dir.path(), &["ticket", "list", "--state", "all"]).success();
    insta::assert_snapshot!("list_all", shown(&all, dir.path()));
    insta::assert_snapshot!("ready", shown(&greenloop(dir.path(), &["ticket", "ready"]).success(), dir.path()));
    let numbers = |arguments: &[&str]| {
        let document =
            json(&greenloop(dir.path(), &[&["ticket"], arguments, &["--format", "json"]].concat()).success());
        document["tickets"].as_array().unwrap().iter().map(|t| t["ref"]["number"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&["ready"]), [1, 4]);
    assert_eq!(numbers(&["list"]), [1, 2, 3, 4]);
    assert_eq!(numbers(&["list", "--state", "closed"]), [5]);
    assert_eq!(numbers(&["list", "--state", "all", "--category", "evals:shop:old"]), [5]);
    assert_eq!(numbers(&["list", "--category", "evals:shop:old"]), [0_u64; 0]);
    greenloop(dir.path(), &["ticket", "list", "--category", "no id"]).code(2);
}

#[test]
fn show_tells_everything_about_one_ticket() {
    let dir = project();
    let by_number = greenloop(dir.path(), &["ticket", "show", "2"]).success();
    insta::assert_snapshot!("show_blocked", shown(&by_number, dir.path()));
    let by_category = greenloop(dir.path(), &["ticket", "show", "evals:shop:checkout"]).success();
    assert_eq!(shown(&by_category, dir.path()), shown(&by_number, dir.path()));
    insta::assert_snapshot!(
        "show_closed",
        shown(&greenloop(dir.path(), &["ticket", "show", "#5"]).success(), dir.path())
    );
    let document = json(&greenloop(dir.path(), &["ticket", "show", "2", "--format", "json"]).success());
    let members = [
        "ref",
        "category_id",
        "title",
        "state",
        "state_reason",
        "labels",
        "blocked_by",
        "blocks",
        "reopened",
        "receipts",
        "closure",
    ];
    assert!(members.iter().all(|member| document["tickets"][0].get(member).is_some()), "{document}");
    assert_eq!(document["history"].as_array().unwrap().len(), 3);
    let missing = greenloop(dir.path(), &["ticket", "show", "99"]).code(3);
    insta::assert_snapshot!("show_missing", shown(&missing, dir.path()));
    greenloop(dir.path(), &["ticket", "show", "what"]).code(2);
}

#[test]
fn a_reopened_category_shows_its_live_ticket() {
    let dir = project();
    let mut tracker = EmbeddedTracker::open_or_create(&dir.path().join(".greenloop/tracker.db")).unwrap();
    tracker.begin().unwrap();
    tracker.execute("new", &creation("old")).unwrap();
    tracker.commit().unwrap();
    let document = json(&greenloop(dir.path(), &["ticket", "show", "evals:shop:old", "--format", "json"]).success());
    assert_eq!(document["tickets"][0]["ref"]["number"], 6);
}

#[test]
fn hostile_text_cannot_move_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let mut tracker = EmbeddedTracker::open_or_create(&dir.path().join(".greenloop/tracker.db")).unwrap();
    let hostile = "\u{1b}]0;title\u{7}\u{1b}[2J\u{202e}\r\nfake row\u{9b}31m";
    tracker.begin().unwrap();
    let operation = Operation::Create {
        category_id: "evals:shop:x".parse().unwrap(),
        title: hostile.into(),
        body: format!("first\n{hostile}"),
        labels: BTreeSet::from([hostile.to_owned()]),
        receipt: receipt(1, &[hostile]),
    };
    tracker.execute(hostile, &operation).unwrap();
    tracker.commit().unwrap();
    for arguments in [["ticket", "list", "--state", "all"].as_slice(), &["ticket", "show", "1"]] {
        let text = shown(&greenloop(dir.path(), arguments).success(), dir.path());
        assert!(!text.chars().any(|c| c != '\n' && greenloop::model::is_unsafe_for_display(c)), "{text:?}");
    }
    assert_eq!(shown(&greenloop(dir.path(), &["ticket", "list"]).success(), dir.path()).lines().count(), 4);
}

#[test]
fn damage_is_never_an_empty_list() {
    let dir = project();
    let path = dir.path().join(".greenloop/tracker.db");
    std::fs::write(&path, b"this was a database once").unwrap();
    for command in [["ticket", "list"].as_slice(), &["ticket", "ready"], &["ticket", "show", "1"]] {
        let assert = greenloop(dir.path(), command).code(4);
        assert!(assert.get_output().stdout.is_empty());
        insta::allow_duplicates! { insta::assert_snapshot!("damaged", shown(&assert, dir.path())) };
    }
}

#[test]
fn a_reader_that_went_away_ends_it_quietly() {
    let dir = project();
    let binary = env!("CARGO_BIN_EXE_greenloop");
    let script = format!(
        "'{binary}' ticket list --format json --project '{}' | true; echo ${{PIPESTATUS[0]}}",
        dir.path().display()
    );
    let output = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "0");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}
