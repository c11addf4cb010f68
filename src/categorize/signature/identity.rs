//! Identities without an address: trace contexts, UUIDs, hashes, short git ids; and memory or object addresses.
//!
//! - `00-<32 hex>-<16 hex>-<2 hex>` is a W3C traceparent;
//! - 8-4-4-4-12 hexadecimal digits are a UUID, in any case;
//! - a word of 32, 40, 56, 64, 96 or 128 hexadecimal digits, one of them decimal, is a hash (MD5, SHA-1, SHA-2);
//! - a word of 7 to 12 lower-case hexadecimal digits with a letter and a decimal digit is a short git id, so
//!   `deadbeef` and `1234567` stay, and so does a number in scientific notation;
//! - `0x` and at least three hexadecimal digits is an address; one or two are a byte and stay, but not as the offset of
//!   a stack frame (`+0x1d`); behind `code` or `status` it is a result and stays;
//! - `Name@` and 5 to 16 hexadecimal digits is the default text of a JVM object.

use super::placeholder::Kind;
use super::scanner::{Scanner, Word};

/// Recognizes an identity that starts with `word`. Returns its end and kind.
pub(super) fn parse(scanner: &Scanner<'_>, word: Word, next: u8) -> Option<(usize, Kind)> {
    if !word.is_hex() {
        return None;
    }
    if next == b'-' {
        // As every identity but a UUID, it has a digit: versions of the format that have none are far away.
        if word.len() == 2
            && word.has_digit()
            && let Some(end) = groups(scanner, word.start, &[2, 32, 16, 2])
        {
            return Some((end, Kind::Trace));
        }
        if word.len() == 8
            && let Some(end) = groups(scanner, word.start, &[8, 4, 4, 4, 12])
        {
            return Some((end, Kind::Uuid));
        }
    }
    if !word.has_digit() {
        return None;
    }
    match word.len() {
        5..=16 if is_object_hash(scanner, word) => Some((word.end, Kind::Addr)),
        7..=12 if is_git_id(scanner.slice(word)) => Some((word.end, Kind::Git)),
        32 | 40 | 56 | 64 | 96 | 128 => Some((word.end, Kind::Hash)),
        _ => None,
    }
}

/// Recognizes an address, `0x…`, that is `word`.
pub(super) fn address(scanner: &Scanner<'_>, word: Word) -> Option<(usize, Kind)> {
    let bytes = scanner.slice(word);
    let [b'0', b'x' | b'X', digits @ ..] = bytes else { return None };
    let offset = scanner.left(word.start, 1) == b'+';
    let long_enough = digits.len() >= if offset { 1 } else { 3 };
    let is_result = ["code ", "code: ", "code=", "status ", "status: ", "status="]
        .into_iter()
        .any(|before| scanner.left_is(word.start, before));
    (long_enough && !is_result && digits.iter().all(u8::is_ascii_hexdigit)).then_some((word.end, Kind::Addr))
}

/// Groups of hexadecimal digits of these lengths, joined by `-`. Returns the end.
fn groups(scanner: &Scanner<'_>, start: usize, lengths: &[usize]) -> Option<usize> {
    let mut end = start;
    for (index, length) in lengths.iter().enumerate() {
        if index > 0 {
            if scanner.byte(end) != b'-' {
                return None;
            }
            end += 1;
        }
        let group = scanner.bytes.get(end..end + length)?;
        if !group.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        end += length;
    }
    scanner.ends_at(end).then_some(end)
}

fn is_git_id(word: &[u8]) -> bool {
    let letters = word.iter().filter(|b| matches!(b, b'a'..=b'f')).count();
    let upper = word.iter().any(u8::is_ascii_uppercase);
    // `1234567e8`: one `e` between digits.
    let scientific =
        letters == 1 && word.iter().position(|b| *b == b'e').is_some_and(|place| place > 0 && place + 1 < word.len());
    letters > 0 && !upper && !scientific
}

fn is_object_hash(scanner: &Scanner<'_>, word: Word) -> bool {
    let before = scanner.left(word.start, 2);
    scanner.left(word.start, 1) == b'@' && (before.is_ascii_alphanumeric() || matches!(before, b';' | b']' | b'_'))
}
