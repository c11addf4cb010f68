//! Numbers that only their keyword makes volatile: process and thread ids, ports, Unix times.
//!
//! `pid 12`, `PID: 12`, `pid=12`, `"pid": 12`, `(pid 12)`, `server_port=80`, `goroutine 7`, `localhost:8080`,
//! `(node:12)`, `timestamp=1733056496`. The keyword may be the last part of a name with underscores. A number without
//! such a keyword stays: it is a count, an exit code, an HTTP status.

use super::placeholder::Kind;
use super::scanner::{Scanner, Word};

/// Keywords and what the number behind them is. `Time` needs the length of a Unix time.
const KEYWORDS: [(&str, Kind); 11] = [
    ("pid", Kind::Pid),
    ("ppid", Kind::Pid),
    ("pgid", Kind::Pid),
    ("tid", Kind::Tid),
    ("goroutine", Kind::Tid),
    ("threadid", Kind::Tid),
    ("port", Kind::Port),
    ("localhost", Kind::Port),
    ("ts", Kind::Time),
    ("timestamp", Kind::Time),
    ("epoch", Kind::Time),
];
/// At most this many bytes stand between a keyword and its number: `": ` and a quote or bracket.
const MAX_SEPARATORS: usize = 4;
/// Longest process id, thread id or port. Linux thread ids and pids have at most 7 digits, others a few more.
const MAX_DIGITS: usize = 12;

impl Scanner<'_> {
    /// A keyword and its number: replaces the number.
    pub(super) fn keyword(&mut self, word: Word) -> Option<usize> {
        let start = self.number_behind(word.end)?;
        let kind = self.kind_of(word)?;
        let digits = self.bytes[start..].iter().take(20).take_while(|b| b.is_ascii_digit()).count();
        let end = start + digits;
        if !self.ends_at(end) {
            return None;
        }
        if kind == Kind::Time {
            return self.unix_time(start, digits);
        }
        let is_id = digits <= MAX_DIGITS && !self.number_goes_on(end, b'.');
        is_id.then(|| self.replace(start, end, kind))
    }

    /// Where the number behind a keyword that ends at `end` starts.
    fn number_behind(&self, end: usize) -> Option<usize> {
        let is_separator = |b: &u8| matches!(b, b' ' | b'=' | b':' | b'#' | b'(' | b'[' | b'"' | b'\'');
        let rest = &self.bytes[end..];
        let separators = rest.iter().take(MAX_SEPARATORS + 1).take_while(|b| is_separator(b)).count();
        let found = (1..=MAX_SEPARATORS).contains(&separators) && rest.get(separators)?.is_ascii_digit();
        found.then_some(end + separators)
    }

    fn kind_of(&self, word: Word) -> Option<Kind> {
        let name = self.slice(word);
        if name == b"node" && self.left(word.start, 1) == b'(' && self.byte(word.end) == b':' {
            return Some(Kind::Pid);
        }
        let last = name.iter().rposition(|b| *b == b'_').map_or(name, |place| &name[place + 1..]);
        KEYWORDS.iter().find(|(keyword, _)| last.eq_ignore_ascii_case(keyword.as_bytes())).map(|(_, kind)| *kind)
    }

    /// Seconds, milliseconds, microseconds or nanoseconds since 1970, of this century; a fraction of seconds too.
    fn unix_time(&mut self, start: usize, digits: usize) -> Option<usize> {
        if !matches!(digits, 10 | 13 | 16 | 19) || !matches!(self.byte(start), b'1'..=b'4') {
            return None;
        }
        let mut end = start + digits;
        if self.byte(end) == b'.' {
            let fraction = self.bytes[end + 1..].iter().take(10).take_while(|b| b.is_ascii_digit()).count();
            if (1..=9).contains(&fraction) && self.ends_at(end + 1 + fraction) {
                end += 1 + fraction;
            }
        }
        Some(self.replace(start, end, Kind::Time))
    }

    /// Rust's panic message since 1.91, `thread 'name' (12345) panicked`: marks the number as a thread id. The name
    /// has no spaces.
    pub(super) fn mark_thread(&mut self, word: Word) {
        let rest = &self.bytes[word.end..];
        if self.slice(word) != b"thread" || !rest.starts_with(b" '") {
            return;
        }
        let name = rest[2..].iter().take(256).position(|b| *b == b'\'' || b.is_ascii_whitespace());
        if let Some(length) = name
            && rest[2 + length..].starts_with(b"' (")
        {
            self.id_at = Some((word.end + 2 + length + 3, Kind::Tid));
        }
    }
}
