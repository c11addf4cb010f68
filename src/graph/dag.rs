//! The graph itself: sorted unique ids and "depends on" edges.

use std::collections::BTreeSet;

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::{Direction, visit::EdgeRef as _};

/// Position of a node in its [`Dag`]: ids in ascending order are numbered from zero, so comparing two positions
/// compares their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIx(u32);

impl NodeIx {
    /// Position as a number, for vectors that run beside the graph.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn new(index: usize) -> Self {
        // A Dag refuses more than u32::MAX nodes (petgraph's own limit), so this never saturates.
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    pub(super) fn raw(self) -> NodeIndex<u32> {
        NodeIndex::new(self.0 as usize)
    }
}

impl From<NodeIndex<u32>> for NodeIx {
    fn from(raw: NodeIndex<u32>) -> Self {
        Self::new(raw.index())
    }
}

/// Why a graph could not be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DagError {
    /// An edge names a node that was not given.
    #[error("the edge from `{from}` to `{to}` names `{missing}`, which is not a node")]
    UnknownEnd {
        /// The dependent end.
        from: String,
        /// The end it depends on.
        to: String,
        /// The end that is not a node.
        missing: String,
    },
    /// More nodes or edges than 32-bit positions can name.
    #[error("the graph has more than {} nodes or edges", u32::MAX - 1)]
    TooLarge,
}

/// A directed graph of "depends on" edges over unique ids. It may hold cycles until it is asked for an order.
///
/// Memory grows linearly with nodes and edges.
#[derive(Debug, Clone, Default)]
pub struct Dag {
    ids: Vec<String>,
    /// Edges run from upstream to downstream: from what is depended on to what depends on it.
    graph: DiGraph<(), (), u32>,
}

impl Dag {
    /// Builds the graph. `edges` are pairs (dependent, what it depends on); duplicates of both lists are dropped.
    ///
    /// # Errors
    /// [`DagError::UnknownEnd`] for the first (in order of ids) edge with an end that is not in `nodes`.
    pub fn new<N, F, T>(
        nodes: impl IntoIterator<Item = N>,
        edges: impl IntoIterator<Item = (F, T)>,
    ) -> Result<Self, DagError>
    where
        N: Into<String>,
        F: AsRef<str>,
        T: AsRef<str>,
    {
        let mut ids: Vec<String> = nodes.into_iter().map(Into::into).collect();
        ids.sort_unstable();
        ids.dedup();
        if u32::try_from(ids.len()).map_or(true, |n| n == u32::MAX) {
            return Err(DagError::TooLarge);
        }
        let find = |id: &str| ids.binary_search_by(|probe| probe.as_str().cmp(id)).ok().map(NodeIx::new);

        let mut pairs = Vec::new();
        let mut unknown = BTreeSet::new();
        for (from, to) in edges {
            let (from, to) = (from.as_ref(), to.as_ref());
            match (find(from), find(to)) {
                (Some(f), Some(t)) => pairs.push((f, t)),
                (f, _) => {
                    let missing = if f.is_none() { from } else { to };
                    unknown.insert((from.to_owned(), to.to_owned(), missing.to_owned()));
                }
            }
        }
        if let Some((from, to, missing)) = unknown.pop_first() {
            return Err(DagError::UnknownEnd { from, to, missing });
        }
        Self::from_sorted(ids, pairs)
    }

    /// Builds the graph from ids that are sorted and unique already.
    fn from_sorted(ids: Vec<String>, mut pairs: Vec<(NodeIx, NodeIx)>) -> Result<Self, DagError> {
        pairs.sort_unstable();
        pairs.dedup();
        if u32::try_from(pairs.len()).map_or(true, |n| n == u32::MAX) {
            return Err(DagError::TooLarge);
        }
        let mut graph = DiGraph::with_capacity(ids.len(), pairs.len());
        for _ in &ids {
            graph.add_node(());
        }
        // petgraph walks neighbours from the newest edge to the oldest; adding in descending order makes every walk
        // ascend by id.
        for (from, to) in pairs.into_iter().rev() {
            graph.add_edge(to.raw(), from.raw(), ());
        }
        Ok(Self { ids, graph })
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// True when there is no node.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Number of distinct edges.
    pub fn edge_count(&self) -> usize {
        self.graph.edge_count()
    }

    /// All nodes, ascending by id.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeIx> + ExactSizeIterator + use<> {
        (0..self.ids.len()).map(NodeIx::new)
    }

    /// All ids, ascending.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The id of a node of this graph; an empty text for a position of another, larger graph.
    pub fn id(&self, node: NodeIx) -> &str {
        self.ids.get(node.index()).map_or("", String::as_str)
    }

    /// The position of an id.
    pub fn index_of(&self, id: &str) -> Option<NodeIx> {
        self.ids.binary_search_by(|probe| probe.as_str().cmp(id)).ok().map(NodeIx::new)
    }

    /// All edges as pairs (dependent, what it depends on), ascending.
    pub fn edges(&self) -> impl Iterator<Item = (NodeIx, NodeIx)> + '_ {
        self.nodes().flat_map(|node| self.upstream(node).map(move |up| (node, up)))
    }

    /// What `node` depends on directly, ascending.
    pub fn upstream(&self, node: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
        self.graph.edges_directed(node.raw(), Direction::Incoming).map(|edge| edge.source().into())
    }

    /// What depends on `node` directly, ascending.
    pub fn downstream(&self, node: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
        self.graph.edges_directed(node.raw(), Direction::Outgoing).map(|edge| edge.target().into())
    }

    /// True when `from` depends directly on `to`.
    pub fn depends_on(&self, from: NodeIx, to: NodeIx) -> bool {
        self.upstream(from).any(|up| up == to)
    }

    pub(super) fn raw(&self) -> &DiGraph<(), (), u32> {
        &self.graph
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Random graphs of up to `max` nodes, cycles and self-edges included: node count and (dependent, upstream) pairs.
    pub(in crate::graph) fn any_graph(max: usize) -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
        (1..=max).prop_flat_map(|n| (Just(n), prop::collection::vec((0..n, 0..n), 0..3 * n)))
    }

    /// Random graphs without cycles: every edge points to a smaller number, and numbers are shuffled into ids.
    pub(in crate::graph) fn acyclic(max: usize) -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
        (1..=max).prop_flat_map(|n| {
            let edges = prop::collection::vec((0..n, 0..n), 0..3 * n);
            (Just(n), edges, Just((0..n).collect::<Vec<_>>()).prop_shuffle()).prop_map(|(n, edges, names)| {
                let edges = edges
                    .into_iter()
                    .filter(|(a, b)| a != b)
                    .map(|(a, b)| (names[a.max(b)], names[a.min(b)]))
                    .collect();
                (n, edges)
            })
        })
    }

    pub(in crate::graph) fn name(i: usize) -> String {
        format!("n{i:03}")
    }

    pub(in crate::graph) fn build(n: usize, edges: &[(usize, usize)]) -> Dag {
        Dag::new((0..n).map(name), edges.iter().map(|&(a, b)| (name(a), name(b)))).expect("ends are nodes")
    }

    #[test]
    fn duplicates_are_dropped_and_neighbours_ascend() {
        let dag = Dag::new(["c", "a", "b", "a"], [("a", "c"), ("a", "b"), ("a", "c"), ("b", "c")]).unwrap();
        assert_eq!(dag.ids(), ["a", "b", "c"]);
        assert_eq!(dag.edge_count(), 3);
        let a = dag.index_of("a").unwrap();
        let up: Vec<_> = dag.upstream(a).map(|n| dag.id(n)).collect();
        assert_eq!(up, ["b", "c"]);
        let c = dag.index_of("c").unwrap();
        let down: Vec<_> = dag.downstream(c).map(|n| dag.id(n)).collect();
        assert_eq!(down, ["a", "b"]);
        assert!(dag.depends_on(a, c) && !dag.depends_on(c, a));
    }

    #[test]
    fn an_unknown_end_is_named() {
        let error = Dag::new(["a"], [("a", "gone"), ("a", "a")]).unwrap_err();
        assert_eq!(error.to_string(), "the edge from `a` to `gone` names `gone`, which is not a node");
    }
}
