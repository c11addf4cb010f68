//! Runs of a part, and the parts joined: shards, merges, and the close slice of a category.

use serde_json::{Value, json};

use super::{Ran, Stage, endings, sh};
use crate::process::{eventually, living, marker};

const MAP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/maps/valid/shop.json");

fn seven(keys: &Value) -> Stage {
    let cases: Vec<Value> = (0..7)
        .map(|n| sh(&format!("case {n}"), &format!("echo {n}; exit {}", i32::from(n == 3)), &json!({})))
        .collect();
    Stage::of(&cases, keys)
}

fn shard(stage: &Stage, number: usize, of: usize, more: &[&str]) -> String {
    let (which, file) = (format!("{number}/{of}"), format!("part-{number}.json"));
    let mut args = vec!["run", "evals/fixture.json", "--shard", &which, "-o", &file, "--report-only"];
    args.extend(more);
    let ran = stage.say(&args);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    file
}

fn merge(stage: &Stage, parts: &[&str]) -> (Ran, Value) {
    let mut args = vec!["merge", "evals/fixture.json", "-o", "merged.json"];
    args.extend(parts);
    let ran = stage.say(&args);
    assert!(stage.path("merged.json").is_file(), "{ran:?}");
    (ran, stage.read("merged.json"))
}

fn reasons(report: &Value) -> Vec<&str> {
    report["incomplete_because"].as_array().map_or(vec![], |all| all.iter().map(|one| one.as_str().unwrap()).collect())
}

#[test]
fn shards_joined_are_the_whole() {
    let stage = seven(&json!({"trials": 2}));
    let whole = stage.reported(&[]);
    let parts: Vec<String> = (1..=3).map(|n| shard(&stage, n, 3, &[])).collect();
    let counts: Vec<usize> = parts.iter().map(|part| stage.read(part)["cases"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [3, 2, 2]);
    // In any order.
    let (ran, merged) = merge(&stage, &[&parts[2], &parts[0], &parts[1]]);
    assert_eq!(ran.status, Some(1), "one case fails: {ran:?}");
    assert_eq!(endings(&merged), endings(&whole));
    for key in [
        "readiness",
        "readiness_reasons",
        "case_count",
        "outcome_counts",
        "trial_count",
        "claims_coverage",
        "fixture_sha256",
    ] {
        assert_eq!(merged[key], whole[key], "{key}");
    }
    assert!(merged.get("incomplete_because").is_none() && merged.get("shard").is_none(), "{merged:#}");
    // A part alone is refused downstream; the merged report is not.
    let alone = stage.say(&["--project", ".", "plan", &parts[0], "--map", MAP]);
    assert_eq!(alone.status, Some(1), "{alone:?}");
    let merged = stage.say(&["categorize", "merged.json", "--map", MAP, "--format", "json"]);
    assert!(merged.stdout.contains("\"complete\": true") || merged.stdout.contains("\"complete\":true"), "{merged:?}");
}

#[test]
fn parts_that_are_not_the_whole_say_why() {
    let stage = seven(&json!({}));
    let parts: Vec<String> = (1..=2).map(|n| shard(&stage, n, 2, &[])).collect();
    let (one, two) = (parts[0].as_str(), parts[1].as_str());
    let mut all = String::new();
    let mut say = |name: &str, parts: &[&str]| {
        let (ran, merged) = merge(&stage, parts);
        assert_eq!((ran.status, &merged["readiness"]), (Some(1), &json!("NOT_ESTABLISHED")), "{name}: {ran:?}");
        assert_eq!(merged["case_count"], 7, "{name}: no case is lost");
        all.push_str(&format!("{name}\n    {}\n", reasons(&merged).join("\n    ")));
        let plan = stage.say(&["--project", ".", "plan", "merged.json", "--map", MAP]);
        assert_eq!(plan.status, Some(1), "{name}: {plan:?}");
    };
    say("one is missing", &[one]);
    say("one twice", &[one, two, one]);
    let other = shard(&stage, 2, 3, &[]);
    let overlapping = "overlapping.json";
    std::fs::rename(stage.path(&other), stage.path(overlapping)).unwrap();
    shard(&stage, 2, 2, &[]);
    say("overlapping", &[one, two, overlapping]);
    stage.reported(&[]);
    say("a whole run is no shard", &["report.json"]);
    stage.run(&["--case", "case 1", "--case", "case 3", "--case", "case 5"]);
    say("named cases are no shard", &[one, "report.json"]);
    shard(&stage, 2, 2, &["--trials", "3"]);
    say("another number of trials", &[one, two]);
    shard(&stage, 2, 2, &["--timeout-seconds", "9"]);
    say("another time limit", &[one, two]);
    stage.write("other.lock", "x");
    shard(&stage, 2, 2, &["--environment-lock", "other.lock"]);
    say("another environment", &[one, two]);
    insta::assert_snapshot!(all.replace(&stage.report()["fixture_sha256"].as_str().unwrap().to_owned(), "sha256:…"));
}

#[test]
fn parts_of_another_fixture_are_refused() {
    let stage = seven(&json!({}));
    let one = shard(&stage, 1, 2, &[]);
    let foreign = Stage::new(&(0..7).map(|n| sh(&format!("case {n}"), "true", &json!({}))).collect::<Vec<_>>());
    shard(&foreign, 2, 2, &[]);
    std::fs::copy(foreign.path("part-2.json"), stage.path("foreign.json")).unwrap();
    let (ran, merged) = merge(&stage, &[&one, "foreign.json"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(reasons(&merged).iter().any(|why| why.starts_with("foreign.json ran sha256:")), "{merged:#}");
    stage.write("broken.json", "{");
    let ran = stage.say(&["merge", "evals/fixture.json", &one, "broken.json"]);
    assert!(ran.status == Some(3) && ran.stderr.contains("broken.json"), "{ran:?}");
    let ran = stage.say(&["merge", "evals/fixture.json", &one, "-o", &one]);
    assert_eq!(ran.status, Some(2), "a report is not written over a part: {ran:?}");
}

#[test]
fn an_interrupted_shard_makes_the_whole_incomplete() {
    let mark = marker("run-shard");
    let wait = "test -e done || { : > ready; sleep 1000; }";
    let stage = Stage::new(&[
        sh("a", "true", &json!({})),
        sh("b", "", &json!({"command": ["sh", "-c", wait, mark], "timeout_seconds": 500})),
        sh("c", "true", &json!({})),
    ]);
    let one = shard(&stage, 1, 2, &[]);
    let mut command = stage.program(&["run", "evals/fixture.json", "--shard", "2/2", "-o", "part-2.json"]);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    eventually("it runs", || stage.path("evals/ready").exists());
    assert!(std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert_eq!(living(&mark), [0; 0]);
    let (ran, merged) = merge(&stage, &[&one, "part-2.json"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert_eq!(reasons(&merged), ["part-2.json is incomplete: interrupted after 0 of 1 trials"]);
    // Run again to its end, and the whole is whole.
    stage.write("evals/done", "");
    shard(&stage, 2, 2, &[]);
    let (ran, merged) = merge(&stage, &[&one, "part-2.json"]);
    assert_eq!((ran.status, &merged["readiness"]), (Some(0), &json!("READY")), "{ran:?}");
}

fn slice_stage() -> Stage {
    let stage = Stage::of(
        &[
            sh("own by name", "true", &json!({"category_id": "team:shop:tax"})),
            sh("own by glob", "true", &json!({})),
            sh("guards the seam", "true", &json!({"seams": ["rates"]})),
            sh("supports the claim", "true", &json!({"supports_claims": ["TAX"]})),
            sh("covers the risk", "true", &json!({"risks": ["R1"]})),
            sh("took its failure once", "true", &json!({"seams": ["till"]})),
            sh("neighbour", "true", &json!({"seams": ["ledger"]})),
            sh("retains a regression", "true", &json!({})),
            sh("has nothing to do with it", "true", &json!({})),
        ],
        &json!({
            "capability_claims": [{"id": "TAX", "description": "tax", "evidence_required": ["deterministic"]}],
            "seams": [{"seam_id": "ledger", "claim_id": "TAX"}, {"seam_id": "rates"}, {"seam_id": "till"}],
        }),
    );
    let map = json!({
        "schema": "agentic_evals.category_map.v1", "repo": "team/shop", "map_version": "1",
        "categories": {"tax": {
            "category_id": "team:shop:tax", "label": "tax", "defect": "wrong tax", "expected": "right tax",
            "supports_claims": ["TAX"], "seams": ["rates"], "risks": ["R1"], "cases": ["own by gl*"], "depends_on": [],
        }},
    });
    stage.write("map.json", map.to_string());
    let regressions = json!({"regressions": [
        {"id": "REG-1", "retained_case": "retains a regression", "claims": ["TAX"]},
        {"id": "REG-2", "status": "RETIRED", "retained_case": "has nothing to do with it", "claims": ["TAX"]},
        {"id": "REG-3", "retained_case": "has nothing to do with it", "claims": ["OTHER"]},
    ]});
    stage.write("regressions.json", regressions.to_string());
    stage.write(
        "categorization.json",
        json!({"cases_by_category": {"team:shop:tax": ["took its failure once"]}}).to_string(),
    );
    stage
}

const SLICE: [&str; 4] = ["--only-category", "team:shop:tax", "--map", "map.json"];

#[test]
fn the_close_slice_of_a_category() {
    let stage = slice_stage();
    let more = ["--categorization", "categorization.json", "--regressions", "regressions.json"];
    let ran = stage.run(&[&SLICE[..], &more[..]].concat());
    assert!(ran.status == Some(0) && ran.stdout.contains("READY · a part of the fixture"), "{ran:?}");
    let report = stage.report();
    let mut all = String::new();
    for case in report["close_slice"]["cases"].as_array().unwrap() {
        let because: Vec<&str> = case["because"].as_array().unwrap().iter().map(|why| why.as_str().unwrap()).collect();
        all.push_str(&format!("{}: {}\n", case["case"].as_str().unwrap(), because.join("; ")));
    }
    insta::assert_snapshot!(all);
    assert_eq!(report["case_count"], 8);
    assert!(report["claims_coverage"].as_str().unwrap().contains("the close slice of team:shop:tax"));
    assert!(ran.stdout.contains("close slice of team:shop:tax"), "{ran:?}");
    let plan = stage.say(&["--project", ".", "plan", "report.json", "--map", "map.json"]);
    assert_eq!(plan.status, Some(1), "a slice closes no ticket: {plan:?}");
}

#[test]
fn a_slice_that_cannot_be_narrowed_is_the_whole_fixture() {
    let stage = slice_stage();
    let because = |name: &str, regressions: &Value, categorization: &Value| {
        stage.write("regressions.json", regressions.to_string());
        stage.write("categorization.json", categorization.to_string());
        let more = ["--categorization", "categorization.json", "--regressions", "regressions.json"];
        let report = stage.reported(&[&SLICE[..], &more[..]].concat());
        assert_eq!(report["case_count"], 9, "{name}");
        format!("{name}: {}\n", report["close_slice"]["whole_fixture_because"].as_str().unwrap())
    };
    let lost = json!({"cases_by_category": {"team:shop:tax": ["gone"]}});
    let none = json!({"cases_by_category": {}});
    let mut all = because("an assigned case is gone", &json!({"regressions": []}), &lost);
    all += &because("no case retains it", &json!({"regressions": [{"id": "R", "seams": ["rates"]}]}), &none);
    all += &because(
        "its case is gone",
        &json!({"regressions": [{"id": "R", "retained_case": "gone", "seams": ["rates"]}]}),
        &none,
    );
    insta::assert_snapshot!(all);
    stage.write("regressions.json", "{}");
    let ran = stage.run(&[&SLICE[..], &["--regressions", "regressions.json"]].concat());
    assert!(ran.status == Some(3) && ran.stderr.contains("regressions.json"), "{ran:?}");
    stage.write("categorization.json", "[]");
    let ran = stage.run(&[&SLICE[..], &["--categorization", "categorization.json"]].concat());
    assert!(ran.status == Some(3) && ran.stderr.contains("categorization.json"), "{ran:?}");
    let ran = stage.run(&["--only-category", "team:shop:text", "--map", "map.json"]);
    assert!(ran.status == Some(2) && ran.stderr.contains("did you mean team:shop:tax?"), "{ran:?}");
}
