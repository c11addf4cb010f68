//! Timestamps: dates, clocks, and both together.
//!
//! - RFC 3339 and ISO 8601 and their looser relatives: `2026-12-01T12:34:56.123+01:00`, `2026-12-01 12:34:56,123`,
//!   `2026/12/01 12:34`, `2026-12-01`, `20261201T123456Z`;
//! - RFC 2822, HTTP dates, ctime, Java's: `Tue, 01 Dec 2026 12:34:56 +0000`, `Tue Dec  1 12:34:56 UTC 2026`,
//!   `Dec 01, 2026 1:02:03 PM`, `01/Dec/2026:12:34:56 +0000`;
//! - syslog, `Dec  1 12:34:56 host name[77]:`, whose process id goes too;
//! - klog, `I1201 12:34:56.123456    77 file.go:12]`, which keeps its severity and loses its thread id;
//! - a bare clock with seconds, `12:34:56.789`. Without seconds (`16:9`, `12:34`) it may be anything and stays.
//!
//! Longer forms are tried first, so an offset is never left behind. Every number is checked for its range.

use super::placeholder::Kind;
use super::scanner::{Scanner, Word, is_word};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 14] = [
    "Mon",
    "Tue",
    "Wed",
    "Thu",
    "Fri",
    "Sat",
    "Sun",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// A timestamp that starts with a digit. Replaces it.
pub(super) fn starting_with_digit(scanner: &mut Scanner<'_>, word: Word) -> Option<usize> {
    let start = word.start;
    let end = match word.len() {
        1 | 2 => day_first(scanner, start).or_else(|| bare_clock(scanner, start)),
        4 => date(scanner, start),
        8 => compact(scanner, word).or_else(|| compact_pair(scanner, word)),
        14..=16 => compact(scanner, word),
        _ => None,
    }?;
    Some(scanner.replace(start, end, Kind::Time))
}

/// A timestamp that starts with a weekday, a month or klog's severity. Replaces it.
pub(super) fn starting_with_name(scanner: &mut Scanner<'_>, word: Word) -> Option<usize> {
    if !word.has_upper() || !(3..=9).contains(&word.len()) {
        return None;
    }
    let start = word.start;
    let name = scanner.slice(word);
    // The first letters of the weekdays, the months and klog's severities.
    if !matches!(name[0], b'A' | b'D' | b'E' | b'F' | b'I' | b'J' | b'M' | b'N' | b'O' | b'S' | b'T' | b'W') {
        return None;
    }
    if word.len() == 5 && word.has_digit() {
        return klog(scanner, word);
    }
    if WEEKDAYS.iter().any(|day| day.as_bytes() == name) {
        let comma = usize::from(scanner.byte(word.end) == b',');
        let rest = spaces(scanner, word.end + comma, 2)?;
        let end = day_first(scanner, rest).or_else(|| month_first(scanner, rest).map(|found| found.end))?;
        return Some(scanner.replace(start, end, Kind::Time));
    }
    let found = month_first(scanner, start)?;
    if !found.has_year {
        mark_syslog_pid(scanner, found.end);
    }
    Some(scanner.replace(start, found.end, Kind::Time))
}

/// `2026-12-01`, with `-` or `/`, and an optional time behind `T`, `_` or a space.
fn date(scanner: &Scanner<'_>, start: usize) -> Option<usize> {
    let separator = scanner.byte(start + 4);
    if !matches!(separator, b'-' | b'/') || scanner.byte(start + 7) != separator {
        return None;
    }
    in_range(scanner, start + 5, 1, 12)?;
    in_range(scanner, start + 8, 1, 31)?;
    let end = start + 10;
    let time = match scanner.byte(end) {
        b'T' | b't' | b'_' | b' ' => clock(scanner, end + 1, false),
        _ => None,
    };
    time.or_else(|| scanner.ends_at(end).then_some(end))
}

/// `20261201T123456`, `20261201123456`, with an optional `Z`, fraction or offset.
fn compact(scanner: &Scanner<'_>, word: Word) -> Option<usize> {
    if word.len() == 8 {
        return None;
    }
    let start = word.start;
    let time = start + 8 + usize::from(scanner.byte(start + 8) == b'T');
    compact_date(scanner, start)?;
    compact_time(scanner, time)?;
    zoned_end(scanner, time + 6)
}

/// `20261201-123456` and `20261201_123456`.
fn compact_pair(scanner: &Scanner<'_>, word: Word) -> Option<usize> {
    compact_date(scanner, word.start)?;
    if scanner.byte(word.end) != b'-' {
        return None;
    }
    compact_time(scanner, word.end + 1)?;
    scanner.ends_at(word.end + 7).then_some(word.end + 7)
}

fn compact_date(scanner: &Scanner<'_>, start: usize) -> Option<()> {
    in_range(scanner, start, 19, 20)?;
    in_range(scanner, start + 2, 0, 99)?;
    in_range(scanner, start + 4, 1, 12)?;
    in_range(scanner, start + 6, 1, 31)
}

fn compact_time(scanner: &Scanner<'_>, start: usize) -> Option<()> {
    in_range(scanner, start, 0, 24)?;
    in_range(scanner, start + 2, 0, 59)?;
    in_range(scanner, start + 4, 0, 60)
}

/// `01 Dec 2026 12:34:56 +0000`, joined by spaces, `-` or `/`, the clock by a space or `:`.
fn day_first(scanner: &Scanner<'_>, start: usize) -> Option<usize> {
    let (_, end) = one_or_two(scanner, start, 1, 31)?;
    let separator = scanner.byte(end);
    if !matches!(separator, b' ' | b'-' | b'/') {
        return None;
    }
    month(scanner, end + 1)?;
    let year = end + 5;
    if scanner.byte(end + 4) != separator {
        return None;
    }
    let after_year = match in_range(scanner, year, 19, 20).and_then(|()| in_range(scanner, year + 2, 0, 99)) {
        Some(()) => year + 4,
        None => in_range(scanner, year, 0, 99).map(|()| year + 2)?,
    };
    match scanner.byte(after_year) {
        b' ' | b':' => clock(scanner, after_year + 1, true),
        _ => None,
    }
}

struct MonthFirst {
    end: usize,
    has_year: bool,
}

/// `Dec  1 12:34:56`, `Dec 1, 2026 1:02:03 PM`, `Dec  1 12:34:56 UTC 2026`.
fn month_first(scanner: &Scanner<'_>, start: usize) -> Option<MonthFirst> {
    month(scanner, start)?;
    let day = spaces(scanner, start + 3, 2)?;
    let (_, mut end) = one_or_two(scanner, day, 1, 31)?;
    end += usize::from(scanner.byte(end) == b',');
    let mut rest = spaces(scanner, end, 1)?;
    let mut has_year = false;
    if let Some(after) = year(scanner, rest) {
        has_year = true;
        rest = spaces(scanner, after, 1)?;
    }
    let end = clock(scanner, rest, true)?;
    let later_year = spaces(scanner, end, 1).and_then(|at| year(scanner, at));
    match later_year {
        Some(end) if !has_year => Some(MonthFirst { end, has_year: true }),
        _ => Some(MonthFirst { end, has_year }),
    }
}

fn year(scanner: &Scanner<'_>, start: usize) -> Option<usize> {
    in_range(scanner, start, 19, 20)?;
    in_range(scanner, start + 2, 0, 99)?;
    scanner.ends_at(start + 4).then_some(start + 4)
}

/// `I1201 12:34:56.123456    77 file.go:12]`: severity and position stay. The width of the thread id pads the spaces
/// before it, so they become one.
fn klog(scanner: &mut Scanner<'_>, word: Word) -> Option<usize> {
    if !matches!(scanner.byte(word.start), b'I' | b'W' | b'E' | b'F' | b'D') || scanner.byte(word.end) != b' ' {
        return None;
    }
    in_range(scanner, word.start + 1, 1, 12)?;
    in_range(scanner, word.start + 3, 1, 31)?;
    let end = clock(scanner, word.end + 1, true)?;
    let end = scanner.replace(word.start + 1, end, Kind::Time);
    let digits = scanner.bytes[end..].iter().take(20).take_while(|b| **b == b' ').count() + end;
    let length = scanner.bytes[digits..].iter().take(11).take_while(|b| b.is_ascii_digit()).count();
    if digits > end && (1..=10).contains(&length) && scanner.byte(digits + length) == b' ' {
        scanner.rewrite(end, digits, " ");
        return Some(scanner.replace(digits, digits + length, Kind::Tid));
    }
    Some(end)
}

/// ` host name[77]:` behind a syslog time: marks the number as a process id.
fn mark_syslog_pid(scanner: &mut Scanner<'_>, end: usize) {
    let rest = &scanner.bytes[end..];
    let line = &rest[..rest.len().min(256)];
    let line = &line[..line.iter().position(|b| *b == b'\n').unwrap_or(line.len())];
    let Some(bracket) = line.iter().position(|b| *b == b'[') else { return };
    let words = line[..bracket].split(|b| *b == b' ').count();
    let digits = line[bracket + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
    if words == 3 && digits > 0 && line[bracket + 1 + digits..].starts_with(b"]:") {
        scanner.id_at = Some((end + bracket + 1, Kind::Pid));
    }
}

/// A clock that nothing introduces. Six pairs joined by `:` are a hardware address, not two clocks.
fn bare_clock(scanner: &Scanner<'_>, start: usize) -> Option<usize> {
    if scanner.byte(start + 1) != b':' && scanner.byte(start + 2) != b':' {
        return None;
    }
    if scanner.left(start, 1) == b':' {
        let digit = scanner.left(start, 2).is_ascii_digit();
        let pair = scanner.left(start, 2).is_ascii_hexdigit()
            && scanner.left(start, 3).is_ascii_hexdigit()
            && !is_word(scanner.left(start, 4));
        if digit || pair {
            return None;
        }
    }
    let end = clock(scanner, start, true)?;
    let pair_follows = scanner.byte(end) == b':'
        && scanner.byte(end + 1).is_ascii_hexdigit()
        && scanner.byte(end + 2).is_ascii_hexdigit()
        && !is_word(scanner.byte(end + 3));
    (!pair_follows).then_some(end)
}

/// `12:34`, `12:34:56`, a fraction behind `.` or `,`, and a zone. Returns the end.
fn clock(scanner: &Scanner<'_>, start: usize, seconds_required: bool) -> Option<usize> {
    let (_, minutes) = one_or_two(scanner, start, 0, 24)?;
    if scanner.byte(minutes) != b':' {
        return None;
    }
    in_range(scanner, minutes + 1, 0, 59)?;
    let end = minutes + 3;
    if scanner.byte(end) == b':' && in_range(scanner, end + 1, 0, 60).is_some() {
        let seconds = end + 3;
        if let Some(end) = fraction(scanner, seconds).and_then(|end| zoned_end(scanner, end)) {
            return Some(end);
        }
        return zoned_end(scanner, seconds).or_else(|| {
            let without = !seconds_required && scanner.ends_at(end);
            without.then_some(end)
        });
    }
    if seconds_required { None } else { zoned_end(scanner, end) }
}

fn fraction(scanner: &Scanner<'_>, start: usize) -> Option<usize> {
    if !matches!(scanner.byte(start), b'.' | b',') {
        return None;
    }
    let digits = scanner.bytes[start + 1..].iter().take(12).take_while(|b| b.is_ascii_digit()).count();
    (1..12).contains(&digits).then_some(start + 1 + digits)
}

/// `end` behind an optional `Z`, offset, `UTC`, `GMT` or `AM`/`PM`. `None` if a word goes on there.
fn zoned_end(scanner: &Scanner<'_>, end: usize) -> Option<usize> {
    let spaced = end + usize::from(scanner.byte(end) == b' ');
    let zoned = zone(scanner, spaced, spaced > end).filter(|end| scanner.ends_at(*end));
    zoned.or_else(|| scanner.ends_at(end).then_some(end))
}

fn zone(scanner: &Scanner<'_>, start: usize, spaced: bool) -> Option<usize> {
    let rest = scanner.bytes.get(start..)?;
    match rest {
        [b'Z' | b'z', ..] if !spaced => Some(start + 1),
        [b'U' | b'u', b'T' | b't', b'C' | b'c', ..] | [b'G', b'M', b'T', ..] => Some(start + 3),
        [b'A' | b'P' | b'a' | b'p', b'M' | b'm', ..] => Some(start + 2),
        [b'+' | b'-', ..] => {
            in_range(scanner, start + 1, 0, 23)?;
            let minutes = start + 3 + usize::from(scanner.byte(start + 3) == b':');
            match in_range(scanner, minutes, 0, 59) {
                Some(()) => Some(minutes + 2),
                None if spaced => None,
                None => Some(start + 3),
            }
        }
        _ => None,
    }
}

fn month(scanner: &Scanner<'_>, start: usize) -> Option<()> {
    let name = scanner.bytes.get(start..start + 3)?;
    (MONTHS.iter().any(|month| month.as_bytes() == name) && !is_word(scanner.byte(start + 3))).then_some(())
}

fn spaces(scanner: &Scanner<'_>, start: usize, most: usize) -> Option<usize> {
    let count = scanner.bytes.get(start..)?.iter().take(most + 1).take_while(|b| **b == b' ').count();
    (1..=most).contains(&count).then_some(start + count)
}

/// Two digits in a range.
fn in_range(scanner: &Scanner<'_>, start: usize, low: u8, high: u8) -> Option<()> {
    match scanner.bytes.get(start..start + 2)? {
        [a @ b'0'..=b'9', b @ b'0'..=b'9'] => {
            let value = (a - b'0') * 10 + (b - b'0');
            (low..=high).contains(&value).then_some(())
        }
        _ => None,
    }
}

/// One or two digits in a range, with no third. Returns value and end.
fn one_or_two(scanner: &Scanner<'_>, start: usize, low: u8, high: u8) -> Option<(u8, usize)> {
    let first = scanner.byte(start);
    let second = scanner.byte(start + 1);
    if !first.is_ascii_digit() {
        return None;
    }
    let (value, end) = if second.is_ascii_digit() {
        ((first - b'0') * 10 + (second - b'0'), start + 2)
    } else {
        (first - b'0', start + 1)
    };
    (!scanner.byte(end).is_ascii_digit() && (low..=high).contains(&value)).then_some((value, end))
}
