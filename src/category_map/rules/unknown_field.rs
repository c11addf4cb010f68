//! `unknown-field`: a field that no rule reads.

use super::registry::{Check, Rule};
use crate::category_map::nearest::{did_you_mean, nearest};
use crate::category_map::place::{Findings, Spot, child, quote};
use crate::diag::Severity;
use crate::diag::json::{Member, Node};

pub(super) const RULE: Rule = Rule {
    code: "unknown-field",
    severity: Severity::Warning,
    what: "A field is not part of the format and is ignored.",
    why: "A misspelt `depends_on` is a dependency that nobody waits for.",
    mend: "Correct the spelling, or remove the field.",
    check: Check::Tree(check),
};

const TOP: &[&str] = &["schema", "repo", "map_version", "categories", "retired"];
const CATEGORY: &[&str] = &[
    "category_id",
    "label",
    "defect",
    "expected",
    "supports_claims",
    "seams",
    "risks",
    "cases",
    "signatures",
    "examples",
    "depends_on",
];
const DEPENDENCY: &[&str] = &["category_id", "rationale"];
const SIGNATURE: &[&str] = &["id", "pattern", "in"];
const EXAMPLES: &[&str] = &["match", "no_match"];
const RETIRED: &[&str] = &["kind", "into", "reason"];

fn check(root: &Node, found: &mut Findings) {
    fields(root, "", TOP, found);
    for (category, at) in table(root, "", "categories") {
        fields(category, &at, CATEGORY, found);
        for (list, known) in [("depends_on", DEPENDENCY), ("signatures", SIGNATURE)] {
            let items = category.get(list).and_then(|member| member.value.items()).unwrap_or_default();
            for (index, item) in items.iter().enumerate() {
                fields(item, &child(&child(&at, list), &index.to_string()), known, found);
            }
        }
        if let Some(examples) = category.get("examples") {
            fields(&examples.value, &child(&at, "examples"), EXAMPLES, found);
        }
    }
    for (retired, at) in table(root, "", "retired") {
        fields(retired, &at, RETIRED, found);
    }
}

fn table<'n>(root: &'n Node, pointer: &str, key: &str) -> Vec<(&'n Node, String)> {
    let members: &[Member] = root.get(key).and_then(|member| member.value.members()).unwrap_or_default();
    let table = child(pointer, key);
    members.iter().map(|member| (&member.value, child(&table, &member.key))).collect()
}

fn fields(object: &Node, pointer: &str, known: &[&'static str], found: &mut Findings) {
    for member in object.members().unwrap_or_default() {
        if !known.contains(&member.key.as_str()) {
            let near = nearest(&member.key, known.iter().copied(), 2);
            let hint = did_you_mean(&near).unwrap_or_else(|| format!("known here: {}", known.join(", ")));
            let message = format!("the field {} is not known and is ignored", quote(&member.key));
            found.add(&RULE, &Spot::new(&child(pointer, &member.key), &member.key_span), message, hint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, codes, map_and, map_with, only};

    #[test]
    fn a_misspelt_field_is_told_its_name() {
        let finding = only(&map_with(&category("a", r#", "depend_on": []"#)));
        assert_eq!((finding.code, finding.hint.as_deref()), ("unknown-field", Some("did you mean `depends_on`?")));
        assert_eq!(finding.severity, crate::diag::Severity::Warning);
    }

    #[test]
    fn every_kind_of_object_is_checked() {
        let text = map_and(
            &category(
                "a",
                r#", "zz": 1, "examples": {"zz": 1, "match": ["x"]}, "signatures": [{"id": "s", "pattern": "x", "zz": 1}]"#,
            ),
            r#", "zz": 1, "retired": {"n:r:b": {"kind": "removed", "reason": "gone", "zz": 1}}"#,
        );
        let pointers: Vec<String> = codes(&text).into_iter().map(|(_, pointer)| pointer).collect();
        assert_eq!(
            pointers,
            [
                "/categories/a/zz",
                "/categories/a/examples/zz",
                "/categories/a/signatures/0/zz",
                "/zz",
                "/retired/n:r:b/zz"
            ]
        );
    }
}
