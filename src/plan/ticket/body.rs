//! Title and body: the sections in their order.

use super::{cases, dag, judged, reproduce};
use crate::categorize::{ActiveCategory, Categorization};
use crate::category_map::{Category, CategoryMap};
use crate::tracker::words::{self, code, plain, receipts_table};
use crate::tracker::{Marker, Receipt};

/// Characters of a title: well under what trackers allow, as lists show no more.
const TITLE_CHARS: usize = 120;
/// Characters of the defect and of what is expected. Escaped, each takes at most four times as much.
const PROSE_CHARS: usize = 1_000;
/// UTF-16 units of the table of receipts.
const RECEIPTS_UNITS: usize = 2_000;

/// What a ticket is about.
#[derive(Debug, Clone, Copy)]
pub(in crate::plan) struct Subject<'a> {
    /// The category.
    pub(in crate::plan) category: &'a Category,
    /// Its failures.
    pub(in crate::plan) active: &'a ActiveCategory,
    /// All failures.
    pub(in crate::plan) c: &'a Categorization,
    /// The map.
    pub(in crate::plan) map: &'a CategoryMap,
    /// The campaign that files it.
    pub(in crate::plan) campaign: &'a str,
    /// The evidence that it is filed with.
    pub(in crate::plan) receipt: &'a Receipt,
}

impl Subject<'_> {
    /// Where everything is that was cut.
    pub(super) fn whole(&self) -> String {
        format!("the frozen report `{}`", self.c.report.digest)
    }
}

/// `<name>: <defect>`, on one line.
pub(in crate::plan) fn title(category: &Category) -> String {
    words::title(&format!("{}: {}", category.id.name(), category.defect), TITLE_CHARS)
}

/// The body, at most [`words::BODY_UNITS`] long with any key in its marker.
pub(in crate::plan) fn body(subject: &Subject<'_>) -> String {
    let mut text = format!("**What is broken:** {}\n", plain(&subject.category.defect, PROSE_CHARS));
    if let Some(expected) = &subject.category.expected {
        text.push_str(&format!("\n**Expected:** {}\n", plain(expected, PROSE_CHARS)));
    }
    for section in [cases::section, reproduce::section, judged::section, judged::blocked_by, dag::section, evidence] {
        text.push_str(&section(subject));
    }
    let marker = Marker { category_id: subject.category.id.clone(), campaign: subject.campaign.to_owned(), key: None };
    text.push_str(&format!("\n{}\n", marker.render()));
    text
}

/// What the ticket was filed with, folded. Later receipts stand in one comment of the tracker, not here.
fn evidence(subject: &Subject<'_>) -> String {
    let (table, _) = receipts_table(std::slice::from_ref(subject.receipt), RECEIPTS_UNITS);
    format!(
        "\n<details>\n<summary>Evidence that it was filed with</summary>\n\n{table}\nReport `{}`, commit {}, map {}, fingerprint \
         `{}`.\n\n</details>\n",
        subject.c.report.digest,
        code(subject.c.provenance.evaluated_sha.as_deref().unwrap_or("unknown"), 80),
        code(&subject.c.map.map_version, 80),
        subject.active.fingerprint,
    )
}

/// The items that fit into `max` UTF-16 units, and how many did not.
pub(super) fn within(items: impl IntoIterator<Item = String>, max: usize) -> (String, usize) {
    let (mut text, mut used, mut left_out) = (String::new(), 0, 0);
    for item in items {
        used += words::units(&item);
        if used > max {
            left_out += 1;
        } else {
            text.push_str(&item);
        }
    }
    (text, left_out)
}
