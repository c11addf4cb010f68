//! Cycles: found with an iterative algorithm, shown as the shortest readable path.

use std::collections::VecDeque;

use petgraph::algo::kosaraju_scc;

use super::{Dag, NodeIx};

/// Edges that the search for the shortest cycle may look at. Enough for groups of about two thousand nodes; beyond,
/// the best cycle found so far is given, and the work stays well under a second.
const SEARCH_BUDGET: usize = 5_000_000;

/// A cycle as an ordered path: every id depends on the next one, and the last depends on the first. It starts with
/// its smallest id; an id alone depends on itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("dependencies run in a circle: {}", self.arrows())]
pub struct Cycle {
    /// The ids, each once.
    pub path: Vec<String>,
}

impl Cycle {
    /// The path with arrows and its first id repeated at the end: `a → b → a`. Ids are shown as they are; pass the
    /// text through [`crate::model::display_safe`] before a person sees it.
    pub fn arrows(&self) -> String {
        let mut text = self.path.join(" → ");
        if let Some(first) = self.path.first() {
            text.push_str(" → ");
            text.push_str(first);
        }
        text
    }
}

impl Dag {
    /// The strongly connected groups that hold a cycle (self-edges included), each ascending, ordered by their
    /// smallest id.
    ///
    /// Kosaraju, because the depth of the graph is not bounded and petgraph's Tarjan recurses.
    pub fn cyclic_groups(&self) -> Vec<Vec<NodeIx>> {
        let mut groups: Vec<Vec<NodeIx>> = kosaraju_scc(self.raw())
            .into_iter()
            .map(|group| group.into_iter().map(NodeIx::from).collect::<Vec<_>>())
            .filter(|group| group.len() > 1 || group.first().is_some_and(|&node| self.depends_on(node, node)))
            .collect();
        for group in &mut groups {
            group.sort_unstable();
        }
        groups.sort_unstable();
        groups
    }

    /// The shortest cycle; of several, the one with the smallest first id. `None` when the graph is acyclic.
    ///
    /// Breadth-first search from every node that lies on a cycle, cut off at the best length so far. In very large
    /// cyclic groups the search ends after a fixed number of steps and the cycle may then not be the shortest.
    pub fn shortest_cycle(&self) -> Option<Cycle> {
        let mut group_of = vec![usize::MAX; self.len()];
        let mut starts = Vec::new();
        for (number, group) in self.cyclic_groups().into_iter().enumerate() {
            for &node in &group {
                group_of[node.index()] = number;
            }
            starts.extend(group);
        }
        starts.sort_unstable();

        let mut search = Search {
            dag: self,
            group_of,
            reached: vec![usize::MAX; self.len()],
            parent: vec![NodeIx::new(0); self.len()],
            budget: SEARCH_BUDGET,
        };
        let mut best: Option<Vec<NodeIx>> = None;
        for start in starts {
            let shorter_than = best.as_ref().map_or(usize::MAX, Vec::len);
            if shorter_than == 1 || (search.budget == 0 && best.is_some()) {
                break;
            }
            if let Some(found) = search.cycle_through(start, shorter_than) {
                best = Some(found);
            }
        }
        best.map(|nodes| Cycle { path: nodes.into_iter().map(|node| self.id(node).to_owned()).collect() })
    }
}

struct Search<'a> {
    dag: &'a Dag,
    /// Number of the cyclic group of each node; `usize::MAX` outside of any.
    group_of: Vec<usize>,
    /// The start whose search reached the node last: a "visited" mark that needs no clearing.
    reached: Vec<usize>,
    parent: Vec<NodeIx>,
    budget: usize,
}

impl Search<'_> {
    /// The shortest cycle through `start` and larger ids only, if it is shorter than `shorter_than`. Cycles through
    /// smaller ids were found from there.
    fn cycle_through(&mut self, start: NodeIx, shorter_than: usize) -> Option<Vec<NodeIx>> {
        let mark = start.index();
        self.reached[mark] = mark;
        let mut queue = VecDeque::from([(start, 1_usize)]);
        while let Some((node, length)) = queue.pop_front() {
            if length >= shorter_than {
                return None;
            }
            for up in self.dag.upstream(node) {
                self.budget = self.budget.saturating_sub(1);
                if up == start {
                    return Some(self.path_to(start, node));
                }
                let inside = self.group_of[up.index()] == self.group_of[mark];
                if inside && up > start && self.reached[up.index()] != mark {
                    self.reached[up.index()] = mark;
                    self.parent[up.index()] = node;
                    queue.push_back((up, length + 1));
                }
            }
        }
        None
    }

    fn path_to(&self, start: NodeIx, end: NodeIx) -> Vec<NodeIx> {
        let mut path = vec![end];
        let mut node = end;
        while node != start {
            node = self.parent[node.index()];
            path.push(node);
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::graph::Dag;
    use crate::graph::dag::tests::{any_graph, build};

    #[test]
    fn the_shortest_cycle_is_rotated_to_its_smallest_id() {
        let edges = [("d", "b"), ("b", "c"), ("c", "d"), ("z", "y"), ("y", "x"), ("x", "w"), ("w", "z")];
        let dag = Dag::new(["b", "c", "d", "w", "x", "y", "z"], edges).unwrap();
        let cycle = dag.shortest_cycle().unwrap();
        assert_eq!(cycle.path, ["b", "c", "d"]);
        assert_eq!(cycle.to_string(), "dependencies run in a circle: b → c → d → b");
        assert_eq!(dag.cyclic_groups().len(), 2);
    }

    #[test]
    fn a_self_edge_is_a_cycle_of_one() {
        let dag = Dag::new(["a", "b", "c"], [("a", "b"), ("b", "a"), ("c", "c")]).unwrap();
        assert_eq!(dag.shortest_cycle().unwrap().path, ["c"]);
        assert!(dag.topological_order().is_err());
    }

    #[test]
    fn a_ring_of_many_nodes_is_found_without_recursion() {
        let ids: Vec<String> = (0..50_000).map(|i| format!("{i:06}")).collect();
        let edges = ids.iter().zip(ids.iter().cycle().skip(1));
        let dag = Dag::new(ids.clone(), edges).unwrap();
        assert_eq!(dag.shortest_cycle().unwrap().path, ids);
    }

    proptest! {
        #[test]
        fn a_cycle_is_found_exactly_when_there_is_one((n, edges) in any_graph(16)) {
            let dag = build(n, &edges);
            // Shortest closed walk by repeated multiplication of the reachability matrix.
            let mut walks: Vec<Vec<bool>> =
                (0..n).map(|i| (0..n).map(|j| edges.contains(&(i, j))).collect()).collect();
            let one_step = walks.clone();
            let mut expected = None;
            for length in 1..=n {
                if (0..n).any(|i| walks[i][i]) {
                    expected = Some(length);
                    break;
                }
                walks = (0..n)
                    .map(|i| (0..n).map(|j| (0..n).any(|k| walks[i][k] && one_step[k][j])).collect())
                    .collect();
            }
            let cycle = dag.shortest_cycle();
            prop_assert_eq!(cycle.as_ref().map(|c| c.path.len()), expected);
            if let Some(cycle) = cycle {
                let mut closed = cycle.path.clone();
                closed.push(cycle.path[0].clone());
                for step in closed.windows(2) {
                    let (from, to) = (dag.index_of(&step[0]).unwrap(), dag.index_of(&step[1]).unwrap());
                    prop_assert!(dag.depends_on(from, to));
                }
                prop_assert_eq!(cycle.path.iter().min(), cycle.path.first());
            }
        }
    }
}
