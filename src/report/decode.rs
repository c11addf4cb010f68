//! From slices of a report to values. Errors know their place in the whole file.

use serde::Deserialize;

use super::error::{ReportError, place_of};
use super::walk::{Fault, Walk};
use super::wire::{Str, StrList};
use crate::model::Outcome;

/// The file that all slices are of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decoder<'s> {
    pub(super) file: &'s str,
    pub(super) bytes: &'s [u8],
}

impl<'s> Decoder<'s> {
    /// Any value.
    pub(super) fn value<T: Deserialize<'s>>(&self, slice: &'s [u8]) -> Result<T, ReportError> {
        serde_json::from_slice(slice)
            .map_err(|error| ReportError::json(self.file, self.bytes, self.offset(slice), &error))
            .map_err(|error| match error.hint {
                Some(_) => error,
                None => error.hint("the report's format has another type or value here"),
            })
    }

    /// A string; borrowed unless it has escapes.
    pub(super) fn text(&self, slice: &'s [u8]) -> Result<Str<'s>, ReportError> {
        match plain(slice) {
            Some(text) => Ok(Str::from(text)),
            None => self.value(slice),
        }
    }

    /// A list of strings, or null.
    pub(super) fn texts(&self, slice: &'s [u8]) -> Result<StrList<'s>, ReportError> {
        let mut texts = Vec::new();
        let mut walk = Walk::new(slice, 0);
        let mut more = slice.first() == Some(&b'[') && walk.enter(b']');
        while more {
            let Ok(Some(text)) = walk.value().map(plain) else { return self.value(slice) };
            texts.push(Str::from(text));
            more = walk.more(b']').unwrap_or(false);
        }
        if slice.first() == Some(&b'[') { Ok(StrList(texts)) } else { self.value(slice) }
    }

    /// A number of something, or null.
    pub(super) fn count(&self, slice: &'s [u8]) -> Result<Option<u64>, ReportError> {
        let small = slice.len() <= 18 && slice.iter().all(u8::is_ascii_digit);
        if small {
            return Ok(Some(slice.iter().fold(0, |n, digit| n * 10 + u64::from(digit - b'0'))));
        }
        self.value(slice)
    }

    /// True, false, or null.
    pub(super) fn flag(&self, slice: &'s [u8]) -> Result<Option<bool>, ReportError> {
        match slice {
            b"true" => Ok(Some(true)),
            b"false" => Ok(Some(false)),
            _ => self.value(slice),
        }
    }

    /// An outcome, or null.
    pub(super) fn outcome(&self, slice: &'s [u8]) -> Result<Option<Outcome>, ReportError> {
        match slice {
            b"\"PASS\"" => Ok(Some(Outcome::Pass)),
            b"\"FAIL\"" => Ok(Some(Outcome::Fail)),
            _ => self.value(slice),
        }
    }

    /// A key as it is meant: escapes are rare, and then it is decoded.
    pub(super) fn key(&self, raw: &'s [u8]) -> Result<Str<'s>, ReportError> {
        let start = self.offset(raw);
        self.text(&self.bytes[start - 1..=start + raw.len()])
    }

    /// Byte offset of a slice of the file.
    pub(super) fn offset(&self, slice: &[u8]) -> usize {
        (slice.as_ptr() as usize).saturating_sub(self.bytes.as_ptr() as usize).min(self.bytes.len())
    }

    /// An error at a byte.
    pub(super) fn error(&self, offset: usize, message: impl Into<String>) -> ReportError {
        ReportError { place: place_of(self.file, self.bytes, offset), message: message.into(), hint: None }
    }

    /// A known field that stands twice.
    pub(super) fn duplicate(&self, offset: usize, field: &str) -> ReportError {
        self.error(offset, format!("duplicate field `{field}`"))
            .hint("which of the two values is meant cannot be known; leave one")
    }

    /// An error of syntax.
    pub(super) fn fault(&self, fault: Fault) -> ReportError {
        match fault.message {
            Some(message) => self
                .error(fault.at, format!("not valid JSON: {message}"))
                .hint("a report is one JSON object; JUnit XML goes through `greenloop import junit`"),
            None => self
                .error(fault.at, "the file ends in the middle of a value")
                .hint("was it cut off while it was written?"),
        }
    }
}

/// The text of a string without escapes.
fn plain(slice: &[u8]) -> Option<&str> {
    let inner = slice.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if memchr::memchr(b'\\', inner).is_some() {
        return None;
    }
    std::str::from_utf8(inner).ok()
}
