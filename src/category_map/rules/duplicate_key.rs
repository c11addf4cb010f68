//! `duplicate-key`: an object names a member twice.

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, Spot, quote};
use crate::diag::Severity;
use crate::diag::json::{Node, duplicates};

pub(super) const RULE: Rule = Rule {
    code: "duplicate-key",
    severity: Severity::Error,
    what: "An object holds the same key twice, at any depth; for `categories` it is the key that a case may name.",
    why: "JSON readers silently keep one of the two, and not all the same one: a category or a dependency vanishes.",
    mend: "Rename or remove one of them; two categories with one key are usually a merge gone wrong.",
    check: Check::Tree(check),
};

fn check(root: &Node, found: &mut Findings) {
    for duplicate in duplicates(root) {
        let first = found.line_of(duplicate.first);
        let message = format!("the key {} stands twice; first on line {first}", quote(duplicate.key));
        let hint = "rename or remove one of the two".to_owned();
        found.add(&RULE, &Spot::new(&duplicate.pointer, &duplicate.span), message, hint);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{categories, category, codes, findings, map_and, map_with};

    #[test]
    fn duplicates_are_seen_at_every_level() {
        let pointers = |text: &str| -> Vec<String> {
            codes(text).into_iter().filter(|(code, _)| *code == "duplicate-key").map(|(_, pointer)| pointer).collect()
        };
        assert_eq!(pointers(&map_and(&category("a", ""), r#", "repo": "o/r""#)), ["/repo"]);
        assert_eq!(pointers(&map_with(&category("a", r#", "\u006cabel": "x""#))), ["/categories/a/label"]);
        let edge = r#", "depends_on": [{"category_id": "n:r:b", "rationale": "x", "rationale": "y"}]"#;
        let text = map_with(&categories(&[("a", edge), ("b", "")]));
        assert_eq!(pointers(&text), ["/categories/a/depends_on/0/rationale"]);
    }

    #[test]
    fn the_first_place_is_named() {
        let text = map_with(&format!("\n{},\n{}", category("a", ""), category("a", "")));
        let finding = findings(&text).into_iter().find(|f| f.code == "duplicate-key").unwrap();
        assert_eq!(finding.message, "the key `a` stands twice; first on line 2");
        assert_eq!(finding.place.line, Some(3));
    }
}
