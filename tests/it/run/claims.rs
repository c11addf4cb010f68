//! Claims from the manifest to the report: every verdict, exemptions, and live evidence that is none.

use serde_json::{Value, json};

use super::{Stage, case, sh};

/// A claim that requires these classes, with other keys.
fn claim(id: &str, classes: &[&str], keys: &Value) -> Value {
    let mut claim = json!({"id": id, "description": format!("about {id}"), "evidence_required": classes});
    super::merged(&mut claim, keys);
    claim
}

/// A case of this class for this claim.
fn supports(name: &str, claim: &str, class: &str, script: &str, keys: &Value) -> Value {
    let mut case = sh(name, script, &json!({"supports_claims": [claim], "evidence_class": class}));
    super::merged(&mut case, keys);
    case
}

/// A live case that qualifies: it runs the product, and what it did is read back from a file.
fn live(name: &str, claim: &str, keys: &Value) -> Value {
    let file = format!("{claim}.json");
    let artifacts = json!([{"path": file, "json_pointer": "/phase", "equals": "settled"}]);
    let mut case = json!({
        "name": name, "type": "positive", "command": ["./product", file], "real_world": true,
        "supports_claims": [claim], "evidence_class": "live_e2e",
        "expected": {"exit_code": 0, "artifacts": artifacts},
    });
    super::merged(&mut case, keys);
    case
}

fn stage(cases: &[Value], claims: &[Value]) -> Stage {
    let stage = Stage::of(cases, &json!({"capability_claims": claims, "trials": 2}));
    stage.script("evals/product", "#!/bin/sh\nprintf '{\"phase\": \"settled\"}' > \"$1\"\n");
    stage
}

fn told(report: &Value) -> String {
    let mut all = String::new();
    for claim in report["capability_claims"].as_array().unwrap() {
        let text = |key: &str| claim[key].as_str().unwrap().to_owned();
        all.push_str(&format!("{} ({}): {}\n", text("id"), text("criticality"), text("verdict")));
        for (class, status) in claim["evidence"].as_object().unwrap() {
            all.push_str(&format!("    {class}: {} {}\n", status["status"].as_str().unwrap(), status["cases"]));
        }
        for reason in claim["reasons"].as_array().unwrap() {
            all.push_str(&format!("    · {}\n", reason.as_str().unwrap()));
        }
        for exemption in claim["exemptions"].as_array().unwrap() {
            all.push_str(&format!("    exemption counts: {} {}\n", exemption["counts"], exemption["ignored_because"]));
        }
    }
    all
}

#[test]
fn every_verdict() {
    let exempt = |expires: &str| {
        json!({"exemptions": [{
            "evidence_class": "live_e2e", "reason_code": "NO_STAGING", "justification": "no staging yet",
            "owner": "team-a", "expires": expires,
        }]})
    };
    let blocked = json!({"blocked_when_stdout_contains": ["NO NETWORK"]});
    let none = json!({});
    let stage = stage(
        &[
            supports("p", "PROVEN", "deterministic", "true", &none),
            live("p-live", "PROVEN", &none),
            supports("q", "PARTLY", "deterministic", "true", &none),
            supports("f", "FAILED", "deterministic", "true", &none),
            supports("f-other-class", "FAILED", "property_or_fuzz", "exit 1", &none),
            supports("b", "BLOCKED", "deterministic", "echo NO NETWORK", &blocked),
            supports("n", "NOTHING", "property_or_fuzz", "true", &none),
            supports("e", "EXEMPT", "deterministic", "true", &none),
            supports("x", "EXPIRED", "deterministic", "true", &none),
            supports("o", "OPTIONAL", "deterministic", "exit 1", &json!({"required": false})),
        ],
        &[
            claim("PROVEN", &["deterministic", "live_e2e"], &none),
            claim("PARTLY", &["deterministic", "live_e2e"], &none),
            claim("FAILED", &["deterministic"], &none),
            claim("BLOCKED", &["deterministic"], &json!({"criticality": "important"})),
            claim("NOTHING", &["deterministic"], &none),
            claim("EXEMPT", &["deterministic", "live_e2e"], &exempt("2999-12-31")),
            claim("EXPIRED", &["deterministic", "live_e2e"], &exempt("2020-01-31")),
            claim("OPTIONAL", &["deterministic"], &json!({"criticality": "optional"})),
        ],
    );
    let ran = stage.run(&[]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let report = stage.report();
    insta::assert_snapshot!(told(&report));
    assert_eq!((&report["readiness"], &report["capability_readiness"]), (&json!("NOT_READY"), &json!("NOT_READY")));
    assert!(ran.stdout.contains("1 of 8 claims proven") && ran.stdout.contains("PARTLY PARTIALLY_PROVEN"), "{ran:?}");
}

/// All cases pass, and a claim still decides.
#[test]
fn readiness_by_claims() {
    let none = json!({});
    let table = [
        ("critical and proven", "live_e2e", "critical", "READY", 0),
        ("critical and open", "adversarial_live_e2e", "critical", "USABLE_WITH_GAPS", 1),
        ("important, none critical, and open", "adversarial_live_e2e", "important", "NOT_READY", 1),
    ];
    for (name, class, criticality, readiness, status) in table {
        let stage = stage(&[live("a", "C", &none)], &[claim("C", &[class], &json!({"criticality": criticality}))]);
        let ran = stage.run(&[]);
        let report = stage.report();
        let seen = (&report["case_readiness"], &report["readiness"], ran.status);
        assert_eq!(seen, (&json!("READY"), &json!(readiness), Some(status)), "{name}: {report:#}");
    }
    // Beside a critical claim an optional one never decides, and a part of a fixture judges no claim.
    let optional = claim("O", &["human_evaluation"], &json!({"criticality": "optional"}));
    let stage = stage(&[live("a", "C", &none)], &[claim("C", &["live_e2e"], &none), optional]);
    assert_eq!(stage.reported(&[])["readiness"], "READY");
    let part = stage.reported(&["--case", "a"]);
    assert!(part.get("capability_claims").is_none() && part["capability_readiness"].is_null(), "{part:#}");
}

#[test]
fn live_evidence_that_is_none_is_downgraded_with_every_reason() {
    let none = json!({});
    let bare = json!({"expected": {"exit_code": 0}});
    let no_class = |mut case: Value| {
        case.as_object_mut().unwrap().remove("evidence_class");
        case
    };
    let stage = stage(
        &[
            live("qualifies", "C", &none),
            live("no read-back", "C", &bare),
            live("says that it is mocked", "C", &json!({"mocked": true})),
            live("fed a fixture", "C", &json!({"command": ["./product", "C.json", "fixtures/a.json"]})),
            supports("starts nothing", "C", "live_e2e", "printf '{\"phase\": \"settled\"}' > C.json", &none),
            live("adversarial without read-back", "C", &json!({"type": "adversarial", "expected": {"exit_code": 0}})),
            no_class(live("no class, qualifies", "C", &none)),
            no_class(live("no class, does not", "C", &bare)),
        ],
        &[claim("C", &["live_e2e"], &none)],
    );
    let report = stage.reported(&[]);
    let mut all = String::new();
    for case in report["cases"].as_array().unwrap() {
        let text = |key: &str| case[key].as_str().unwrap_or("-").to_owned();
        all.push_str(&format!(
            "{}: {} counts as {}, live {}, default {}\n",
            text("name"),
            text("declared_evidence_class"),
            text("effective_evidence_class"),
            case["live_qualified"],
            text("evidence_class_default"),
        ));
        for why in case["evidence_disqualifiers"].as_array().unwrap() {
            all.push_str(&format!("    {}\n", why.as_str().unwrap()));
        }
    }
    insta::assert_snapshot!(all);
    assert_eq!((&report["live"], &report["mocked"]), (&json!(true), &json!(true)));
}

/// Evidence of a repaired or mutated test does not count, and the report says so.
#[test]
fn mutated_tests_are_no_evidence() {
    let none = json!({});
    let mutated = json!({"mutation_provenance": {"test_mutated": true, "oracle_changed": true}});
    let stage = stage(&[live("a", "C", &mutated)], &[claim("C", &["live_e2e"], &none)]);
    let report = stage.reported(&[]);
    let a = case(&report, "a");
    assert_eq!(a["evidence_eligibility"]["eligible"], false, "{a:#}");
    assert!(!a["evidence_eligibility"]["reason_codes"].as_array().unwrap().is_empty(), "{a:#}");
    assert_ne!(report["capability_claims"][0]["verdict"], "PROVEN");
    assert_ne!(report["readiness"], "READY");
}
