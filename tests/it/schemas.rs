//! `docs/schemas` is what the program prints, and what the program writes is what the schemas say.

use std::path::Path;

use assert_cmd::Command as Run;
use serde_json::Value;

/// Set this variable to write the schemas anew instead of comparing them.
const UPDATE: &str = "GREENLOOP_UPDATE";

const NAMES: [&str; 10] = [
    "findings",
    "map_diff",
    "categorization",
    "plan",
    "receipt",
    "ticket",
    "ledger_entry",
    "campaign_status",
    "config",
    "report",
];

fn greenloop(project: &Path, args: &[&str]) -> (i32, String) {
    let output = Run::cargo_bin("greenloop")
        .unwrap()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .arg("--project")
        .arg(project)
        .args(args)
        .output()
        .unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn committed(name: &str) -> String {
    format!("{}/docs/schemas/{name}.json", env!("CARGO_MANIFEST_DIR"))
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may read the environment")]
fn the_committed_schemas_are_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    for name in NAMES {
        let (status, printed) = greenloop(folder.path(), &["schema", name]);
        assert_eq!(status, 0, "{name}");
        if std::env::var_os(UPDATE).is_some() {
            std::fs::write(committed(name), &printed).unwrap();
        }
        let found = std::fs::read_to_string(committed(name)).unwrap_or_default();
        assert!(
            found == printed,
            "docs/schemas/{name}.json is out of date: run `{UPDATE}=1 cargo test --test it schemas`"
        );
    }
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schemas")).unwrap().count();
    assert_eq!(files, NAMES.len(), "a schema that no command prints");
}

/// Errors of `document` against a schema; empty when it is valid.
fn errors(name: &str, document: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(committed(name)).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(document).map(|error| format!("{error} at {}", error.instance_path())).collect()
}

#[test]
fn documents_of_a_real_campaign_are_valid() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path();
    let map = "category_maps/shop.json";
    let run = |n: u32| format!("examples/shop/runs/campaign/run-{n}.json");
    let valid = |name: &str, text: &str| {
        let document: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert_eq!(errors(name, &document), Vec::<String>::new(), "{name}");
    };
    let json = |args: &[&str]| greenloop(project, &[args, &["--format", "json"]].concat()).1;

    for n in 1..=5 {
        valid("report", &std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(run(n))).unwrap());
    }
    let junit = greenloop(project, &["import", "junit", "tests/fixtures/junit/valid/properties.xml"]).1;
    valid("report", &junit);
    valid("findings", &json(&["map", "check", map]));
    valid("map_diff", &json(&["map", "diff", map, map, "--report", &run(1)]));
    valid("categorization", &json(&["categorize", &run(1), "--map", map]));
    greenloop(project, &["campaign", "start", "--map", map, "--id", "c"]);
    for n in 1..=3 {
        valid("campaign_status", &json(&["campaign", "step", &run(n), "--campaign", "c"]));
        valid("plan", &json(&["plan", &run(n), "--map", map, "--campaign", "c"]));
    }
    valid("ticket", &json(&["ticket", "list", "--state", "all"]));
    valid("ticket", &json(&["ticket", "show", "1"]));
    valid("ticket", &json(&["ticket", "ready"]));
    let campaign = project.join(".greenloop/campaigns/c");
    for line in std::fs::read_to_string(campaign.join("ledger.jsonl")).unwrap().lines() {
        valid("ledger_entry", line);
    }
    for name in ["categorization", "plan", "receipt"] {
        let file = campaign.join(format!("iter-003/{name}.json"));
        valid(name, &std::fs::read_to_string(file).unwrap());
    }
}

/// The check above can fail: each schema rejects a document without its fields.
#[test]
fn each_schema_rejects_something() {
    for name in NAMES {
        assert_ne!(errors(name, &serde_json::json!({"schema": 1})), Vec::<String>::new(), "{name}");
    }
}
