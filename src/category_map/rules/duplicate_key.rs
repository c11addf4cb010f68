//! `duplicate-key`: an object names a member twice.

use std::collections::HashMap;

use super::registry::{Check, Rule};
use crate::diag::json::{Node, Value};
use crate::category_map::place::{Findings, Spot, child, quote};
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "duplicate-key",
    severity: Severity::Error,
    what: "An object holds the same key twice, at any depth; for `categories` it is the key that a case may name.",
    why: "JSON readers silently keep one of the two, and not all the same one: a category or a dependency vanishes.",
    mend: "Rename or remove one of them; two categories with one key are usually a merge gone wrong.",
    check: Check::Tree(check),
};

fn check(root: &Node, found: &mut Findings) {
    walk(root, "", found);
}

// Depth is limited by the reader, so recursion is safe.
fn walk(node: &Node, pointer: &str, found: &mut Findings) {
    match &node.value {
        Value::Object(members) => {
            let mut first: HashMap<&str, usize> = HashMap::new();
            for member in members {
                let here = child(pointer, &member.key);
                if let Some(start) = first.get(member.key.as_str()) {
                    let message =
                        format!("the key {} stands twice; first on line {}", quote(&member.key), found.line_of(*start));
                    let hint = "rename or remove one of the two".to_owned();
                    found.add(&RULE, &Spot::new(&here, &member.key_span), message, hint);
                } else {
                    first.insert(&member.key, member.key_span.start);
                }
                walk(&member.value, &here, found);
            }
        }
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, &child(pointer, &index.to_string()), found);
            }
        }
        _ => {}
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
