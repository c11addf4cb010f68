//! `example-mismatch`: a golden example that its category's patterns do not treat as written.

use super::evidence::Compiled;
use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "example-mismatch",
    severity: Severity::Error,
    what: "A text of `examples.match` is found by no pattern of its category, or one of `examples.no_match` is.",
    why: "The examples are the test of the patterns: a pattern that misses its own example misses the failure too.",
    mend: "Correct the pattern or the example; `no_match` texts must be found by none.",
    check: Check::Evidence(check),
};

fn check(map: &RawMap, compiled: &Compiled, found: &mut Findings) {
    for (index, category) in map.categories().iter().enumerate() {
        // An unusable pattern has its own finding; what it would have matched is not known.
        if compiled.all_usable(index) {
            for example in &category.examples_match {
                if compiled.first_match(index, &example.value).is_none() {
                    let message = format!("no pattern of {} matches {}", category.name(), quote(&example.value));
                    let hint = if category.signatures.is_empty() {
                        "the category has no signatures: add one, or remove the example"
                    } else {
                        "correct the pattern, or the example"
                    };
                    found.add(&RULE, &example.spot, message, hint.to_owned());
                }
            }
        }
        for example in &category.examples_no_match {
            if let Some(at) = compiled.first_match(index, &example.value) {
                let signature = &category.signatures[at];
                let id = signature
                    .id
                    .get()
                    .map_or("a signature".to_owned(), |id| format!("the signature {}", quote(&id.value)));
                let message = format!("{id} of {} matches {}", category.name(), quote(&example.value));
                found.add(&RULE, &example.spot, message, "make the pattern narrower".to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, clean, map_with, only};

    fn map(examples: &str) -> String {
        let signatures = r#", "signatures": [{"id": "s", "pattern": "timed out after \\d+s"}]"#;
        map_with(&category("a", &format!("{signatures}, \"examples\": {examples}")))
    }

    #[test]
    fn examples_are_checked_at_load() {
        clean(&map(r#"{"match": ["timed out after 30s"], "no_match": ["timed out"]}"#));
        let missed = only(&map(r#"{"match": ["timed out after 30s", "took too long"]}"#));
        assert_eq!(
            (missed.code, missed.place.pointer.as_deref()),
            ("example-mismatch", Some("/categories/a/examples/match/1"))
        );
        let caught = only(&map(r#"{"no_match": ["it timed out after 5s again"]}"#));
        assert_eq!(caught.message, "the signature `s` of `n:r:a` matches `it timed out after 5s again`");
    }

    #[test]
    fn examples_without_signatures_are_a_mismatch() {
        let finding = only(&map_with(&category("a", r#", "examples": {"match": ["x"]}"#)));
        assert!(finding.hint.unwrap().contains("has no signatures"));
    }

    #[test]
    fn a_broken_pattern_is_not_reported_twice() {
        let more = r#", "signatures": [{"id": "s", "pattern": "("}], "examples": {"match": ["x"]}"#;
        assert_eq!(only(&map_with(&category("a", more))).code, "invalid-pattern");
    }
}
