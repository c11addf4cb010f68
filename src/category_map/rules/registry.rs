//! The list of all rules, and running them.

use super::evidence::Compiled;
use super::{
    ambiguous_example, ambiguous_key, bad_category_id, bad_json, bad_label, bad_repo, bad_retirement, bad_schema,
    bad_type, cycle, dangling_successor, duplicate_category_id, duplicate_dependency, duplicate_key, duplicate_label,
    duplicate_signature_id, empty_categories, empty_pattern, example_mismatch, foreign_repo, invalid_glob,
    invalid_pattern, missing_expected, missing_field, missing_label, missing_map_version, missing_rationale,
    redundant_edge, reused_retired_id, self_edge, unknown_field, unknown_stream, unknown_target,
};
use crate::category_map::place::Findings;
use crate::category_map::raw::RawMap;
use crate::diag::Severity;
use crate::diag::json::Node;

/// One rule of category maps.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Kebab-case code, stable across versions.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What it says about a map, in one sentence.
    pub what: &'static str,
    /// Which failure it prevents.
    pub why: &'static str,
    /// How to mend a map that breaks it.
    pub mend: &'static str,
    pub(super) check: Check,
}

/// When a rule looks, and at what.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// Found while the file is read.
    Reading,
    /// Looks at the JSON tree.
    Tree(fn(&Node, &mut Findings)),
    /// Looks at the raw view.
    Map(fn(&RawMap, &mut Findings)),
    /// Looks at the raw view with its compiled patterns.
    Evidence(fn(&RawMap, &Compiled, &mut Findings)),
}

/// Every rule once, in the order of the documentation.
const RULES: &[Rule] = &[
    bad_json::RULE,
    bad_schema::RULE,
    bad_type::RULE,
    duplicate_key::RULE,
    missing_field::RULE,
    unknown_field::RULE,
    empty_categories::RULE,
    missing_map_version::RULE,
    bad_repo::RULE,
    bad_category_id::RULE,
    foreign_repo::RULE,
    duplicate_category_id::RULE,
    ambiguous_key::RULE,
    missing_label::RULE,
    bad_label::RULE,
    duplicate_label::RULE,
    missing_expected::RULE,
    unknown_target::RULE,
    self_edge::RULE,
    cycle::RULE,
    duplicate_dependency::RULE,
    missing_rationale::RULE,
    redundant_edge::RULE,
    invalid_glob::RULE,
    invalid_pattern::RULE,
    empty_pattern::RULE,
    unknown_stream::RULE,
    duplicate_signature_id::RULE,
    example_mismatch::RULE,
    ambiguous_example::RULE,
    bad_retirement::RULE,
    reused_retired_id::RULE,
    dangling_successor::RULE,
];

/// Every rule of category maps, in the order of the documentation.
pub const fn rules() -> &'static [Rule] {
    RULES
}

/// Runs every rule; all findings of all rules are collected.
pub(in crate::category_map) fn check(root: &Node, map: &RawMap, found: &mut Findings) {
    if bad_schema::is_other(map)
        && let Check::Map(check) = bad_schema::RULE.check
    {
        return check(map, found);
    }
    let compiled = Compiled::of(map);
    for rule in RULES {
        match rule.check {
            Check::Reading => {}
            Check::Tree(check) => check(root, found),
            Check::Map(check) => check(map, found),
            Check::Evidence(check) => check(map, &compiled, found),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_kebab_case() {
        let codes: BTreeSet<_> = RULES.iter().map(|rule| rule.code).collect();
        assert_eq!(codes.len(), RULES.len());
        for code in codes {
            assert!(code.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{code}");
        }
    }

    #[test]
    fn every_rule_explains_itself() {
        for rule in RULES {
            for text in [rule.what, rule.why, rule.mend] {
                assert!(text.len() > 15 && text.ends_with('.'), "{}: {text}", rule.code);
            }
        }
    }
}
