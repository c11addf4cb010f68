//! Columns: which rank a node stands in, and the lanes of edges that pass through columns between their ends.

use std::collections::{BTreeMap, BTreeSet};

use super::ordering::real;

/// One thing that takes space in a column: a node, or the lane of a passing edge.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    pub(super) column: usize,
    /// Neighbours one column to the left and to the right.
    pub(super) left: Vec<usize>,
    pub(super) right: Vec<usize>,
}

/// A component in columns. Cells `0..nodes` are its nodes, the rest are lanes.
#[derive(Debug, Clone)]
pub(super) struct Layers {
    pub(super) nodes: usize,
    pub(super) cells: Vec<Cell>,
    /// Cells of each column, top to bottom.
    pub(super) columns: Vec<Vec<usize>>,
    /// For each edge its cells from left to right: node, lanes, node.
    pub(super) chains: Vec<Vec<usize>>,
    /// Lanes that several edges of one hub share.
    pub(super) trunks: Vec<usize>,
}

impl Layers {
    /// Ranks and splits a graph of `nodes` nodes. `edges` run from left to right and have no cycle. `None` when more
    /// than `limit` cells would be needed.
    pub(super) fn new(nodes: usize, edges: &[(usize, usize)], limit: usize) -> Option<Self> {
        let (column, moved) = ranks(nodes, edges);
        let lanes: usize = edges.iter().map(|&(from, to)| column[to] - column[from] - 1).sum();
        if nodes + lanes > limit {
            return None;
        }
        let mut layers = Self {
            nodes,
            cells: column.iter().map(|&column| Cell { column, ..Cell::default() }).collect(),
            columns: vec![Vec::new(); column.iter().max().map_or(0, |last| last + 1)],
            chains: Vec::with_capacity(edges.len()),
            trunks: Vec::new(),
        };
        let mut shared = BTreeMap::new();
        let mut joined = BTreeSet::new();
        for &(from, to) in edges {
            // All lines from a hub to its moved leaves take one lane; likewise from moved roots to their hub.
            let hub = if moved[to] {
                Some(from)
            } else if moved[from] {
                Some(to)
            } else {
                None
            };
            let mut chain = vec![from];
            for column in column[from] + 1..column[to] {
                let next = layers.cells.len();
                let lane = hub.map_or(next, |hub| *shared.entry((hub, moved[to], column)).or_insert(next));
                if lane == next {
                    layers.cells.push(Cell { column, ..Cell::default() });
                }
                chain.push(lane);
            }
            chain.push(to);
            for pair in chain.windows(2) {
                if joined.insert((pair[0], pair[1])) {
                    layers.cells[pair[0]].right.push(pair[1]);
                    layers.cells[pair[1]].left.push(pair[0]);
                }
            }
            layers.chains.push(chain);
        }
        layers.trunks = shared.into_values().collect();
        for (at, cell) in layers.cells.iter().enumerate() {
            layers.columns[cell.column].push(at);
        }
        Some(layers)
    }

    pub(super) const fn is_lane(&self, cell: usize) -> bool {
        cell >= self.nodes
    }
}

/// Columns of the nodes: the longest path first, then nodes slide towards the side where they have more edges, which
/// shortens edges and so saves lanes and crossings. Also says which nodes left a tall column.
fn ranks(nodes: usize, edges: &[(usize, usize)]) -> (Vec<usize>, Vec<bool>) {
    let mut right = vec![Vec::new(); nodes];
    let mut left = vec![Vec::new(); nodes];
    for &(from, to) in edges {
        right[from].push(to);
        left[to].push(from);
    }
    let mut waiting: Vec<usize> = left.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..nodes).filter(|&node| waiting[node] == 0).collect();
    let mut rank = vec![0; nodes];
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &to in &right[node] {
            rank[to] = rank[to].max(rank[node] + 1);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                order.push(to);
            }
        }
    }

    // Each slide shortens the sum of all edges, so this ends; the bound only guards against long pictures.
    for _ in 0..64 {
        let mut moved = false;
        for &node in order.iter().rev() {
            let most = right[node].iter().map(|&to| rank[to] - 1).min();
            if let Some(most) = most.filter(|&most| most > rank[node] && right[node].len() > left[node].len()) {
                rank[node] = most;
                moved = true;
            }
        }
        for &node in &order {
            let least = left[node].iter().map(|&from| rank[from] + 1).max();
            if let Some(least) = least.filter(|&least| least < rank[node] && left[node].len() > right[node].len()) {
                rank[node] = least;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }

    let moved = spread_tall_columns(&mut rank, &left, &right);

    // Close columns that lost all their nodes.
    let mut used: Vec<usize> = rank.clone();
    used.sort_unstable();
    used.dedup();
    (rank.iter().map(|rank| used.binary_search(rank).unwrap_or(0)).collect(), moved)
}

/// Boxes a column may hold before its picture is looked at for shape.
const TALL: usize = 14;
/// Height of a box with its gap for one of width: what the shape of a picture is judged by.
const BOX_SHAPE: f64 = 0.28;

/// Spreads the leaves of a very tall column over further columns to the right, and its roots over columns to the
/// left, until the component is about as wide as it is high. A hub with forty dependents would otherwise be forty
/// boxes high and two wide. Says which nodes moved; they have one edge each.
fn spread_tall_columns(rank: &mut [usize], left: &[Vec<usize>], right: &[Vec<usize>]) -> Vec<bool> {
    let mut moved = vec![false; rank.len()];
    let columns = rank.iter().max().map_or(0, |last| last + 1);
    let mut height = vec![0_usize; columns];
    for &at in rank.iter() {
        height[at] += 1;
    }
    let tallest = height.iter().max().copied().unwrap_or(0);
    if tallest <= TALL || real(tallest) * BOX_SHAPE < 1.5 * real(columns) {
        return moved;
    }
    let most = ((real(rank.len()) / BOX_SHAPE).sqrt() * 0.8).ceil();
    let full = |count: usize| real(count) >= most;

    // Room for roots on the left: as many columns as the tallest column could need.
    let shift = rank.len();
    for at in rank.iter_mut() {
        *at += shift;
    }
    let mut filled = BTreeMap::new();
    let is_leaf = |node: usize| right[node].is_empty() && left[node].len() == 1;
    let is_root = |node: usize| left[node].is_empty() && right[node].len() == 1;
    for (node, &at) in rank.iter().enumerate() {
        if !is_leaf(node) && !is_root(node) {
            *filled.entry(at).or_insert(0) += 1;
        }
    }
    for node in 0..rank.len() {
        if !is_leaf(node) && !is_root(node) {
            continue;
        }
        let mut at = rank[node];
        while full(filled.get(&at).copied().unwrap_or(0)) && at > 0 {
            at = if is_leaf(node) { at + 1 } else { at - 1 };
        }
        *filled.entry(at).or_insert(0) += 1;
        moved[node] = rank[node] != at;
        rank[node] = at;
    }
    moved
}
