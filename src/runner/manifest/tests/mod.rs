//! Tests of loading.

mod corpus;
mod laws;
mod refusals;

use serde_json::{Value, json};

use super::{Loaded, parse};

const SOUND: &str = r#"{
        "version": 2,
        "skill": "shop",
        "trials": 2,
        "proof_scope": "the shop's command line",
        "claims": {"proves": "a", "does_not_prove": "b"},
        "capability_claims": [{
            "id": "cart.total", "description": "d", "criticality": "important", "evidence_required": ["live_e2e"],
            "claim_semantics": "protocol", "domain_profile": {"x": 1},
            "exemptions": [{"evidence_class": "live_e2e", "reason_code": "r", "justification": "j", "owner": "o",
                "expires": "2030-01-01"}],
            "admitted_evidence": [{"case": "adds up"}]
        }],
        "seams": [{"seam_id": "cart.file", "claim_id": "cart.total", "seam_type": "file", "criticality": "critical",
            "required_evidence": ["deterministic"], "failure_modes": ["half written"]}],
        "eval_kind": "scaffold", "eval_tier": "compliance", "live": true, "mocked": false,
        "what_was_exercised": "w", "what_remains_unverified": "r", "application_identity": {"repo": "x"},
        "cases": [{
            "name": "adds up", "type": "negative", "command": ["./shop", "total"], "real_world": true,
            "timeout_seconds": 2.5, "evidence_class": "live_e2e", "supports_claims": ["cart.total"],
            "seams": ["cart.file"], "risks": ["money"], "required": false, "readback": true,
            "blocked_when_stdout_contains": ["NO_NET"], "infra_blocked_when": ["503"], "must_exercise": ["shop"],
            "execution_mode": "test_repair", "category": "c", "category_id": "n:shop:c", "mocked": false,
            "uses_stub": false, "description": "d", "mutation_provenance": {"test_mutated": true},
            "provenance": {"mutations": {"oracle_changed": false}},
            "expected": {
                "exit_code": 1, "stdout_contains": ["a"], "stderr_contains": ["b"], "stdout_excludes": ["c"],
                "stderr_excludes": ["d"],
                "artifacts": [
                    {"path": "out/a.json", "json_pointer": "/x/0", "equals": null},
                    {"path": "out/a.json", "min_bytes": 3, "sha256": "ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB"},
                    {"path": "out/lock", "absent": true},
                    {"path": "out/a.json", "json_pointer": "/y",
                        "equals_artifact": {"path": "out/b.json", "json_pointer": ""}}
                ]
            }
        }]
    }"#;

/// A sound manifest that uses every known key.
fn sound() -> Value {
    serde_json::from_str(SOUND).unwrap()
}

fn load(value: &Value) -> Loaded {
    parse("evals/shop.json", serde_json::to_string_pretty(value).unwrap().as_bytes())
}

/// `sound` with one value set by pointer.
fn with(pointer: &str, value: Value) -> Value {
    let mut manifest = sound();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match manifest.pointer_mut(parent).unwrap() {
        Value::Object(members) => {
            members.insert(key.to_owned(), value);
        }
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
        other => panic!("{parent} is {other}"),
    }
    manifest
}

fn without(pointer: &str) -> Value {
    let mut manifest = sound();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    manifest.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key).unwrap();
    manifest
}

/// One line for each finding.
fn said(loaded: &Loaded) -> String {
    let line = |finding: &crate::diag::Diagnostic| {
        let pointer = finding.place.pointer.as_deref().unwrap_or("-");
        let hint = finding.hint.as_deref().map_or_else(String::new, |hint| format!(" | {hint}"));
        format!("{} {pointer}: {}{hint}", finding.code, finding.message)
    };
    loaded.findings.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_known_key_is_read() {
    let loaded = load(&sound());
    assert_eq!(said(&loaded), "");
    insta::assert_snapshot!(format!("{:#?}", loaded.manifest.unwrap()));
}

#[test]
fn defaults_are_the_documented_ones() {
    let manifest = json!({"version": 2, "cases": [
        {"name": "a", "type": "positive", "command": ["./a"], "expected": {"exit_code": 0}}
    ]});
    let loaded = load(&manifest);
    assert_eq!(said(&loaded), "");
    let manifest = loaded.manifest.unwrap();
    let case = &manifest.cases[0];
    assert_eq!((manifest.trials, case.timeout.as_secs_f64(), case.required), (3, 30.0, true));
    assert_eq!((case.evidence_class, case.real_world, case.readback.is_none()), (None, false, true));
}

#[test]
fn ten_thousand_cases_load_in_bounded_time() {
    let case = |index: usize| {
        json!({"name": format!("case {index}"), "type": "positive", "command": ["./a"], "expected": {"exit_code": 0},
            "supports_claims": ["cart.totl"]})
    };
    let manifest = with("/cases", (0..10_000).map(case).collect::<Vec<_>>().into());
    let started = std::time::Instant::now();
    let loaded = load(&manifest);
    assert_eq!(loaded.errors(), 10_000, "each names a claim that is misspelled");
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
