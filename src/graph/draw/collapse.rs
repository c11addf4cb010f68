//! Makes large scenes readable: hides implied edges, and folds siblings into one box.

use std::collections::BTreeMap;

use super::scene::{Scene, SceneEdge, plural};
use crate::model::NodeState;

/// Members a group needs before it is folded: two boxes are as easy to read as "+1".
const MIN_GROUP: usize = 3;

/// Rationales that a folded edge quotes.
const MAX_RATIONALES: usize = 5;

/// What siblings share: upstream, state, and whether they are ghosts.
type Likeness<'a> = (&'a [usize], Option<NodeState>, bool);

impl Scene {
    /// Drops the edges that others imply and returns how many; none from a graph with a cycle or one too large to
    /// search.
    pub(super) fn hide_implied_edges(&mut self) -> usize {
        let Ok(reduction) = self.dag().redundant_edges() else { return 0 };
        let implied: Vec<(usize, usize)> =
            reduction.edges().iter().map(|(from, to)| (from.index(), to.index())).collect();
        self.edges.retain(|edge| implied.binary_search(&(edge.from, edge.to)).is_err());
        implied.len()
    }

    /// Folds categories with the same upstream, the same state and no part in a cycle into the first of them, which
    /// then stands for `more` others. What depends on one of them depends on the fold. Folding cannot make a cycle:
    /// members share their upstream, so a circle of folds would be a circle of members.
    pub(super) fn fold_siblings(&mut self) {
        let upstream = self.upstream();
        let mut groups: BTreeMap<Likeness<'_>, Vec<usize>> = BTreeMap::new();
        for (at, node) in self.nodes.iter().enumerate().filter(|(_, node)| !node.in_cycle) {
            groups.entry((&upstream[at], node.node.state, node.node.ghost)).or_default().push(at);
        }
        let mut stands_for: Vec<usize> = (0..self.nodes.len()).collect();
        let groups: Vec<Vec<usize>> = groups.into_values().filter(|group| group.len() >= MIN_GROUP).collect();
        for group in &groups {
            for &member in group {
                stands_for[member] = group[0];
            }
            self.fold(group);
        }

        let mut position = vec![usize::MAX; self.nodes.len()];
        let mut kept = 0;
        for at in 0..self.nodes.len() {
            if stands_for[at] == at {
                position[at] = kept;
                kept += 1;
            }
        }
        let mut at = 0;
        self.nodes.retain(|_| {
            at += 1;
            stands_for[at - 1] == at - 1
        });
        let mut edges: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        for edge in self.edges.drain(..) {
            let key = (position[stands_for[edge.from]], position[stands_for[edge.to]]);
            edges.entry(key).or_default().push(edge.rationale);
        }
        self.edges = edges
            .into_iter()
            .map(|((from, to), mut rationales)| {
                rationales.retain(|text| !text.is_empty());
                rationales.dedup();
                let more = rationales.len().saturating_sub(MAX_RATIONALES);
                rationales.truncate(MAX_RATIONALES);
                if more > 0 {
                    rationales.push(format!("and {more} more"));
                }
                SceneEdge { from, to, rationale: rationales.join("; "), in_cycle: false, cyclic: false }
            })
            .collect();
        let cycle = self.cycle.iter().map(|&at| position[at]).collect();
        self.direct(cycle);
    }

    fn fold(&mut self, group: &[usize]) {
        let sum = |field: fn(&super::PictureNode) -> Option<usize>| {
            let counts: Option<Vec<usize>> = group.iter().map(|&at| field(&self.nodes[at].node)).collect();
            counts.map(|counts| counts.into_iter().fold(0_usize, usize::saturating_add))
        };
        let (failing, new) = (sum(|node| node.failing), sum(|node| node.new));
        let names: Vec<&str> = group.iter().map(|&at| self.nodes[at].name.as_str()).collect();
        let tooltip = format!("{}: {}", plural(group.len(), "category", "categories"), names.join(", "));
        let first = &mut self.nodes[group[0]];
        first.more = group.len() - 1;
        first.node.failing = failing;
        first.node.new = new;
        first.node.ticket = None;
        first.node.url = None;
        first.node.tooltip = tooltip;
    }
}
