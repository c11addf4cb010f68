//! `self-edge`: a category that depends on itself.

use super::registry::{Check, Rule};
use crate::category_map::place::Findings;
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "self-edge",
    severity: Severity::Error,
    what: "A category depends on itself.",
    why: "Its ticket would wait for its own closure.",
    mend: "Remove the dependency, or correct its target.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    for category in map.categories() {
        for target in category.depends_on.iter().filter_map(|dependency| dependency.target.get()) {
            if category.id_text() == Some(target.value.as_str()) && !target.is_blank() {
                let hint = "remove the dependency, or name the category that was meant".to_owned();
                found.add(&RULE, &target.spot, format!("{} depends on itself", category.name()), hint);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_with, only};

    #[test]
    fn it_is_its_own_finding_and_not_a_cycle_as_well() {
        let edge = r#", "depends_on": [{"category_id": "n:r:a", "rationale": "x"}]"#;
        let finding = only(&map_with(&category("a", edge)));
        assert_eq!((finding.code, finding.message.as_str()), ("self-edge", "`n:r:a` depends on itself"));
    }
}
