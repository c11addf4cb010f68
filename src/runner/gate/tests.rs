//! The gate: what opens it, each thing that closes it, and the manifests of others.

use serde_json::{Value, json};

use super::{GateVerdict, gate};
use crate::runner::manifest::parse;
use crate::runner::testing::{case, manifest};

fn positive() -> Value {
    case("works", json!({"real_world": true, "command": ["./shop", "total"]}))
}

fn negative() -> Value {
    case("refuses", json!({"type": "negative", "command": ["bash", "-c", "./shop bad 2>&1 | grep -q refused"]}))
}

fn said(verdict: &GateVerdict) -> String {
    let line = |violation: &super::Violation| format!("{}: {}", violation.code, violation.message);
    verdict.violations.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_honest_fixture_passes() {
    let verdict = gate(&manifest(&[positive(), negative()], json!({})), 2);
    assert!(verdict.is_open() && verdict.violations.is_empty(), "{}", said(&verdict));
    assert_eq!(verdict.exemption(), None);
}

#[test]
fn everything_that_is_wrong_is_named_at_once() {
    let cases = [
        case("says ok", json!({"command": ["/usr/bin/env", "bash", "-lc", "cd .. && echo ok"], "real_world": true})),
        case("fed", json!({"command": ["./shop", "tests/fixtures/a.json"], "real_world": true})),
        case("optional", json!({"required": false, "real_world": true})),
        case("optional no", json!({"required": false, "type": "negative"})),
        case(
            "wrapper",
            json!({"must_exercise": ["shop refund"], "command": ["bash", "-c", "echo shop refund; ./shop total"]}),
        ),
    ];
    let verdict = gate(&manifest(&cases, json!({})), 1);
    assert!(!verdict.is_open());
    insta::assert_snapshot!(said(&verdict));
}

#[test]
fn each_rule_closes_the_gate_alone() {
    let codes = |cases: &[Value], trials: u32| {
        let verdict = gate(&manifest(cases, json!({})), trials);
        let mut codes: Vec<&str> = verdict.violations.iter().map(|violation| violation.code).collect();
        codes.dedup();
        codes.join(" ")
    };
    assert_eq!(codes(&[positive(), negative()], 1), "too-few-trials");
    assert_eq!(codes(&[positive()], 2), "only-positive");
    assert_eq!(codes(&[case("a", json!({})), negative()], 2), "no-real-world");
    for extra in [json!({"mocked": true}), json!({"uses_stub": true})] {
        let mut fed = positive();
        for (key, value) in extra.as_object().unwrap() {
            fed[key] = value.clone();
        }
        assert_eq!(codes(&[fed, negative()], 2), "no-real-world not-real-world", "{extra}");
    }
    for command in [
        json!(["echo", "ok"]),
        json!(["bash", "-c", "echo ok"]),
        json!(["bash", "-lc", "true"]),
        json!(["sh", "-c", "exit 0"]),
        json!(["/bin/sh", "-c", "printf ok"]),
        json!(["/usr/bin/env", "A=1", "/bin/echo", "ok"]),
        json!(["env", "-i", "bash", "-euo", "pipefail", "-c", ": ; echo $((1 + 1))"]),
        json!(["timeout", "5", "nice", "bash", "-c", "bash -c 'echo ok'"]),
        json!(["python3", "-c", "print('ok')"]),
    ] {
        let trivial = case("trivial", json!({"command": command}));
        assert_eq!(codes(&[positive(), negative(), trivial], 2), "trivial-case", "{command}");
    }
    let wrapper = |command: Value| case("w", json!({"must_exercise": ["shop refund"], "command": command}));
    assert_eq!(codes(&[positive(), negative(), wrapper(json!(["./other"]))], 2), "not-exercised");
    assert_eq!(codes(&[positive(), negative(), wrapper(json!(["bash", "-c", "cd x; ../shop refund"]))], 2), "");
}

#[test]
fn plumbing_exercises_nothing() {
    let closed = |command: Value| {
        let one = case("w", json!({"must_exercise": ["shop refund"], "command": command}));
        let verdict = gate(&manifest(&[positive(), negative(), one], json!({})), 2);
        verdict.violations.iter().any(|violation| violation.code == "not-exercised")
    };
    for command in [
        json!(["grep", "shop refund", "README"]),
        json!(["bash", "-c", "./shop total | grep 'shop refund'"]),
        json!(["bash", "-c", "./shop total; exit 0; ./shop refund"]),
    ] {
        assert!(closed(command.clone()), "{command}");
    }
    for command in [json!(["timeout", "5", "./shop", "refund"]), json!(["uv", "run", "shop", "refund"])] {
        assert!(!closed(command.clone()), "{command}");
    }
}

#[test]
fn exemptions_are_said_with_what_they_waive() {
    for kind in ["runner_selftest", "scaffold"] {
        let verdict = gate(&manifest(&[case("a", json!({"command": ["true"]}))], json!({"eval_kind": kind})), 1);
        assert!(verdict.is_open());
        let sentence = verdict.exemption().unwrap();
        assert_eq!(
            sentence,
            format!("exempt from the gate as `{kind}`: 4 violations waived; this is no evidence about a product")
        );
    }
}

fn compliance(commands: &[Value], hostile: usize) -> String {
    let of = |(index, command): (usize, &Value)| {
        let kind = if index < hostile { "adversarial" } else { "positive" };
        case(&format!("c{index}"), json!({"type": kind, "command": command, "real_world": true}))
    };
    let cases: Vec<Value> = commands.iter().enumerate().map(of).collect();
    let verdict = gate(&manifest(&cases, json!({"eval_tier": "compliance"})), 2);
    let mut codes: Vec<&str> = verdict.violations.iter().map(|violation| violation.code).collect();
    codes.dedup();
    codes.join(" ")
}

#[test]
fn compliance_wants_a_hostile_majority() {
    let fresh = json!(["./shop", "fuzz", "--samples", "50"]);
    let plain = json!(["./shop", "total"]);
    assert_eq!(compliance(&[fresh.clone(), plain.clone(), plain.clone()], 2), "");
    assert_eq!(compliance(&[fresh.clone(), plain.clone()], 1), "compliance-minority", "half is no majority");
    assert_eq!(compliance(&[fresh, plain.clone(), plain.clone(), plain], 2), "compliance-minority");
}

#[test]
fn compliance_wants_fresh_samples_of_a_stated_size() {
    let one = |script: &str| compliance(&[json!(["bash", "-c", script])], 1);
    for fine in [
        "./f --samples 50",
        "./f --samples=50",
        "./f --samples 1000 --seed $RANDOM",
        "./f --seed \"$RANDOM\" --samples=64",
        "./f $RANDOM --samples 50",
    ] {
        assert_eq!(one(fine), "", "{fine}");
    }
    for (bad, why) in [
        ("./f", "compliance-no-sampling"),
        ("./f samples-50", "compliance-no-sampling"),
        ("./f; echo --samples 50", "compliance-no-sampling"),
        ("./f '$RANDOM' # --samples 50", "compliance-no-sampling"),
        ("./f --samples 49", "compliance-too-few-samples"),
        ("./f --samples=0", "compliance-too-few-samples"),
        ("./f --samples 50; ./g --samples 5", "compliance-too-few-samples"),
        ("./f --seed $RANDOM", "compliance-no-size"),
        ("./f $RANDOM", "compliance-no-size"),
        ("./f ${RANDOM}", "compliance-no-size"),
        ("./f --samples", "compliance-no-size"),
        ("./f --samples $N", "compliance-no-size"),
        ("./f --samples -50", "compliance-no-size"),
        ("./f --samples 50x", "compliance-no-size"),
        ("./f --samples 50; ./g $RANDOM", "compliance-no-size"),
        ("./f --samples 50 --seed 7", "compliance-no-sampling"),
        ("./f --seed 7", "compliance-no-sampling compliance-no-size"),
    ] {
        assert_eq!(one(bad), why, "{bad}");
    }
    assert_eq!(
        compliance(&[json!(["./f", "--seed", "$RANDOM", "--samples", "50"])], 1),
        "compliance-no-sampling",
        "without a shell `$RANDOM` is a fixed word"
    );
}

/// Codes and places of what the gate says about manifests that others wrote.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test may read the environment")]
fn manifests_of_the_corpus() {
    let root = std::env::var_os("GREENLOOP_CORPUS").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
        std::path::PathBuf::from,
    );
    let Ok(folder) = std::fs::read_dir(root.join("manifests")) else {
        eprintln!("skipped: the corpus of manifests is not there");
        return;
    };
    let mut files: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut all = String::new();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(manifest) = parse(&name, &std::fs::read(&path).unwrap()).manifest else { continue };
        let verdict = gate(&manifest, manifest.trials);
        let state = if verdict.is_open() { "open" } else { "closed" };
        all.push_str(&format!("{name}: {state}\n"));
        for violation in &verdict.violations {
            let at = manifest.cases.iter().position(|case| Some(case.name.as_str()) == violation.case.as_deref());
            all.push_str(&format!(
                "    {} {}\n",
                violation.code,
                at.map_or_else(|| "-".to_owned(), |at| at.to_string())
            ));
        }
    }
    insta::assert_snapshot!(all);
}
