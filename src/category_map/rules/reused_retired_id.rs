//! `reused-retired-id`: a dead identity comes back.

use std::collections::HashMap;

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "reused-retired-id",
    severity: Severity::Error,
    what: "A category has an id that stands in `retired`.",
    why: "Old tickets and receipts carry that id with another meaning; they would be taken for the new category's.",
    mend: "Give the category a new id; an id is never used again.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    let retired: HashMap<&str, usize> =
        map.retired.iter().map(|entry| (entry.id.as_str(), entry.spot.span.start)).collect();
    for id in map.categories().iter().filter_map(|category| category.id.get()) {
        if let Some(start) = retired.get(id.value.as_str()) {
            let line = found.line_of(*start);
            let message = format!("the id {} was retired (line {line}) and must not be used again", quote(&id.value));
            found.add(&RULE, &id.spot, message, "give the category a new id".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_and, only};

    #[test]
    fn a_retired_id_stays_retired() {
        let text = map_and(&category("a", ""), r#", "retired": {"n:r:a": {"kind": "removed", "reason": "gone"}}"#);
        let finding = only(&text);
        assert_eq!(finding.code, "reused-retired-id");
        assert_eq!(finding.place.pointer.as_deref(), Some("/categories/a/category_id"));
    }
}
