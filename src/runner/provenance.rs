//! Where the evidence of a case comes from: hashes of test and oracle, execution mode, declared changes, and whether it
//! may count. Undeclared changes fail closed: the case is not evidence, and the integrity errors fail it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::manifest::{Case, ExecutionMode, MUTATION_FLAGS};
use super::sha256;

/// Flags that declare a change of the test.
const TEST_FLAGS: [&str; 5] =
    ["test_mutated", "locator_healed", "locator_changed", "step_changed", "fixture_input_changed"];
/// Flags that declare a change of the oracle.
const ORACLE_FLAGS: [&str; 6] = [
    "assertion_changed",
    "exclusion_changed",
    "evidence_requirement_changed",
    "expected_output_changed",
    "oracle_changed",
    "test_exclusion_changed",
];
/// Flags that declare a change of something that judges: evidence made with it never counts by itself.
const PROTECTED_FLAGS: [&str; 12] = [
    "assertion_changed",
    "exclusion_changed",
    "evidence_requirement_changed",
    "expected_output_changed",
    "oracle_changed",
    "fixture_changed",
    "case_ownership_changed",
    "category_map_changed",
    "proof_command_changed",
    "readiness_logic_changed",
    "test_exclusion_changed",
    "protected_surface_changed",
];
/// Keys of a case that decide its outcome beside `expected`.
const MARKERS: [&str; 2] = ["blocked_when_stdout_contains", "infra_blocked_when"];
/// Keys of a case that are no part of the test: the oracle, and what is said about the case.
const NOT_TEST: [&str; 12] = [
    "expected",
    "blocked_when_stdout_contains",
    "infra_blocked_when",
    "execution_mode",
    "generated_test",
    "generated_test_lineage",
    "provenance",
    "mutation_provenance",
    "repair",
    "external_result",
    "provider_result",
    "application_identity",
];

/// The provenance of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// As declared, or `regression_replay`.
    pub execution_mode: ExecutionMode,
    /// Hash of the test: the case without its oracle and without what is said about it.
    pub test_source_sha256: String,
    /// Hash of everything that decides the outcome.
    pub oracle_sha256: String,
    /// Generation of a generated test, or made from the two hashes.
    pub generation_id: String,
    /// Every flag of the closed set; true if any source declares it.
    pub mutation_flags: BTreeMap<&'static str, bool>,
    /// Whether it may count.
    pub eligibility: Eligibility,
}

/// Whether a case may count as evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Eligibility {
    /// True if it may.
    pub eligible: bool,
    /// True if it may for the claims that exist.
    pub eligible_for_existing_claim: bool,
    /// True if somebody has to qualify it first.
    pub requires_requalification: bool,
    /// Why it may not, sorted.
    pub reason_codes: Vec<&'static str>,
    /// What is wrong with the evidence itself, sorted: the case fails for it.
    pub integrity_errors: Vec<&'static str>,
}

/// The provenance of a case, from its own words and its present hashes.
pub fn provenance(case: &Case) -> Provenance {
    let mode = case.execution_mode.unwrap_or(ExecutionMode::RegressionReplay);
    let (test, oracle) = (test_hash(case), oracle_hash(case));
    let flags = flags(case);
    let declared = |set: &[&str]| set.iter().any(|flag| flags.get(flag).copied().unwrap_or(false));
    let differs = |keys: &[&str], now: &str| keys.iter().any(|key| said(case, key).any(|then| then != now));
    let test_changed = differs(&["prior_test_source_sha256"], &test) || external(case, "test_source_sha256", &test);
    let oracle_changed = differs(&["prior_oracle_sha256"], &oracle) || external(case, "oracle_sha256", &oracle);
    let any_flag = declared(&MUTATION_FLAGS);
    let mut errors = Vec::new();
    let has = |key: &str| said(case, key).next().is_some();
    if mode == ExecutionMode::TestRepair && !(has("prior_test_source_sha256") && has("prior_oracle_sha256")) {
        errors.push("test_repair_requires_prior_test_and_oracle_hashes");
    }
    if test_changed && !declared(&TEST_FLAGS) {
        errors.push("undeclared_test_mutation");
    }
    if oracle_changed && !declared(&ORACLE_FLAGS) {
        errors.push("undeclared_oracle_mutation");
    }
    let mut reasons = errors.clone();
    match mode {
        ExecutionMode::RegressionReplay if any_flag => {
            reasons.push("regression_replay_declared_mutation_requires_test_repair");
        }
        ExecutionMode::RegressionReplay => {}
        ExecutionMode::Exploration => reasons.push("exploration_candidate_not_admitted"),
        ExecutionMode::TestRepair => reasons.push("test_repair_candidate_requires_requalification"),
    }
    if declared(&PROTECTED_FLAGS) {
        reasons.push("protected_surface_changed");
    }
    if any_flag && passed_elsewhere(case) {
        reasons.push("external_pass_after_mutation_requires_requalification");
    }
    reasons.sort_unstable();
    reasons.dedup();
    errors.sort_unstable();
    let changed = any_flag || test_changed || oracle_changed;
    let eligible = reasons.is_empty() && !changed;
    Provenance {
        execution_mode: mode,
        generation_id: generation(case, &test, &oracle),
        test_source_sha256: test,
        oracle_sha256: oracle,
        mutation_flags: flags,
        eligibility: Eligibility {
            eligible,
            eligible_for_existing_claim: eligible,
            requires_requalification: mode != ExecutionMode::RegressionReplay || changed,
            reason_codes: reasons,
            integrity_errors: errors,
        },
    }
}

/// Hash of the test: canonical JSON of the case without the oracle and without what is said about it.
pub fn test_hash(case: &Case) -> String {
    let members = case.source.as_object().into_iter().flatten();
    let test: Map<String, Value> = members
        .filter(|(key, _)| !NOT_TEST.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    hash(&Value::Object(test))
}

/// Hash of everything that decides the outcome. Without markers it is the hash of `expected` alone, as published
/// reports have it; with markers, of an object that holds both (`expected` itself never has such keys).
pub fn oracle_hash(case: &Case) -> String {
    let of = |key: &str| case.source.get(key).cloned();
    let mut oracle = Map::new();
    for key in MARKERS {
        let marker = of(key).filter(|value| value.as_array().is_none_or(|items| !items.is_empty()));
        oracle.extend(marker.map(|value| (key.to_owned(), value)));
    }
    let expected = of("expected").unwrap_or_default();
    if oracle.is_empty() {
        return hash(&expected);
    }
    oracle.insert("expected".to_owned(), expected);
    hash(&Value::Object(oracle))
}

/// `sha256:` of canonical JSON: sorted keys, no insignificant white space. A `serde_json::Value` prints just that.
fn hash(value: &Value) -> String {
    sha256::prefixed(value.to_string())
}

/// Every place in which the case says this about its past.
fn said<'c>(case: &'c Case, key: &'c str) -> impl Iterator<Item = &'c str> {
    let fields = ["provenance", "repair", "external_result", "provider_result"];
    fields.into_iter().filter_map(move |field| case.lineage.get(field)?.get(key)?.as_str())
}

/// A result from elsewhere names another hash: it is about another test.
fn external(case: &Case, key: &str, now: &str) -> bool {
    let fields = ["external_result", "provider_result"];
    let stated = fields.iter().filter_map(|field| case.lineage.get(*field)?.get(key)?.as_str());
    stated.into_iter().any(|then| then != now)
}

fn passed_elsewhere(case: &Case) -> bool {
    ["external_result", "provider_result"].iter().filter_map(|field| case.lineage.get(*field)).any(|result| {
        result.get("passed") == Some(&Value::Bool(true))
            || result.get("status").and_then(Value::as_str).is_some_and(|status| status.eq_ignore_ascii_case("passed"))
    })
}

fn flags(case: &Case) -> BTreeMap<&'static str, bool> {
    let get = |field: &str| case.lineage.get(field);
    let mut sources: Vec<&Value> = get("mutation_provenance").into_iter().collect();
    for field in ["provenance", "repair", "external_result", "provider_result"] {
        for key in ["mutations", "mutation_provenance"] {
            sources.extend(get(field).and_then(|value| value.get(key)));
        }
    }
    let is_set = |flag: &str| sources.iter().any(|source| source.get(flag) == Some(&Value::Bool(true)));
    MUTATION_FLAGS.into_iter().map(|flag| (flag, is_set(flag))).collect()
}

fn generation(case: &Case, test: &str, oracle: &str) -> String {
    let lineage = ["generated_test_lineage", "generated_test"].iter().find_map(|field| case.lineage.get(*field));
    let stated = lineage.and_then(|lineage| lineage.get("generation_id")?.as_str()).filter(|id| !id.is_empty());
    let made = || {
        let hashes = serde_json::json!({"test_source_sha256": test, "oracle_sha256": oracle});
        hash(&hashes).chars().take(32).collect()
    };
    stated.map_or_else(made, str::to_owned)
}

#[cfg(test)]
#[path = "provenance_tests.rs"]
mod tests;
