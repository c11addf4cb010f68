//! `unknown-target`: a dependency on a category that is not there.

use std::collections::HashMap;

use super::registry::{Check, Rule};
use super::{edges, foreign_repo};
use crate::category_map::nearest::{did_you_mean, nearest};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::{RawMap, RawRetired};
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "unknown-target",
    severity: Severity::Error,
    what: "A category depends on an id that the map does not have.",
    why: "Its ticket would wait for something that can never be fixed.",
    mend: "Correct the id; the finding names the nearest ones, and the successors of a retired one.",
    check: Check::Map(check),
};

/// All ids are listed when nothing is near and there are no more than this.
const KNOWN: usize = 6;

/// Suggestions are looked up for this many unknown targets; each costs a comparison with every id.
const SUGGESTIONS: usize = 50;

fn check(map: &RawMap, found: &mut Findings) {
    let ids = edges::ids(map);
    let by_key: HashMap<&str, &str> =
        map.categories().iter().filter_map(|category| Some((category.key.as_str(), category.id_text()?))).collect();
    let retired: HashMap<&str, &RawRetired> = map.retired.iter().map(|entry| (entry.id.as_str(), entry)).collect();
    let mut suggestions = SUGGESTIONS;
    for category in map.categories() {
        for target in category.depends_on.iter().filter_map(|dependency| dependency.target.get()) {
            let id = target.value.as_str();
            if target.is_blank() || ids.contains(id) || foreign_repo::is_foreign(map, id) {
                continue;
            }
            let hint = if let Some(entry) = retired.get(id) {
                Some(successors(entry))
            } else if let Some(known) = by_key.get(id) {
                Some(format!("that is a key; its id is {}", quote(known)))
            } else if suggestions > 0 {
                suggestions -= 1;
                let others = ids.iter().copied().filter(|other| Some(*other) != category.id_text());
                let mut others: Vec<&str> = others.collect();
                others.sort_unstable();
                did_you_mean(&nearest(id, others.iter().copied(), 3)).or_else(|| known(&others))
            } else {
                None
            };
            let message = format!("{} depends on {}, which is not a category of this map", category.name(), quote(id));
            found.add(&RULE, &target.spot, message, hint);
        }
    }
}

/// The ids of a small map.
fn known(ids: &[&str]) -> Option<String> {
    let quoted: Vec<String> = ids.iter().map(|id| quote(id)).collect();
    (1..=KNOWN).contains(&ids.len()).then(|| format!("it could depend on {}", quoted.join(", ")))
}

fn successors(entry: &RawRetired) -> String {
    let into: Vec<String> = entry.into.iter().map(|id| quote(&id.value)).collect();
    if into.is_empty() {
        return "it is retired and has no successor: drop the dependency".to_owned();
    }
    format!("it is retired; depend on {} instead", into.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{categories, category, map_and, map_with, only};

    fn edge(target: &str) -> String {
        format!(", \"depends_on\": [{{\"category_id\": \"{target}\", \"rationale\": \"x\"}}]")
    }

    #[test]
    fn the_nearest_ids_are_named() {
        let text = map_with(&categories(&[("alpha", &edge("n:r:brvao")), ("bravo", ""), ("zulu", "")]));
        let finding = only(&text);
        assert_eq!((finding.code, finding.hint.as_deref()), ("unknown-target", Some("did you mean `n:r:bravo`?")));
        assert_eq!(finding.place.pointer.as_deref(), Some("/categories/alpha/depends_on/0/category_id"));
    }

    #[test]
    fn a_key_is_told_its_id() {
        let finding = only(&map_with(&categories(&[("alpha", &edge("bravo")), ("bravo", "")])));
        assert_eq!(finding.hint.as_deref(), Some("that is a key; its id is `n:r:bravo`"));
    }

    #[test]
    fn a_retired_target_is_told_its_successors() {
        let retired = r#", "retired": {"n:r:old": {"kind": "merged", "into": ["n:r:b"], "reason": "same"}}"#;
        let two = format!("{},{}", category("a", &edge("n:r:old")), category("b", ""));
        assert_eq!(only(&map_and(&two, retired)).hint.as_deref(), Some("it is retired; depend on `n:r:b` instead"));
    }
}
