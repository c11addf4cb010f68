//! `greenloop categorize` and `fingerprint` as people and machines see them.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

const REPORT: &str = "report.json";

fn report() -> Value {
    let case = |name: &str, outcome: &str, more: Value| {
        let mut case = json!({"name": name, "outcome": outcome});
        for (field, value) in more.as_object().unwrap() {
            case[field] = value.clone();
        }
        case
    };
    json!({"schema": "agentic_evals.report.v2", "run_id": "r1", "repo": {"sha": "0123456789abcdef", "ref": "main"}, "cases": [
        case("total with discount", "FAIL", json!({"seams": ["cart.totals"], "problems": ["exit_code 1 != 0"]})),
        case("cart", "FAIL", json!({"problems": ["r.json/total: 10.00 != 10.01"]})),
        case("cart/rounds", "FAIL", json!({"problems": ["r.json/total: 10.00 != 10.01"], "flaky": true})),
        case("checkout by card", "FAIL", json!({"problems": ["timed out after 3s"]})),
        case("price in euro", "PASS", json!({"seams": ["catalog.price_lookup"]})),
        case("vat of books", "BLOCKED", json!({"problems": ["external blocker: saw 'quota'"]})),
        case("colours", "FAIL", json!({"required": false, "problems": ["exit_code 1 != 0"]})),
    ]})
}

/// The same report with a case that nobody claims and one that two categories claim.
fn unplaced() -> Value {
    let mut report = report();
    let cases = report["cases"].as_array_mut().unwrap();
    cases.push(
        json!({"name": "newsletter", "outcome": "FAIL", "seams": ["cart.total"], "problems": ["exit_code 2 != 0"]}),
    );
    cases.push(
        json!({"name": "both", "outcome": "FAIL", "seams": ["cart.totals", "catalog.price_lookup"], "problems": []}),
    );
    report
}

fn run(folder: &Path, report: &Value, args: &[&str]) -> Output {
    std::fs::write(folder.join(REPORT), report.to_string()).unwrap();
    let map = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/maps/valid/shop.json");
    let mut command = assert_cmd::Command::cargo_bin("greenloop").unwrap();
    command.current_dir(folder).args(args).args(["--map", map]).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn what_people_see() {
    let folder = tempfile::tempdir().unwrap();
    let whole = run(folder.path(), &report(), &["categorize", REPORT]);
    assert_eq!(whole.status.code(), Some(0));
    let partly = run(folder.path(), &unplaced(), &["categorize", REPORT]);
    assert_eq!(partly.status.code(), Some(1));
    let annotations = run(folder.path(), &unplaced(), &["categorize", REPORT, "--format", "github"]);
    assert_eq!(annotations.status.code(), Some(1));
    insta::assert_snapshot!(format!("{}\n---\n{}\n---\n{}", stdout(&whole), stdout(&partly), stdout(&annotations)));
}

#[test]
fn the_document_fits_its_schema_and_the_file_is_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &unplaced(), &["categorize", REPORT, "--format", "json", "-o", "c.json"]);
    assert_eq!(output.status.code(), Some(1), "the document is written all the same");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(stdout(&output), std::fs::read_to_string(folder.path().join("c.json")).unwrap());
    let schema = schemars::schema_for!(greenloop::categorize::CategorizationOutput<'_>);
    let validator = jsonschema::validator_for(schema.as_value()).unwrap();
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    let counts = &document["counts"];
    let count = |name: &str| counts[name].as_u64().unwrap();
    assert_eq!(count("failing"), count("assigned") + count("unclassified") + count("ambiguous"));
    assert_eq!(document["unclassified"][0]["case"], "newsletter");
    assert_eq!(document["ambiguous"][0]["case"], "both");
}

#[test]
fn the_fingerprint_is_the_one_of_the_categorization() {
    let folder = tempfile::tempdir().unwrap();
    let document: Value =
        serde_json::from_slice(&run(folder.path(), &report(), &["categorize", REPORT, "--format", "json"]).stdout)
            .unwrap();
    let fingerprint = run(folder.path(), &report(), &["fingerprint", REPORT, "--format", "json"]);
    assert_eq!(fingerprint.status.code(), Some(0));
    let fingerprint: Value = serde_json::from_slice(&fingerprint.stdout).unwrap();
    for field in ["semantic_fingerprint", "provenance_fingerprint"] {
        assert_eq!(fingerprint[field], document[field]);
    }
    let other = run(folder.path(), &report(), &["fingerprint", REPORT, "--format", "json", "--head", "fedcba"]);
    let other: Value = serde_json::from_slice(&other.stdout).unwrap();
    assert_eq!(other["semantic_fingerprint"], document["semantic_fingerprint"]);
    assert_ne!(other["provenance_fingerprint"], document["provenance_fingerprint"]);
}
