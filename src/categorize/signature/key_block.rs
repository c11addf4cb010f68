//! Blocks of private keys, `-----BEGIN … PRIVATE KEY-----` to the end line, also cut-off ones.
//!
//! They go before words are looked at: such a block may stand right behind a path or a duration (`…\n-----BEGIN` in
//! escaped text), and would otherwise read as a part of it. Each distinct block becomes a secret placeholder with a
//! provisional number, which the scanner then replaces as it does with every placeholder it finds.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use memchr::memmem;

use super::placeholder::Kind;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";
/// Longest name of a block, `ENCRYPTED PRIVATE KEY` and its like, with its dashes.
const MAX_NAME: usize = 48;
/// Provisional numbers start here, where no real text has placeholders. All have nine digits.
const FIRST_NUMBER: usize = 900_000_001;

/// Replaces every block in `text` by a placeholder with a provisional number.
pub(super) fn redact(text: Cow<'_, str>) -> Cow<'_, str> {
    replace(text, |number, out| out.push_str(&format!("<{}{number}>", Kind::Secret.name())))
}

/// Replaces every block in `text` by what `write` writes for its number.
pub(super) fn replace(text: Cow<'_, str>, write: impl Fn(usize, &mut String)) -> Cow<'_, str> {
    /// Made once, as most texts have no block.
    static FINDER: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(BEGIN));
    let begin = &*FINDER;
    let bytes = text.as_bytes();
    if begin.find(bytes).is_none() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut numbers = HashMap::new();
    let mut ends = Ends { next: Some(0) };
    let mut copied = 0;
    let mut at = 0;
    while let Some(place) = begin.find(&bytes[at..]) {
        let start = at + place;
        at = start + BEGIN.len();
        let name = &bytes[at..bytes.len().min(at + MAX_NAME)];
        let Some(length) = memmem::find(name, DASHES) else { continue };
        if memmem::find(&name[..length], b"PRIVATE KEY").is_none() {
            continue;
        }
        let body = at + length + DASHES.len();
        at = ends.after(bytes, body).unwrap_or_else(|| body + base64_length(&bytes[body..]));
        // All markers and base64 are ASCII, so both ends are character boundaries.
        let next = FIRST_NUMBER + numbers.len();
        let number: &mut usize = numbers.entry(&text[start..at]).or_insert(next);
        out.push_str(&text[copied..start]);
        write(*number, &mut out);
        copied = at;
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The next end line. It is looked for only when the last one found lies behind, so all searches together are linear.
struct Ends {
    next: Option<usize>,
}

impl Ends {
    /// End of the first end line behind `body`.
    fn after(&mut self, bytes: &[u8], body: usize) -> Option<usize> {
        if self.next? < body {
            self.next = memmem::find(&bytes[body..], END).map(|place| body + place);
        }
        let name = self.next? + END.len();
        let tail = &bytes[name..bytes.len().min(name + MAX_NAME)];
        Some(memmem::find(tail, DASHES).map_or(name, |end| name + end + DASHES.len()))
    }
}

/// What is left of a block that was cut off.
fn base64_length(rest: &[u8]) -> usize {
    let is_body = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'\n' | b'\\');
    rest.iter().take_while(|b| is_body(b)).count()
}
