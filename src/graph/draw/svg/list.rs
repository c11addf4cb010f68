//! The picture of a graph that cannot be drawn readably: its list, as text.

use super::heading::{MARGIN, words};
use super::nodes::{cells, cut};
use super::palette::{INK, MUTED};
use super::xml::Xml;
use crate::graph::draw::layout::{Point, real};

/// Lines shown; the text format has all of them.
const MAX_LINES: usize = 400;
/// Lines in one column of the list.
const PER_COLUMN: usize = 90;
/// Cells of a line that are shown.
const MAX_CELLS: f64 = 100.0;
/// Space between columns.
const COLUMN_GAP: f64 = 40.0;
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
    let columns = lines.len().div_ceil(PER_COLUMN).max(1);
    let rows = lines.len().min(PER_COLUMN);
    (column_width(lines) * real(columns) - COLUMN_GAP, real(rows) * LINE_HEIGHT)
}

fn column_width(lines: &[String]) -> f64 {
    lines.iter().map(|line| cells(line)).fold(0.0, f64::max) * CELL + COLUMN_GAP
}

/// Draws the list with its top at `y`.
pub(super) fn draw(xml: &mut Xml, lines: &[String], top: f64) {
    xml.open("g", &[("font-family", "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace")]);
    let width = column_width(lines);
    for (at, line) in lines.iter().enumerate() {
        // Indentation by position: XML text would lose its spaces.
        let text = line.trim_start();
        let indent = cells(&line[..line.len() - text.len()]) * CELL;
        let at = Point {
            x: MARGIN + real(at / PER_COLUMN) * width + indent,
            y: top + real(at % PER_COLUMN + 1) * LINE_HEIGHT,
        };
        let look = if text.starts_with('←') { ("muted", MUTED) } else { ("ink", INK) };
        if !text.is_empty() {
            words(xml, &text.replace(' ', "\u{a0}"), at, look, ("12", None));
        }
    }
    xml.close();
}
