//! Collects what rules find, and turns byte offsets into lines and columns at the end, in one pass over the text.

use std::ops::Range;

use super::{Diagnostic, Place, Severity};
use crate::model::{display_safe, truncate_chars};

/// Longest quotation of a file's text in a message, in characters.
const QUOTED: usize = 80;

/// What a finding is found by.
pub(crate) trait Coded {
    /// Kebab-case code, stable across versions.
    fn code(&self) -> &'static str;
    /// Error or warning.
    fn severity(&self) -> Severity;
}

/// A place in the file: where a value or a key stands, and its JSON pointer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) pointer: Option<String>,
    pub(crate) span: Range<usize>,
}

impl Spot {
    pub(crate) fn new(pointer: &str, span: &Range<usize>) -> Self {
        Self { pointer: Some(pointer.to_owned()), span: span.clone() }
    }
}

/// Adds one reference token to a JSON pointer (RFC 6901: `~` is `~0`, `/` is `~1`).
pub(crate) fn child(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", token.replace('~', "~0").replace('/', "~1"))
}

/// Quotes text of the file inside a message: in backticks, on one line, without unsafe characters, not endless.
pub(crate) fn quote(text: &str) -> String {
    format!("`{}`", truncate_chars(&display_safe(text), QUOTED))
}

/// What was found so far.
#[derive(Debug)]
pub(crate) struct Findings {
    /// Byte offset of the start of each line.
    line_starts: Vec<usize>,
    items: Vec<Item>,
}

#[derive(Debug)]
struct Item {
    code: &'static str,
    severity: Severity,
    spot: Spot,
    message: String,
    hint: Option<String>,
}

impl Findings {
    /// Nothing yet, about a file with this text.
    pub(crate) fn about(text: &str) -> Self {
        let after_breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { line_starts: std::iter::once(0).chain(after_breaks).collect(), items: Vec::new() }
    }

    /// Line of a byte offset, counted from 1.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset).max(1)
    }

    /// Adds a finding of `rule`.
    pub(crate) fn add(
        &mut self,
        rule: &impl Coded,
        spot: &Spot,
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) {
        self.items.push(Item {
            code: rule.code(),
            severity: rule.severity(),
            spot: spot.clone(),
            message: message.into(),
            hint: hint.into(),
        });
    }

    /// Takes over what was found elsewhere about the same text.
    pub(crate) fn append(&mut self, other: Self) {
        self.items.extend(other.items);
    }

    /// All findings in the order of the file, with their places. Costs one walk over the text.
    pub(crate) fn into_diagnostics(self, file: &str, text: &str) -> Vec<Diagnostic> {
        let Self { line_starts, mut items } = self;
        items.sort_by(|a, b| {
            (a.spot.span.start, a.code, &a.message, &a.spot.pointer).cmp(&(
                b.spot.span.start,
                b.code,
                &b.message,
                &b.spot.pointer,
            ))
        });
        let mut counted = Counted::default();
        let mut findings: Vec<Diagnostic> = Vec::with_capacity(items.len());
        for item in items {
            let line = line_starts.partition_point(|start| *start <= item.spot.span.start).max(1);
            let column = counted.column(text, line_starts[line - 1], item.spot.span.start);
            let place = Place {
                file: file.to_owned(),
                pointer: item.spot.pointer,
                line: Some(line),
                column: Some(column),
                span: Some(item.spot.span),
            };
            let finding =
                Diagnostic { code: item.code, severity: item.severity, place, message: item.message, hint: item.hint };
            if findings.last() != Some(&finding) {
                findings.push(finding);
            }
        }
        findings
    }
}

/// Counts characters of a line, going on from the last place: a long line with many findings is walked once.
#[derive(Default)]
struct Counted {
    line_start: usize,
    offset: usize,
    characters: usize,
}

impl Counted {
    fn column(&mut self, text: &str, line_start: usize, offset: usize) -> usize {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        if self.line_start != line_start || self.offset > offset || self.offset < line_start {
            *self = Self { line_start, offset: line_start, characters: 0 };
        }
        self.characters += text.get(self.offset..offset).map_or(0, |part| part.chars().count());
        self.offset = offset;
        self.characters + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::line_column;

    struct Anything;

    impl Coded for Anything {
        fn code(&self) -> &'static str {
            "anything"
        }

        fn severity(&self) -> Severity {
            Severity::Error
        }
    }

    #[test]
    fn places_agree_with_the_plain_definition() {
        let text = "aé\nxy\n\n日本語z";
        let mut found = Findings::about(text);
        let offsets: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        for at in offsets.iter().rev() {
            found.add(&Anything, &Spot::new("", &(*at..*at)), at.to_string(), None);
        }
        let places = found.into_diagnostics("f", text);
        assert_eq!(places.len(), offsets.len());
        for (finding, at) in places.iter().zip(offsets) {
            let place = (finding.place.line.unwrap(), finding.place.column.unwrap());
            assert_eq!(place, line_column(text, at), "offset {at}");
        }
    }

    #[test]
    fn pointers_escape_their_tokens() {
        assert_eq!(child("/categories", "a/b~c"), "/categories/a~1b~0c");
    }

    #[test]
    fn quotations_are_one_safe_line() {
        assert_eq!(quote("a\nb\u{202e}"), "`a\\nb\\u{202e}`");
        assert_eq!(quote(&"x".repeat(100)).chars().count(), QUOTED + 2);
    }
}
