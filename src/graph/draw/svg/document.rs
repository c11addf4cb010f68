//! The whole SVG document.

use std::collections::BTreeMap;

use super::edges::Line;
use super::heading::{Heading, MARGIN, words};
use super::list;
use super::nodes::{self, BoxStyle};
use super::palette::{MUTED, PAPER, style_sheet};
use super::xml::{Xml, number};
use crate::graph::draw::layout::{Layout, Point, Request, layout};
use crate::graph::draw::scene::{Scene, plural};
use crate::graph::draw::{Picture, text};
use crate::model::NodeState;

/// Up to here a picture shows everything; beyond it is a map to zoom, without edges that others imply.
const MAX_FULL: usize = 60;
/// Beyond, siblings are folded.
const MAX_UNFOLDED: usize = 200;
/// Boxes after folding; more are listed instead.
const MAX_BOXES: usize = 300;
/// Edges per box beyond which implied ones are hidden in a picture of any size.
const DENSE: usize = 4;
/// Categories that the description lists one by one.
const MAX_DESCRIBED: usize = 80;
/// Dependencies of one category that the description names.
const MAX_NAMED: usize = 20;

/// Draws the picture as a self-contained SVG document. Never fails: what cannot be drawn readably is listed, and the
/// picture says so.
pub fn svg(picture: &Picture) -> String {
    let mut scene = Scene::new(picture);
    let full = scene.clone();
    if scene.nodes.is_empty() {
        return empty(&scene);
    }
    let mut notes = Vec::new();
    if scene.nodes.len() > MAX_FULL || scene.edges.len() > DENSE * scene.nodes.len() {
        let hidden = scene.hide_implied_edges();
        if hidden > 0 {
            notes.push(format!("{} hidden", plural(hidden, "implied edge", "implied edges")));
        }
    }
    if scene.nodes.len() > MAX_UNFOLDED {
        let before = scene.nodes.len();
        scene.fold_siblings();
        if scene.nodes.len() < before {
            notes.push(format!(
                "siblings with the same upstream and state folded into “+N”, {} boxes",
                scene.nodes.len()
            ));
        }
    }
    let style = BoxStyle::of(&scene);
    let request = Request {
        nodes: scene.nodes.len(),
        edges: scene.forward_edges(),
        box_width: style.width,
        box_height: style.height,
    };
    let drawn = if scene.nodes.len() > MAX_BOXES { None } else { layout(&request).ok() };
    match drawn {
        Some(layout) => graph(&full, &scene, &notes, style, &request, &layout),
        None => listed(&full),
    }
}

fn graph(full: &Scene, scene: &Scene, notes: &[String], style: BoxStyle, request: &Request, layout: &Layout) -> String {
    let heading = Heading::new(scene, notes, layout.width, true);
    let mut body = Xml::default();
    let top = heading.draw(&mut body);
    let origin = Point { x: MARGIN, y: top };
    let moved = |point: &Point| Point { x: point.x + origin.x, y: point.y + origin.y };

    body.open("g", &[("class", "edges")]);
    for line in lines(scene, request, layout, &moved) {
        if line.edge.from == line.edge.to {
            let corner = moved(&layout.boxes[line.edge.from]);
            line.draw_loop(&mut body, corner.x + style.width, corner.y + style.height / 2.0);
        } else {
            line.draw(&mut body);
        }
    }
    body.close();
    body.open("g", &[("class", "nodes")]);
    for (node, corner) in scene.nodes.iter().zip(&layout.boxes) {
        nodes::draw(&mut body, node, moved(corner), style);
    }
    body.close();
    // Loops reach beyond the last column by less than a margin.
    document(full, notes, heading.width().max(layout.width), top + layout.height + MARGIN, &body.finish())
}

/// All edges, the highlighted ones last, so that they lie on top.
fn lines<'a>(scene: &'a Scene, request: &Request, layout: &Layout, moved: &impl Fn(&Point) -> Point) -> Vec<Line<'a>> {
    let place = scene.places();
    let mut on_route: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for edge in &scene.edges {
        *on_route.entry((edge.from.min(edge.to), edge.from.max(edge.to))).or_default() += 1;
    }
    let mut lines: Vec<Line<'a>> = scene
        .edges
        .iter()
        .map(|edge| {
            let backwards = place[edge.to] > place[edge.from];
            let ends = if backwards { (edge.from, edge.to) } else { (edge.to, edge.from) };
            let route = request.edges.binary_search(&ends).map(|at| layout.routes[at].as_slice()).unwrap_or_default();
            // Two categories that depend on each other share a route: one line above, one below its middle.
            let both = on_route.get(&(edge.from.min(edge.to), edge.from.max(edge.to))) == Some(&2);
            let shift = match (both, backwards) {
                (false, _) => 0.0,
                (true, false) => -6.0,
                (true, true) => 6.0,
            };
            let (from, to) = (&scene.nodes[edge.from], &scene.nodes[edge.to]);
            Line {
                edge,
                route: route.iter().map(moved).map(|at| Point { x: at.x, y: at.y + shift }).collect(),
                backwards,
                faint: from.node.ghost || to.node.ghost,
                title: format!("{} depends on {}", from.name, to.name),
            }
        })
        .collect();
    lines.sort_by_key(|line| line.edge.in_cycle);
    lines
}

fn listed(full: &Scene) -> String {
    let notes = ["too large or too dense to draw, so it is listed".to_owned()];
    let mut rows = text::lines(full);
    // The heading shows title and counts already.
    let heading_rows = rows.iter().position(String::is_empty).unwrap_or(0);
    rows.drain(..heading_rows);
    let rows = list::fit(rows);
    let (width, height) = list::size(&rows);
    let heading = Heading::new(full, &notes, width, false);
    let mut body = Xml::default();
    let top = heading.draw(&mut body);
    list::draw(&mut body, &rows, top - 16.0);
    document(full, &notes, heading.width(), top + height + MARGIN, &body.finish())
}

fn empty(scene: &Scene) -> String {
    let heading = Heading::new(scene, &[], 0.0, false);
    let mut body = Xml::default();
    let top = heading.draw(&mut body);
    words(
        &mut body,
        "Nothing to draw: no active categories.",
        Point { x: MARGIN, y: top + 16.0 },
        ("muted", MUTED),
        ("14", None),
    );
    document(scene, &[], heading.width(), top + 16.0 + MARGIN, &body.finish())
}

/// Wraps `body` (inner width, whole height) into the root element with title, description and style.
fn document(full: &Scene, notes: &[String], inner_width: f64, height: f64, body: &str) -> String {
    let (width, height) = (number((inner_width + 2.0 * MARGIN).ceil()), number(height.ceil()));
    let view = format!("0 0 {width} {height}");
    let mut xml = Xml::default();
    xml.open(
        "svg",
        &[
            ("xmlns", "http://www.w3.org/2000/svg"),
            ("width", &width),
            ("height", &height),
            ("viewBox", &view),
            // A document, not an image: an image would hide the links inside from assistive technology.
            ("role", "graphics-document"),
            ("aria-roledescription", "dependency graph"),
            ("aria-labelledby", "greenloop-title greenloop-description"),
            ("font-family", "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"),
        ],
    );
    let title = full.title.trim();
    xml.text("title", &[("id", "greenloop-title")], if title.is_empty() { "Dependency graph" } else { title });
    xml.text("desc", &[("id", "greenloop-description")], &description(full, notes));
    xml.text("style", &[], &style_sheet());
    xml.empty("rect", &[("class", "paper"), ("width", &width), ("height", &height), ("fill", PAPER)]);
    let mut out = xml.finish();
    // `body` was written by the same writer; it goes before the closing tag.
    let end = out.rfind("</svg>").unwrap_or(out.len());
    out.insert_str(end, body);
    out
}

fn description(scene: &Scene, notes: &[String]) -> String {
    let mut lines = vec![format!("{}.", scene.counts())];
    lines.extend(notes.iter().map(|note| format!("{note}.")));
    if let Some(path) = scene.cycle_text() {
        lines.push(format!("Dependencies run in a circle: {path}."));
    }
    let upstream = scene.upstream();
    for &at in scene.order.iter().take(MAX_DESCRIBED) {
        let node = &scene.nodes[at];
        let state = if node.node.ghost { Some("not active") } else { node.state().map(NodeState::as_str) };
        let mut line = node.name.clone();
        let facts: Vec<String> = state.map(str::to_owned).into_iter().chain(node.counts()).collect();
        if !facts.is_empty() {
            line.push_str(&format!(" ({})", facts.join(", ")));
        }
        if !upstream[at].is_empty() {
            let names = upstream[at].iter().take(MAX_NAMED).map(|&up| scene.nodes[up].name.as_str());
            line.push_str(&format!(" depends on {}", names.collect::<Vec<_>>().join(", ")));
            if upstream[at].len() > MAX_NAMED {
                line.push_str(&format!(" and {} more", upstream[at].len() - MAX_NAMED));
            }
        }
        lines.push(format!("{line}."));
    }
    if scene.order.len() > MAX_DESCRIBED {
        lines.push(format!("And {} more; the text format lists all.", scene.order.len() - MAX_DESCRIBED));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests;
