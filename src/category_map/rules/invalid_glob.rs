//! `invalid-glob`: a case-name glob that cannot be used.

use super::registry::{Check, Rule};
use crate::category_map::pattern::CaseGlob;
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "invalid-glob",
    severity: Severity::Error,
    what: "An item of `cases` is not a glob: empty, longer than 1,000 bytes, or with an open bracket or brace.",
    why: "A glob that never matches leaves its cases unclassified.",
    mend: "Close the bracket, or write a backslash before a bracket that is part of a name.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    for category in map.categories() {
        for glob in &category.cases {
            if let Err(error) = CaseGlob::new(&glob.value) {
                let message = format!("the glob {} of {} cannot be used: {error}", quote(&glob.value), category.name());
                let hint = "`*` matches anything; write `\\\\[` for a bracket of a name".to_owned();
                found.add(&RULE, &glob.spot, message, hint);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_with, only};

    #[test]
    fn open_brackets_and_nothing_are_no_globs() {
        for glob in ["[a", "{a,b", ""] {
            let finding = only(&map_with(&category("a", &format!(", \"cases\": [\"ok*\", \"{glob}\"]"))));
            assert_eq!(
                (finding.code, finding.place.pointer.as_deref()),
                ("invalid-glob", Some("/categories/a/cases/1"))
            );
        }
    }
}
