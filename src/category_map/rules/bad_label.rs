//! `bad-label`: a label that a tracker may refuse.

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;
use crate::model::is_unsafe_for_display;

/// Longest label in characters. Source: the limit of GitHub's labels.
const LONGEST: usize = 50;

pub(super) const RULE: Rule = Rule {
    code: "bad-label",
    severity: Severity::Warning,
    what: "A label is longer than 50 characters, or holds a comma or an invisible character.",
    why: "GitHub refuses longer labels and its searches separate labels with commas.",
    mend: "Shorten the label; it is presentation and may differ from the id.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    for category in map.categories() {
        let Some((label, spot)) = super::duplicate_label::label(category) else { continue };
        let length = label.chars().count();
        let trouble = if length > LONGEST {
            format!("is {length} characters long; GitHub takes {LONGEST}")
        } else if label.chars().any(is_unsafe_for_display) {
            "holds an invisible character".to_owned()
        } else if label.contains(',') {
            "holds a comma".to_owned()
        } else {
            continue;
        };
        let hint = "write a short label of letters, digits and hyphens".to_owned();
        found.add(&RULE, spot, format!("the label {} {trouble}", quote(&label)), hint);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, clean, codes, map_with, only};

    #[test]
    fn labels_must_fit_a_tracker() {
        let label = |label: &str| map_with(&category("a", "").replace("cat-a", label));
        clean(&label(&"x".repeat(50)));
        for bad in [&"x".repeat(51), "a,b", "a\\u202eb"] {
            assert_eq!(only(&label(bad)).code, "bad-label", "{bad}");
        }
    }

    #[test]
    fn a_derived_label_can_be_too_long() {
        let name = "x".repeat(42);
        let text = map_with(&category(&name, "").replace(&format!("\"label\": \"cat-{name}\", "), ""));
        let codes: Vec<_> = codes(&text).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, ["bad-label", "missing-label"]);
    }
}
