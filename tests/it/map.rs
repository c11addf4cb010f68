//! `greenloop map`: every fixture and every format, as people and machines see them.

mod corpus;
mod difference;
mod own;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;

use greenloop::category_map::{parse, rules, rules_markdown};
use greenloop::model::is_unsafe_for_display;

/// Set this variable to write generated documents anew instead of comparing them.
const UPDATE: &str = "GREENLOOP_UPDATE";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/maps")
}

/// Runs `greenloop` in `folder`, so that file names in the output are short and the same everywhere.
fn run_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = assert_cmd::Command::cargo_bin("greenloop").unwrap();
    command.current_dir(folder).env_remove("NO_COLOR").args(arguments).output().unwrap()
}

fn run(arguments: &[&str]) -> Output {
    run_in(&fixtures(), arguments)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Exit status and both streams, for snapshots.
fn shown(output: &Output) -> String {
    let mut shown = format!("exit status: {}\n", output.status.code().unwrap());
    for (name, stream) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !stream.is_empty() {
            shown.push_str(&format!("--- {name}\n{}", text(stream)));
        }
    }
    shown
}

/// Names of the JSON files of a folder, without extension, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entry = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().path();
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(entry)
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn check_of_every_invalid_fixture() {
    for name in names(&fixtures().join("invalid")) {
        let output = run(&["map", "check", &format!("invalid/{name}.json")]);
        insta::assert_snapshot!(format!("check__{name}"), shown(&output));
    }
}

#[test]
fn every_valid_fixture_has_no_finding() {
    for name in names(&fixtures().join("valid")) {
        let output = run(&["map", "check", "--strict", &format!("valid/{name}.json")]);
        assert_eq!(shown(&output), "exit status: 0\n--- stdout\n1 map checked: no findings\n", "{name}");
    }
}

/// File names state the defect, and no rule is without its fixture.
#[test]
fn fixtures_are_named_after_codes_and_cover_every_rule() {
    let mut covered = BTreeSet::new();
    for name in names(&fixtures().join("invalid")) {
        let bytes = std::fs::read(fixtures().join(format!("invalid/{name}.json"))).unwrap();
        let found: BTreeSet<&str> = parse(&name, &bytes).findings.iter().map(|finding| finding.code).collect();
        let special = name == "hostile-text" || name == "many-findings-at-once";
        assert!(special || found.iter().any(|code| name.starts_with(code)), "{name}: {found:?}");
        covered.extend(found);
    }
    let all: BTreeSet<&str> = rules().iter().map(|rule| rule.code).collect();
    assert_eq!(covered, all);
}

#[test]
fn machine_formats() {
    for format in ["json", "github", "sarif"] {
        let output =
            run(&["map", "check", "--format", format, "invalid/many-findings-at-once.json", "valid/shop.json"]);
        let shown = shown(&output).replace(env!("CARGO_PKG_VERSION"), "VERSION");
        if format == "sarif" {
            // The rules are the same in every log; the results are what this file is about.
            let log: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len(), rules().len());
            insta::assert_snapshot!("format__sarif", serde_json::to_string_pretty(&log["runs"][0]["results"]).unwrap());
        } else {
            insta::assert_snapshot!(format!("format__{format}"), shown);
        }
    }
}

#[test]
fn hostile_text_acts_in_no_format() {
    for format in ["human", "json", "github", "sarif"] {
        let output = run(&["map", "check", "--format", format, "invalid/hostile-text.json"]);
        let shown = text(&output.stdout);
        assert!(!shown.chars().any(|c| c != '\n' && is_unsafe_for_display(c)), "{format}: {shown:?}");
        let commands = shown.lines().filter(|line| line.starts_with("::")).count();
        assert_eq!(commands, if format == "github" { 2 } else { 0 }, "{format}: {shown}");
    }
}

#[test]
fn warnings_fail_only_when_asked_to() {
    assert_eq!(run(&["map", "check", "invalid/missing-label.json"]).status.code(), Some(0));
    let strict = run(&["map", "check", "--strict", "--format", "json", "invalid/missing-label.json"]);
    assert_eq!(strict.status.code(), Some(1));
    let document: serde_json::Value = serde_json::from_slice(&strict.stdout).unwrap();
    assert_eq!((&document["ok"], &document["findings"][0]["severity"]), (&false.into(), &"error".into()));
}

#[test]
fn an_unreadable_file_does_not_hide_the_others() {
    let output = run(&["map", "check", "no-such.json", "invalid/self-edge.json"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).contains("error[self-edge]"), "{}", shown(&output));
    assert!(text(&output.stderr).contains("no-such.json"), "{}", shown(&output));
    assert_eq!(run(&["map", "check"]).status.code(), Some(2), "a file is required");
}

#[test]
fn graph_draws_also_what_is_wrong() {
    insta::assert_snapshot!("graph__cycle", shown(&run(&["map", "graph", "invalid/cycle.json"])));
    insta::assert_snapshot!("graph__shop", shown(&run(&["map", "graph", "valid/shop.json"])));
    let folder = tempfile::tempdir().unwrap();
    for (extension, part) in
        [("svg", "<svg"), ("dot", "digraph"), ("mmd", "flowchart"), ("txt", "rank 0"), ("json", "ask.dag")]
    {
        let path = folder.path().join(format!("map.{extension}"));
        let output = run(&["map", "graph", "invalid/cycle.json", "-o", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "the map is not valid");
        assert!(output.stdout.is_empty(), "{extension}: {}", shown(&output));
        let drawn = std::fs::read_to_string(&path).unwrap();
        assert!(drawn.contains(part), "{extension}: {drawn}");
        assert!(drawn.contains("checkout"), "{extension}: {drawn}");
    }
}

#[test]
fn graph_refuses_what_it_cannot_draw() {
    let output = run(&["map", "graph", "valid/shop.json", "-o", "map.bmp"]);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(!fixtures().join("map.bmp").exists());
    let output = run(&["map", "graph", "invalid/bad-json-truncated.json"]);
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    assert!(text(&output.stderr).contains("bad-json"), "{}", shown(&output));
    assert_eq!(run(&["map", "graph", "no-such.json"]).status.code(), Some(3));
    assert_eq!(run(&["map", "graph", "valid/shop.json", "--format", "sarif"]).status.code(), Some(2));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may read the environment")]
fn the_page_of_codes_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/category-map-codes.md");
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, rules_markdown()).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(page, rules_markdown(), "run this test with {UPDATE}=1 to write the page anew");
}

/// The example of the guide is a valid map.
#[test]
fn the_example_of_the_guide_is_valid() {
    let guide = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/category-maps.md")).unwrap();
    let blocks: Vec<&str> = guide.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        assert_eq!(parse("docs/category-maps.md", block.as_bytes()).findings, []);
    }
}
