//! Columns: which rank a node stands in, and the lanes of edges that pass through columns between their ends.

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
}

impl Layers {
    /// Ranks and splits a graph of `nodes` nodes. `edges` run from left to right and have no cycle. `None` when more
    /// than `limit` cells would be needed.
    pub(super) fn new(nodes: usize, edges: &[(usize, usize)], limit: usize) -> Option<Self> {
        let column = ranks(nodes, edges);
        let lanes: usize = edges.iter().map(|&(from, to)| column[to] - column[from] - 1).sum();
        if nodes + lanes > limit {
            return None;
        }
        let mut layers = Self {
            nodes,
            cells: column.iter().map(|&column| Cell { column, ..Cell::default() }).collect(),
            columns: vec![Vec::new(); column.iter().max().map_or(0, |last| last + 1)],
            chains: Vec::with_capacity(edges.len()),
        };
        for &(from, to) in edges {
            let mut chain = vec![from];
            for column in column[from] + 1..column[to] {
                chain.push(layers.cells.len());
                layers.cells.push(Cell { column, ..Cell::default() });
            }
            chain.push(to);
            for pair in chain.windows(2) {
                layers.cells[pair[0]].right.push(pair[1]);
                layers.cells[pair[1]].left.push(pair[0]);
            }
            layers.chains.push(chain);
        }
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
/// shortens edges and so saves lanes and crossings.
fn ranks(nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
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

    // Close columns that lost all their nodes.
    let mut used: Vec<usize> = rank.clone();
    used.sort_unstable();
    used.dedup();
    rank.iter().map(|rank| used.binary_search(rank).unwrap_or(0)).collect()
}
