//! `duplicate-signature-id`: two patterns of one category under one name.

use std::collections::HashMap;

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "duplicate-signature-id",
    severity: Severity::Error,
    what: "Two signatures of one category have the same id.",
    why: "A categorization names the rule that decided; one name for two patterns does not say which.",
    mend: "Rename one of them.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    for category in map.categories() {
        let mut first: HashMap<&str, usize> = HashMap::new();
        for id in category.signatures.iter().filter_map(|signature| signature.id.get()) {
            if let Some(start) = first.get(id.value.as_str()) {
                let line = found.line_of(*start);
                let message = format!(
                    "the signature {} of {} stands twice; first on line {line}",
                    quote(&id.value),
                    category.name()
                );
                found.add(&RULE, &id.spot, message, "rename one of the two".to_owned());
            } else {
                first.insert(&id.value, id.spot.span.start);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_with, only};

    #[test]
    fn signature_ids_are_unique_in_their_category() {
        let more = r#", "signatures": [{"id": "s", "pattern": "x"}, {"id": "s", "pattern": "y"}]"#;
        let finding = only(&map_with(&category("a", more)));
        assert_eq!(finding.code, "duplicate-signature-id");
        assert_eq!(finding.place.pointer.as_deref(), Some("/categories/a/signatures/1/id"));
    }
}
