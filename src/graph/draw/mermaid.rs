//! Mermaid, as GitHub renders it. Text becomes letters, digits and numeric entities, so that no markup, link,
//! directive or Markdown in it takes effect.

use super::Picture;
use super::scene::{Scene, SceneNode};
use crate::model::{NodeState, display_safe, truncate_chars};

/// Characters of a name that are shown; longer ones are cut.
const MAX_NAME: usize = 60;

/// The graph as a Mermaid flowchart, left to right, upstream first. GitHub draws up to 500 edges.
pub fn mermaid(picture: &Picture) -> String {
    mermaid_around(picture, None)
}

/// [`mermaid`] with the node of the id `here` made to stand out.
pub fn mermaid_around(picture: &Picture, here: Option<&str>) -> String {
    let scene = Scene::new(picture);
    let mut out = String::from("flowchart LR\n");
    let title: String = scene.title.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if !title.is_empty() {
        out.push_str(&format!("  accTitle: {title}\n"));
    }
    for (at, node) in scene.nodes.iter().enumerate() {
        let (open, close) = brackets(node);
        out.push_str(&format!("  n{at}{open}\"{}\"{close}\n", label(node)));
    }
    for edge in &scene.edges {
        let arrow = match (edge.in_cycle, scene.nodes[edge.to].node.ghost || scene.nodes[edge.from].node.ghost) {
            (true, _) => "==>",
            (false, true) => "-.->",
            (false, false) => "-->",
        };
        out.push_str(&format!("  n{} {arrow} n{}\n", edge.to, edge.from));
    }
    for state in NodeState::ALL {
        class(&mut out, &scene, class_name(state), colours(state), |node| node.state() == Some(state));
    }
    class(&mut out, &scene, "ghost", "stroke-dasharray:2 3,opacity:0.55", |node| node.node.ghost);
    class(&mut out, &scene, "here", "stroke:#1f2328,stroke-width:5px", |node| Some(node.node.id.as_str()) == here);
    class(&mut out, &scene, "cycle", "stroke:#cf222e,stroke-width:3px", |node| node.in_cycle);
    out
}

fn class(out: &mut String, scene: &Scene, name: &str, style: &str, is: impl Fn(&SceneNode) -> bool) {
    let members: Vec<String> =
        scene.nodes.iter().enumerate().filter(|(_, node)| is(node)).map(|(at, _)| format!("n{at}")).collect();
    if !members.is_empty() {
        out.push_str(&format!("  classDef {name} {style}\n  class {} {name}\n", members.join(",")));
    }
}

fn label(node: &SceneNode) -> String {
    let mut lines = vec![entities(&truncate_chars(&node.name, MAX_NAME))];
    lines.extend(node.counts().map(|text| entities(&text)));
    let state = node.state().map(NodeState::as_str).or(node.node.ghost.then_some("not active"));
    let last: Vec<&str> = state.into_iter().chain(node.node.ticket.as_deref()).collect();
    if !last.is_empty() {
        lines.push(entities(&truncate_chars(&display_safe(&last.join(" · ")), MAX_NAME)));
    }
    lines.join("<br/>")
}

/// Letters, digits and spaces stay; a hyphen stays inside a word; everything else in ASCII becomes `#N;`. Mermaid
/// resolves these entities only after it has parsed labels and their Markdown.
fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside_word = false;
    for c in display_safe(text).chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() && c != ' ' && !(c == '-' && inside_word) {
            out.push_str(&format!("#{};", c as u32));
        } else {
            out.push(c);
        }
        inside_word = c.is_alphanumeric();
    }
    out
}

const fn brackets(node: &SceneNode) -> (&'static str, &'static str) {
    match node.node.state {
        _ if node.node.ghost => ("[", "]"),
        None | Some(NodeState::Routable) => ("(", ")"),
        Some(NodeState::BlockedUpstream) => ("{{", "}}"),
        Some(NodeState::PatchCandidate) => ("[/", "/]"),
        Some(NodeState::CategoryGreen | NodeState::Integrated) => ("([", "])"),
        Some(NodeState::Closed) => ("[[", "]]"),
    }
}

const fn class_name(state: NodeState) -> &'static str {
    match state {
        NodeState::Routable => "routable",
        NodeState::BlockedUpstream => "blocked",
        NodeState::PatchCandidate => "candidate",
        NodeState::CategoryGreen => "green",
        NodeState::Integrated => "integrated",
        NodeState::Closed => "closed",
    }
}

const fn colours(state: NodeState) -> &'static str {
    match state {
        NodeState::Routable => "fill:#e8f3fb,stroke:#0072b2,color:#1f2328",
        NodeState::BlockedUpstream => "fill:#fdefe6,stroke:#b34700,color:#1f2328,stroke-dasharray:5 3",
        NodeState::PatchCandidate => "fill:#fbf7dd,stroke:#8a6d00,color:#1f2328",
        NodeState::CategoryGreen => "fill:#e4f6f0,stroke:#00795a,color:#1f2328",
        NodeState::Integrated => "fill:#f8ebf4,stroke:#a0457e,color:#1f2328,stroke-width:3px",
        NodeState::Closed => "fill:#f0f0f0,stroke:#6b6b6b,color:#1f2328",
    }
}
