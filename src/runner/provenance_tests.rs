//! Tests of hashes, flags and eligibility.

use serde_json::{Value, json};

use super::*;
use crate::runner::testing::alone;

fn of(extra: Value) -> Provenance {
    provenance(&alone(extra))
}

#[test]
fn a_plain_case_is_eligible() {
    let plain = of(json!({}));
    assert_eq!(plain.execution_mode, ExecutionMode::RegressionReplay);
    assert!(plain.eligibility.eligible && plain.eligibility.eligible_for_existing_claim);
    assert_eq!((plain.eligibility.requires_requalification, plain.eligibility.reason_codes.len()), (false, 0));
    assert_eq!((plain.mutation_flags.len(), plain.generation_id.len()), (17, 32));
}

/// `printf '%s' '{"exit_code":0}' | sha256sum`, and the same for the rest of the case with its keys sorted: what
/// published reports hold for such a case.
#[test]
fn hashes_are_those_of_sorted_compact_json() {
    let plain = of(json!({"description": "é"}));
    assert_eq!(plain.oracle_sha256, sha256::prefixed(r#"{"exit_code":0}"#));
    let test = r#"{"command":["./shop"],"description":"é","name":"a","type":"positive"}"#;
    assert_eq!(plain.test_source_sha256, sha256::prefixed(test));
}

#[test]
fn the_oracle_covers_all_that_decides_and_the_test_the_rest() {
    let base = of(json!({}));
    for (extra, oracle, test) in [
        (json!({"expected": {"exit_code": 1}}), true, false),
        (json!({"expected": {"exit_code": 0, "stdout_excludes": ["x"]}}), true, false),
        (json!({"blocked_when_stdout_contains": ["x"]}), true, false),
        (json!({"infra_blocked_when": ["x"]}), true, false),
        (json!({"infra_blocked_when": []}), false, false),
        (json!({"command": ["./shop", "x"]}), false, true),
        (json!({"timeout_seconds": 5}), false, true),
        (json!({"required": false}), false, true),
        (json!({"unknown_to_us": 1}), false, true),
        (json!({"execution_mode": "exploration"}), false, false),
        (json!({"provenance": {"note": "x"}}), false, false),
    ] {
        let other = of(extra.clone());
        assert_eq!(other.oracle_sha256 != base.oracle_sha256, oracle, "{extra}");
        assert_eq!(other.test_source_sha256 != base.test_source_sha256, test, "{extra}");
    }
    let blocked = of(json!({"blocked_when_stdout_contains": ["x"]})).oracle_sha256;
    assert_ne!(blocked, of(json!({"infra_blocked_when": ["x"]})).oracle_sha256);
}

#[test]
fn eligibility_and_its_reasons() {
    let plain = of(json!({}));
    let (test, oracle) = (plain.test_source_sha256, plain.oracle_sha256);
    let old = format!("sha256:{}", "0".repeat(64));
    let mut all = Vec::new();
    for (what, extra) in [
        ("same hashes", json!({"provenance": {"prior_test_source_sha256": test, "prior_oracle_sha256": oracle}})),
        ("test changed", json!({"provenance": {"prior_test_source_sha256": old}})),
        ("oracle changed", json!({"provenance": {"prior_oracle_sha256": old}})),
        (
            "test change declared",
            json!({"provenance": {"prior_test_source_sha256": old, "mutations": {"step_changed": true}}}),
        ),
        (
            "oracle change declared as a test change",
            json!({"provenance": {"prior_oracle_sha256": old,
            "mutations": {"step_changed": true}}}),
        ),
        ("a flag that is false", json!({"mutation_provenance": {"oracle_changed": false}})),
        ("readiness logic", json!({"mutation_provenance": {"readiness_logic_changed": true}})),
        ("exploration", json!({"execution_mode": "exploration"})),
        ("repair without hashes", json!({"execution_mode": "test_repair"})),
        (
            "repair",
            json!({"execution_mode": "test_repair", "mutation_provenance": {"locator_healed": true},
            "repair": {"prior_test_source_sha256": old, "prior_oracle_sha256": oracle}}),
        ),
        (
            "repair that changed nothing",
            json!({"execution_mode": "test_repair",
            "repair": {"prior_test_source_sha256": test, "prior_oracle_sha256": oracle}}),
        ),
        ("elsewhere another test passed", json!({"external_result": {"passed": true, "test_source_sha256": old}})),
        (
            "elsewhere it passed after a change",
            json!({"provider_result": {"status": "passed",
            "mutations": {"locator_healed": true}}}),
        ),
    ] {
        let eligibility = of(extra).eligibility;
        assert_eq!(eligibility.eligible, eligibility.reason_codes.is_empty(), "{what}: reasons exactly if not");
        assert!(eligibility.integrity_errors.iter().all(|error| eligibility.reason_codes.contains(error)), "{what}");
        all.push(format!(
            "{what}: eligible {} requalify {} [{}] errors [{}]",
            eligibility.eligible,
            eligibility.requires_requalification,
            eligibility.reason_codes.join(" "),
            eligibility.integrity_errors.join(" ")
        ));
    }
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn every_flag_alone_takes_eligibility_away() {
    for flag in MUTATION_FLAGS {
        for extra in [
            json!({"mutation_provenance": {flag: true}}),
            json!({"provenance": {"mutations": {flag: true}}}),
            json!({"external_result": {"mutation_provenance": {flag: true}}}),
            json!({"repair": {"mutations": {flag: true}}, "mutation_provenance": {flag: false}}),
        ] {
            let found = of(extra.clone());
            assert!(found.mutation_flags[flag] && !found.eligibility.eligible, "{extra}");
            assert!(found.eligibility.requires_requalification);
        }
    }
}

#[test]
fn a_generation_may_be_stated() {
    assert_eq!(of(json!({"generated_test_lineage": {"generation_id": "gen-7"}})).generation_id, "gen-7");
    assert_ne!(of(json!({"expected": {"exit_code": 1}})).generation_id, of(json!({})).generation_id);
}
