//! Categorization as a whole: small maps and reports in, results out.

mod decisions;
mod fingerprints;
mod laws;
mod states;

use serde_json::{Value, json};

use super::{Categorization, Watch, categorize};
use crate::category_map::{self, CategoryMap};
use crate::report::ReportSource;

/// A map of the given entries: key, and what the entry holds beside id and texts.
fn map(entries: &[(&str, Value)]) -> CategoryMap {
    let categories: serde_json::Map<String, Value> = entries
        .iter()
        .map(|(key, more)| {
            let mut entry = json!({"category_id": format!("evals:shop:{key}"), "defect": format!("{key} is broken"),
                "expected": "it works", "label": key});
            for (field, value) in more.as_object().unwrap() {
                entry[field] = value.clone();
            }
            ((*key).to_owned(), entry)
        })
        .collect();
    let text = json!({"schema": "agentic_evals.category_map.v1", "repo": "acme/shop", "map_version": "1",
        "categories": categories});
    let loaded = category_map::parse("map.json", text.to_string().as_bytes());
    loaded.map.unwrap_or_else(|| panic!("{:?}", loaded.findings))
}

/// The usual map: one category for each kind of rule.
fn usual() -> CategoryMap {
    map(&[
        ("cart", json!({"seams": ["cart.totals"], "signatures": [{"id": "rounding", "pattern": "total: \\d+"}]})),
        ("claims", json!({"supports_claims": ["shop.pays"], "risks": ["unpaid"]})),
        ("globs", json!({"cases": ["checkout *", "pay-??"]})),
        ("out", json!({"signatures": [{"id": "o", "pattern": "panic: out", "in": "stdout"}]})),
        ("err", json!({"signatures": [{"id": "e", "pattern": "panic: err", "in": "stderr"}], "seams": ["net"]})),
        ("probs", json!({"signatures": [{"id": "p", "pattern": "panic: prob", "in": "problems"}], "seams": ["net"]})),
    ])
}

/// A failing case with what else it holds.
fn failing(name: &str, more: &Value) -> Value {
    let mut case = json!({"name": name, "outcome": "FAIL", "problems": ["exit_code 1 != 0"]});
    for (field, value) in more.as_object().unwrap() {
        case[field] = value.clone();
    }
    case
}

fn report(cases: &[Value]) -> Value {
    json!({"schema": "agentic_evals.report.v2", "cases": cases})
}

fn run(map: &CategoryMap, report: &Value) -> Categorization {
    run_watching(map, report, &Watch::default())
}

fn run_watching(map: &CategoryMap, report: &Value, watch: &Watch) -> Categorization {
    let source = ReportSource::from_bytes("r.json", report.to_string().into_bytes());
    let c = categorize(&source, map, watch).unwrap();
    assert!(c.counts.add_up());
    c
}
