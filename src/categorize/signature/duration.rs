//! Durations: `250ms`, `5µs`, `3m20s`, `1h2m3.5s`, `1.5 s`, `2 minutes`, `1,234 ms`.
//!
//! A number with its unit directly behind it, any number of times; or one number, one space and one unit. The single
//! letters `m`, `h` and `d` are units only directly behind a number (`5 m` may be metres). What is a word of its own
//! (`python3s`) or part of a dotted number (`1.2.3s`) is no duration.

use super::placeholder::Kind;
use super::scanner::{Scanner, Word};

/// Units that may stand directly behind a number. Longer ones first, as the first that matches is taken.
const UNITS: [&str; 25] = [
    "milliseconds",
    "millisecond",
    "seconds",
    "minutes",
    "second",
    "minute",
    "millis",
    "hours",
    "hour",
    "secs",
    "mins",
    "days",
    "day",
    "sec",
    "min",
    "hrs",
    "µs",
    "μs",
    "hr",
    "ms",
    "us",
    "ns",
    "h",
    "m",
    "s",
];
/// Units that may not stand behind a space.
const ONLY_ATTACHED: [&str; 2] = ["h", "m"];
/// Most groups of three digits: 64-bit numbers have fewer. A bound keeps long lists of numbers linear.
const MAX_GROUPS: usize = 6;
/// Most pieces of one duration: days, hours, minutes, seconds, ms, µs and ns are seven.
const MAX_PIECES: usize = 8;

/// Recognizes a duration that starts with `word`. Returns its end.
pub(super) fn parse(scanner: &Scanner<'_>, word: Word) -> Option<usize> {
    let bytes = scanner.bytes;
    let in_dotted_number = scanner.left(word.start, 1) == b'.' && scanner.left(word.start, 2).is_ascii_digit();
    if in_dotted_number || !scanner.byte(word.start).is_ascii_digit() {
        return None;
    }
    let mut end = number(bytes, word.start);
    if scanner.byte(end) == b' ' {
        let unit = unit(bytes, end + 1).filter(|unit| !ONLY_ATTACHED.contains(unit))?;
        end += 1 + unit.len();
        // `4 ms-dos` is no duration. A placeholder may stand for such a word.
        let after = scanner.byte(end + 1);
        let compound = scanner.byte(end) == b'-' && (after.is_ascii_alphabetic() || after == b'<');
        return (scanner.ends_at(end) && !compound).then_some(end);
    }
    for _ in 0..MAX_PIECES {
        end += unit(bytes, end)?.len();
        if !scanner.byte(end).is_ascii_digit() {
            return scanner.ends_at(end).then_some(end);
        }
        end = number(bytes, end);
    }
    None
}

/// Recognizes the duration in a whole text, where a number alone counts as seconds. Returns what follows it.
pub(super) fn at_start(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    if !bytes.first()?.is_ascii_digit() {
        return None;
    }
    let mut end = number(bytes, 0);
    loop {
        let spaces = usize::from(bytes.get(end) == Some(&b' '));
        let Some(unit) = unit(bytes, end + spaces) else { break };
        let unit_end = end + spaces + unit.len();
        // `30 sheep`: the word behind the space is no unit, so the number stands alone.
        if spaces == 1 && text[unit_end..].chars().next().is_some_and(char::is_alphabetic) {
            break;
        }
        end = unit_end;
        if !bytes.get(end).is_some_and(u8::is_ascii_digit) {
            break;
        }
        end = number(bytes, end);
    }
    let rest = &text[end..];
    (!rest.chars().next().is_some_and(char::is_alphanumeric)).then_some(rest)
}

/// End of the number at `start`: digits, groups of three behind commas, a fraction.
fn number(bytes: &[u8], start: usize) -> usize {
    let mut end = digits(bytes, start);
    for _ in 0..MAX_GROUPS {
        if bytes.get(end) != Some(&b',') || digits(bytes, end + 1) != end + 4 {
            break;
        }
        end += 4;
    }
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(bytes, end + 1);
    }
    end
}

fn digits(bytes: &[u8], start: usize) -> usize {
    start + bytes.get(start..).map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count())
}

fn unit(bytes: &[u8], at: usize) -> Option<&'static str> {
    let rest = bytes.get(at..)?;
    // Every unit starts with one of these; the list is long.
    if !matches!(rest.first()?, b'd' | b'h' | b'm' | b'n' | b's' | b'u' | 0xc2 | 0xce) {
        return None;
    }
    UNITS.into_iter().find(|unit| rest.starts_with(unit.as_bytes()))
}

impl Scanner<'_> {
    /// Whether a number that ends at `end` is cut off in the middle of a dotted number or a clock.
    pub(super) fn number_goes_on(&self, end: usize, separator: u8) -> bool {
        self.byte(end) == separator && (self.byte(end + 1).is_ascii_digit() || self.byte(end + 1) == b'<')
    }
}

/// The canonical text of a duration, where a rule writes it itself.
pub(super) const PLACEHOLDER: &str = {
    assert!(!Kind::Duration.is_numbered());
    "<duration>"
};
