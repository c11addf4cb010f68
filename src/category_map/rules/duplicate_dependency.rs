//! `duplicate-dependency`: the same edge twice.

use std::collections::HashMap;

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "duplicate-dependency",
    severity: Severity::Error,
    what: "A category names the same dependency twice.",
    why: "Two rationales for one edge: which one the ticket shows would be chance.",
    mend: "Join the two rationales into one entry.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    for category in map.categories() {
        let mut first: HashMap<&str, usize> = HashMap::new();
        for target in category.depends_on.iter().filter_map(|dependency| dependency.target.get()) {
            if let Some(start) = first.get(target.value.as_str()) {
                let line = found.line_of(*start);
                let message =
                    format!("{} depends on {} twice; first on line {line}", category.name(), quote(&target.value));
                found.add(&RULE, &target.spot, message, "join the two entries".to_owned());
            } else {
                first.insert(&target.value, target.spot.span.start);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{categories, map_with, only};

    #[test]
    fn one_edge_has_one_entry() {
        let edges = r#", "depends_on": [{"category_id": "n:r:b", "rationale": "x"}, {"category_id": "n:r:b", "rationale": "y"}]"#;
        let finding = only(&map_with(&categories(&[("a", edges), ("b", "")])));
        assert_eq!(finding.code, "duplicate-dependency");
        assert_eq!(finding.place.pointer.as_deref(), Some("/categories/a/depends_on/1/category_id"));
    }
}
