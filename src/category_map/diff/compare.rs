//! Comparing two maps.

use std::collections::{BTreeMap, BTreeSet};

use super::types::{
    CategoryChange, CategorySummary, EdgeSummary, ListChange, MapDiff, MapProblem, RationaleChange, Removal,
    RetiredChange, RetiredSummary, TextChange, Texts,
};
use crate::category_map::{Category, CategoryMap, Retired, SignaturePattern, Stream};
use crate::model::CategoryId;

/// Compares two valid maps.
pub fn diff(old: &CategoryMap, new: &CategoryMap) -> MapDiff {
    let before: BTreeMap<&CategoryId, &Category> = old.categories.iter().map(|c| (&c.id, c)).collect();
    let after: BTreeMap<&CategoryId, &Category> = new.categories.iter().map(|c| (&c.id, c)).collect();
    let added = after
        .iter()
        .filter(|(id, _)| !before.contains_key(*id))
        .map(|(id, category)| CategorySummary { category_id: id.to_string(), defect: category.defect.clone() });
    let removed = before
        .keys()
        .filter(|id| !after.contains_key(*id))
        .map(|id| Removal { category_id: id.to_string(), retired: new.retired.get(*id).map(summary) });
    let changed = before.iter().filter_map(|(id, category)| change(category, after.get(*id)?));
    let (edges_before, edges_after) = (edges(old), edges(new));
    let mut difference = MapDiff {
        added: added.collect(),
        changed: changed.collect(),
        edges_gained: only_in(&edges_after, &edges_before),
        edges_lost: only_in(&edges_before, &edges_after),
        map_version: Texts { new: new.map_version.clone(), old: old.map_version.clone() },
        problems: Vec::new(),
        rationales_changed: rationales(&edges_before, &edges_after),
        removed: removed.collect(),
        repo: Texts { new: new.repo.to_string(), old: old.repo.to_string() },
        retired_changed: retired(old, new, &before),
    };
    difference.problems = problems(old, new, &difference);
    difference
}

type Edges<'m> = BTreeMap<(&'m CategoryId, &'m CategoryId), &'m str>;

fn edges(map: &CategoryMap) -> Edges<'_> {
    map.categories
        .iter()
        .flat_map(|category| {
            category.depends_on.iter().map(move |edge| ((&category.id, &edge.category_id), edge.rationale.as_str()))
        })
        .collect()
}

fn only_in(these: &Edges<'_>, others: &Edges<'_>) -> Vec<EdgeSummary> {
    let edge = |(&(from, to), &rationale): (&(&CategoryId, &CategoryId), &&str)| EdgeSummary {
        from: from.to_string(),
        rationale: rationale.to_owned(),
        to: to.to_string(),
    };
    these.iter().filter(|(ends, _)| !others.contains_key(*ends)).map(edge).collect()
}

fn rationales(before: &Edges<'_>, after: &Edges<'_>) -> Vec<RationaleChange> {
    let change = |(ends, old): (&(&CategoryId, &CategoryId), &&str)| {
        let new = after.get(ends).filter(|new| *new != old)?;
        let (from, to) = (ends.0.to_string(), ends.1.to_string());
        Some(RationaleChange { from, new: (*new).to_owned(), old: (*old).to_owned(), to })
    };
    before.iter().filter_map(change).collect()
}

fn change(old: &Category, new: &Category) -> Option<CategoryChange> {
    let text = |field, old: Option<&String>, new: Option<&String>| {
        (old != new).then(|| TextChange { field, new: new.cloned(), old: old.cloned() })
    };
    let texts = [
        text("key", Some(&old.key), Some(&new.key)),
        text("label", Some(&old.label), Some(&new.label)),
        text("defect", Some(&old.defect), Some(&new.defect)),
        text("expected", old.expected.as_ref(), new.expected.as_ref()),
    ];
    let lists = [
        list("supports_claims", &old.supports_claims, &new.supports_claims),
        list("seams", &old.seams, &new.seams),
        list("risks", &old.risks, &new.risks),
        list("cases", &old.cases, &new.cases),
        list("signatures", &signatures(&old.signatures), &signatures(&new.signatures)),
    ];
    let texts: Vec<TextChange> = texts.into_iter().flatten().collect();
    let lists: Vec<ListChange> = lists.into_iter().flatten().collect();
    let differs = !texts.is_empty() || !lists.is_empty();
    differs.then(|| CategoryChange { category_id: old.id.to_string(), lists, texts })
}

fn list(field: &'static str, old: &[String], new: &[String]) -> Option<ListChange> {
    let (before, after): (BTreeSet<&String>, BTreeSet<&String>) = (old.iter().collect(), new.iter().collect());
    (before != after).then(|| ListChange {
        field,
        gained: after.difference(&before).map(|value| (*value).clone()).collect(),
        lost: before.difference(&after).map(|value| (*value).clone()).collect(),
    })
}

/// One line per signature: its id, where it looks, and its pattern.
fn signatures(patterns: &[SignaturePattern]) -> Vec<String> {
    let place = |stream| match stream {
        None => "anywhere",
        Some(Stream::Problems) => "problems",
        Some(Stream::Stdout) => "stdout",
        Some(Stream::Stderr) => "stderr",
    };
    patterns.iter().map(|s| format!("{} in {}: {}", s.id, place(s.stream), s.pattern)).collect()
}

fn summary(entry: &Retired) -> RetiredSummary {
    let mut into: Vec<String> = entry.into.iter().map(ToString::to_string).collect();
    into.sort_unstable();
    RetiredSummary { into, kind: entry.kind, reason: entry.reason.clone() }
}

fn retired(old: &CategoryMap, new: &CategoryMap, before: &BTreeMap<&CategoryId, &Category>) -> Vec<RetiredChange> {
    let ids: BTreeSet<&CategoryId> = old.retired.keys().chain(new.retired.keys()).collect();
    let change = |id: &CategoryId| RetiredChange {
        category_id: id.to_string(),
        new: new.retired.get(id).map(summary),
        old: old.retired.get(id).map(summary),
    };
    ids.into_iter()
        .filter(|id| !before.contains_key(id))
        .map(change)
        .filter(|change| change.old != change.new)
        .collect()
}

fn problems(old: &CategoryMap, new: &CategoryMap, difference: &MapDiff) -> Vec<MapProblem> {
    let mut problems = Vec::new();
    for removal in difference.removed.iter().filter(|removal| removal.retired.is_none()) {
        problems.push(MapProblem {
            code: "vanished-without-retirement",
            message: format!("{} vanished without an entry in `retired`", removal.category_id),
            hint: format!(
                "add \"retired\": {{\"{}\": {{\"kind\": \"split\", \"merged\" or \"removed\", \"into\": […], \"reason\": \"…\"}}}}",
                removal.category_id
            ),
        });
    }
    for id in old.retired.keys() {
        if new.categories.binary_search_by(|category| category.id.cmp(id)).is_ok() {
            problems.push(MapProblem {
                code: "reused-retired-id",
                message: format!("{id} was retired in the old map and must not be used again"),
                hint: "give the category a new id, and keep the retired entry".to_owned(),
            });
        } else if !new.retired.contains_key(id) {
            problems.push(MapProblem {
                code: "forgotten-retirement",
                message: format!("the retired entry of {id} is gone"),
                hint: "keep it: without it the id could be used again by mistake".to_owned(),
            });
        }
    }
    if old.map_version == new.map_version && !difference.is_same_meaning() {
        problems.push(MapProblem {
            code: "same-version-different-content",
            message: format!("the map changed, and map_version is still {}", new.map_version),
            hint: "raise map_version with every change of meaning".to_owned(),
        });
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::category_map::parse;

    fn map(version: &str, categories: &str, retired: &str) -> CategoryMap {
        let text = format!(
            "{{\"schema\": \"agentic_evals.category_map.v1\", \"repo\": \"o/r\", \"map_version\": \"{version}\", \
             \"categories\": {{{categories}}}, \"retired\": {{{retired}}}}}"
        );
        let loaded = parse("m", text.as_bytes());
        loaded.map.unwrap_or_else(|| panic!("{:#?}", loaded.findings))
    }

    fn category(name: &str, more: &str) -> String {
        format!(
            "\"{name}\": {{\"category_id\": \"n:r:{name}\", \"label\": \"l-{name}\", \"defect\": \"d\", \"expected\": \"e\"{more}}}"
        )
    }

    fn codes(difference: &MapDiff) -> Vec<&'static str> {
        difference.problems.iter().map(|problem| problem.code).collect()
    }

    #[test]
    fn the_same_map_has_no_difference() {
        let one = map("1", &format!("{},{}", category("a", ""), category("b", "")), "");
        let two = map("1", &format!("{},  {}", category("b", ""), category("a", "")), "");
        let difference = diff(&one, &two);
        assert_ne!(one.digest, two.digest);
        assert!(difference.is_same_meaning() && difference.problems.is_empty(), "{difference:?}");
    }

    #[test]
    fn every_kind_of_change_is_seen() {
        let edge = |why: &str| format!(", \"depends_on\": [{{\"category_id\": \"n:r:b\", \"rationale\": \"{why}\"}}]");
        let old = map(
            "1",
            &format!(
                "{},{},{}",
                category("a", &edge("one")),
                category("b", r#", "seams": ["s", "t"]"#),
                category("c", "")
            ),
            "",
        );
        let new = map(
            "2",
            &format!(
                "{},{},{}",
                category("a", &edge("two")),
                category("b", r#", "seams": ["u", "t"], "signatures": [{"id": "x", "pattern": "y", "in": "stderr"}]"#)
                    .replace("l-b", "l-bb"),
                category("d", &edge("new"))
            ),
            r#""n:r:c": {"kind": "merged", "into": ["n:r:b"], "reason": "same"}"#,
        );
        let difference = diff(&old, &new);
        assert_eq!(codes(&difference), [""; 0]);
        assert_eq!(difference.added[0].category_id, "n:r:d");
        assert_eq!(difference.removed[0].retired.as_ref().unwrap().into, ["n:r:b"]);
        assert_eq!(difference.rationales_changed[0].new, "two");
        assert_eq!(difference.edges_gained[0].from, "n:r:d");
        let changed = &difference.changed[0];
        assert_eq!((changed.category_id.as_str(), changed.texts[0].field), ("n:r:b", "label"));
        assert_eq!((&changed.lists[0].gained, &changed.lists[0].lost), (&vec!["u".to_owned()], &vec!["s".to_owned()]));
        assert_eq!(changed.lists[1].gained, ["x in stderr: y"]);
        let back = diff(&new, &old);
        assert_eq!(codes(&back), ["vanished-without-retirement", "reused-retired-id"]);
    }

    #[test]
    fn a_change_needs_a_new_version() {
        let difference = diff(&map("1", &category("a", ""), ""), &map("1", &category("a", r#", "seams": ["s"]"#), ""));
        assert_eq!(codes(&difference), ["same-version-different-content"]);
    }

    #[test]
    fn retired_entries_are_kept() {
        let retired = r#""n:r:old": {"kind": "removed", "reason": "gone"}"#;
        let (with, without) = (map("1", &category("a", ""), retired), map("2", &category("a", ""), ""));
        assert_eq!(codes(&diff(&with, &without)), ["forgotten-retirement"]);
        assert_eq!(codes(&diff(&without, &with)), [""; 0]);
        let reused = map("2", &format!("{},{}", category("a", ""), category("old", "")), "");
        assert_eq!(codes(&diff(&with, &reused)), ["reused-retired-id"]);
    }
}
