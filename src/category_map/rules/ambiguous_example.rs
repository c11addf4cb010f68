//! `ambiguous-example`: one category's example that another one's pattern matches too.

use super::evidence::Compiled;
use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "ambiguous-example",
    severity: Severity::Warning,
    what: "A text of `examples.match` is also found by a pattern of another category.",
    why: "A failure like it would have two candidates, and an ambiguous failure stops the plan.",
    mend: "Make one of the patterns narrower, or add the text to `examples.no_match` of the other category and mend it.",
    check: Check::Evidence(check),
};

/// Examples are compared with the patterns of other categories this many times; beyond, a map is too large for a hint.
const COMPARISONS: usize = 1_000_000;

fn check(map: &RawMap, compiled: &Compiled, found: &mut Findings) {
    let with_patterns: Vec<usize> =
        (0..map.categories().len()).filter(|&index| !compiled.signatures(index).is_empty()).collect();
    let mut budget = COMPARISONS;
    for (index, category) in map.categories().iter().enumerate() {
        for example in &category.examples_match {
            for &other in with_patterns.iter().filter(|&&other| other != index) {
                let Some(left) = budget.checked_sub(compiled.signatures(other).len()) else { return };
                budget = left;
                let other_name = map.categories()[other].name();
                if compiled.first_match(other, &example.value).is_some() {
                    let message = format!(
                        "an example of {} also matches a pattern of {other_name}: {}",
                        category.name(),
                        quote(&example.value)
                    );
                    found.add(&RULE, &example.spot, message, "make one of the patterns narrower".to_owned());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{categories, map_with, only};

    #[test]
    fn an_example_belongs_to_one_category() {
        let a = r#", "signatures": [{"id": "s", "pattern": "disk full"}], "examples": {"match": ["error: disk full"]}"#;
        let b = r#", "signatures": [{"id": "s", "pattern": "^error"}]"#;
        let finding = only(&map_with(&categories(&[("a", a), ("b", b)])));
        assert_eq!(finding.code, "ambiguous-example");
        assert!(finding.message.contains("a pattern of `n:r:b`"), "{}", finding.message);
    }
}
