//! The dependencies of a raw map as a graph, for the rules about edges.

use std::collections::{HashMap, HashSet};

use crate::category_map::raw::{RawDependency, RawMap};
use crate::graph::Dag;

/// The graph of all categories and all dependencies between known ones, without those on itself (they have their own
/// rule).
pub(super) fn graph(map: &RawMap) -> Dag {
    build(map, false)
}

/// The same with dependencies on itself.
pub(in crate::category_map) fn graph_with_loops(map: &RawMap) -> Dag {
    build(map, true)
}

fn build(map: &RawMap, loops: bool) -> Dag {
    let ids = ids(map);
    let edges =
        pairs(map).filter(|(from, to, _)| ids.contains(to) && (loops || from != to)).map(|(from, to, _)| (from, to));
    // Both ends are known, so only a graph of 2^32 edges could be refused; no file in memory holds that many.
    Dag::new(ids.iter().copied(), edges).unwrap_or_default()
}

/// The ids of all categories, well-formed or not.
pub(super) fn ids(map: &RawMap) -> HashSet<&str> {
    map.categories().iter().filter_map(|category| category.id_text()).collect()
}

/// Every dependency between a category with an id and a target: dependent, target, entry.
fn pairs(map: &RawMap) -> impl Iterator<Item = (&str, &str, &RawDependency)> {
    map.categories().iter().flat_map(|category| {
        category
            .depends_on
            .iter()
            .filter_map(|dependency| Some((category.id_text()?, dependency.target.get()?.value.as_str(), dependency)))
    })
}

/// The entry of each edge; of duplicates, the first.
pub(super) fn entries(map: &RawMap) -> HashMap<(&str, &str), &RawDependency> {
    let mut entries = HashMap::new();
    for (from, to, dependency) in pairs(map) {
        entries.entry((from, to)).or_insert(dependency);
    }
    entries
}
