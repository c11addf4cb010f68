//! `duplicate-category-id`: two entries, one identity.

use std::collections::HashMap;

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "duplicate-category-id",
    severity: Severity::Error,
    what: "Two categories have the same id, or ids that differ only in letter case.",
    why: "One ticket would stand for two root causes, and closing it would close both.",
    mend: "Give the second one an id of its own, or merge the two entries.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for id in map.categories().iter().filter_map(|category| category.id.get()) {
        if id.is_blank() {
            continue;
        }
        if let Some(start) = first.get(&id.value.to_lowercase()) {
            let line = found.line_of(*start);
            let message = format!("the id {} is taken by the category on line {line}", quote(&id.value));
            let hint = "every category needs an id of its own; letter case does not count".to_owned();
            found.add(&RULE, &id.spot, message, hint);
        } else {
            first.insert(id.value.to_lowercase(), id.spot.span.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_with, only};

    #[test]
    fn ids_are_unique_whatever_their_case() {
        for twin in ["n:r:a", "n:r:A"] {
            let text = map_with(&format!("\n{},\n{}", category("a", ""), category("b", "").replace("n:r:b", twin)));
            let finding = only(&text);
            assert_eq!((finding.code, finding.place.line), ("duplicate-category-id", Some(3)));
            assert!(finding.message.ends_with("on line 2"), "{}", finding.message);
        }
    }
}
