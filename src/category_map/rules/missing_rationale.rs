//! `missing-rationale`: an edge that does not say why.

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::{Field, RawMap};
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "missing-rationale",
    severity: Severity::Error,
    what: "A dependency has no rationale, a blank one, or is a bare id.",
    why: "An edge holds up a ticket; without a reason nobody can tell whether it still has to.",
    mend: "Write `{\"category_id\": \"…\", \"rationale\": \"why this must be fixed first\"}`.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    for category in map.categories() {
        for dependency in &category.depends_on {
            let spot = match &dependency.rationale {
                Field::Missing => &dependency.spot,
                Field::Is(text) if text.is_blank() => &text.spot,
                _ => continue,
            };
            let target = dependency.target.get().map_or("another category".to_owned(), |target| quote(&target.value));
            let message = format!("{} does not say why it depends on {target}", category.name());
            let hint = "write {\"category_id\": \"…\", \"rationale\": \"why this must be fixed first\"}".to_owned();
            found.add(&RULE, spot, message, hint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{categories, map_with, only};

    #[test]
    fn missing_blank_and_bare_are_the_same_finding() {
        for (edge, pointer) in [
            (r#"{"category_id": "n:r:b"}"#, "/categories/a/depends_on/0"),
            (r#"{"category_id": "n:r:b", "rationale": " \n"}"#, "/categories/a/depends_on/0/rationale"),
            (r#""n:r:b""#, "/categories/a/depends_on/0"),
        ] {
            let more = format!(", \"depends_on\": [{edge}]");
            let finding = only(&map_with(&categories(&[("a", &more), ("b", "")])));
            assert_eq!((finding.code, finding.place.pointer.as_deref()), ("missing-rationale", Some(pointer)));
        }
    }
}
