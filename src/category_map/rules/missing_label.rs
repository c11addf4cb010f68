//! `missing-label`: the tracker's label has to be made up.

use super::registry::{Check, Rule};
use crate::category_map::build::derived_label;
use crate::category_map::place::Findings;
use crate::category_map::raw::RawMap;
use crate::diag::Severity;
use crate::model::CategoryId;

pub(super) const RULE: Rule = Rule {
    code: "missing-label",
    severity: Severity::Warning,
    what: "A category has no label; `eval-cat-<name>` is used.",
    why: "People look for tickets by label, and a made-up one may differ from the one they use.",
    mend: "Write the label that the tracker has.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    for category in map.categories() {
        let blank = category.label.get().filter(|label| label.is_blank());
        if category.label.is_missing() || blank.is_some() {
            let spot = blank.map_or(&category.spot, |label| &label.spot);
            let derived = category.id_text().and_then(|id| id.parse::<CategoryId>().ok()).map(|id| derived_label(&id));
            let hint = derived.map(|label| format!("write it out: \"label\": \"{label}\""));
            found.add(&RULE, spot, format!("{} has no label", category.name()), hint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_with, only};
    use crate::category_map::parse;

    #[test]
    fn the_derived_label_is_used_and_shown() {
        for label in ["", "\"label\": \" \", "] {
            let text = map_with(&category("a", "").replace("\"label\": \"cat-a\", ", label));
            let finding = only(&text);
            assert_eq!(finding.code, "missing-label");
            assert_eq!(finding.hint.as_deref(), Some("write it out: \"label\": \"eval-cat-a\""));
            assert_eq!(parse("m", text.as_bytes()).map.unwrap().categories[0].label, "eval-cat-a");
        }
    }
}
