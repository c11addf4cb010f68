//! From a graph to boxes and lines: component by component, then packed together.

use std::collections::BTreeMap;

use super::layers::Layers;
use super::ordering::{order, real};
use super::pack::{Size, pack};
use super::place::place;
use super::settle::{Spacing, settle};
use crate::graph::draw::Picture;
use crate::graph::draw::scene::Scene;

/// A point in pixels, y downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::graph::draw) struct Point {
    pub(in crate::graph::draw) x: f64,
    pub(in crate::graph::draw) y: f64,
}

/// What to lay out. All boxes have one size.
#[derive(Debug, Clone)]
pub(in crate::graph::draw) struct Request {
    pub(in crate::graph::draw) nodes: usize,
    /// Pairs (left, right): no cycle, no self-edge, no duplicates.
    pub(in crate::graph::draw) edges: Vec<(usize, usize)>,
    pub(in crate::graph::draw) box_width: f64,
    pub(in crate::graph::draw) box_height: f64,
}

/// Where everything goes.
#[derive(Debug, Clone)]
pub(in crate::graph::draw) struct Layout {
    pub(in crate::graph::draw) width: f64,
    pub(in crate::graph::draw) height: f64,
    /// Top-left corners of the boxes.
    pub(in crate::graph::draw) boxes: Vec<Point>,
    /// For each edge the ends of its straight pieces, left to right: right border of the left box, then in and out of
    /// every column it passes, then the left border of the right box. Curves connect them, one in each gap. A piece
    /// that runs to the left belongs to a wrapped component, and U-turns connect it.
    pub(in crate::graph::draw) routes: Vec<Vec<Point>>,
    pub(in crate::graph::draw) crossings: usize,
}

/// Why there is no layout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::graph::draw) enum Failure {
    /// Nodes and the lanes of long edges are too many to be readable or quick.
    #[error("too many categories and long dependencies for a readable drawing")]
    TooDense,
}

/// Nodes plus lanes of one component; beyond, ordering takes longer than a person waits, and nobody can read it.
const MAX_CELLS: usize = 2400;

/// Lays the graph out. The same request gives the same layout.
pub(in crate::graph::draw) fn layout(request: &Request) -> Result<Layout, Failure> {
    let components = components(request);
    let mut parts = Vec::with_capacity(components.len());
    for component in &components {
        parts.push(lay_out_component(request, component)?);
    }
    let sizes: Vec<Size> = parts.iter().map(|part| part.size).collect();
    let (corners, whole) = pack(&sizes);

    let mut layout = Layout {
        width: whole.width,
        height: whole.height,
        boxes: vec![Point { x: 0.0, y: 0.0 }; request.nodes],
        routes: vec![Vec::new(); request.edges.len()],
        crossings: 0,
    };
    for ((component, part), corner) in components.iter().zip(parts).zip(corners) {
        let moved = |point: Point| Point { x: point.x + corner.x, y: point.y + corner.y };
        for (&node, at) in component.nodes.iter().zip(part.boxes) {
            layout.boxes[node] = moved(at);
        }
        for (&edge, route) in component.edges.iter().zip(part.routes) {
            layout.routes[edge] = route.into_iter().map(moved).collect();
        }
        layout.crossings += part.crossings;
    }
    Ok(layout)
}

/// Number of crossings in the drawing of a picture as [`super::super::svg`] lays it out, before anything is collapsed
/// or hidden; `None` when it is too dense to be drawn.
pub fn crossings(picture: &Picture) -> Option<usize> {
    let scene = Scene::new(picture);
    let request =
        Request { nodes: scene.nodes.len(), edges: scene.forward_edges(), box_width: 180.0, box_height: 58.0 };
    layout(&request).ok().map(|layout| layout.crossings)
}

struct Component {
    nodes: Vec<usize>,
    edges: Vec<usize>,
}

/// Connected parts: the largest first, of equals the one with the smallest node.
fn components(request: &Request) -> Vec<Component> {
    let mut root: Vec<usize> = (0..request.nodes).collect();
    for &(a, b) in &request.edges {
        let (a, b) = (find(&mut root, a), find(&mut root, b));
        root[a.max(b)] = a.min(b);
    }
    let mut components: Vec<Component> = Vec::new();
    let mut number = vec![usize::MAX; request.nodes];
    for node in 0..request.nodes {
        let top = find(&mut root, node);
        if number[top] == usize::MAX {
            number[top] = components.len();
            components.push(Component { nodes: Vec::new(), edges: Vec::new() });
        }
        components[number[top]].nodes.push(node);
    }
    for (at, &(a, _)) in request.edges.iter().enumerate() {
        let top = find(&mut root, a);
        components[number[top]].edges.push(at);
    }
    components.sort_by_key(|component| std::cmp::Reverse(component.nodes.len()));
    components
}

fn find(root: &mut [usize], mut node: usize) -> usize {
    while root[node] != node {
        root[node] = root[root[node]];
        node = root[node];
    }
    node
}

struct Part {
    size: Size,
    boxes: Vec<Point>,
    routes: Vec<Vec<Point>>,
    crossings: usize,
}

fn lay_out_component(request: &Request, component: &Component) -> Result<Part, Failure> {
    let local = |node: &usize| component.nodes.binary_search(node).unwrap_or(0);
    let edges: Vec<(usize, usize)> =
        component.edges.iter().map(|&at| request.edges[at]).map(|(a, b)| (local(&a), local(&b))).collect();
    let mut layers = Layers::new(component.nodes.len(), &edges, MAX_CELLS).ok_or(Failure::TooDense)?;
    let crossings = order(&mut layers);
    let spacing = Spacing { height: request.box_height };
    let mut y = place(&layers, spacing);
    settle(&layers, &mut y, spacing);

    let mut lefts = column_lefts(&layers, &y, request.box_width);
    let channels = wrap(&layers, &mut lefts, &mut y, request);
    let left = |cell: usize| lefts[layers.cells[cell].column];
    let right = |cell: usize| left(cell) + request.box_width;
    let boxes = (0..layers.nodes).map(|cell| Point { x: left(cell), y: y[cell] - request.box_height / 2.0 }).collect();
    let routes = layers
        .chains
        .iter()
        .map(|chain| {
            let mut route = vec![Point { x: right(chain[0]), y: y[chain[0]] }];
            for pair in chain.windows(2) {
                if let Some(&channel) = channels.get(&layers.cells[pair[1]].column) {
                    // Back to the left, between two rows of a wrapped component.
                    route.push(Point { x: right(pair[0]), y: channel });
                    route.push(Point { x: left(pair[1]), y: channel });
                }
                route.push(Point { x: left(pair[1]), y: y[pair[1]] });
                route.push(Point { x: right(pair[1]), y: y[pair[1]] });
            }
            route.pop();
            route
        })
        .collect();
    let bottom = (0..y.len()).map(|cell| y[cell] + spacing.half(&layers, cell)).fold(0.0, f64::max);
    let width = lefts.iter().copied().fold(0.0, f64::max) + request.box_width;
    Ok(Part { size: Size { width, height: bottom }, boxes, routes, crossings })
}

/// Free height between the rows of a wrapped component: a line runs back through its middle.
const ROW_GAP: f64 = 48.0;

/// Wraps a long, flat component (a chain, say) into rows like text, at gaps where only one line has to run back.
/// Changes positions, and returns for each column that begins a further row the height at which that line runs.
fn wrap(layers: &Layers, lefts: &mut [f64], y: &mut [f64], request: &Request) -> BTreeMap<usize, f64> {
    let mut channels = BTreeMap::new();
    let starts = row_starts(layers, lefts, y, request);
    let half = |cell: usize| if layers.is_lane(cell) { 0.0 } else { request.box_height / 2.0 };
    let mut bottom = 0.0;
    for (row, &start) in starts.iter().enumerate() {
        let end = starts.get(row + 1).copied().unwrap_or(layers.columns.len());
        let cells: Vec<usize> = layers.columns[start..end].iter().flatten().copied().collect();
        let top = cells.iter().map(|&cell| y[cell] - half(cell)).fold(f64::INFINITY, f64::min);
        let wanted = if row == 0 { top } else { bottom + ROW_GAP };
        if row > 0 {
            channels.insert(start, bottom + ROW_GAP / 2.0);
        }
        let row_left = lefts[start];
        lefts[start..end].iter_mut().for_each(|left| *left -= row_left);
        for &cell in &cells {
            y[cell] += wanted - top;
        }
        bottom = cells.iter().map(|&cell| y[cell] + half(cell)).fold(bottom, f64::max);
    }
    channels
}

/// First columns of the rows; only column 0 when the component is not long and flat.
fn row_starts(layers: &Layers, lefts: &[f64], y: &[f64], request: &Request) -> Vec<usize> {
    let mut starts = vec![0];
    let width = lefts.last().map_or(0.0, |last| last + request.box_width);
    let height = y.iter().copied().fold(0.0, f64::max) + request.box_height / 2.0;
    if layers.columns.len() < 7 || width < 4.0 * height {
        return starts;
    }
    let wanted = (width * (height + ROW_GAP) * 4.0).sqrt().max(4.5 * request.box_width);
    let mut rows = 1;
    while real(rows) * wanted < width {
        rows += 1;
    }
    let per_row = layers.columns.len().div_ceil(rows);
    let mut start = 0;
    for (column, cells) in layers.columns.iter().enumerate().skip(1) {
        let lines: usize = cells.iter().map(|&cell| layers.cells[cell].left.len()).sum();
        if column - start >= per_row && lines == 1 {
            starts.push(column);
            start = column;
        }
    }
    starts
}

/// Left edges of the columns. A gap widens with the lines that turn in it and with how far they climb, so that
/// curves stay gentle.
fn column_lefts(layers: &Layers, y: &[f64], box_width: f64) -> Vec<f64> {
    let mut x = 0.0;
    let mut lefts = Vec::with_capacity(layers.columns.len());
    for column in &layers.columns {
        lefts.push(x);
        let (mut turning, mut climb) = (0, 0.0_f64);
        for &cell in column {
            for &right in &layers.cells[cell].right {
                let rise = (y[cell] - y[right]).abs();
                if rise > 1.0 {
                    turning += 1;
                    climb = climb.max(rise);
                }
            }
        }
        let gap = 52.0 + 3.0 * real(turning) + climb * 0.08;
        x += box_width + gap.clamp(64.0, 150.0).round();
    }
    lefts
}
