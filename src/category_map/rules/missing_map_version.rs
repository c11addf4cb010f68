//! `missing-map-version`: a map without a version of its own.

use super::registry::{Check, Rule};
use crate::category_map::place::Findings;
use crate::category_map::raw::{Field, RawMap};
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "missing-map-version",
    severity: Severity::Error,
    what: "`map_version` is missing or blank.",
    why: "The version is part of every fingerprint: without it two states of a campaign cannot be compared.",
    mend: "Add `\"map_version\": \"1\"`, and raise it with every change of meaning; `map diff` says when.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    let spot = match &map.map_version {
        Field::Missing => &map.spot,
        Field::Is(version) if version.is_blank() => &version.spot,
        _ => return,
    };
    found.add(&RULE, spot, "the map has no `map_version`", "add \"map_version\": \"1\"".to_owned());
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_with, only};

    #[test]
    fn missing_and_blank_are_the_same() {
        let good = map_with(&category("a", ""));
        assert_eq!(only(&good.replace("\"map_version\": \"1\", ", "")).code, "missing-map-version");
        let blank = only(&good.replace("\"map_version\": \"1\"", "\"map_version\": \" \""));
        assert_eq!((blank.code, blank.place.pointer.as_deref()), ("missing-map-version", Some("/map_version")));
    }
}
