//! The graph as a list: grouped by rank, every dependency spelled out. Drawings made of characters read falsely as
//! soon as two edges share a line, so there are none.

use unicode_width::UnicodeWidthStr as _;

use super::Picture;
use super::scene::{Scene, SceneNode, plural};
use crate::model::{NodeState, display_safe};

/// The graph as plain text, for terminals and logs: one category a line, its upstream below it.
pub fn text(picture: &Picture) -> String {
    let mut out = lines(&Scene::new(picture)).join("\n");
    out.push('\n');
    out
}

/// The lines of the list.
pub(super) fn lines(scene: &Scene) -> Vec<String> {
    let mut lines = Vec::new();
    if !scene.title.trim().is_empty() {
        lines.push(display_safe(scene.title.trim()).into_owned());
    }
    if scene.nodes.is_empty() {
        lines.push("no active categories".to_owned());
        return lines;
    }
    let ranks = scene.ranks();
    let upstream = upstream_names(scene);
    let depth = ranks.iter().max().map_or(0, |deepest| deepest + 1);
    lines.push(format!("{} · {}", scene.counts(), plural(depth, "rank", "ranks")));
    if let Some(path) = scene.cycle_text() {
        lines.push(format!("cycle: {path}"));
    }

    let mut by_rank = vec![Vec::new(); depth];
    for (at, &rank) in ranks.iter().enumerate() {
        by_rank[rank].push(at);
    }
    let widths = Widths::of(scene);
    for (rank, members) in by_rank.iter().enumerate() {
        lines.push(String::new());
        lines.push(format!("rank {rank}"));
        for &at in members {
            lines.push(row(&scene.nodes[at], &widths));
            if !upstream[at].is_empty() {
                lines.push(format!("      ← depends on {}", upstream[at].join(", ")));
            }
        }
    }
    lines
}

/// For every node the names of what it depends on; those on a cycle say so, because there a rank means little.
fn upstream_names(scene: &Scene) -> Vec<Vec<String>> {
    let mut names = vec![Vec::new(); scene.nodes.len()];
    for edge in &scene.edges {
        let name = &scene.nodes[edge.to].name;
        names[edge.from].push(if edge.cyclic { format!("{name} (in a cycle)") } else { name.clone() });
    }
    names
}

/// Column widths in terminal cells, so that rows of all ranks line up.
struct Widths {
    name: usize,
    state: usize,
    counts: usize,
}

/// A longer name runs over its column: one such name should not push all others off the screen.
const MAX_NAME_COLUMN: usize = 48;

impl Widths {
    fn of(scene: &Scene) -> Self {
        let widest = |cell: fn(&SceneNode) -> String| scene.nodes.iter().map(|node| cell(node).width()).max();
        Self {
            name: widest(|node| node.name.clone()).unwrap_or(0).min(MAX_NAME_COLUMN),
            state: widest(state).unwrap_or(0),
            counts: widest(|node| node.counts().unwrap_or_default()).unwrap_or(0),
        }
    }
}

fn state(node: &SceneNode) -> String {
    let state = node.state().map_or("", NodeState::as_str);
    let state = if node.node.ghost { "not active" } else { state };
    match (node.in_cycle, state.is_empty()) {
        (true, true) => "in the cycle".to_owned(),
        (true, false) => format!("{state}, in the cycle"),
        (false, _) => state.to_owned(),
    }
}

fn row(node: &SceneNode, widths: &Widths) -> String {
    let counts = node.counts().unwrap_or_default();
    let ticket = display_safe(node.node.ticket.as_deref().unwrap_or_default());
    let mut line = String::from("  ");
    pad(&mut line, &node.name, widths.name);
    pad(&mut line, &state(node), widths.state);
    pad(&mut line, &counts, widths.counts);
    line.push_str(&ticket);
    line.truncate(line.trim_end().len());
    line
}

/// Appends `cell`, filled up to `width` terminal cells, and two spaces.
fn pad(line: &mut String, cell: &str, width: usize) {
    if width == 0 {
        return;
    }
    line.push_str(cell);
    let fill = width.saturating_sub(cell.width()) + 2;
    line.extend(std::iter::repeat_n(' ', fill));
}
