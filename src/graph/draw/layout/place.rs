//! First positions in the columns, from layout-rs.
//!
//! Only its placer (Brandes and Köpf) is used, through public parts: ranks and orders are ours, its validation is
//! off because it is exponential, and its drawing calls are used for positions only.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use layout::adt::dag::NodeHandle;
use layout::core::base::Orientation;
use layout::core::format::{ClipHandle, RenderBackend, Renderable as _};
use layout::core::geometry::{Point, Position};
use layout::core::style::StyleAttr;
use layout::std_shapes::shapes::{Element, ShapeKind};
use layout::topo::layout::VisualGraph;
use layout::topo::placer::Placer;

use super::layers::Layers;
use super::ordering::real;
use super::settle::Spacing;

/// Cells up to which layout-rs is asked. Its placer grows faster than the square of them: on one machine, in a debug
/// build, 188 cells took 1 ms, 386 took 24 ms, 659 took 114 ms and 1402 took 850 ms.
pub(super) const MAX_CELLS_FOR_LAYOUT_RS: usize = 600;

/// Centres of all cells along their columns, by cell. Beyond [`MAX_CELLS_FOR_LAYOUT_RS`], or should layout-rs panic
/// (its assertions compare floating-point numbers), columns are simply stacked and centred.
pub(super) fn place(layers: &Layers, spacing: Spacing) -> Vec<f64> {
    if layers.cells.len() <= MAX_CELLS_FOR_LAYOUT_RS {
        let placed = catch_unwind(AssertUnwindSafe(|| with_layout_rs(layers, spacing))).ok().flatten();
        if let Some(placed) = placed {
            return placed;
        }
    }
    stacked(layers, spacing)
}

fn with_layout_rs(layers: &Layers, spacing: Spacing) -> Option<Vec<f64>> {
    let direction = Orientation::LeftToRight;
    let mut graph = VisualGraph::new(direction);
    graph.dag.set_validate(false);
    let handles: Vec<NodeHandle> =
        (0..layers.cells.len()).map(|cell| graph.add_node(element(layers, cell, direction, spacing))).collect();
    // Left columns first: a topological order.
    for &cell in layers.columns.iter().flatten() {
        for &right in &layers.cells[cell].right {
            graph.dag.add_edge(handles[cell], handles[right]);
        }
    }
    *graph.dag.ranks_mut() =
        layers.columns.iter().map(|column| column.iter().map(|&cell| handles[cell]).collect()).collect();
    Placer::new(&mut graph).layout(false);

    let mut positions = Positions::default();
    for &handle in &handles {
        // In debug mode it outlines every element, lanes too, with the key in `properties`.
        graph.element(handle).render(true, &mut positions);
    }
    (0..handles.len()).map(|cell| positions.centre.get(&cell.to_string()).copied()).collect()
}

fn element(layers: &Layers, cell: usize, direction: Orientation, spacing: Spacing) -> Element {
    let lane = layers.is_lane(cell);
    let shape = if lane { ShapeKind::Connector(None) } else { ShapeKind::new_box("") };
    let size = if lane { Point::new(1.0, 1.0) } else { Point::new(100.0, spacing.height) };
    let key = cell.to_string();
    let mut element = Element::create_with_properties(shape, StyleAttr::simple(), direction, size, key);
    // The halo is the free space kept on both sides together.
    let halo = if lane { Point::splat(12.0) } else { Point::splat(20.0) };
    element.pos = Position::new(Point::zero(), size, Point::zero(), halo);
    element
}

/// Remembers where each key was drawn first.
#[derive(Default)]
struct Positions {
    centre: HashMap<String, f64>,
}

impl RenderBackend for Positions {
    fn draw_rect(&mut self, xy: Point, size: Point, _: &StyleAttr, key: Option<String>, _: Option<ClipHandle>) {
        if let Some(key) = key {
            self.centre.entry(key).or_insert(xy.y + size.y / 2.0);
        }
    }

    fn draw_line(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn draw_circle(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn draw_text(&mut self, _: Point, _: &str, _: &StyleAttr) {}

    fn draw_arrow(
        &mut self,
        _: &[(Point, Point)],
        _: bool,
        _: (bool, bool),
        _: &StyleAttr,
        _: Option<String>,
        _: &str,
    ) {
    }

    fn create_clip(&mut self, _: Point, _: Point, _: usize) -> ClipHandle {
        0
    }
}

/// Every column stacked without gaps beyond the necessary, its middle at zero.
fn stacked(layers: &Layers, spacing: Spacing) -> Vec<f64> {
    let mut y = vec![0.0; layers.cells.len()];
    for column in &layers.columns {
        for pair in column.windows(2) {
            y[pair[1]] = y[pair[0]] + spacing.between(layers, pair[0], pair[1]);
        }
        let middle = column.iter().map(|&cell| y[cell]).sum::<f64>() / real(column.len().max(1));
        for &cell in column {
            y[cell] -= middle;
        }
    }
    y
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::draw::layout::ordering::order;

    /// Edges from smaller to larger numbers.
    fn layers(nodes: usize, edges: &[(usize, usize)]) -> Layers {
        let mut edges: Vec<(usize, usize)> =
            edges.iter().filter(|(a, b)| a != b).map(|&(a, b)| (a.min(b), a.max(b))).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut layers = Layers::new(nodes, &edges, 10_000).expect("small");
        order(&mut layers);
        layers
    }

    proptest! {
        #[test]
        fn layout_rs_places_every_cell_in_the_given_order(
            (n, edges) in (1_usize..40).prop_flat_map(|n| (Just(n), prop::collection::vec((0..n, 0..n), 0..2 * n)))
        ) {
            let layers = layers(n, &edges);
            let placed = with_layout_rs(&layers, Spacing { height: 60.0 });
            prop_assert!(placed.is_some());
            let y = placed.unwrap_or_default();
            for column in &layers.columns {
                prop_assert!(column.windows(2).all(|pair| y[pair[0]] < y[pair[1]]));
            }
        }
    }
}
