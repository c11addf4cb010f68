//! `greenloop map diff`.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::{fixtures, run_in, shown};

/// The valid shop map, changed.
fn shop(change: impl FnOnce(&mut Value)) -> Value {
    let bytes = std::fs::read(fixtures().join("valid/shop.json")).unwrap();
    let mut map = serde_json::from_slice(&bytes).unwrap();
    change(&mut map);
    map
}

fn next_version(map: &mut Value) {
    map["map_version"] = json!("4");
    let categories = map["categories"].as_object_mut().unwrap();
    let mut checkout = categories.remove("checkout").unwrap();
    checkout["category_id"] = json!("evals:shop:payment");
    checkout["label"] = json!("eval-cat-payment");
    checkout["depends_on"][0]["rationale"] = json!("what is paid is the total of the cart");
    categories.insert("payment".to_owned(), checkout);
    let cart = &mut categories["cart"];
    cart["label"] = json!("cart totals");
    cart["seams"] = json!(["cart.totals", "cart.discounts"]);
    cart["signatures"][0]["in"] = json!("stdout");
    cart["depends_on"][0]["rationale"] = json!("unit prices come first");
}

fn retire_checkout(map: &mut Value) {
    let into = json!({ "kind": "merged", "into": ["evals:shop:payment"], "reason": "one root cause" });
    map["retired"] = json!({ "evals:shop:checkout": into });
}

fn run(folder: &Path, old: &Value, new: &Value, more: &[&str]) -> Output {
    std::fs::write(folder.join("old.json"), old.to_string()).unwrap();
    std::fs::write(folder.join("new.json"), new.to_string()).unwrap();
    run_in(folder, &[&["map", "diff", "old.json", "new.json"], more].concat())
}

#[test]
fn a_vanished_category_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (shop(|_| ()), shop(next_version));
    insta::assert_snapshot!("diff__vanished", shown(&run(folder.path(), &old, &new, &[])));
    insta::assert_snapshot!("diff__vanished_json", shown(&run(folder.path(), &old, &new, &["--format", "json"])));
}

#[test]
fn a_retired_category_is_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let new = shop(|map| {
        next_version(map);
        retire_checkout(map);
    });
    insta::assert_snapshot!("diff__retired", shown(&run(folder.path(), &shop(|_| ()), &new, &[])));
}

#[test]
fn one_version_has_one_meaning() {
    let folder = tempfile::tempdir().unwrap();
    let new = shop(|map| map["categories"]["prices"]["seams"] = json!(["catalog.prices"]));
    insta::assert_snapshot!("diff__same_version", shown(&run(folder.path(), &shop(|_| ()), &new, &[])));
    // Another form of the same map: `to_string` of the fixture has no white space.
    let fixture = fixtures().join("valid/shop.json");
    let same = run_in(folder.path(), &["map", "diff", "old.json", fixture.to_str().unwrap()]);
    assert_eq!(shown(&same), "exit status: 0\n--- stdout\nBoth maps mean the same.\n");
}

#[test]
fn only_valid_maps_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let broken = shop(|map| map["categories"]["prices"]["category_id"] = json!("prices"));
    let output = run(folder.path(), &shop(|_| ()), &broken, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    assert!(shown(&output).contains("new.json"), "{}", shown(&output));
}

/// A complete report in which these cases fail.
fn report(failing: &[(&str, &[&str], &str)]) -> Value {
    let case = |(name, seams, problem): &(&str, &[&str], &str)| {
        json!({
            "name": name, "type": "positive", "case_id": format!("r1-{name}"), "required": true, "outcome": "FAIL",
            "problems": [problem], "seams": seams, "passed_trials": 0, "total_trials": 1,
            "trials": [{ "trial_id": "t1", "outcome": "FAIL", "problems": [problem], "exit_code": 1, "stdout": "", "stderr": "" }]
        })
    };
    json!({
        "schema": "agentic_evals.report.v2", "source": "test", "run_id": "r1", "fixture_sha256": null,
        "repo": { "sha": null, "ref": null }, "readiness": "NOT_READY", "claims_coverage": "manifest-spanning",
        "case_count": failing.len(), "required_case_count": failing.len(), "trial_count": failing.len(),
        "outcome_counts": { "PASS": 0, "FAIL": failing.len(), "BLOCKED": 0, "NOT_TESTED": 0 },
        "cases": failing.iter().map(case).collect::<Vec<_>>()
    })
}

#[test]
fn failures_that_move_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let report = report(&[
        ("a price", &["catalog.price_lookup"], "out.json/price: 1 != 2"),
        ("a total", &["cart.totals"], "receipt.json/total: 1.00 != 1.01"),
        ("checkout by card", &[], "exit_code 0 != 1"),
        ("nothing near", &["ship.label"], "exit_code 0 != 1"),
    ]);
    std::fs::write(folder.path().join("report.json"), report.to_string()).unwrap();
    let new = shop(|map| {
        next_version(map);
        retire_checkout(map);
        map["categories"]["cart"]["seams"] = json!(["cart.discounts"]);
        map["categories"]["cart"]["signatures"] = json!([]);
        map["categories"]["cart"]["examples"] = json!({});
        map["categories"]["prices"]["seams"] = json!(["catalog.price_lookup", "ship.label"]);
    });
    let old = shop(|_| ());
    let arguments = ["--report", "report.json"];
    insta::assert_snapshot!("diff__moves", shown(&run(folder.path(), &old, &new, &arguments)));
    let same = run(folder.path(), &old, &old, &[&arguments[..], &["--format", "json"]].concat());
    let document: Value = serde_json::from_slice(&same.stdout).unwrap();
    assert_eq!((&document["moves"], &document["same_meaning"]), (&json!([]), &json!(true)));
    let missing = run(folder.path(), &old, &old, &["--report", "no-such.json"]);
    assert_eq!(missing.status.code(), Some(3), "{}", shown(&missing));
}
