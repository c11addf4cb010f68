//! What can be reached from where.

use super::{Dag, NodeIx};

impl Dag {
    /// Everything that `node` waits for, directly or not, ascending. The node itself only when it lies on a cycle.
    pub fn upstream_closure(&self, node: NodeIx) -> Vec<NodeIx> {
        self.closure(node, |at| self.upstream(at).collect())
    }

    /// Everything that waits for `node`, directly or not, ascending. The node itself only when it lies on a cycle.
    pub fn downstream_closure(&self, node: NodeIx) -> Vec<NodeIx> {
        self.closure(node, |at| self.downstream(at).collect())
    }

    /// Groups of nodes that hang together when the direction of edges is ignored, each ascending, ordered by their
    /// smallest id.
    pub fn components(&self) -> Vec<Vec<NodeIx>> {
        let mut seen = vec![false; self.len()];
        let mut components = Vec::new();
        for start in self.nodes() {
            if std::mem::replace(&mut seen[start.index()], true) {
                continue;
            }
            let mut members = vec![start];
            let mut at = 0;
            while let Some(&node) = members.get(at) {
                at += 1;
                for next in self.upstream(node).chain(self.downstream(node)) {
                    if !std::mem::replace(&mut seen[next.index()], true) {
                        members.push(next);
                    }
                }
            }
            members.sort_unstable();
            components.push(members);
        }
        components
    }

    fn closure(&self, start: NodeIx, next: impl Fn(NodeIx) -> Vec<NodeIx>) -> Vec<NodeIx> {
        let mut seen = vec![false; self.len()];
        let mut stack = next(start);
        let mut reached = Vec::new();
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node.index()], true) {
                reached.push(node);
                stack.extend(next(node));
            }
        }
        reached.sort_unstable();
        reached
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::graph::Dag;
    use crate::graph::dag::tests::{any_graph, build};

    #[test]
    fn components_are_sorted() {
        let dag = Dag::new(["e", "d", "c", "b", "a"], [("a", "d"), ("e", "b")]).unwrap();
        let names: Vec<Vec<&str>> = dag.components().iter().map(|c| c.iter().map(|&n| dag.id(n)).collect()).collect();
        assert_eq!(names, [vec!["a", "d"], vec!["b", "e"], vec!["c"]]);
    }

    proptest! {
        #[test]
        fn the_two_closures_mirror_each_other((n, edges) in any_graph(14)) {
            let dag = build(n, &edges);
            for a in dag.nodes() {
                for b in dag.upstream_closure(a) {
                    prop_assert!(dag.downstream_closure(b).contains(&a));
                }
                for up in dag.upstream(a) {
                    prop_assert!(dag.upstream_closure(a).contains(&up));
                }
            }
        }

        #[test]
        fn components_partition_the_nodes((n, edges) in any_graph(20)) {
            let dag = build(n, &edges);
            let mut component_of = vec![usize::MAX; n];
            for (number, members) in dag.components().iter().enumerate() {
                for node in members {
                    prop_assert_eq!(component_of[node.index()], usize::MAX);
                    component_of[node.index()] = number;
                }
            }
            prop_assert!(!component_of.contains(&usize::MAX));
            for (from, to) in dag.edges() {
                prop_assert_eq!(component_of[from.index()], component_of[to.index()]);
            }
        }
    }
}
