//! Boxes: outline, badge, up to three lines of text, tooltip, link.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::palette::{ALARM, INK, Look, MONOSPACE, MUTED, PAPER, look, outline, rounded};
use super::xml::{Xml, http_link, number};
use crate::graph::draw::layout::Point;
use crate::graph::draw::scene::{Scene, SceneNode};
use crate::model::{NodeState, display_safe, truncate_chars};

/// Font size of names and the width of one of its cells: every common monospaced font is at most 0.602 em wide.
const NAME_SIZE: f64 = 13.0;
const NAME_CELL: f64 = NAME_SIZE * 0.605;
/// Font size of the lines below, and the width of their average character with some reserve.
const NOTE_SIZE: f64 = 11.0;
const NOTE_CELL: f64 = NOTE_SIZE * 0.6;

/// Text of tooltips is cut here: a defect may quote a whole log.
const MAX_TOOLTIP: usize = 1000;

/// Size and inner geometry shared by all boxes of a picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxStyle {
    pub(super) width: f64,
    pub(super) height: f64,
    has_badges: bool,
    has_counts: bool,
    has_notes: bool,
}

impl BoxStyle {
    /// As narrow as the longest text allows, between calm limits.
    pub(super) fn of(scene: &Scene) -> Self {
        let has_badges = scene.nodes.iter().any(|node| node.node.ghost || node.node.state.is_some());
        let has_counts = scene.nodes.iter().any(|node| node.counts().is_some());
        let has_notes = scene.nodes.iter().any(|node| !note(node).is_empty());
        let widest = scene
            .nodes
            .iter()
            .map(|node| {
                let name = cells(&title_line(node)) * NAME_CELL;
                let notes = cells(&note(node)).max(cells(&node.counts().unwrap_or_default())) * NOTE_CELL;
                name.max(notes)
            })
            .fold(0.0, f64::max);
        let lines = 1 + u8::from(has_counts) + u8::from(has_notes);
        let mut style = Self {
            width: 0.0,
            height: [36.0, 36.0, 46.0, 60.0][usize::from(lines)],
            has_badges,
            has_counts,
            has_notes,
        };
        style.width = ((widest + style.text_left() + 14.0) / 2.0).ceil() * 2.0;
        style.width = style.width.clamp(132.0, 264.0);
        style
    }

    const fn text_left(self) -> f64 {
        if self.has_badges { 38.0 } else { 14.0 }
    }

    fn text_width(self) -> f64 {
        self.width - self.text_left() - 12.0
    }
}

/// Draws one box with its top-left corner at `at`.
pub(super) fn draw(xml: &mut Xml, node: &SceneNode, at: Point, style: BoxStyle) {
    let look = look(node.state(), node.node.ghost);
    let url = node.node.url.as_deref().and_then(http_link);
    if let Some(url) = url {
        xml.open("a", &[("href", url), ("target", "_blank"), ("rel", "noopener")]);
    }
    let faint: &[_] = if node.node.ghost { &[("class", "node"), ("opacity", "0.7")] } else { &[("class", "node")] };
    xml.open("g", faint);
    xml.text("title", &[], &tooltip(node));
    if node.more > 0 {
        stack(xml, look, at, style);
    }
    if node.in_cycle {
        let (path, _) = outline(look.outline, at, style.width, style.height);
        let attributes = [
            ("class", "ring"),
            ("d", path.as_str()),
            ("fill", "none"),
            ("stroke", ALARM),
            ("stroke-width", "11"),
            ("stroke-opacity", "0.3"),
            ("stroke-linejoin", "round"),
        ];
        xml.empty("path", &attributes);
    }
    body(xml, look, at, style.width, style.height);
    if let Some(path) = look.badge {
        let corner = Point { x: at.x + 13.0, y: at.y + style.height / 2.0 - 8.0 };
        badge(xml, look, path, corner, 1.0);
    }
    words(xml, node, at, style);
    xml.close();
    if url.is_some() {
        xml.close();
    }
}

/// Outline and fill of a node or of its sample in the legend.
pub(super) fn body(xml: &mut Xml, look: Look, at: Point, width: f64, height: f64) {
    let (outer, inner) = outline(look.outline, at, width, height);
    let mut attributes = vec![
        ("class", look.class),
        ("d", outer.as_str()),
        ("fill", look.fill),
        ("stroke", look.stroke),
        ("stroke-width", look.stroke_width),
    ];
    if let Some(dash) = look.dash {
        attributes.push(("stroke-dasharray", dash));
    }
    xml.empty("path", &attributes);
    if let Some(inner) = inner {
        attributes[1].1 = &inner;
        attributes[4].1 = "1";
        xml.empty("path", &attributes);
    }
}

pub(super) fn badge(xml: &mut Xml, look: Look, path: &str, corner: Point, scale: f64) {
    let place = if (scale - 1.0).abs() < f64::EPSILON {
        format!("translate({} {})", number(corner.x), number(corner.y))
    } else {
        format!("translate({} {}) scale({scale:.2})", number(corner.x), number(corner.y))
    };
    xml.empty(
        "path",
        &[
            ("class", &format!("{}-badge", look.class)),
            ("transform", &place),
            ("d", path),
            ("fill", "none"),
            ("stroke", look.stroke),
            ("stroke-width", "1.9"),
            ("stroke-linecap", "round"),
            ("stroke-linejoin", "round"),
        ],
    );
}

/// Two edges of cards that lie behind a box that stands for several.
fn stack(xml: &mut Xml, look: Look, at: Point, style: BoxStyle) {
    for step in [6.0, 3.0] {
        let behind = Point { x: at.x + step, y: at.y + step };
        let path = rounded(behind, style.width - step, style.height, 6.0);
        xml.empty(
            "path",
            &[("class", look.class), ("d", &path), ("fill", PAPER), ("stroke", look.stroke), ("stroke-width", "1")],
        );
    }
}

fn words(xml: &mut Xml, node: &SceneNode, at: Point, style: BoxStyle) {
    let centred = !style.has_badges;
    let x = number(if centred { at.x + style.width / 2.0 } else { at.x + style.text_left() });
    let anchor = if centred { "middle" } else { "start" };
    let more = if node.more > 0 { format!(" +{}", node.more) } else { String::new() };
    let room = style.text_width() - cells(&more) * NAME_CELL;
    let name = format!("{}{more}", cut(&node.name, room / NAME_CELL));

    let mut notes = Vec::new();
    if style.has_counts {
        notes.push(node.counts().unwrap_or_default());
    }
    if style.has_notes {
        notes.push(note(node));
    }
    notes.retain(|text| !text.is_empty());
    // Lines are centred as a block, so that a box with fewer of them looks even.
    let block =
        NAME_SIZE + if notes.is_empty() { 0.0 } else { 2.0 + 14.0 * f64::from(u8::try_from(notes.len()).unwrap_or(2)) };
    let mut baseline = at.y + (style.height - block) / 2.0 + 10.5;

    let size = number(NAME_SIZE);
    let y = number(baseline);
    xml.text(
        "text",
        &[
            ("class", "ink"),
            ("x", &x),
            ("y", &y),
            ("fill", INK),
            ("font-family", MONOSPACE),
            ("font-size", &size),
            ("font-weight", "600"),
            ("text-anchor", anchor),
        ],
        &name,
    );
    baseline += 2.0;
    for text in notes {
        baseline += 14.0;
        let y = number(baseline);
        let text = cut(&text, style.text_width() / NOTE_CELL);
        let size = number(NOTE_SIZE);
        let attributes = [
            ("class", "muted"),
            ("x", x.as_str()),
            ("y", &y),
            ("fill", MUTED),
            ("font-size", &size),
            ("text-anchor", anchor),
        ];
        xml.text("text", &attributes, &text);
    }
}

fn title_line(node: &SceneNode) -> String {
    if node.more > 0 { format!("{} +{}", node.name, node.more) } else { node.name.clone() }
}

/// `routable · #116`.
fn note(node: &SceneNode) -> String {
    let state = if node.node.ghost { Some("not active") } else { node.state().map(NodeState::as_str) };
    let ticket = node.node.ticket.as_deref().map(display_safe);
    let parts: Vec<&str> = state.into_iter().chain(ticket.as_deref()).collect();
    parts.join(" · ")
}

fn tooltip(node: &SceneNode) -> String {
    let mut lines = vec![display_safe(&node.node.id).into_owned()];
    lines.extend([note(node), node.counts().unwrap_or_default()]);
    let tooltip = truncate_chars(node.node.tooltip.trim(), MAX_TOOLTIP);
    lines.push(display_safe(&tooltip).into_owned());
    if node.in_cycle {
        lines.push("Part of a dependency cycle.".to_owned());
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// Width of a text in terminal cells: wide characters count twice.
pub(super) fn cells(text: &str) -> f64 {
    f64::from(u32::try_from(text.width()).unwrap_or(u32::MAX))
}

/// Cuts a text to `room` cells, with `…` in its middle: names often differ only at their ends.
pub(super) fn cut(text: &str, room: f64) -> String {
    if cells(text) <= room {
        return text.to_owned();
    }
    let room = (room - 1.0).max(2.0);
    let head = take(text.chars(), (room * 0.6).floor());
    let tail = take(text.chars().rev(), (room * 0.4).floor());
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

fn take(chars: impl Iterator<Item = char>, room: f64) -> String {
    let mut used = 0.0;
    let mut taken = String::new();
    for c in chars {
        used += f64::from(u32::try_from(c.width().unwrap_or(0)).unwrap_or(0));
        if used > room {
            break;
        }
        taken.push(c);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends_and_fit() {
        assert_eq!(cut("short", 10.0), "short");
        assert_eq!(cut("a-very-long-category-name-17", 16.0), "a-very-lo…ame-17");
        let cjk = cut("データベース接続プールの枯渇問題", 16.0);
        assert!(cells(&cjk) <= 16.0 && cjk.contains('…'), "{cjk}");
    }
}
