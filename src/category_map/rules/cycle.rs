//! `cycle`: categories that wait for each other.

use std::collections::HashSet;

use super::edges;
use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;
use crate::graph::{Dag, NodeIx};

pub(super) const RULE: Rule = Rule {
    code: "cycle",
    severity: Severity::Error,
    what: "Categories depend on each other in a circle; the shortest path of each separate knot is given with its rationales.",
    why: "Every ticket of the circle would wait for another one, and none would ever be worked on.",
    mend: "Drop the edge with the weakest rationale, or merge the categories: what cannot be fixed apart is one root cause.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    let graph = edges::graph(map);
    let groups = graph.cyclic_groups();
    if groups.is_empty() {
        return;
    }
    let entries = edges::entries(map);
    for group in groups {
        let Some(cycle) = within(&graph, &group).shortest_cycle() else { continue };
        let mut message = format!("dependencies run in a circle: {}", arrows(&cycle.path));
        let mut spot = &map.categories_spot;
        for (at, from) in cycle.path.iter().enumerate() {
            let to = &cycle.path[(at + 1) % cycle.path.len()];
            let Some(entry) = entries.get(&(from.as_str(), to.as_str())) else { continue };
            if at == 0 {
                spot = entry.target.get().map_or(&entry.spot, |target| &target.spot);
            }
            let why = entry.rationale.get().filter(|text| !text.is_blank());
            let why = why.map_or("no rationale".to_owned(), |text| quote(&text.value));
            let line = found.line_of(entry.spot.span.start);
            message.push_str(&format!("\n{} needs {} (line {line}): {why}", quote(from), quote(to)));
        }
        let hint = "drop the edge with the weakest rationale, or merge the categories".to_owned();
        found.add(&RULE, spot, message, hint);
    }
}

fn arrows(path: &[String]) -> String {
    path.iter().chain(path.first()).map(|id| quote(id)).collect::<Vec<_>>().join(" → ")
}

/// The part of a graph inside one group.
fn within(graph: &Dag, group: &[NodeIx]) -> Dag {
    let members: HashSet<NodeIx> = group.iter().copied().collect();
    let edges = group.iter().flat_map(|&from| {
        let inside = graph.upstream(from).filter(|to| members.contains(to));
        inside.map(move |to| (graph.id(from), graph.id(to))).collect::<Vec<_>>()
    });
    // Every end is in the group, so building cannot fail.
    Dag::new(group.iter().map(|&node| graph.id(node)), edges).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{categories, findings, map_with, only};

    fn edge(target: &str, why: &str) -> String {
        format!(", \"depends_on\": [{{\"category_id\": \"n:r:{target}\", \"rationale\": \"{why}\"}}]")
    }

    #[test]
    fn the_path_is_ordered_and_every_edge_says_why() {
        let text = map_with(&categories(&[
            ("c", &edge("a", "c waits for a")),
            ("a", &edge("b", "a waits for b")),
            ("b", &edge("c", "b waits for c")),
        ]));
        let finding = only(&text);
        assert_eq!(finding.code, "cycle");
        assert_eq!(
            finding.message,
            "dependencies run in a circle: `n:r:a` → `n:r:b` → `n:r:c` → `n:r:a`\n\
             `n:r:a` needs `n:r:b` (line 2): `a waits for b`\n\
             `n:r:b` needs `n:r:c` (line 3): `b waits for c`\n\
             `n:r:c` needs `n:r:a` (line 1): `c waits for a`"
        );
        assert_eq!(finding.place.pointer.as_deref(), Some("/categories/a/depends_on/0/category_id"));
    }

    #[test]
    fn every_separate_knot_is_reported_and_a_diamond_is_none() {
        let text = map_with(&categories(&[
            ("a", &edge("b", "x")),
            ("b", &edge("a", "x")),
            ("p", &edge("q", "x")),
            ("q", &edge("p", "x")),
            ("z", &edge("a", "x")),
        ]));
        let cycles: Vec<_> = findings(&text).into_iter().map(|finding| finding.code).collect();
        assert_eq!(cycles, ["cycle", "cycle"]);
    }
}
