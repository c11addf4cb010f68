//! Graphviz DOT. Everything is a quoted string, so no text can become an HTML label, an attribute or an edge.

use std::borrow::Cow;

use super::Picture;
use super::scene::{Scene, SceneNode};
use super::svg::http_link;
use crate::model::{NodeState, display_safe};

/// The graph for Graphviz, left to right, upstream first. Nodes are named by their ids; if one of them holds control
/// or invisible characters, all are named `n0`, `n1`, … in the order of their ids.
pub fn dot(picture: &Picture) -> String {
    let scene = Scene::new(picture);
    let plain = scene.nodes.iter().all(|node| matches!(display_safe(&node.node.id), Cow::Borrowed(_)));
    let id = |at: usize| if plain { quoted(&scene.nodes[at].node.id) } else { format!("\"n{at}\"") };

    let mut out = format!("digraph {} {{\n", quoted(&scene.title));
    out.push_str(
        "  rankdir=LR;\n  node [shape=box, fontname=\"monospace\", fontsize=11];\n  edge [color=\"#6e7781\"];\n",
    );
    for (at, node) in scene.nodes.iter().enumerate() {
        out.push_str(&format!("  {} [{}];\n", id(at), attributes(node)));
    }
    for edge in &scene.edges {
        let mut attributes = Vec::new();
        if !edge.rationale.is_empty() {
            attributes.push(format!("tooltip={}", quoted(&edge.rationale)));
        }
        if edge.in_cycle {
            attributes.push("color=\"#cf222e\", penwidth=2.5".to_owned());
        }
        if scene.nodes[edge.to].node.ghost || scene.nodes[edge.from].node.ghost {
            attributes.push("style=dotted".to_owned());
        }
        let attributes = if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        out.push_str(&format!("  {} -> {}{attributes};\n", id(edge.to), id(edge.from)));
    }
    out.push_str("}\n");
    out
}

fn attributes(node: &SceneNode) -> String {
    let mut lines = vec![escaped(&node.name)];
    lines.extend(node.counts());
    let state = node.state().map(NodeState::as_str).or(node.node.ghost.then_some("not active"));
    let ticket = node.node.ticket.as_deref().map(escaped);
    let last: Vec<String> = state.map(str::to_owned).into_iter().chain(ticket).collect();
    if !last.is_empty() {
        lines.push(last.join(" · "));
    }
    let mut out = format!("label=\"{}\"", lines.join("\\n"));
    let tooltip = if node.node.tooltip.is_empty() { &node.node.id } else { &node.node.tooltip };
    out.push_str(&format!(", tooltip={}", quoted(tooltip)));
    if let Some(url) = node.node.url.as_deref().and_then(http_link) {
        out.push_str(&format!(", URL={}, target=\"_blank\"", quoted(url)));
    }
    let look = match node.state() {
        _ if node.node.ghost => "style=dotted, fontcolor=\"#59636e\"",
        None => "style=rounded",
        Some(NodeState::Routable) => "style=\"rounded,filled\", color=\"#0072b2\", fillcolor=\"#e8f3fb\"",
        Some(NodeState::BlockedUpstream) => {
            "shape=octagon, style=\"dashed,filled\", color=\"#b34700\", fillcolor=\"#fdefe6\""
        }
        Some(NodeState::PatchCandidate) => "shape=note, style=filled, color=\"#8a6d00\", fillcolor=\"#fbf7dd\"",
        Some(NodeState::CategoryGreen) => "shape=ellipse, style=filled, color=\"#00795a\", fillcolor=\"#e4f6f0\"",
        Some(NodeState::Integrated) => {
            "shape=ellipse, style=filled, penwidth=2.5, color=\"#a0457e\", fillcolor=\"#f8ebf4\""
        }
        Some(NodeState::Closed) => "peripheries=2, style=filled, color=\"#6b6b6b\", fillcolor=\"#f0f0f0\"",
    };
    out.push_str(", ");
    out.push_str(look);
    if node.in_cycle {
        out.push_str(", fontcolor=\"#cf222e\"");
    }
    out
}

/// A DOT string in its quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// Inside DOT quotes: backslashes doubled (so `\N`, `\G` and `\l` stay text), quotes escaped, ampersands written as
/// entities (Graphviz resolves entities in labels).
fn escaped(text: &str) -> String {
    display_safe(text).replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;")
}
