//! Tables for people: columns aligned by what a terminal shows, not by bytes or characters; never wider than there is
//! room for.

use std::borrow::Cow;
use std::io::IsTerminal as _;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::output::bold;
use crate::model::display_safe;

/// Width where there is no terminal to ask: pipes, files, CI logs.
const WIDTH_WITHOUT_TERMINAL: usize = 80;

/// The narrowest that a column is cut to.
const NARROWEST: usize = 8;

/// Space between columns.
const GAP: usize = 2;

/// Columns that there is room for: the terminal's, or 80 when standard output is something else.
pub fn available_width() -> usize {
    let stdout = std::io::stdout();
    let asked = if stdout.is_terminal() { rustix::termios::tcgetwinsize(&stdout).ok() } else { None };
    asked.map(|size| usize::from(size.ws_col)).filter(|width| *width > 0).unwrap_or(WIDTH_WITHOUT_TERMINAL)
}

/// How many columns of a terminal `text` takes. It must be safe for display already.
pub fn display_width(text: &str) -> usize {
    text.width()
}

/// Cuts `text` to `width` columns, with `…` as the last one when something was cut.
pub fn fit_width(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let mut used = 1; // the ellipsis
    let mut out = String::new();
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        out.push(c);
    }
    if width > 0 {
        out.push('…');
    }
    Cow::Owned(out)
}

/// A table of cells. Every cell is made safe for display when it is added.
#[derive(Debug, Clone)]
pub struct Table {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column names. The last column takes the room that is left.
    pub fn new(header: &[&'static str]) -> Self {
        Self { header: header.to_vec(), rows: Vec::new() }
    }

    /// Adds a row; cells beyond the header are left out.
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) {
        self.rows.push(cells.into_iter().take(self.header.len()).map(|cell| display_safe(cell).into_owned()).collect());
    }

    /// The table as text, one line per row, each ending with a line feed. No line is wider than `width`, unless even
    /// the narrowest columns are. Where there is not enough room, the last column is cut first, then the widest.
    pub fn render(&self, width: usize) -> String {
        let mut widths: Vec<usize> = self.header.iter().map(|name| name.width()).collect();
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate() {
                widths[column] = widths[column].max(cell.width());
            }
        }
        shrink(&mut widths, width);
        let mut out = String::new();
        let header: Vec<Cow<'_, str>> = self.header.iter().map(|name| Cow::Borrowed(*name)).collect();
        out.push_str(&bold(&line(&header, &widths)));
        out.push('\n');
        for row in &self.rows {
            let cells: Vec<Cow<'_, str>> =
                row.iter().zip(&widths).map(|(cell, width)| fit_width(cell, *width)).collect();
            out.push_str(&line(&cells, &widths));
            out.push('\n');
        }
        out
    }
}

/// Takes width away until the table fits.
fn shrink(widths: &mut [usize], available: usize) {
    let gaps = GAP * widths.len().saturating_sub(1);
    let excess = |widths: &[usize]| (widths.iter().sum::<usize>() + gaps).saturating_sub(available);
    if let Some(last) = widths.last_mut() {
        // The last column holds the longest text and loses least by being cut.
        let floor = (*last).min(2 * NARROWEST);
        let over = excess(widths);
        if let Some(last) = widths.last_mut() {
            *last = last.saturating_sub(over).max(floor);
        }
    }
    while excess(widths) > 0 {
        let Some(widest) = widths.iter_mut().filter(|width| **width > NARROWEST).max() else { return };
        *widest -= 1;
    }
}

fn line(cells: &[Cow<'_, str>], widths: &[usize]) -> String {
    let mut out = String::new();
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        if column > 0 {
            out.push_str(&" ".repeat(GAP));
        }
        out.push_str(cell);
        out.push_str(&" ".repeat(width.saturating_sub(cell.width())));
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn columns_line_up_by_what_is_shown() {
        let mut table = Table::new(&["#", "NAME", "TITLE"]);
        table.row(["1", "日本語", "wide"]);
        table.row(["20", "e\u{301}te", "combining"]);
        table.row(["3", "plain", "a\nb\u{1b}[31m\u{202e}"]);
        insta::assert_snapshot!(anstream::adapter::strip_str(&table.render(80)).to_string());
    }

    #[test]
    fn there_is_an_end_to_narrowing() {
        let mut table = Table::new(&["#", "CATEGORY", "TITLE"]);
        table.row(["1", "agentic-evals:shop:cart-total", "The total of the cart is wrong when a coupon is used"]);
        insta::assert_snapshot!(anstream::adapter::strip_str(&table.render(50)).to_string());
    }

    proptest! {
        #[test]
        fn no_line_is_too_wide_or_unsafe(cells in prop::collection::vec((".*", ".*"), 1..6), width in 40usize..120) {
            let mut table = Table::new(&["NAME", "TITLE"]);
            for (a, b) in &cells {
                table.row([a.as_str(), b.as_str()]);
            }
            let text = anstream::adapter::strip_str(&table.render(width)).to_string();
            prop_assert_eq!(text.lines().count(), cells.len() + 1);
            for line in text.lines() {
                prop_assert!(line.width() <= width, "{} > {width}: {line}", line.width());
                prop_assert!(!line.chars().any(crate::model::is_unsafe_for_display));
            }
        }

        #[test]
        fn cutting_never_exceeds_and_never_splits(text in ".*", width in 0usize..20) {
            let safe = display_safe(&text);
            let cut = fit_width(&safe, width);
            prop_assert!(cut.width() <= width);
            prop_assert!(cut == safe || safe.starts_with(cut.trim_end_matches('…')));
        }
    }
}
