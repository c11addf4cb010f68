//! What stands above the graph: title, counts, warnings, and a legend of what occurs.

use super::edges::arrowhead;
use super::nodes::{badge, body, cells, cut};
use super::palette::{ALARM, INK, LINE, Look, MUTED, look};
use super::xml::{Xml, number};
use crate::graph::draw::layout::Point;
use crate::graph::draw::scene::Scene;
use crate::model::{NodeState, display_safe};

/// Free space around everything, in pixels.
pub(super) const MARGIN: f64 = 28.0;
/// Height and width of a legend's sample.
const SAMPLE: (f64, f64) = (20.0, 34.0);
const LEGEND_ROW: f64 = 30.0;
/// Width of a character of 12 pixels, with reserve.
const CELL: f64 = 7.0;
/// A title longer than this many cells is cut.
const MAX_TITLE: f64 = 90.0;

/// The heading with its lines laid out for one picture width.
pub(super) struct Heading {
    title: String,
    counts: String,
    /// Shown in the alarm colour.
    warnings: Vec<String>,
    legend: Vec<Entry>,
    width: f64,
}

enum Entry {
    Node(Look, String),
    Arrow { alarm: bool, words: &'static str },
}

impl Entry {
    fn words(&self) -> &str {
        match self {
            Self::Node(_, words) => words,
            Self::Arrow { words, .. } => words,
        }
    }

    fn width(&self) -> f64 {
        SAMPLE.1 + 8.0 + cells(self.words()) * CELL + 20.0
    }
}

impl Heading {
    /// `notes` follow the counts; `graph_width` is the width of what the heading stands above.
    pub(super) fn new(scene: &Scene, notes: &[String], graph_width: f64, with_legend: bool) -> Self {
        let counts = std::iter::once(scene.counts()).chain(notes.iter().cloned()).collect::<Vec<_>>().join(" · ");
        let title = cut(&display_safe(scene.title.trim()), MAX_TITLE);
        let legend = if with_legend { legend(scene) } else { Vec::new() };
        let widest_entry = legend.iter().map(Entry::width).fold(0.0, f64::max);
        let mut width = f64::max(graph_width, 420.0).max(widest_entry);
        width = width.max(cells(&title) * 11.0).max(cells(&counts) * CELL);
        // The whole path of a long cycle is in the description.
        let warnings = scene.cycle_text().map(|path| cut(&format!("Cycle: {path}"), width / CELL));
        Self { title, counts, warnings: warnings.into_iter().collect(), legend, width }
    }

    /// Width without margins.
    pub(super) const fn width(&self) -> f64 {
        self.width
    }

    /// Draws the heading and returns the y below it.
    pub(super) fn draw(&self, xml: &mut Xml) -> f64 {
        let mut y = MARGIN - 8.0;
        if !self.title.is_empty() {
            y += 18.0;
            words(xml, &self.title, Point { x: MARGIN, y }, ("ink", INK), ("18", Some("600")));
        }
        y += 22.0;
        words(xml, &self.counts, Point { x: MARGIN, y }, ("muted", MUTED), ("12", None));
        for warning in &self.warnings {
            y += 20.0;
            words(xml, warning, Point { x: MARGIN, y }, ("warn", ALARM), ("12", Some("600")));
        }
        y += 16.0;
        if self.legend.is_empty() {
            return y + 8.0;
        }
        let mut x = MARGIN;
        for entry in &self.legend {
            if x > MARGIN && x + entry.width() > MARGIN + self.width + 20.0 {
                x = MARGIN;
                y += LEGEND_ROW;
            }
            draw_entry(xml, entry, Point { x, y });
            x += entry.width();
        }
        y + LEGEND_ROW + 18.0
    }
}

fn legend(scene: &Scene) -> Vec<Entry> {
    let mut legend = Vec::new();
    for state in NodeState::ALL {
        let count: usize =
            scene.nodes.iter().filter(|node| node.state() == Some(state)).map(|node| 1 + node.more).sum();
        if count > 0 {
            legend.push(Entry::Node(look(Some(state), false), format!("{state} {count}")));
        }
    }
    let ghosts: usize = scene.nodes.iter().filter(|node| node.node.ghost).map(|node| 1 + node.more).sum();
    if ghosts > 0 {
        legend.push(Entry::Node(look(None, true), format!("not active {ghosts}")));
    }
    let arrow = |alarm, words| Entry::Arrow { alarm, words };
    if scene.edges.iter().any(|edge| !edge.cyclic) {
        legend.push(arrow(false, "goes before"));
    }
    if !scene.cycle.is_empty() {
        legend.push(arrow(true, "in a cycle"));
    }
    legend
}

fn draw_entry(xml: &mut Xml, entry: &Entry, at: Point) {
    let middle = at.y + SAMPLE.0 / 2.0;
    match entry {
        Entry::Node(look, _) => {
            body(xml, *look, at, SAMPLE.1, SAMPLE.0);
            if let Some(path) = look.badge {
                let corner = Point { x: at.x + SAMPLE.1 / 2.0 - 5.6, y: middle - 5.6 };
                badge(xml, *look, path, corner, 0.7);
            }
        }
        Entry::Arrow { alarm, .. } => {
            let colour = if *alarm { ALARM } else { LINE };
            let tip = Point { x: at.x + SAMPLE.1, y: middle };
            xml.open("g", &[("class", if *alarm { "alarm" } else { "sample" })]);
            let path = format!("M{} {}H{}", number(at.x), number(middle), number(tip.x - 7.0));
            let width = if *alarm { "2.8" } else { "1.4" };
            xml.empty(
                "path",
                &[("class", "line"), ("d", &path), ("fill", "none"), ("stroke", colour), ("stroke-width", width)],
            );
            xml.empty("path", &[("class", "head"), ("d", &arrowhead(tip, 1.0)), ("fill", colour)]);
            xml.close();
        }
    }
    let at = Point { x: at.x + SAMPLE.1 + 8.0, y: middle + 4.2 };
    words(xml, entry.words(), at, ("muted", MUTED), ("12", None));
}

/// A line of text: class and colour, then size and weight.
pub(super) fn words(
    xml: &mut Xml,
    text: &str,
    at: Point,
    (class, colour): (&str, &str),
    (size, weight): (&str, Option<&str>),
) {
    let (x, y) = (number(at.x), number(at.y));
    let mut attributes =
        vec![("class", class), ("x", x.as_str()), ("y", y.as_str()), ("fill", colour), ("font-size", size)];
    if let Some(weight) = weight {
        attributes.push(("font-weight", weight));
    }
    xml.text("text", &attributes, text);
}
