//! Output as text: every byte visible, a cut marked, and nothing secret in what is stored.

use std::fmt;

use super::redact::Redactor;
use crate::process::Captured;

/// What a cut looks like, with the number of bytes between its two parts.
pub const CUT_MARK: [&str; 2] = ["\n[... ", " bytes left out ...]\n"];

/// One stream of a trial.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// For checks of expectations, and never stored: as the trial wrote it.
    pub checked: String,
    /// For the report: redacted.
    pub stored: String,
    /// Bytes in the middle that were not kept; a check for their text cannot hold.
    pub omitted: u64,
}

impl fmt::Debug for Output {
    /// Without what may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").field("stored", &self.stored).field("omitted", &self.omitted).finish_non_exhaustive()
    }
}

impl Output {
    /// The text of a captured stream.
    pub fn new(captured: &Captured, redactor: &Redactor) -> Self {
        let head = visible(&captured.head);
        if captured.omitted == 0 {
            return Self { stored: redactor.redact(&head).into_owned(), checked: head, omitted: 0 };
        }
        let tail = visible(&captured.tail);
        let mark = |bytes: u64| format!("{}{bytes}{}", CUT_MARK[0], CUT_MARK[1]);
        let (stored_head, stored_tail, gone) = redactor.redact_parts(&head, &tail);
        Self {
            checked: format!("{head}{}{tail}", mark(captured.omitted)),
            stored: format!("{stored_head}{}{stored_tail}", mark(captured.omitted + gone)),
            omitted: captured.omitted,
        }
    }

    /// What is stored if it may have at most `room` bytes: start and end, with a further mark between them.
    pub fn within(self, room: usize) -> String {
        if self.stored.len() <= room {
            return self.stored;
        }
        let half = room / 2;
        let is_boundary = |at: &usize| self.stored.is_char_boundary(*at);
        // Both ends of the text are boundaries.
        let start = &self.stored[..(0..=half).rev().find(is_boundary).unwrap_or(0)];
        let end = &self.stored
            [(self.stored.len() - half..=self.stored.len()).find(is_boundary).unwrap_or(self.stored.len())..];
        let left_out = self.stored.len() - start.len() - end.len();
        format!("{start}{}{left_out}{}{end}", CUT_MARK[0], CUT_MARK[1])
    }
}

/// Bytes as text: what is no UTF-8 becomes `\xNN`, byte by byte.
pub fn visible(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_stays_visible() {
        assert_eq!(visible(b"a\xffb\xc3\x28 \xe2\x82"), "a\\xffb\\xc3( \\xe2\\x82");
        assert_eq!(visible("größe\0\n".as_bytes()), "größe\0\n");
    }

    #[test]
    fn a_cut_is_marked_and_secrets_are_only_in_what_is_checked() {
        let captured = Captured { head: b"TOKEN=abc123 x\n".to_vec(), tail: b"\ny\n".to_vec(), omitted: 12 };
        let output = Output::new(&captured, &Redactor::default());
        assert_eq!(output.checked, "TOKEN=abc123 x\n\n[... 12 bytes left out ...]\n\ny\n");
        assert!(output.stored.starts_with("TOKEN=<redacted> x\n") && output.stored.contains("12 bytes left out"));
        assert!(!format!("{output:?}").contains("abc123"));
    }

    #[test]
    fn what_is_kept_fits_and_stays_text() {
        let output = |text: &str| Output { stored: text.to_owned(), ..Output::default() };
        assert_eq!(output("größe").within(7), "größe");
        assert_eq!(output("äöüßäöüß").within(6), "ä\n[... 12 bytes left out ...]\nß");
        assert_eq!(output("abcdef").within(0), "\n[... 6 bytes left out ...]\n");
    }
}
