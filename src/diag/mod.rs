//! Findings: what a check says about a place in a file. Rendering them is the work of `ui`.

pub(crate) mod findings;
pub(crate) mod json;

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The check does not hold.
    Error,
    /// Allowed, but worth a look.
    Warning,
}

/// Where in a file a finding points. Every part may be missing: a file that is not JSON has no pointer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user named it.
    pub file: String,
    /// JSON pointer (RFC 6901) of the value.
    pub pointer: Option<String>,
    /// Line, counted from 1.
    pub line: Option<usize>,
    /// Column in characters, counted from 1.
    pub column: Option<usize>,
    /// Byte range in the file, for source excerpts.
    pub span: Option<Range<usize>>,
}

impl Place {
    /// A place that names only the file.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// `file:line:column`, as far as known: what editors and terminals make clickable.
    pub fn compact(&self) -> String {
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{}:{line}:{column}", self.file),
            (Some(line), None) => format!("{}:{line}", self.file),
            _ => self.file.clone(),
        }
    }
}

/// One finding of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Kebab-case code of the rule, stable across versions.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// What is wrong, in one sentence without a full stop. May quote the file; shown only through `display_safe`.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Collects findings; order of arrival is kept until [`Sink::into_sorted`].
#[derive(Debug, Default)]
pub struct Sink {
    findings: Vec<Diagnostic>,
}

impl Sink {
    /// An empty sink.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an error.
    pub fn error(&mut self, code: &'static str, place: Place, message: impl Into<String>, hint: Option<String>) {
        self.push(Diagnostic { code, severity: Severity::Error, place, message: message.into(), hint });
    }

    /// Adds a warning.
    pub fn warning(&mut self, code: &'static str, place: Place, message: impl Into<String>, hint: Option<String>) {
        self.push(Diagnostic { code, severity: Severity::Warning, place, message: message.into(), hint });
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.findings.push(diagnostic);
    }

    /// True if at least one error was added.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|f| f.severity == Severity::Error)
    }

    /// All findings, sorted by file, place, code and message: the same input gives the same list.
    pub fn into_sorted(self) -> Vec<Diagnostic> {
        let mut findings = self.findings;
        findings.sort_by(|a, b| {
            let key = |d: &Diagnostic| (d.place.file.clone(), d.place.line, d.place.column, d.code, d.message.clone());
            key(a).cmp(&key(b))
        });
        findings.dedup();
        findings
    }
}

/// Line and column (both from 1, column in characters) of byte `offset` in `text`.
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.bytes().filter(|b| *b == b'\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        assert_eq!(line_column("aé\nxy", 0), (1, 1));
        assert_eq!(line_column("aé\nxy", 3), (1, 3));
        assert_eq!(line_column("aé\nxy", 2), (1, 2), "inside a character: its start");
        assert_eq!(line_column("aé\nxy", 99), (2, 3));
    }

    #[test]
    fn findings_are_sorted_and_unique() {
        let mut sink = Sink::new();
        for line in [3, 1, 3] {
            sink.error("x", Place { line: Some(line), ..Place::file("f") }, "m", None);
        }
        let lines: Vec<_> = sink.into_sorted().iter().map(|d| d.place.line).collect();
        assert_eq!(lines, [Some(1), Some(3)]);
    }
}
