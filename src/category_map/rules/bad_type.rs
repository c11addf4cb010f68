//! `bad-type`: a known field holds another kind of value.

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, Spot};
use crate::diag::Severity;

pub(in crate::category_map) const RULE: Rule = Rule {
    code: "bad-type",
    severity: Severity::Error,
    what: "A known field holds the wrong kind of value, for example a number where a text is expected.",
    why: "Guessing what was meant (`1` or `\"1\"`) gives two readers two fingerprints.",
    mend: "Write the kind of value that the finding names; leave a field out instead of writing null.",
    check: Check::Reading,
};

/// Reports a value of the wrong kind.
pub(in crate::category_map) fn report(found: &mut Findings, spot: &Spot, what: &str, is: &str, wanted: &str) {
    let hint = match (is, wanted) {
        ("null", _) => Some("leave the field out instead".to_owned()),
        ("a number" | "a boolean", "a text") => Some("write it in double quotes".to_owned()),
        ("a text", "a list") => Some("write it in brackets: [\"…\"]".to_owned()),
        _ => None,
    };
    found.add(&RULE, spot, format!("{what} must be {wanted}, not {is}"), hint);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, codes, map_and, map_with, only};

    #[test]
    fn every_known_field_has_one_type() {
        for (more, pointer) in [
            (r#", "seams": "s""#, "/categories/a/seams"),
            (r#", "seams": ["s", 1]"#, "/categories/a/seams/1"),
            (r#", "depends_on": [7]"#, "/categories/a/depends_on/0"),
            (r#", "depends_on": {}"#, "/categories/a/depends_on"),
            (r#", "signatures": ["x"]"#, "/categories/a/signatures/0"),
            (r#", "examples": []"#, "/categories/a/examples"),
            (r#", "risks": null"#, "/categories/a/risks"),
        ] {
            assert_eq!(codes(&map_with(&category("a", more))), [("bad-type", pointer.to_owned())], "{more}");
        }
        assert_eq!(codes(&map_and("", r#", "retired": []"#)).len(), 2, "empty categories and a bad type");
        assert_eq!(only(&map_with(r#""a": 3"#)).place.pointer.as_deref(), Some("/categories/a"));
        assert_eq!(only("[]").message, "the map must be an object, not a list");
    }

    #[test]
    fn a_version_that_is_a_number_is_told_to_take_quotes() {
        let text = map_with(&category("a", "")).replace("\"map_version\": \"1\"", "\"map_version\": 1");
        let finding = only(&text);
        assert_eq!(finding.hint.as_deref(), Some("write it in double quotes"));
    }
}
