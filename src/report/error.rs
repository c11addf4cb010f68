//! Why a report cannot be used, with the place in the file.

use std::path::Path;

use crate::diag::Place;

/// A report that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReportError {
    /// Where.
    pub place: Place,
    /// What is wrong. May quote the report; show it only through `display_safe`.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl ReportError {
    /// An error about the file as a whole.
    pub fn file(file: &str, message: impl Into<String>) -> Self {
        Self { place: Place::file(file), message: message.into(), hint: None }
    }

    /// Reading the file failed.
    pub(super) fn io(file: &Path, error: &std::io::Error) -> Self {
        let message = match error.kind() {
            std::io::ErrorKind::NotFound => "the file does not exist".to_owned(),
            _ => format!("the file cannot be read: {error}"),
        };
        Self::file(&file.to_string_lossy(), message)
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// An error of serde_json in `part`, which starts at byte `offset` of `bytes`.
    pub(super) fn json(file: &str, bytes: &[u8], offset: usize, error: &serde_json::Error) -> Self {
        let text = error.to_string();
        // serde_json appends " at line L column C", relative to the part: the place says it better.
        let ours = text.rsplit_once(" at line ").filter(|_| error.line() > 0);
        let message = ours.map_or(text.as_str(), |(message, _)| message).to_owned();
        let (hint, message) = match error.classify() {
            serde_json::error::Category::Eof => {
                (Some("the file ends too early; was it cut off while it was written?"), message)
            }
            serde_json::error::Category::Syntax => (None, format!("not valid JSON: {message}")),
            _ => (None, message),
        };
        let place = place_of(file, bytes, offset + byte_offset(&bytes[offset..], error.line(), error.column()));
        Self { place, message, hint: hint.map(str::to_owned) }
    }
}

/// Byte offset of a line and a byte column (both from 1) in `bytes`.
fn byte_offset(bytes: &[u8], line: usize, column: usize) -> usize {
    let start = if line <= 1 {
        0
    } else {
        memchr::memchr_iter(b'\n', bytes).nth(line - 2).map_or(bytes.len(), |newline| newline + 1)
    };
    (start + column.saturating_sub(1)).min(bytes.len())
}

/// The place of byte `offset`: line from 1, column in characters from 1 (invalid UTF-8 counts byte by byte).
pub(super) fn place_of(file: &str, bytes: &[u8], offset: usize) -> Place {
    let before = &bytes[..offset.min(bytes.len())];
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    Place {
        line: Some(memchr::memchr_iter(b'\n', before).count() + 1),
        column: Some(String::from_utf8_lossy(&before[start..]).chars().count() + 1),
        span: Some(offset..offset),
        ..Place::file(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_absolute() {
        let bytes = b"{\n  \"a\": [1,\n x]\n}";
        let part = &bytes[9..];
        let error = serde_json::from_slice::<serde_json::Value>(part).unwrap_err();
        let report = ReportError::json("r.json", bytes, 9, &error);
        assert_eq!((report.place.line, report.place.column), (Some(3), Some(2)));
        assert_eq!(report.message, "not valid JSON: expected value");
    }
}
