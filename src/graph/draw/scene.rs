//! A picture put in order: sorted, unique, every edge with two ends, cycles known. All formats start from it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Picture, PictureEdge, PictureNode};
use crate::graph::Dag;
use crate::model::{NodeState, display_safe};

/// A picture in its one canonical form. Positions in `nodes` ascend with the id.
#[derive(Debug, Clone, Default)]
pub(super) struct Scene {
    pub(super) title: String,
    pub(super) nodes: Vec<SceneNode>,
    pub(super) edges: Vec<SceneEdge>,
    /// The cycle to highlight as positions; each depends on the next, the last on the first.
    pub(super) cycle: Vec<usize>,
    /// Nodes in drawing order: upstream first, wherever cycles allow it.
    pub(super) order: Vec<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct SceneNode {
    pub(super) node: PictureNode,
    /// What people see: the label if no other node has the same one, else the id. Safe to display.
    pub(super) name: String,
    pub(super) in_cycle: bool,
    /// How many further categories this one stands for in a collapsed picture.
    pub(super) more: usize,
}

impl SceneNode {
    pub(super) fn state(&self) -> Option<NodeState> {
        self.node.state.filter(|_| !self.node.ghost)
    }

    /// `32 failing · 1 new`, or nothing for a node without a report.
    pub(super) fn counts(&self) -> Option<String> {
        let failing = self.node.failing?;
        Some(match self.node.new {
            Some(new) => format!("{failing} failing · {new} new"),
            None => format!("{failing} failing"),
        })
    }
}

#[derive(Debug, Clone)]
pub(super) struct SceneEdge {
    /// The dependent.
    pub(super) from: usize,
    /// What it waits for.
    pub(super) to: usize,
    pub(super) rationale: String,
    /// Part of the highlighted cycle.
    pub(super) in_cycle: bool,
    /// Part of any cycle.
    pub(super) cyclic: bool,
}

impl Scene {
    pub(super) fn new(picture: &Picture) -> Self {
        let nodes = unique_nodes(picture);
        let place: BTreeMap<&str, usize> = nodes.iter().enumerate().map(|(i, node)| (node.id.as_str(), i)).collect();

        let mut merged: BTreeMap<(usize, usize), BTreeSet<&str>> = BTreeMap::new();
        for edge in &picture.edges {
            // unique_nodes gave every end a node.
            if let (Some(&from), Some(&to)) = (place.get(edge.from.as_str()), place.get(edge.to.as_str())) {
                merged.entry((from, to)).or_default().insert(edge.rationale.trim());
            }
        }
        let edges: Vec<SceneEdge> = merged
            .into_iter()
            .map(|((from, to), rationales)| SceneEdge {
                from,
                to,
                rationale: rationales.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; "),
                in_cycle: false,
                cyclic: false,
            })
            .collect();

        let given: Vec<usize> = picture.cycle.iter().filter_map(|id| place.get(id.as_str()).copied()).collect();
        let given = if given.len() == picture.cycle.len() { given } else { Vec::new() };
        let names = names(&nodes);
        let nodes = nodes
            .into_iter()
            .zip(names)
            .map(|(node, name)| SceneNode { node, name, in_cycle: false, more: 0 })
            .collect();
        let mut scene = Self { title: picture.title.clone(), nodes, edges, ..Self::default() };
        scene.direct(given);
        scene
    }

    /// Finds the drawing order and the cycle, after nodes or edges changed. `given` is the cycle the picture names;
    /// if its edges are not all there, the shortest cycle of the graph takes its place.
    pub(super) fn direct(&mut self, given: Vec<usize>) {
        let dag = self.dag();
        self.order = dag.order_despite_cycles().into_iter().map(crate::graph::NodeIx::index).collect();

        let edges: BTreeSet<(usize, usize)> = self.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let is_path = !given.is_empty() && steps(&given).all(|step| edges.contains(&step));
        self.cycle = if is_path {
            given
        } else {
            let shortest = dag.shortest_cycle().map(|cycle| cycle.path).unwrap_or_default();
            shortest.iter().filter_map(|id| dag.index_of(id)).map(crate::graph::NodeIx::index).collect()
        };
        let on_cycle: BTreeSet<(usize, usize)> = steps(&self.cycle).collect();
        let mut group_of = vec![usize::MAX; self.nodes.len()];
        for (number, group) in dag.cyclic_groups().into_iter().enumerate() {
            for node in group {
                group_of[node.index()] = number;
            }
        }
        for edge in &mut self.edges {
            edge.in_cycle = on_cycle.contains(&(edge.from, edge.to));
            edge.cyclic = group_of[edge.from] != usize::MAX && group_of[edge.from] == group_of[edge.to];
        }
        let members: BTreeSet<usize> = self.cycle.iter().copied().collect();
        for (at, node) in self.nodes.iter_mut().enumerate() {
            node.in_cycle = members.contains(&at);
        }
    }

    /// The same graph with positions in place of ids: `000000`, `000001`, … keep the order.
    pub(super) fn dag(&self) -> Dag {
        let id = |at: usize| format!("{at:010}");
        Dag::new((0..self.nodes.len()).map(id), self.edges.iter().map(|edge| (id(edge.from), id(edge.to))))
            // Every end is a position of `nodes`; a graph too large for petgraph does not fit into memory.
            .unwrap_or_default()
    }

    /// For every node what it depends on, ascending.
    pub(super) fn upstream(&self) -> Vec<Vec<usize>> {
        let mut upstream = vec![Vec::new(); self.nodes.len()];
        for edge in &self.edges {
            upstream[edge.from].push(edge.to);
        }
        upstream
    }

    /// Longest path from a node without upstream, edges against the drawing order left out.
    pub(super) fn ranks(&self) -> Vec<usize> {
        let place = self.places();
        let mut downstream = vec![Vec::new(); self.nodes.len()];
        for edge in self.edges.iter().filter(|edge| place[edge.to] < place[edge.from]) {
            downstream[edge.to].push(edge.from);
        }
        let mut ranks = vec![0; self.nodes.len()];
        for &node in &self.order {
            for &down in &downstream[node] {
                ranks[down] = ranks[down].max(ranks[node] + 1);
            }
        }
        ranks
    }

    /// The edges as the layout wants them: (left, right) without self-edges; an edge that runs against the drawing
    /// order is turned round.
    pub(super) fn forward_edges(&self) -> Vec<(usize, usize)> {
        let place = self.places();
        let mut edges: Vec<(usize, usize)> = self
            .edges
            .iter()
            .filter(|edge| edge.from != edge.to)
            .map(|edge| if place[edge.to] < place[edge.from] { (edge.to, edge.from) } else { (edge.from, edge.to) })
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Place of every node in the drawing order.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut place = vec![0; self.nodes.len()];
        for (at, &node) in self.order.iter().enumerate() {
            place[node] = at;
        }
        place
    }

    /// `a → b → a`, each arrow a "depends on"; nothing without a cycle.
    pub(super) fn cycle_text(&self) -> Option<String> {
        let first = *self.cycle.first()?;
        let path = self.cycle.iter().chain([&first]).map(|&at| self.nodes[at].name.as_str());
        Some(path.collect::<Vec<_>>().join(" → "))
    }

    /// `3 categories · 2 dependencies · 1 not active`; ghosts are no categories of this picture.
    pub(super) fn counts(&self) -> String {
        let count = |ghost| self.nodes.iter().filter(|node| node.node.ghost == ghost).map(|node| 1 + node.more).sum();
        let (categories, ghosts): (usize, usize) = (count(false), count(true));
        let mut text = format!(
            "{} · {}",
            plural(categories, "category", "categories"),
            plural(self.edges.len(), "dependency", "dependencies")
        );
        if ghosts > 0 {
            text.push_str(&format!(" · {ghosts} not active"));
        }
        text
    }
}

/// `1 category`, `2 categories`.
pub(super) fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Consecutive pairs of a closed path.
fn steps(path: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    path.iter().copied().zip(path.iter().copied().cycle().skip(1))
}

/// Nodes sorted by id, the first of several with one id. An end of an edge that is no node becomes a ghost: leaving
/// the edge out would hide a dependency.
fn unique_nodes(picture: &Picture) -> Vec<PictureNode> {
    let mut by_id: BTreeMap<&str, PictureNode> = BTreeMap::new();
    let mut sorted: Vec<&PictureNode> = picture.nodes.iter().collect();
    sorted.sort_by_key(|node| {
        (&node.id, &node.label, node.state, node.failing, node.new, &node.ticket, &node.url, node.ghost, &node.tooltip)
    });
    for node in sorted {
        by_id.entry(&node.id).or_insert_with(|| node.clone());
    }
    for PictureEdge { from, to, .. } in &picture.edges {
        for id in [from, to] {
            by_id.entry(id).or_insert_with(|| PictureNode {
                id: id.clone(),
                label: String::new(),
                state: None,
                failing: None,
                new: None,
                ticket: None,
                url: None,
                ghost: true,
                tooltip: String::new(),
            });
        }
    }
    by_id.into_values().collect()
}

fn names(nodes: &[PictureNode]) -> Vec<String> {
    let shown: Vec<String> = nodes.iter().map(|node| display_safe(node.label.trim()).into_owned()).collect();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &shown {
        *uses.entry(name).or_default() += 1;
    }
    let pick = |(node, name): (&PictureNode, &String)| {
        let unique = uses.get(name.as_str()) == Some(&1);
        if unique && !name.is_empty() { name.clone() } else { display_safe(&node.id).into_owned() }
    };
    nodes.iter().zip(&shown).map(pick).collect()
}
