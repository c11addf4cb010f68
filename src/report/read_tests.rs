//! What the reader takes, what it refuses, and the place that it names.

use proptest::prelude::*;

use super::*;
use crate::model::{Outcome, Readiness};

fn open(text: impl AsRef<[u8]>) -> ReportSource {
    ReportSource::from_bytes("r.json", text.as_ref().to_vec())
}

/// Header, tally, and the cases as text; evidence of failing cases is read, too.
fn read_all(source: &ReportSource) -> Result<(Header, Tally, Vec<String>), ReportError> {
    let mut cases = Vec::new();
    let (header, tally, digest) = read(source, &mut |case| {
        let evidence = if case.outcome == Outcome::Fail { Some(case.evidence()?) } else { None };
        let shown = evidence.map_or_else(String::new, |e| format!(" {:?} {:?} {:?}", e.problems, e.stdout, e.stderr));
        cases.push(format!("{:?} {}{shown}", case.name, case.outcome.as_str()));
        Ok(())
    })?;
    assert_eq!(digest, Digest::of(source.bytes()));
    Ok((header, tally, cases))
}

fn good(text: impl AsRef<[u8]>) -> (Header, Tally, Vec<String>) {
    read_all(&open(text)).unwrap()
}

/// `line:column message`, or only the message for the file as a whole.
fn bad(text: impl AsRef<[u8]>) -> String {
    let error = read_all(&open(text)).unwrap_err();
    match (error.place.line, error.place.column) {
        (Some(line), Some(column)) => format!("{line}:{column} {}", error.message),
        _ => error.message,
    }
}

/// A v2 report with these cases.
fn v2(cases: &str) -> String {
    format!("{{\"schema\": \"agentic_evals.report.v2\",\n\"cases\": [{cases}]}}")
}

#[test]
fn the_three_field_sets_of_v2_and_v1_are_read() {
    let (header, tally, _) = good(v2(r#"{"name": "a", "outcome": "PASS"}"#));
    assert_eq!((header.schema, header.readiness, tally.trials), (Some(SchemaVersion::V2), None, None));

    let middle = r#"{"schema": "agentic_evals.report.v2", "repo": null, "fixture_sha256": null, "readiness": "NOT_READY",
        "case_count": 1, "outcome_counts": {"PASS": 0, "FAIL": 1}, "cases": [
        {"name": "a", "required": false, "outcome": "FAIL", "problems": null, "passed_trials": 1, "total_trials": 3}]}"#;
    let (header, tally, cases) = good(middle);
    assert_eq!(header.outcome_counts.unwrap()[&Outcome::Fail], 1);
    assert_eq!((tally.required, tally.flaky, tally.trials), (0, 1, Some(3)));
    assert_eq!(cases, ["\"a\" FAIL [] [] []"]);

    let full = r#"{"cases": [{"name": "a", "outcome": "FAIL", "problems": ["p", "q", "p"], "trials": [
          {"outcome": "PASS", "stdout": "fine"}, {"outcome": "FAIL", "stdout": "o\n", "stderr": "e", "problems": ["r"]}]}],
        "repo": {"sha": "abc", "ref": "main", "more": [[1e999]]}, "focused_cases": null, "claims_coverage": "partial: x",
        "capability_readiness": "USABLE_WITH_GAPS", "capability_claims": [{"id": "c", "verdict": "PROVEN", "x": 1}],
        "shard": {"index":
            1}, "unknown": {"deep": [null]}, "schema": "agentic_evals.report.v2"}"#;
    let (header, _, cases) = good(full);
    assert_eq!(cases, [r#""a" FAIL ["p", "q", "r"] ["o\n"] ["e"]"#]);
    assert_eq!((header.repo_sha.as_deref(), header.repo_ref.as_deref()), (Some("abc"), Some("main")));
    assert_eq!(header.capability_readiness, Some(Readiness::UsableWithGaps));
    assert!(header.capability_claims[0].required);
    assert_eq!(header.incomplete_because, ["it is one shard of a run: {\"index\":1}"]);

    let v1 = r#"{"schema": "agentic_evals.report.v1", "cases": [{"name": "a", "passed_trials": 2, "total_trials": 2},
        {"name": "b", "passed_trials": 0, "total_trials": 0}, {"name": "c", "passed_trials": 1, "total_trials": 2, "trials": [
        {"exit_code": 0, "stdout": "x"}, {"exit_code": 3, "stdout": "y\n\n", "stderr": "so\nwhy \n\n"}]}]}"#;
    let (header, tally, cases) = good(v1);
    assert_eq!(header.schema, Some(SchemaVersion::V1));
    assert_eq!(
        cases,
        ["\"a\" PASS", "\"b\" NOT_TESTED", r#""c" FAIL ["exit_code 3", "why"] ["y\n\n"] ["so\nwhy \n\n"]"#]
    );
    assert_eq!((tally.required, tally.flaky), (3, 1));
}

#[test]
fn what_is_not_a_report_says_so() {
    assert_eq!(bad(""), "the file is empty");
    assert_eq!(bad("\u{feff} \r\n\t"), "the file is empty");
    assert_eq!(bad("{}"), "not a report: there is no `schema`");
    assert_eq!(bad("[1]"), "1:1 not a report: a report is a JSON object");
    assert_eq!(bad(r#"{"schema": "agentic_evals.report.v2"}"#), "not a report: there is no `cases` list");
    assert_eq!(bad(r#"{"schema": 2, "cases": []}"#), "1:12 invalid type: integer `2`, expected a string");
    let error = bad(r#"{"schema": "agentic_evals.report.v3", "cases": []}"#);
    assert!(
        error.contains("\"agentic_evals.report.v3\" is not supported (known: agentic_evals.report.v1, "),
        "{error}"
    );
    let error = bad(format!(r#"{{"schema": "{}"}}"#, "x".repeat(10_000)));
    assert!(error.len() < 300, "{error}");
}

#[test]
fn what_is_not_json_is_refused_at_its_place() {
    assert_eq!(bad("<xml/>"), "1:1 not valid JSON: expected a value");
    assert_eq!(bad("{\n  \"schema\": NaN}"), "2:13 not valid JSON: expected a value");
    assert_eq!(
        bad(v2(r#"{"name": "a", "outcome": "PASS", "pass_rate": NaN}"#)),
        "2:57 not valid JSON: expected a value"
    );
    assert_eq!(bad(v2("") + " x"), "2:14 not valid JSON: something follows the end of the report");
    assert_eq!(bad(v2("") + "{}"), "2:13 not valid JSON: something follows the end of the report");
    assert_eq!(bad(v2("{\"name\": \"a\", \"outcome\": \"PASS\"},")), "2:44 not valid JSON: expected a value");
    assert_eq!(
        bad("{\"schema\": \"agentic_evals.report.v2\",\r\n\"cases\": [\r\n  01]}"),
        "3:4 not valid JSON: invalid number"
    );
}

#[test]
fn wrong_types_and_unknown_words_are_refused_at_their_place() {
    let case = |field: &str| bad(v2(&format!("\n{{\"name\": \"ä\", \"outcome\": \"FAIL\", {field}}}")));
    for field in [
        r#""required": "yes""#,
        r#""flaky": 1"#,
        r#""seams": "s""#,
        r#""problems": [1]"#,
        r#""supports_claims": {}"#,
        r#""risks": 0"#,
        r#""category": 3"#,
        r#""category_id": []"#,
        r#""passed_trials": -1"#,
        r#""total_trials": 1.5"#,
        r#""total_trials": 1000000000000000000000000000000"#,
        r#""passed_trials": 1e999"#,
        r#""trials": 5"#,
        r#""trials": {"outcome": "PASS"}"#,
        r#""trials": [["FAIL"]]"#,
        r#""trials": [{"exit_code": "0"}]"#,
        r#""trials": [{"stdout": null}, {"outcome": "fail"}]"#,
        r#""trials": [{"timed_out": 0}]"#,
    ] {
        let error = case(field);
        assert!(error.starts_with("3:"), "{field}: {error}");
        assert!(
            ["invalid", "unknown variant", "out of range", "not a list"].iter().any(|w| error.contains(w)),
            "{error}"
        );
    }
    assert_eq!(case(r#""outcome": "Fail""#), "3:34 duplicate field `outcome`");
    assert_eq!(
        bad(v2("\n{\"name\": \"a\", \"outcome\": \"Pass\"}")),
        "3:31 unknown variant `Pass`, expected one of `PASS`, `FAIL`, `BLOCKED`, `NOT_TESTED`"
    );
    for (field, word) in [
        (r#""readiness": "ready""#, "unknown variant"),
        (r#""repo": ["sha", "ref"]"#, "expected an object"),
        (r#""repo": {"sha": 5}"#, "expected a string"),
        (r#""case_count": "4""#, "expected u64"),
        (r#""case_count": 1000000000000000000000000000000"#, "expected u64"),
        (r#""trial_count": 1e999"#, "out of range"),
        (r#""outcome_counts": {"PASSED": 1}"#, "unknown field"),
        (r#""outcome_counts": [1, 2, 3, 4]"#, "expected an object"),
        (r#""outcome_counts": {"PASS": 1, "PASS": 2}"#, "duplicate field"),
        (r#""focused_cases": "x""#, "expected a sequence"),
        (r#""capability_claims": [["c", "PROVEN"]]"#, "expected an object"),
        (r#""cases": {}"#, "not a list"),
        (r#""cases": null"#, "not a list"),
        (r#""cases": [["a", "PASS"]]"#, "is not an object"),
        (r#""cases": [null]"#, "is not an object"),
    ] {
        let error = bad(format!("{{\n\n{field}, \"schema\": \"agentic_evals.report.v2\"}}"));
        assert!(error.starts_with("3:") && error.contains(word), "{field}: {error}");
    }
}

#[test]
fn a_known_key_stands_once_an_unknown_one_as_often_as_it_likes() {
    good(v2(r#"{"name": "a", "outcome": "PASS", "note": 1, "note": 2}"#));
    let top = "{\"schema\": \"agentic_evals.report.v2\", \"cases\": [], \"x\": 1, \"x\": 1,\n \"c\\u0061ses\": []}";
    assert_eq!(bad(top), "2:2 duplicate field `cases`");
    assert_eq!(
        bad(v2("\n{\"name\": \"a\", \"n\\u0061me\": \"b\", \"outcome\": \"PASS\"}")),
        "3:15 duplicate field `name`"
    );
    let trial = "\n{\"name\": \"a\", \"outcome\": \"FAIL\", \"trials\": [{}, {\"stdout\": \"\",\r\n\"stdout\": \"\"}]}";
    assert_eq!(bad(v2(trial)), "4:8 duplicate field `stdout`");
}

#[test]
fn names_and_outcomes_are_there_and_names_are_unique() {
    assert_eq!(bad(v2("{\"outcome\": \"PASS\"}")), "2:11 cases[0] has no `name`");
    assert_eq!(bad(v2("\n  {\"outcome\": \"PASS\", \"name\": \"\"}")), "3:3 cases[0] has an empty name");
    let first = r#"{"name": "a", "outcome": "PASS"}"#;
    assert_eq!(
        bad(v2(&format!("{first},\n {{\"name\": \"b\"}}"))),
        "3:2 cases[1] states neither an outcome nor passed_trials and total_trials"
    );
    let derived = r#"{"name": "b", "passed_trials": 1, "total_trials": 1}"#;
    assert_eq!(bad(v2(&format!("{first},\n {derived}"))), "3:2 cases[1] of a v2 report has no `outcome`");
    let lies = r#"{"name": "b", "passed_trials": 2, "total_trials": 1}"#;
    assert_eq!(bad(v2(&format!("{first},\n {lies}"))), "3:2 cases[1] states more passed_trials than total_trials");
    assert_eq!(
        bad(v2(&format!(
            "{first},\n{{\"name\": \"b\", \"outcome\": \"PASS\"}},\r\n\t{{\"name\": \"\\u0061\", \"outcome\": \"FAIL\"}}"
        ))),
        "4:2 two cases have the name \"a\": cases[0] (r.json:2:11) and cases[2]"
    );
}

#[test]
fn depth_costs_nothing_and_overflows_nothing() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    good(v2(&format!(r#"{{"name": "a", "outcome": "PASS", "note": {deep}, "trials": [{deep}]}}"#)));
    good(format!(r#"{{"note": {deep}, "schema": "agentic_evals.report.v2", "cases": []}}"#));
    let objects = r#"{"a":"#.repeat(100_000) + "1" + &"}".repeat(100_000);
    good(format!(r#"{{"note": {objects}, "schema": "agentic_evals.report.v2", "cases": []}}"#));
    let failing = |trials: &str| bad(v2(&format!(r#"{{"name": "a", "outcome": "FAIL", "trials": {trials}}}"#)));
    assert!(failing(&deep).contains("expected an object"));
    assert!(failing(&format!(r#"[{{"problems": {deep}}}]"#)).contains("expected a string"));
    assert!(bad(v2(&deep)).contains("is not an object"));
    assert!(bad(format!(r#"{{"shard": {deep}}}"#)).contains("no `schema`"));
    assert!(bad(format!(r#"{{"repo": {deep}}}"#)).contains("expected an object"));
    assert!(bad("[".repeat(100_000)).contains("ends in the middle"));
}

#[test]
fn numbers_that_nobody_reads_may_be_anything() {
    good(v2(
        r#"{"name": "a", "outcome": "PASS", "pass_rate": 1e999, "avg_latency_ms": -1e-999, "x": 100000000000000000000000}"#,
    ));
}

#[test]
fn invalid_utf8_is_found_wherever_it_stands() {
    let text = v2(
        "{\"name\": \"ä#\", \"outcome\": \"FAIL\", \"x\": \"#\",\r\n\"trials\": [{\"stdout\": \"#\"}, {\"y\": \"#\"}]}",
    );
    for (at, _) in text.match_indices('#') {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = 0xff;
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        assert_eq!(bad(bytes), format!("{line}:{column} the report is not valid UTF-8"));
    }
    // A lone surrogate is an escape that stands for no character.
    assert!(bad(v2(r#"{"name": "\ud800", "outcome": "PASS"}"#)).starts_with("2:"));
}

#[test]
fn a_byte_order_mark_shifts_no_line() {
    good(format!("\u{feff}{}", v2("")));
    assert_eq!(bad(format!("\u{feff}{}", v2("{}"))), "2:11 cases[0] has no `name`");
}

const WHOLE: &str = "{\"schema\": \"agentic_evals.report.v2\", \"run_id\": \"r\", \"cases\": [{\"name\": \"ä\", \"outcome\":\
    \"FAIL\", \"seams\": [\"s\"], \"trials\": [{\"outcome\": \"FAIL\", \"stdout\": \"a\\n\"}]}], \"case_count\": 1}";

#[test]
fn a_file_cut_anywhere_is_an_error_that_says_so() {
    good(WHOLE);
    for end in 1..WHOLE.len() {
        let error = read_all(&open(&WHOLE.as_bytes()[..end])).unwrap_err();
        assert!(error.place.line == Some(1), "{end}: {error:?}");
        let utf8 = std::str::from_utf8(&WHOLE.as_bytes()[..end]).is_err();
        assert!(utf8 || error.hint.as_deref().is_some_and(|hint| hint.contains("cut off")), "{end}: {error:?}");
    }
}

#[test]
fn the_error_of_the_caller_comes_back_unchanged() {
    let source = open(v2(r#"{"name": "a", "outcome": "PASS"}, {"name": "b", "outcome": "PASS"}"#));
    let mine = ReportError::file("elsewhere", "enough").hint("stop");
    let mut calls = 0;
    let error = read(&source, &mut |_| {
        calls += 1;
        Err(mine.clone())
    });
    assert_eq!((error.unwrap_err(), calls), (mine, 1));
}

proptest! {
    #[test]
    fn any_change_of_a_byte_is_read_or_refused(at in 0..WHOLE.len(), byte in any::<u8>()) {
        let mut bytes = WHOLE.as_bytes().to_vec();
        bytes[at] = byte;
        let _ = read_all(&open(bytes));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_all(&open(bytes));
    }
}
