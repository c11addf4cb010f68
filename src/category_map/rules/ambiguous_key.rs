//! `ambiguous-key`: a key that is another category's id.

use std::collections::HashMap;

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "ambiguous-key",
    severity: Severity::Error,
    what: "The key of a category is the id of another one.",
    why: "A case may name its category by key or by id; such a name would mean both.",
    mend: "Rename the key; keys are presentation, so nothing else changes.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    let keys_of: HashMap<&str, &str> =
        map.categories().iter().filter_map(|category| Some((category.id_text()?, category.key.as_str()))).collect();
    for category in map.categories() {
        let own = category.id_text() == Some(category.key.as_str());
        if let Some(other) = keys_of.get(category.key.as_str()).filter(|_| !own) {
            let message = format!("the key {} is the id of the category {}", quote(&category.key), quote(other));
            found.add(&RULE, &category.spot, message, "rename the key".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{categories, clean, map_with, only};

    #[test]
    fn a_key_may_be_its_own_id_and_no_other() {
        let text = map_with(&categories(&[("a", ""), ("b", "")]));
        clean(&text.replace("\"a\": {", "\"n:r:a\": {"));
        assert_eq!(only(&text.replace("\"a\": {", "\"n:r:b\": {")).code, "ambiguous-key");
    }
}
