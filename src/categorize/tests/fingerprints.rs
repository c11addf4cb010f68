//! The semantic fingerprint is the state of failure and nothing else.

use super::*;
use crate::model::Digest;

/// A run with everything in it that changes from run to run.
fn volatile(n: u32, status: u32, reversed: bool) -> Value {
    let case = |name: &str| {
        failing(
            name,
            &json!({"case_id": format!("run-{n}-c{n}"), "seams": ["cart.totals"], "avg_latency_ms": n,
                "problems": [format!("HTTP {status} after {n}ms, pid {n}, see /tmp/tmp{n:08x}/out.log")],
                "trials": [{"trial_id": format!("t{n}"), "outcome": "FAIL", "duration_ms": n,
                    "problems": [format!("timed out after {n}s")], "orphan_pids_after_teardown": [n]}]}),
        )
    };
    let mut cases = vec![case("a"), case("b")];
    if reversed {
        cases.reverse();
    }
    let mut report = report(&cases);
    report["run_id"] = format!("run-{n}").into();
    report["generated_at"] = format!("2026-01-0{}T00:00:00Z", n % 9 + 1).into();
    report["repo"] = json!({"sha": format!("{n:040x}"), "ref": "main"});
    report
}

fn fingerprints(report: &Value) -> (Digest, Digest) {
    let c = run(&usual(), report);
    assert!(c.is_total());
    (c.semantic_fingerprint, c.provenance_fingerprint)
}

#[test]
fn nothing_volatile_is_in_it() {
    let (semantic, provenance) = fingerprints(&volatile(1, 500, false));
    for n in [2, 17, 40_000] {
        let (other, other_provenance) = fingerprints(&volatile(n, 500, n == 17));
        assert_eq!(other, semantic, "{n}");
        assert_ne!(other_provenance, provenance, "the commit differs");
    }
}

#[test]
fn a_failure_that_changes_its_face_changes_it() {
    let (semantic, _) = fingerprints(&volatile(1, 500, false));
    assert_ne!(fingerprints(&volatile(1, 404, false)).0, semantic);
    let mut fewer = volatile(1, 500, false);
    fewer["cases"].as_array_mut().unwrap().pop();
    assert_ne!(fingerprints(&fewer).0, semantic);
    let mut renamed = volatile(1, 500, false);
    renamed["cases"][0]["name"] = "c".into();
    assert_ne!(fingerprints(&renamed).0, semantic);
    let mut moved = volatile(1, 500, false);
    moved["cases"][0]["seams"] = json!([]);
    moved["cases"][0]["risks"] = json!(["unpaid"]);
    assert_ne!(fingerprints(&moved).0, semantic);
    let mut code = volatile(1, 500, false);
    code["cases"][0]["problems"] = json!(["exit_code 3 != 0"]);
    assert_ne!(fingerprints(&code).0, semantic);
}

#[test]
fn each_frozen_input_is_in_the_provenance_only() {
    let base = volatile(1, 500, false);
    let (semantic, provenance) = fingerprints(&base);
    for (field, value) in [
        ("fixture_sha256", json!("sha256:1")),
        ("runner_version", json!("2")),
        ("environment_lock_digest", json!("blake3:1")),
        ("repo", json!({"sha": "f".repeat(40), "ref": "main"})),
    ] {
        let mut changed = base.clone();
        changed[field] = value;
        let (other, other_provenance) = fingerprints(&changed);
        assert_eq!(other, semantic, "{field}");
        assert_ne!(other_provenance, provenance, "{field}");
    }
    let watch = Watch { campaign: Some("c".to_owned()), ..Watch::default() };
    assert_ne!(run_watching(&usual(), &base, &watch).provenance_fingerprint, provenance);
    // The caller's commit wins over the one of the report.
    let watch = Watch { evaluated_sha: Some("e".repeat(40)), ..Watch::default() };
    let c = run_watching(&usual(), &base, &watch);
    assert_eq!(c.provenance.evaluated_sha.as_deref(), Some("e".repeat(40).as_str()));
}
