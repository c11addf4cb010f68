//! `greenloop import junit`, run as people run it.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed, and a skipped one says so"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use greenloop::model::Outcome;
use greenloop::report::import::{Input, import_junit};
use greenloop::report::{OwnedCase, OwnedReport};

fn fixtures(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/junit").join(kind);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn read(path: &Path) -> Input {
    Input { name: name_of(path), bytes: std::fs::read(path).unwrap() }
}

fn greenloop(args: &[&str]) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::cargo_bin("greenloop").unwrap();
    command.args(args).env("NO_COLOR", "1");
    command
}

/// A report as a table that people can compare with the file.
fn table(report: &OwnedReport) -> String {
    let mut text = format!("  readiness {}", report.readiness.as_str());
    if let Some(at) = &report.generated_at {
        text.push_str(&format!(" at {at}"));
    }
    text.push('\n');
    for case in &report.cases {
        let marks = [(case.flaky, " flaky"), (!case.required, " optional")];
        let marks: String = marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect();
        writeln!(text, "  {:?}: {}{marks}", case.name, case.outcome.as_str()).unwrap();
        for (key, values) in [("seams", &case.seams), ("claims", &case.supports_claims), ("risks", &case.risks)] {
            if !values.is_empty() {
                writeln!(text, "    {key} {values:?}").unwrap();
            }
        }
        if let Some(category) = &case.category {
            writeln!(text, "    category {category:?}").unwrap();
        }
        for trial in &case.trials {
            let output = format!("{:?} {:?}", trial.stdout, trial.stderr).replace("\"\"", "-");
            writeln!(text, "    {} {} ms {:?} {output}", trial.outcome.as_str(), trial.duration_ms, trial.problems)
                .unwrap();
        }
    }
    text
}

#[test]
fn every_valid_fixture_imports_as_its_name_says() {
    let mut text = String::new();
    for path in fixtures("valid") {
        let imported = import_junit(&[read(&path)], None, None).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        writeln!(text, "{}", name_of(&path)).unwrap();
        text.push_str(&table(&imported.report));
        for warning in &imported.warnings {
            writeln!(text, "  warning {}: {} [{}]", warning.place.compact(), warning.message, warning.code).unwrap();
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn every_invalid_fixture_is_refused_with_a_place_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report.json");
    let mut text = String::new();
    for path in fixtures("invalid") {
        // A good file before the bad one changes nothing.
        let good = fixtures("valid")[0].to_string_lossy().into_owned();
        let output = greenloop(&["import", "junit", &good, &name_of(&path), "-o", out.to_str().unwrap()])
            .current_dir(path.parent().unwrap())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(3), "{path:?}");
        assert!(output.stdout.is_empty() && std::fs::read_dir(folder.path()).unwrap().count() == 0, "{path:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(&format!("at: {}:", name_of(&path))), "{path:?} names no line: {message}");
        writeln!(text, "{message}").unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn several_files_become_one_report_on_disk_or_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("TEST-a.xml", "<testsuite name='a'><testcase name='t'><failure message='no'/></testcase></testsuite>"),
        ("TEST-b.xml", "<testsuite name='b'><testcase name='t'/><testcase name='s'><skipped/></testcase></testsuite>"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let run = |args: &[&str]| greenloop(args).current_dir(folder.path()).output().unwrap();
    let direct = run(&["import", "junit", "TEST-a.xml", "TEST-b.xml", "--sha", "ABCDEF1", "--ref", "main"]);
    assert_eq!(String::from_utf8(direct.stderr).unwrap(), "imported 2 files: 3 cases, 1 failing, 0 flaky, 1 skipped\n");
    assert!(direct.status.success());
    let saved = run(&["import", "junit", "TEST-*.xml", "-o", "r.json", "--sha", "abcdef1", "--ref", "main"]);
    assert!(saved.status.success() && saved.stdout.is_empty());
    assert_eq!(std::fs::read(folder.path().join("r.json")).unwrap(), direct.stdout, "the same bytes either way");
    let names: BTreeSet<String> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| name_of(&entry.unwrap().path())).collect();
    assert_eq!(names.len(), 3, "nothing is left beside the report: {names:?}");
    insta::assert_snapshot!(String::from_utf8(direct.stdout).unwrap());
}

#[test]
fn standard_input_is_an_input() {
    let output = greenloop(&["import", "junit", "-"])
        .write_stdin("<testsuite><testcase name='t'/>\n</testsuites>")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8(output.stderr).unwrap().contains("at: <stdin>:2:1"));
    let output =
        greenloop(&["import", "junit", "-"]).write_stdin("<testsuite><testcase name='t'/></testsuite>").output();
    assert!(output.unwrap().status.success());
}

#[test]
fn wrong_usage_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.xml"), "<testsuite/>").unwrap();
    let run = |args: &[&str]| {
        let output = greenloop(args).current_dir(folder.path()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, message) = run(&["import", "junit", "./a.xml", "-o", "a.xml"]);
    assert!(status == 2 && message.contains("a.xml is an input"), "{message}");
    assert_eq!(std::fs::read_to_string(folder.path().join("a.xml")).unwrap(), "<testsuite/>");
    for (args, expected, code) in [
        (vec!["import", "junit"], "FILE", 2),
        (vec!["import", "junit", "a.xml", "--sha", "main"], "hexadecimal", 2),
        (vec!["import", "junit", "a.xml", "--format", "sarif"], "no --format sarif", 2),
        (vec!["import", "junit", "a.xml", "-o", "."], "not a plain file", 2),
        (vec!["import", "junit", "a.xml", "-o", "no/r.json"], "cannot write no/r.json", 3),
        (vec!["import", "junit", "gone.xml"], "cannot be read", 3),
        (vec!["import", "junit", "gone-*.xml"], "no file matches", 3),
    ] {
        let (status, message) = run(&args);
        assert!(status == code && message.contains(expected), "{args:?}: {status} {message}");
    }
}

#[test]
fn hostile_names_reach_no_terminal() {
    let xml = "<testsuite name='&#27;]0;owned&#7;'>\n<testcase name='a&#27;[2J' time='&#27;[2J'/></testsuite>";
    let output = greenloop(&["import", "junit", "-"]).write_stdin(xml).output().unwrap();
    assert!(output.status.success());
    assert!(!output.stderr.contains(&0x1b) && !output.stdout.contains(&0x1b));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["cases"][0]["name"], "\u{1b}]0;owned\u{7} > a\u{1b}[2J", "data stays what it is");
}

fn corpus() -> Option<Vec<PathBuf>> {
    #[expect(clippy::disallowed_methods, reason = "tests may say where the corpus is")]
    let folder = std::env::var_os("GREENLOOP_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"), PathBuf::from)
        .join("junit");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: no corpus at {}", folder.display());
        return None;
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    Some(files)
}

/// The table was compared with counts that Python's `xml.etree` made from the same files.
#[test]
fn every_corpus_file_imports_or_is_refused_with_a_place() {
    let Some(files) = corpus() else { return };
    let mut text = format!("{:<42} {:>5} {:>7} {:>5} {:>7}\n", "file", "cases", "failing", "flaky", "skipped");
    for path in &files {
        let name = name_of(path);
        match import_junit(&[read(path)], None, None) {
            Ok(imported) => {
                let (summary, report) = (imported.summary, &imported.report);
                let codes: Vec<_> = imported.warnings.iter().map(|warning| warning.code).collect();
                let line = format!(
                    "{name:<42} {:>5} {:>7} {:>5} {:>7}  {} {}",
                    summary.cases,
                    summary.failing,
                    summary.flaky,
                    summary.skipped,
                    report.readiness.as_str(),
                    codes.join(" ")
                );
                writeln!(text, "{}", line.trim_end()).unwrap();
                check_laws(&name, report);
            }
            Err(error) => {
                assert!(error.place.line.is_some(), "{name}: {error}");
                writeln!(text, "{name:<42} refused at {}: {error}", error.place.compact()).unwrap();
            }
        }
    }
    insta::assert_snapshot!(text);
}

fn check_laws(file: &str, report: &OwnedReport) {
    let names: BTreeSet<&str> = report.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), report.cases.len(), "{file}: names are unique");
    let counts = report.outcome_counts;
    assert_eq!(counts.pass + counts.fail + counts.blocked + counts.not_tested, report.case_count, "{file}");
    let explained = |case: &OwnedCase| case.outcome == Outcome::Pass || !case.problems.is_empty();
    assert!(report.cases.iter().all(explained), "{file}: every failure and skip has a reason");
    let complete = |case: &OwnedCase| case.outcome != Outcome::NotTested || !case.required;
    assert!(report.cases.iter().all(complete), "{file}: nothing required was not tested");
}
