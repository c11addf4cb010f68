//! `bad-category-id`: not `<namespace>:<repo-slug>:<name>`.

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, Spot, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;
use crate::model::CategoryId;

pub(super) const RULE: Rule = Rule {
    code: "bad-category-id",
    severity: Severity::Error,
    what: "A category id is not `<namespace>:<repo-slug>:<name>` without white space, in at most 200 bytes.",
    why: "The id is the identity of a ticket for ever; it must fit into a ticket's marker and read the same everywhere.",
    mend: "Write three parts with two colons, for example `evals:shop:cart-total`.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    for id in map.categories().iter().filter_map(|category| category.id.get()) {
        if !id.is_blank() {
            judge(&id.value, &id.spot, map.repo_slug(), found);
        }
    }
    for retired in &map.retired {
        judge(&retired.id, &retired.spot, map.repo_slug(), found);
    }
}

fn judge(id: &str, spot: &Spot, slug: Option<&str>, found: &mut Findings) {
    if let Err(error) = id.parse::<CategoryId>() {
        let slug = slug.unwrap_or("<repo-slug>");
        let hint = format!("write `<namespace>:{slug}:<name>`");
        found.add(&RULE, spot, format!("{} is not a category id: {error}", quote(id)), hint);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_and, map_with, only};

    #[test]
    fn ids_have_three_parts() {
        let finding = only(&map_with(&category("a", "").replace("n:r:a", "r:a")));
        assert_eq!(finding.code, "bad-category-id");
        assert!(finding.message.ends_with("found 2"), "{}", finding.message);
        assert_eq!(finding.hint.as_deref(), Some("write `<namespace>:r:<name>`"));
    }

    #[test]
    fn a_retired_id_is_an_id_too() {
        let retired = r#", "retired": {"x": {"kind": "removed", "reason": "gone"}}"#;
        let finding = only(&map_and(&category("a", ""), retired));
        assert_eq!((finding.code, finding.place.pointer.as_deref()), ("bad-category-id", Some("/retired/x")));
    }
}
