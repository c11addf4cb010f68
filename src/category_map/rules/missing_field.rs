//! `missing-field`: something that a map cannot be without.

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, Spot};
use crate::category_map::raw::{Field, RawMap, Text};
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "missing-field",
    severity: Severity::Error,
    what: "A required field is missing or blank: `repo`, `categories`, `category_id`, `defect`, or a part of an entry.",
    why: "A ticket without a defect or a category without an identity cannot be told apart from another one.",
    mend: "Add the field that the finding names.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    require(found, &map.repo, &map.spot, "the map", "repo", "\"repo\": \"owner/name\"");
    if map.categories.is_missing() {
        let hint = "add \"categories\": {\"<key>\": {…}} with one entry per root cause".to_owned();
        found.add(&RULE, &map.spot, "the map has no `categories`", hint);
    }
    for category in map.categories() {
        let name = category.name();
        let id = "\"category_id\": \"<namespace>:<repo-slug>:<name>\"";
        require(found, &category.id, &category.spot, &name, "category_id", id);
        require(found, &category.defect, &category.spot, &name, "defect", "\"defect\": \"what is broken\"");
        for signature in &category.signatures {
            let what = format!("a signature of {name}");
            require(found, &signature.id, &signature.spot, &what, "id", "\"id\": \"a name for the pattern\"");
            if signature.pattern.is_missing() {
                let hint = "add \"pattern\": \"…\"".to_owned();
                found.add(&RULE, &signature.spot, format!("{what} has no `pattern`"), hint);
            }
        }
        for dependency in &category.depends_on {
            let what = format!("a dependency of {name}");
            require(found, &dependency.target, &dependency.spot, &what, "category_id", "the id of a category");
        }
    }
    for retired in &map.retired {
        let what = format!("the retired {}", crate::category_map::place::quote(&retired.id));
        require(found, &retired.kind, &retired.spot, &what, "kind", "\"kind\": \"split\", \"merged\" or \"removed\"");
        require(found, &retired.reason, &retired.spot, &what, "reason", "\"reason\": \"why it is no more\"");
    }
}

fn require(found: &mut Findings, field: &Field<Text>, owner: &Spot, name: &str, key: &str, example: &str) {
    match field {
        Field::Missing => found.add(&RULE, owner, format!("{name} has no `{key}`"), format!("add {example}")),
        Field::Is(text) if text.is_blank() => {
            found.add(&RULE, &text.spot, format!("`{key}` of {name} is blank"), format!("write {example}"));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, codes, map_and, map_with};

    #[test]
    fn every_required_field_is_asked_for() {
        let missing = |text: &str| -> Vec<String> {
            codes(text).into_iter().filter(|(code, _)| *code == "missing-field").map(|(_, pointer)| pointer).collect()
        };
        assert_eq!(missing("{}"), ["", ""], "repo and categories");
        assert_eq!(missing(&map_with(r#""a": {}"#)), ["/categories/a", "/categories/a"], "id and defect");
        let blank = category("a", "").replace("\"d\"", "\" \"");
        assert_eq!(missing(&map_with(&blank)), ["/categories/a/defect"]);
        let signature = missing(&map_with(&category("a", r#", "signatures": [{}]"#)));
        assert_eq!(signature, ["/categories/a/signatures/0", "/categories/a/signatures/0"]);
        let edge = missing(&map_with(&category("a", r#", "depends_on": [{"rationale": "x"}]"#)));
        assert_eq!(edge, ["/categories/a/depends_on/0"]);
        let retired = missing(&map_and(&category("a", ""), r#", "retired": {"n:r:x": {}}"#));
        assert_eq!(retired, ["/retired/n:r:x", "/retired/n:r:x"], "kind and reason");
    }
}
