//! `dangling-successor`: a retired category that leads nowhere.

use std::collections::HashSet;

use super::edges;
use super::registry::{Check, Rule};
use crate::category_map::nearest::{did_you_mean, nearest};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;
use crate::graph::Dag;

pub(super) const RULE: Rule = Rule {
    code: "dangling-successor",
    severity: Severity::Error,
    what: "A successor in `into` is neither a category nor a retired one, or the successors lead back in a circle.",
    why: "The ticket of the retired category is linked to its successors; a link to nothing loses its history.",
    mend: "Name categories of this map; a successor that was retired later keeps its own entry.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    let live = edges::ids(map);
    let retired: HashSet<&str> = map.retired.iter().map(|entry| entry.id.as_str()).collect();
    let mut known: Vec<&str> = live.iter().copied().collect();
    known.sort_unstable();
    let mut links = Vec::new();
    for entry in &map.retired {
        for successor in &entry.into {
            let id = successor.value.as_str();
            if retired.contains(id) {
                links.push((entry.id.as_str(), id));
            } else if !live.contains(id) {
                let message = format!("the successor {} of {} is not a category", quote(id), quote(&entry.id));
                found.add(&RULE, &successor.spot, message, did_you_mean(&nearest(id, known.iter().copied(), 3)));
            }
        }
    }
    // Both ends are retired ids, so building cannot fail.
    let chain = Dag::new(retired.iter().copied(), links).unwrap_or_default();
    for group in chain.cyclic_groups() {
        let first = group.first().map_or("", |&node| chain.id(node));
        if let Some(entry) = map.retired.iter().find(|entry| entry.id == first) {
            let message = format!("the successors of {} lead back to itself", quote(first));
            found.add(&RULE, &entry.spot, message, "name the category that lives on".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{categories, clean, map_and, only};

    fn map(retired: &str) -> String {
        map_and(&categories(&[("alpha", "")]), &format!(", \"retired\": {{{retired}}}"))
    }

    fn merged(id: &str, into: &str) -> String {
        format!("\"n:r:{id}\": {{\"kind\": \"merged\", \"into\": [\"n:r:{into}\"], \"reason\": \"x\"}}")
    }

    #[test]
    fn successors_exist() {
        clean(&map(&format!("{}, {}", merged("x", "y"), merged("y", "alpha"))));
        let finding = only(&map(&merged("x", "alpah")));
        assert_eq!((finding.code, finding.hint.as_deref()), ("dangling-successor", Some("did you mean `n:r:alpha`?")));
        assert_eq!(finding.place.pointer.as_deref(), Some("/retired/n:r:x/into/0"));
    }

    #[test]
    fn successors_end_somewhere() {
        let finding = only(&map(&format!("{}, {}", merged("x", "y"), merged("y", "x"))));
        assert_eq!(finding.message, "the successors of `n:r:x` lead back to itself");
    }
}
