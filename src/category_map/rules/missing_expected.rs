//! `missing-expected`: nobody says what "fixed" means.

use super::registry::{Check, Rule};
use crate::category_map::place::Findings;
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "missing-expected",
    severity: Severity::Warning,
    what: "A category does not say what is expected.",
    why: "The ticket tells what is broken but not when it is mended, and a reviewer has nothing to hold a patch against.",
    mend: "Add `\"expected\"`: the behaviour once the defect is gone, in one sentence.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    for category in map.categories() {
        let blank = category.expected.get().filter(|text| text.is_blank());
        if category.expected.is_missing() || blank.is_some() {
            let spot = blank.map_or(&category.spot, |text| &text.spot);
            let hint = "add \"expected\": the behaviour once the defect is gone".to_owned();
            found.add(&RULE, spot, format!("{} does not say what is expected", category.name()), hint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_with, only};
    use crate::category_map::parse;

    #[test]
    fn missing_and_blank_are_warned_about() {
        for expected in ["", ", \"expected\": \"\""] {
            let text = map_with(&category("a", "").replace(", \"expected\": \"e\"", expected));
            assert_eq!(only(&text).code, "missing-expected");
            assert_eq!(parse("m", text.as_bytes()).map.unwrap().categories[0].expected, None);
        }
    }
}
