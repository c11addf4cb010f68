//! Orders that do not depend on how the graph was written down.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use petgraph::algo::kosaraju_scc;

use super::{Cycle, Dag, NodeIx};

impl Dag {
    /// All nodes, upstream first; of several that could come next, the smallest id comes first.
    ///
    /// Kahn's algorithm with a min-heap, because petgraph's `toposort` follows the order of insertion.
    /// Costs O((nodes + edges) · log nodes).
    ///
    /// # Errors
    /// The shortest cycle, when there is one.
    pub fn topological_order(&self) -> Result<Vec<NodeIx>, Cycle> {
        let mut waiting: Vec<usize> = self.nodes().map(|node| self.upstream(node).count()).collect();
        let mut ready: BinaryHeap<Reverse<NodeIx>> =
            self.nodes().filter(|node| waiting[node.index()] == 0).map(Reverse).collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(Reverse(node)) = ready.pop() {
            order.push(node);
            for down in self.downstream(node) {
                waiting[down.index()] -= 1;
                if waiting[down.index()] == 0 {
                    ready.push(Reverse(down));
                }
            }
        }
        match self.shortest_cycle() {
            Some(cycle) if order.len() < self.len() => Err(cycle),
            _ => Ok(order),
        }
    }

    /// For every node the length of the longest path that leads to it from a node without upstream: 0 for such a
    /// node itself. Indexed by [`NodeIx::index`].
    ///
    /// # Errors
    /// The shortest cycle, when there is one.
    pub fn ranks(&self) -> Result<Vec<usize>, Cycle> {
        let mut ranks = vec![0; self.len()];
        for node in self.topological_order()? {
            for down in self.downstream(node) {
                ranks[down.index()] = ranks[down.index()].max(ranks[node.index()] + 1);
            }
        }
        Ok(ranks)
    }

    /// All nodes, upstream first wherever that is possible: the topological order of an acyclic graph; with cycles,
    /// an order in which only edges inside a cyclic group run backwards, few of them (greedy, not the minimum).
    /// Pictures use it to give a cyclic graph a direction.
    pub fn order_despite_cycles(&self) -> Vec<NodeIx> {
        self.topological_order().unwrap_or_else(|_| {
            // Kosaraju gives the groups downstream first here, because our edges run from upstream to downstream.
            kosaraju_scc(self.raw())
                .into_iter()
                .rev()
                .flat_map(|group| self.order_of_group(group.into_iter().map(NodeIx::from).collect()))
                .collect()
        })
    }

    /// Takes the member that waits for the fewest others of its group, again and again.
    fn order_of_group(&self, group: BTreeSet<NodeIx>) -> Vec<NodeIx> {
        let waits_for = |node: NodeIx| self.upstream(node).filter(|&up| up != node && group.contains(&up)).count();
        let mut waiting: BTreeMap<NodeIx, usize> = group.iter().map(|&node| (node, waits_for(node))).collect();
        let mut queue: BTreeSet<(usize, NodeIx)> = waiting.iter().map(|(&node, &count)| (count, node)).collect();
        let mut order = Vec::with_capacity(group.len());
        while let Some((_, node)) = queue.pop_first() {
            waiting.remove(&node);
            order.push(node);
            for down in self.downstream(node) {
                if let Some(count) = waiting.get_mut(&down) {
                    queue.remove(&(*count, down));
                    *count -= 1;
                    queue.insert((*count, down));
                }
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::graph::dag::tests::{acyclic, any_graph, build, name};
    use crate::graph::{Dag, NodeIx};

    fn is_topological(dag: &Dag, order: &[NodeIx]) -> bool {
        let mut place = vec![usize::MAX; dag.len()];
        for (at, node) in order.iter().enumerate() {
            place[node.index()] = at;
        }
        order.len() == dag.len() && dag.edges().all(|(from, to)| place[to.index()] < place[from.index()])
    }

    #[test]
    fn ties_go_by_id() {
        let dag = Dag::new(["d", "c", "b", "a"], [("a", "d"), ("b", "c")]).unwrap();
        let order: Vec<_> = dag.topological_order().unwrap().into_iter().map(|n| dag.id(n).to_owned()).collect();
        assert_eq!(order, ["c", "b", "d", "a"]);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let n = 100_000;
        let ids: Vec<String> = (0..n).map(|i| format!("{i:06}")).collect();
        let dag = Dag::new(ids.clone(), ids.windows(2).map(|w| (&w[1], &w[0]))).unwrap();
        assert_eq!(dag.topological_order().unwrap().len(), n);
        assert_eq!(dag.ranks().unwrap().last(), Some(&(n - 1)));
        assert!(dag.shortest_cycle().is_none());
        assert_eq!(dag.components().len(), 1);
        assert_eq!(dag.downstream_closure(dag.index_of("000000").unwrap()).len(), n - 1);
    }

    proptest! {
        #[test]
        fn the_order_is_topological_and_independent_of_input_order(
            (n, edges) in acyclic(30), seed in any::<u64>()
        ) {
            let dag = build(n, &edges);
            let order = dag.topological_order().unwrap();
            prop_assert!(is_topological(&dag, &order));

            let mut shuffled = edges.clone();
            shuffled.sort_by_key(|&(a, b)| (a as u64 * 31 + b as u64 * 17).wrapping_mul(seed | 1));
            shuffled.extend_from_slice(&edges);
            let nodes: Vec<_> = (0..n).rev().map(name).collect();
            let again = Dag::new(nodes, shuffled.iter().map(|&(a, b)| (name(a), name(b)))).unwrap();
            prop_assert_eq!(again.topological_order().unwrap(), order);
        }

        #[test]
        fn an_order_exists_exactly_when_there_is_no_cycle((n, edges) in any_graph(20)) {
            let dag = build(n, &edges);
            prop_assert_eq!(dag.topological_order().is_ok(), dag.shortest_cycle().is_none());
        }

        #[test]
        fn only_edges_of_cyclic_groups_run_against_the_drawing_order((n, edges) in any_graph(16)) {
            let dag = build(n, &edges);
            let order = dag.order_despite_cycles();
            let mut place = vec![usize::MAX; n];
            for (at, node) in order.iter().enumerate() {
                prop_assert_eq!(place[node.index()], usize::MAX);
                place[node.index()] = at;
            }
            prop_assert_eq!(order.len(), n);
            let groups = dag.cyclic_groups();
            for (from, to) in dag.edges() {
                let backwards = place[to.index()] >= place[from.index()];
                let cyclic = groups.iter().any(|group| group.contains(&from) && group.contains(&to));
                prop_assert!(cyclic || !backwards);
            }
        }

        #[test]
        fn ranks_grow_along_every_edge((n, edges) in acyclic(30)) {
            let dag = build(n, &edges);
            let ranks = dag.ranks().unwrap();
            for node in dag.nodes() {
                let longest = dag.upstream(node).map(|up| ranks[up.index()] + 1).max().unwrap_or(0);
                prop_assert_eq!(ranks[node.index()], longest);
            }
        }
    }
}
