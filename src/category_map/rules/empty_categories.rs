//! `empty-categories`: a map that names no root cause.

use super::registry::{Check, Rule};
use crate::category_map::place::Findings;
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "empty-categories",
    severity: Severity::Error,
    what: "`categories` has no entry.",
    why: "With an empty map every failure is unclassified, which looks like a mistake in the report.",
    mend: "Add one entry per root cause that a failing case can have.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    if map.categories.get().is_some_and(Vec::is_empty) {
        let hint = "add one entry per root cause".to_owned();
        found.add(&RULE, &map.categories_spot, "the map has no category", hint);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{map_with, only};

    #[test]
    fn an_empty_map_is_an_error_at_its_key() {
        let finding = only(&map_with(""));
        assert_eq!((finding.code, finding.place.pointer.as_deref()), ("empty-categories", Some("/categories")));
    }
}
