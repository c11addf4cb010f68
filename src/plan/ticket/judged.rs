//! How the ticket is judged, and what it is blocked by.

use super::body::{Subject, within};
use crate::tracker::words::{code, plain};

/// Seams or claims that are named, and the characters of each.
const NAMED: usize = 10;
const NAME_CHARS: usize = 80;
/// Characters of a rationale.
const RATIONALE_CHARS: usize = 300;
/// UTF-16 units of the list of dependencies.
const DEPENDENCIES_UNITS: usize = 6_000;

pub(super) fn section(subject: &Subject<'_>) -> String {
    let category = subject.category;
    let touched: Vec<String> = [("seam", &category.seams), ("claim", &category.supports_claims)]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("the {what}{} {}", if names.len() == 1 { "" } else { "s" }, list(names)))
        .collect();
    let guards = if touched.is_empty() {
        String::new()
    } else {
        format!(", and every required case that touches {}", touched.join(" or "))
    };
    format!(
        "\n## How it is judged\n\n- **The slice:** all cases that ever failed for this category{guards}. All of them pass.\n\
         - **The full run:** a complete run of the suite on the integrated head, in which the category is gone and nothing \
         else came back.\n\nOnly the full run closes this ticket. A passing slice, a review, or closing it by hand does not.\n"
    )
}

fn list(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(NAMED).map(|name| code(name, NAME_CHARS)).collect();
    if names.len() > NAMED {
        shown.push(format!("and {} more of the map", names.len() - NAMED));
    }
    shown.join(", ")
}

/// What the category depends on, first what fails now.
pub(super) fn blocked_by(subject: &Subject<'_>) -> String {
    let depends_on = &subject.category.depends_on;
    if depends_on.is_empty() {
        return String::new();
    }
    let fails = |active: bool| depends_on.iter().filter(move |d| subject.c.active(&d.category_id).is_some() == active);
    let item = |d: &crate::category_map::Dependency| {
        format!("- `{}`: {}\n", d.category_id, plain(&d.rationale, RATIONALE_CHARS))
    };
    let mut text = "\n## Blocked by\n".to_owned();
    let (live, live_left_out) = within(fails(true).map(item), DEPENDENCIES_UNITS / 2);
    let (idle, idle_left_out) = within(fails(false).map(item), DEPENDENCIES_UNITS / 2);
    if live.is_empty() {
        text.push_str("\nNothing that fails now.\n");
    } else {
        text.push_str(&format!("\nThese fail now and come first:\n\n{live}"));
    }
    if !idle.is_empty() {
        text.push_str(&format!("\nIt depends on these, too; they do not fail now:\n\n{idle}"));
    }
    let left_out = live_left_out + idle_left_out;
    if left_out > 0 {
        text.push_str(&format!("\n… and {left_out} more: see the category map.\n"));
    }
    text
}
