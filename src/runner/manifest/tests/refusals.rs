//! Everything that is refused, and the words in which it is.

use serde_json::{Value, json};

use super::{load, said, sound, with, without};
use crate::runner::manifest::{parse, parse_in};

/// Pointer, bad value. Each gives exactly one finding, at that place or at its object.
fn bad_values() -> Vec<(&'static str, Value)> {
    vec![
        ("/version", json!(1)),
        ("/version", json!(2.0)),
        ("/version", json!("2")),
        ("/trials", json!(true)),
        ("/trials", json!(2.0)),
        ("/trials", json!(0)),
        ("/trials", json!(-1)),
        ("/trials", json!("3")),
        ("/trials", json!(10_001)),
        ("/skill", json!(null)),
        ("/live", json!(1)),
        ("/claims", json!("it works")),
        ("/eval_kind", json!("draft")),
        ("/eval_tier", json!("Compliance")),
        ("/cases", json!({})),
        ("/cases", json!([])),
        ("/cases/0", json!("a")),
        ("/cases/0/name", json!("")),
        ("/cases/0/name", json!(7)),
        ("/cases/0/type", json!("good")),
        ("/cases/0/command", json!([])),
        ("/cases/0/command", json!([" "])),
        ("/cases/0/command", json!("./shop total")),
        ("/cases/0/command", json!(["./shop", 1])),
        ("/cases/0/command", json!(["./shop", "a\u{0}b"])),
        ("/cases/0/real_world", json!("yes")),
        ("/cases/0/required", json!(null)),
        ("/cases/0/readback", json!(1)),
        ("/cases/0/timeout_seconds", json!("30")),
        ("/cases/0/timeout_seconds", json!(true)),
        ("/cases/0/timeout_seconds", json!(0)),
        ("/cases/0/timeout_seconds", json!(-3)),
        ("/cases/0/timeout_seconds", json!(1e300)),
        ("/cases/0/timeout_seconds", json!(0.05)),
        ("/cases/0/evidence_class", json!("live")),
        ("/cases/0/supports_claims", json!("cart.total")),
        ("/cases/0/supports_claims", json!(["cart.totals"])),
        ("/cases/0/seams", json!(["cart.fil"])),
        ("/cases/0/blocked_when_stdout_contains", json!([""])),
        ("/cases/0/execution_mode", json!("replay")),
        ("/cases/0/mutation_provenance", json!({"oracle_chnged": true})),
        ("/cases/0/mutation_provenance", json!({"oracle_changed": "no"})),
        ("/cases/0/mutation_provenance", json!(["oracle_changed"])),
        ("/cases/0/provenance", json!({"mutations": {"renamed": true}})),
        ("/cases/0/repair", json!({"prior_oracle_sha256": "abc"})),
        ("/cases/0/external_result", json!("passed")),
        ("/cases/0/expected", json!([])),
        ("/cases/0/expected", json!({})),
        ("/cases/0/expected/exit_code", json!(1.0)),
        ("/cases/0/expected/exit_code", json!(256)),
        ("/cases/0/expected/exit_code", json!(1e20)),
        ("/cases/0/expected/exit_code", json!("0")),
        ("/cases/0/expected/stdout_contain", json!(["a"])),
        ("/cases/0/expected/json", json!({})),
        ("/cases/0/expected/stdout_contains", json!([""])),
        ("/cases/0/expected/stdout_excludes", json!([""])),
        ("/cases/0/expected/stderr_contains", json!("a")),
        ("/cases/0/expected/artifacts", json!({"path": "a"})),
        ("/cases/0/expected/artifacts/0", json!("a")),
        ("/cases/0/expected/artifacts/0/path", json!("../a")),
        ("/cases/0/expected/artifacts/0/path", json!("/tmp/a")),
        ("/cases/0/expected/artifacts/0/path", json!("out/")),
        ("/cases/0/expected/artifacts/0/path", json!("")),
        ("/cases/0/expected/artifacts/0/json_pointer", json!("x/0")),
        ("/cases/0/expected/artifacts/0/json_pointer", json!("/a~")),
        ("/cases/0/expected/artifacts/0/equal", json!(1)),
        ("/cases/0/expected/artifacts/0/absent", json!(true)),
        ("/cases/0/expected/artifacts/0/equals_artifact", json!({"path": "b"})),
        ("/cases/0/expected/artifacts/1/min_bytes", json!(0)),
        ("/cases/0/expected/artifacts/1/min_bytes", json!(1.5)),
        ("/cases/0/expected/artifacts/1/sha256", json!("abc")),
        ("/cases/0/expected/artifacts/3/equals_artifact", json!({"path": "b", "pointer": "/a"})),
        ("/cases/0/expected/artifacts/3/equals_artifact", json!({})),
        ("/cases/0/expected/artifacts/3/equals_artifact", json!({"path": "./out/../out/a.json", "json_pointer": "/y"})),
        ("/capability_claims/0/id", json!("")),
        ("/capability_claims/0/criticality", json!("high")),
        ("/capability_claims/0/evidence_required", json!([])),
        ("/capability_claims/0/evidence_required", json!({"live_e2e": false})),
        ("/capability_claims/0/evidence_required", json!({"live_e2e": 1})),
        ("/capability_claims/0/evidence_required", json!({"live": true})),
        ("/capability_claims/0/evidence_required", json!(["live"])),
        ("/capability_claims/0/evidence_required", json!("live_e2e")),
        ("/capability_claims/0/exemptions/0/evidence_class", json!("all")),
        ("/capability_claims/0/exemptions/0/owner", json!(["a"])),
        ("/capability_claims/0/admitted_evidence/0", json!({"cases": "adds up"})),
        ("/capability_claims/0/admitted_evidence/0/oracle_sha256", json!("sha256:AB")),
        ("/seams/0/claim_id", json!("cart.totl")),
        ("/seams/0/required_evidence", json!(["live"])),
        ("/trails", json!(1)),
        ("/cases/0/requird", json!(false)),
    ]
}

#[test]
fn one_mistake_is_one_finding_at_its_place() {
    let mut all = String::new();
    for (pointer, value) in bad_values() {
        let loaded = load(&with(pointer, value.clone()));
        let text = said(&loaded);
        // A claim or a case that is spoiled takes along the names that others refer to.
        if pointer != "/capability_claims/0/id" {
            assert!(loaded.findings.len() <= 1, "{pointer} = {value}:\n{text}");
        }
        assert_eq!(loaded.manifest.is_none(), loaded.errors() > 0);
        all.push_str(&format!("{pointer} = {value}\n    {}\n", text.replace('\n', "\n    ")));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn what_must_be_there_is_missed() {
    let pointers = [
        "/version",
        "/cases",
        "/cases/0/name",
        "/cases/0/type",
        "/cases/0/command",
        "/cases/0/expected",
        "/cases/0/expected/exit_code",
        "/cases/0/expected/artifacts/0/path",
        "/capability_claims/0/evidence_required",
        "/seams/0/seam_id",
    ];
    let all: Vec<String> = pointers
        .iter()
        .map(|pointer| format!("{pointer}\n    {}", said(&load(&without(pointer))).replace('\n', "\n    ")))
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let mut manifest = sound();
    let spoil: [(&str, &str, Value); 5] = [
        ("", "trials", json!(true)),
        ("/cases/0", "command", json!([])),
        ("/cases/0/expected", "stdin", json!("x")),
        ("/capability_claims/0", "evidence_required", json!(["live"])),
        ("/cases/0", "timeout_seconds", json!("soon")),
    ];
    for (parent, key, value) in spoil {
        manifest.pointer_mut(parent).unwrap()[key] = value;
    }
    let loaded = load(&manifest);
    assert!(loaded.manifest.is_none());
    assert_eq!(loaded.errors(), 5, "{}", said(&loaded));
    assert!(loaded.findings.iter().all(|finding| finding.place.line.is_some() && finding.place.span.is_some()));
}

#[test]
fn names_and_keys_stand_once() {
    let twice = with("/cases", json!([sound()["cases"][0], sound()["cases"][0]]));
    assert!(
        said(&load(&twice)).contains("two cases have the name `adds up`; first on line"),
        "{}",
        said(&load(&twice))
    );
    let twice = with("/seams", json!([sound()["seams"][0], sound()["seams"][0]]));
    assert!(said(&load(&twice)).starts_with("manifest-duplicate-name /seams/1/seam_id"));
    let claim = &sound()["capability_claims"][0];
    assert!(said(&load(&with("/capability_claims", json!([claim, claim])))).contains("/capability_claims/1/id"));
    let text = sound().to_string().replacen("\"trials\":2", "\"trials\":2,\"tri\\u0061ls\":3", 1);
    let loaded = parse("m.json", text.as_bytes());
    assert_eq!(
        said(&loaded),
        "manifest-duplicate-key /trials: the key `trials` stands twice; first on line 1 | rename \
        or remove one of the two"
    );
    assert!(loaded.manifest.is_none());
}

#[test]
fn what_is_not_a_manifest_is_said_in_one_sentence() {
    let files: [&[u8]; 9] = [
        b"",
        b"[]",
        b"\"version\"",
        b"{}",
        b"{\"version\": 3, \"cases\": 5, \"trials\": true}",
        b"{\"version\": 2, \"cases\": [\xff]}",
        b"\xef\xbb\xbf{\"version\": 1}",
        b"{\"version\": 2, \"cases\": [",
        b"{\"version\": 2, \"application_identity\": 1e999, \"cases\": [{\"name\": \"a\", \"type\": \"positive\", \
          \"command\": [\"a\"], \"expected\": {\"exit_code\": 0}}]}",
    ];
    let all: Vec<String> = files.iter().map(|file| said(&parse("m.json", file))).collect();
    insta::assert_snapshot!(all.join("\n---\n"));
}

#[test]
fn absolute_paths_depend_on_where_the_manifest_is() {
    let manifest = with("/cases/0/expected/artifacts/0/path", json!("/work/evals/out/a.json")).to_string();
    assert_eq!(parse("/work/evals/m.json", manifest.as_bytes()).errors(), 0);
    assert_eq!(parse("evals/m.json", manifest.as_bytes()).errors(), 1);
    assert_eq!(parse_in("evals/m.json", Some("/work/evals"), manifest.as_bytes()).errors(), 0);
    assert_eq!(parse("/work/other/m.json", manifest.as_bytes()).errors(), 1);
}
