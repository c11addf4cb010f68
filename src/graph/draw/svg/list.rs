//! The picture of a graph that cannot be drawn readably: its list, as text.

use super::heading::{MARGIN, words};
use super::nodes::{cells, cut};
use super::palette::{INK, MONOSPACE, MUTED};
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

/// Column and row of each line. A column ends when it is full, but never between a category and its dependencies.
fn slots(lines: &[String]) -> Vec<(usize, usize)> {
    let (mut column, mut row) = (0, 0);
    let mut slots = Vec::with_capacity(lines.len());
    for line in lines {
        if row >= PER_COLUMN && !line.trim_start().starts_with('←') {
            (column, row) = (column + 1, 0);
        }
        slots.push((column, row));
        row += 1;
    }
    slots
}

/// Width and height of the list in pixels.
pub(super) fn size(lines: &[String]) -> (f64, f64) {
    let slots = slots(lines);
    let columns = slots.last().map_or(1, |last| last.0 + 1);
    let rows = slots.iter().map(|slot| slot.1 + 1).max().unwrap_or(0);
    (column_width(lines) * real(columns) - COLUMN_GAP, real(rows) * LINE_HEIGHT)
}

fn column_width(lines: &[String]) -> f64 {
    lines.iter().map(|line| cells(line)).fold(0.0, f64::max) * CELL + COLUMN_GAP
}

/// Draws the list with its top at `top`.
pub(super) fn draw(xml: &mut Xml, lines: &[String], top: f64) {
    xml.open("g", &[("font-family", MONOSPACE)]);
    let width = column_width(lines);
    for (line, (column, row)) in lines.iter().zip(slots(lines)) {
        // Indentation by position: XML text would lose its spaces.
        let text = line.trim_start();
        let indent = cells(&line[..line.len() - text.len()]) * CELL;
        let at = Point { x: MARGIN + real(column) * width + indent, y: top + real(row + 1) * LINE_HEIGHT };
        let look = if text.starts_with('←') { ("muted", MUTED) } else { ("ink", INK) };
        if !text.is_empty() {
            words(xml, &text.replace(' ', "\u{a0}"), at, look, ("12", None));
        }
    }
    xml.close();
}
