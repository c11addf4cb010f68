//! Edges that say nothing new: the dependency follows from others.

use super::{Cycle, Dag, NodeIx};

/// Largest graph that is searched for implied edges: the search keeps one bit per pair of nodes, 50 MB at this size.
pub const MAX_NODES_FOR_REDUCTION: usize = 20_000;

/// Answer of [`Dag::redundant_edges`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reduction {
    /// The edges (dependent, what it depends on) that longer paths imply, ascending.
    Edges(Vec<(NodeIx, NodeIx)>),
    /// The graph was not searched, because it has more than [`MAX_NODES_FOR_REDUCTION`] nodes.
    GaveUp {
        /// Its number of nodes.
        nodes: usize,
    },
}

impl Reduction {
    /// The edges found; none when the search gave up.
    pub fn edges(&self) -> &[(NodeIx, NodeIx)] {
        match self {
            Self::Edges(edges) => edges,
            Self::GaveUp { .. } => &[],
        }
    }
}

impl Dag {
    /// The edges that others imply: without them everything still reaches what it reached before.
    ///
    /// Costs O(edges · nodes / 64). Own code, because petgraph's reduction builds closures as lists, keeps duplicate
    /// edges, and says nothing about a cycle.
    ///
    /// # Errors
    /// The shortest cycle, when there is one: in a cycle "implied" has no single answer.
    pub fn redundant_edges(&self) -> Result<Reduction, Cycle> {
        let order = self.topological_order()?;
        if self.len() > MAX_NODES_FOR_REDUCTION {
            return Ok(Reduction::GaveUp { nodes: self.len() });
        }
        let mut place = vec![0; self.len()];
        for (at, node) in order.iter().enumerate() {
            place[node.index()] = at;
        }
        let words = self.len().div_ceil(64);
        // Row of a node: everything upstream of it, as bits by node index.
        let mut closure = vec![0_u64; words * self.len()];
        let mut redundant = Vec::new();
        for &node in &order {
            let mut ups: Vec<NodeIx> = self.upstream(node).collect();
            // Nearest first: an edge is implied exactly when a nearer upstream node already reaches its end.
            ups.sort_unstable_by_key(|up| std::cmp::Reverse(place[up.index()]));
            let mut row = vec![0_u64; words];
            for up in ups {
                let (word, bit) = (up.index() / 64, 1_u64 << (up.index() % 64));
                if row[word] & bit != 0 {
                    redundant.push((node, up));
                    continue;
                }
                row[word] |= bit;
                let reached = &closure[up.index() * words..(up.index() + 1) * words];
                for (mine, theirs) in row.iter_mut().zip(reached) {
                    *mine |= theirs;
                }
            }
            closure[node.index() * words..(node.index() + 1) * words].copy_from_slice(&row);
        }
        redundant.sort_unstable();
        Ok(Reduction::Edges(redundant))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::dag::tests::{acyclic, build};

    #[test]
    fn the_long_way_round_implies_the_short_cut() {
        let dag = Dag::new(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")]).unwrap();
        let found = dag.redundant_edges().unwrap();
        let names: Vec<_> = found.edges().iter().map(|&(f, t)| (dag.id(f), dag.id(t))).collect();
        assert_eq!(names, [("a", "c")]);
    }

    #[test]
    fn a_cycle_is_an_error_and_a_huge_graph_is_not_searched() {
        assert!(Dag::new(["a"], [("a", "a")]).unwrap().redundant_edges().is_err());
        let nodes = MAX_NODES_FOR_REDUCTION + 1;
        let huge = Dag::new((0..nodes).map(|i| i.to_string()), Vec::<(String, String)>::new()).unwrap();
        assert_eq!(huge.redundant_edges().unwrap(), Reduction::GaveUp { nodes });
    }

    proptest! {
        #[test]
        fn removing_redundant_edges_keeps_reachability_and_leaves_none((n, edges) in acyclic(24)) {
            let dag = build(n, &edges);
            let redundant = dag.redundant_edges().unwrap();
            for &(from, to) in redundant.edges() {
                let other_way = dag.upstream(from).any(|up| up != to && dag.upstream_closure(up).contains(&to));
                prop_assert!(other_way, "really implied");
            }
            let kept: Vec<_> = dag.edges().filter(|edge| !redundant.edges().contains(edge))
                .map(|(from, to)| (from.index(), to.index())).collect();
            let sparse = build(n, &kept);
            for node in dag.nodes() {
                prop_assert_eq!(dag.upstream_closure(node), sparse.upstream_closure(node));
            }
            prop_assert_eq!(sparse.redundant_edges().unwrap(), Reduction::Edges(Vec::new()));
        }
    }
}
