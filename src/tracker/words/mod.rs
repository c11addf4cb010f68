//! Words for people on a tracker that draws Markdown: safe pieces, the comment of receipts, and the notes.
//!
//! # The law
//! Text from reports, maps and trackers is data. Whatever it holds, the drawn document has the same structure as with
//! harmless data, and outside of code there is no link, image, HTML, mention, reference to an issue or a commit, closing
//! keyword, emoji code, footnote or formula that comes from it. Escapes do not give that: a tracker looks for mentions
//! and references in the text *after* Markdown has taken the escapes away. Only code is left alone. So a word that is
//! not plainly a word stands in a code span ([`plain`]), and blocks stand in fences ([`fence`]).
//!
//! Every text is redacted first, shown through [`crate::model::display_safe`], and cut.

mod line;
mod notes;
mod receipts;
mod title;

pub use line::{code, data, fence, plain, units};
pub use notes::{absorbed_note, candidate_note, closing_note, dependencies, reopened_note, superseded_note};
pub use receipts::{CommentTooLong, MACHINE_UNITS, receipts_block, receipts_comment, receipts_table};
pub use title::{LABEL_CHARS, LABEL_DESCRIPTION_CHARS, TITLE_CHARS, label_description, label_name, title};

/// Length of a body or a comment, in UTF-16 units: at least as many as characters. Source: GitHub refuses more than
/// 65,536 characters.
pub const BODY_UNITS: usize = 65_536;
/// Labels of one ticket. Source: GitHub.
pub const LABELS_PER_TICKET: usize = 100;

#[cfg(test)]
pub(crate) mod gfm;
