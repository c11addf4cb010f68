//! Errors and warnings of importers.

use std::collections::BTreeMap;

use crate::diag::{Diagnostic, Place, Severity, line_column};
use crate::model::truncate_chars;

/// Longest message, in characters. Messages quote the file, and a file may hold a name of a gigabyte.
const MAX_MESSAGE: usize = 400;

/// An input that cannot be imported: what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ImportError {
    /// The file, and line and column if a place in it is to blame.
    pub place: Place,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// What the system said, if it refused to read the file.
    #[source]
    pub source: Option<std::io::Error>,
}

impl ImportError {
    pub(super) fn at(place: Place, message: impl Into<String>) -> Self {
        let message = truncate_chars(&message.into(), MAX_MESSAGE).into_owned();
        Self { place, message, hint: None, source: None }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// One decoded file: its text and the name that people know it by. Makes places out of byte offsets.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) file: &'t str,
    pub(super) text: &'t str,
}

impl Source<'_> {
    /// The place of byte `offset` of the decoded text. No span: offsets in the text are not offsets in the file
    /// when the file has a byte order mark or another encoding.
    pub(super) fn place(&self, offset: usize) -> Place {
        let (line, column) = line_column(self.text, offset);
        Place { line: Some(line), column: Some(column), ..Place::file(self.file) }
    }

    pub(super) fn error(&self, offset: usize, message: impl Into<String>) -> ImportError {
        ImportError::at(self.place(offset), message)
    }
}

/// Warnings, one per rule and file: a file with a million odd times gives one line, not a million.
#[derive(Debug, Default)]
pub(super) struct Warnings(BTreeMap<(String, &'static str), (Place, String, usize)>);

impl Warnings {
    /// Notes a warning; `place` is asked for only when it is the first of its rule in the file.
    pub(super) fn add(
        &mut self,
        code: &'static str,
        file: &str,
        place: impl FnOnce() -> Place,
        message: impl FnOnce() -> String,
    ) {
        self.0
            .entry((file.to_owned(), code))
            .and_modify(|first| first.2 += 1)
            .or_insert_with(|| (place(), truncate_chars(&message(), MAX_MESSAGE).into_owned(), 1));
    }

    /// All warnings, by file and rule.
    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let finding = |((_, code), (place, mut message, times)): ((String, &'static str), (Place, String, usize))| {
            if times > 1 {
                message.push_str(&format!(" (and {} more like it)", times - 1));
            }
            Diagnostic { code, severity: Severity::Warning, place, message, hint: None }
        };
        self.0.into_iter().map(finding).collect()
    }
}
