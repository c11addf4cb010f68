//! The picture of a graph that cannot be drawn readably: its list, as text.

use super::heading::{MARGIN, words};
use super::nodes::{cells, cut};
use super::palette::{INK, MUTED};
use super::xml::Xml;
use crate::graph::draw::layout::Point;

/// Lines shown; the text format has all of them.
const MAX_LINES: usize = 400;
/// Cells of a line that are shown.
const MAX_CELLS: f64 = 160.0;
const LINE_HEIGHT: f64 = 17.0;
const CELL: f64 = 12.0 * 0.605;

/// The lines that fit, and a last one that says how many do not.
pub(super) fn fit(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    if more > 0 {
        lines.push(format!("… and {more} more lines: the formats text, DOT and Mermaid have all of them"));
    }
    lines.iter().map(|line| cut(line, MAX_CELLS)).collect()
}

/// Width and height of the list in pixels.
pub(super) fn size(lines: &[String]) -> (f64, f64) {
    let widest = lines.iter().map(|line| cells(line)).fold(0.0, f64::max);
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    (widest * CELL, f64::from(count) * LINE_HEIGHT)
}

/// Draws the list with its top at `y`.
pub(super) fn draw(xml: &mut Xml, lines: &[String], mut y: f64) {
    xml.open("g", &[("font-family", "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace")]);
    for line in lines {
        y += LINE_HEIGHT;
        // Indentation by position: XML text would lose its spaces.
        let words_start = line.trim_start();
        let indent = cells(&line[..line.len() - words_start.len()]) * CELL;
        let look = if words_start.starts_with('←') { ("muted", MUTED) } else { ("ink", INK) };
        if !words_start.is_empty() {
            let spaced = words_start.replace(' ', "\u{a0}");
            words(xml, &spaced, Point { x: MARGIN + indent, y }, look, ("12", None));
        }
    }
    xml.close();
}
