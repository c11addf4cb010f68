//! `foreign-repo`: an id of another repository.

use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, Spot, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;
use crate::model::CategoryId;

pub(super) const RULE: Rule = Rule {
    code: "foreign-repo",
    severity: Severity::Error,
    what: "A category id, a dependency or a retired id carries another repository's slug than the map's `repo`.",
    why: "Its ticket would live elsewhere: it can neither be wired nor proven gone by this repository's full run.",
    mend: "Correct the middle part of the id; what another repository must fix is an external blocker, not an edge.",
    check: Check::Map(check),
};

/// True if the text is an id of another repository than the map's.
pub(super) fn is_foreign(map: &RawMap, id: &str) -> bool {
    let (Some(slug), Ok(id)) = (map.repo_slug(), id.parse::<CategoryId>()) else { return false };
    id.repo_slug() != slug
}

fn check(map: &RawMap, found: &mut Findings) {
    for category in map.categories() {
        if let Some(id) = category.id.get() {
            judge(map, &id.value, &id.spot, "the id", found);
        }
        for target in category.depends_on.iter().filter_map(|dependency| dependency.target.get()) {
            judge(map, &target.value, &target.spot, &format!("{} has a dependency abroad:", category.name()), found);
        }
    }
    for retired in &map.retired {
        judge(map, &retired.id, &retired.spot, "the retired id", found);
    }
}

fn judge(map: &RawMap, id: &str, spot: &Spot, lead: &str, found: &mut Findings) {
    if is_foreign(map, id)
        && let (Some(slug), Ok(parsed)) = (map.repo_slug(), id.parse::<CategoryId>())
    {
        let message =
            format!("{lead} {} belongs to the repository `{}`, not to `{slug}`", quote(id), parsed.repo_slug());
        let hint = format!("here it would be `{}:{slug}:{}`", parsed.namespace(), parsed.name());
        found.add(&RULE, spot, message, hint);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, clean, map_with, only};

    #[test]
    fn ids_and_edges_stay_in_the_repository() {
        clean(&map_with(&category("a", "")));
        let own = only(&map_with(&category("a", "").replace("n:r:a", "n:other:a")));
        assert_eq!((own.code, own.hint.as_deref()), ("foreign-repo", Some("here it would be `n:r:a`")));
        let edge = r#", "depends_on": [{"category_id": "n:other:b", "rationale": "x"}]"#;
        let edge = only(&map_with(&category("a", edge)));
        assert_eq!(edge.place.pointer.as_deref(), Some("/categories/a/depends_on/0/category_id"));
        assert_eq!(edge.code, "foreign-repo", "and not an unknown target as well");
    }
}
