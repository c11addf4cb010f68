//! `duplicate-label`: two categories under one label.

use std::collections::HashMap;

use super::registry::{Check, Rule};
use crate::category_map::build::derived_label;
use crate::category_map::place::{Findings, Spot, quote};
use crate::category_map::raw::{RawCategory, RawMap};
use crate::diag::Severity;
use crate::model::CategoryId;

pub(super) const RULE: Rule = Rule {
    code: "duplicate-label",
    severity: Severity::Error,
    what: "Two categories have the same label; trackers do not tell letter case apart, and derived labels count.",
    why: "People and routing rules find tickets by label, and would find both.",
    mend: "Rename one of the labels.",
    check: Check::Map(check),
};

/// The label that a category will have, and where it comes from; `None` if it has neither a label nor a valid id.
pub(super) fn label(category: &RawCategory) -> Option<(String, &Spot)> {
    if let Some(label) = category.label.get().filter(|label| !label.is_blank()) {
        return Some((label.value.clone(), &label.spot));
    }
    let id: CategoryId = category.id_text()?.parse().ok()?;
    Some((derived_label(&id), &category.spot))
}

fn check(map: &RawMap, found: &mut Findings) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for category in map.categories() {
        let Some((label, spot)) = label(category) else { continue };
        if let Some(start) = first.get(&label.to_lowercase()) {
            let line = found.line_of(*start);
            let message = format!("the label {} is taken by the category on line {line}", quote(&label));
            found.add(&RULE, spot, message, "every category needs a label of its own".to_owned());
        } else {
            first.insert(label.to_lowercase(), spot.span.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{categories, codes, map_with, only};

    #[test]
    fn labels_are_unique_whatever_their_case() {
        let text = map_with(&categories(&[("a", ""), ("b", "")]));
        for twin in ["cat-a", "CAT-A"] {
            assert_eq!(only(&text.replace("cat-b", twin)).code, "duplicate-label");
        }
    }

    #[test]
    fn a_derived_label_counts() {
        let text = map_with(&categories(&[("a", ""), ("b", "")]))
            .replace("cat-a", "eval-cat-b")
            .replace("\"label\": \"cat-b\", ", "");
        assert!(codes(&text).contains(&("duplicate-label", "/categories/b".to_owned())));
    }
}
