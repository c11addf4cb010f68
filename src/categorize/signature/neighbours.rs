//! What the bytes directly beside a trigger allow it to be: tables, so that dismissing one takes no branches.

use super::scanner::is_word;

macro_rules! table {
    ($of:ident) => {{
        let mut table = [0; 256];
        let mut byte: u8 = 0;
        loop {
            table[byte as usize] = $of(byte);
            if byte == u8::MAX {
                break table;
            }
            byte += 1;
        }
    }};
}

/// What a trigger can be, a bit each. A trigger is dismissed when no bit is left that it has in common with the bytes
/// around it: that is one comparison for all of them.
mod can_be {
    /// `:` or `=` behind a name that ends with `rd` or `wd`, `se`, `et`, `en` or `on`, `al`, `ls`, `ey`.
    pub(super) const NAMES: [(u8, &[u8], u32); 7] = [
        (b'd', b"rw", 1),
        (b'e', b"s", 1 << 1),
        (b't', b"e", 1 << 2),
        (b'n', b"eo", 1 << 3),
        (b'l', b"a", 1 << 4),
        (b's', b"l", 1 << 5),
        (b'y', b"e", 1 << 6),
    ];
    /// `:` or `=` behind a name with quotes or a space.
    pub(super) const QUOTED: u32 = 1 << 7;
    /// The first `:` of an IPv6 address, behind a group.
    pub(super) const GROUP: u32 = 1 << 8;
    /// The first `:` of an IPv6 address that starts with it.
    pub(super) const GAP: u32 = 1 << 9;
    /// `:` behind a URL's scheme or a drive letter.
    pub(super) const SCHEME: u32 = 1 << 10;
    pub(super) const EMAIL: u32 = 1 << 11;
    pub(super) const PLACEHOLDER: u32 = 1 << 12;
    pub(super) const PATH: u32 = 1 << 13;
    pub(super) const PERCENT: u32 = 1 << 14;
    pub(super) const DOLLAR: u32 = 1 << 15;
    pub(super) const UUID: u32 = 1 << 16;
    pub(super) const WEB_TOKEN: u32 = 1 << 17;
    pub(super) const CREDENTIAL: u32 = 1 << 18;
    pub(super) const THREAD: u32 = 1 << 19;
    pub(super) const NUMBER: u32 = 1 << 20;
    /// A number that what stands before it may make volatile.
    pub(super) const NAMED: u32 = 1 << 21;
    /// Numbers that what follows them may make volatile: by a space, a sign, or at once.
    pub(super) const SPACED: u32 = 1 << 22;
    pub(super) const DOTTED: u32 = 1 << 23;
    pub(super) const COLON: u32 = 1 << 24;
    pub(super) const DASHED: u32 = 1 << 25;
    pub(super) const COMMA: u32 = 1 << 26;
    pub(super) const JOINED: u32 = 1 << 27;
}

const fn of_trigger(byte: u8) -> u32 {
    match byte {
        b':' => ANY_NAME | can_be::GROUP | can_be::GAP | can_be::SCHEME,
        b'=' => ANY_NAME,
        b'@' => can_be::EMAIL,
        b'<' => can_be::PLACEHOLDER,
        b'/' => can_be::PATH,
        b'%' => can_be::PERCENT,
        b'$' => can_be::DOLLAR,
        b'-' => can_be::UUID,
        b'J' => can_be::WEB_TOKEN,
        b'b' | b'B' => can_be::CREDENTIAL,
        b'd' => can_be::THREAD,
        b'0'..=b'9' => can_be::NUMBER,
        _ => 0,
    }
}

const fn of_next(byte: u8) -> u32 {
    let mut bits = can_be::WEB_TOKEN | can_be::NUMBER;
    if !matches!(byte, b':' | b'=') {
        bits |= ANY_NAME;
    }
    if byte == b':' || byte.is_ascii_hexdigit() {
        bits |= can_be::GROUP;
    }
    if byte.is_ascii_alphanumeric() || byte == b'-' {
        bits |= can_be::EMAIL;
    }
    if byte.is_ascii_hexdigit() {
        bits |= can_be::UUID;
    }
    bits | match byte {
        b':' => can_be::GAP,
        b'/' | b'\\' => can_be::SCHEME,
        b'{' => can_be::DOLLAR,
        b' ' => can_be::THREAD,
        _ => match byte | 0x20 {
            b't' => can_be::PLACEHOLDER | can_be::PATH | can_be::PERCENT | can_be::DOLLAR,
            b'e' => can_be::PLACEHOLDER | can_be::DOLLAR | can_be::CREDENTIAL,
            b'a' => can_be::PLACEHOLDER | can_be::CREDENTIAL,
            b'u' | b'd' | b'p' => can_be::PLACEHOLDER | can_be::PATH,
            b's' | b'h' | b'i' | b'g' | b'l' => can_be::PLACEHOLDER,
            b'v' | b'r' => can_be::PATH,
            _ => 0,
        },
    }
}

/// Of the byte behind a number.
const fn of_end(byte: u8) -> u32 {
    match byte {
        b' ' => can_be::SPACED,
        b'.' => can_be::DOTTED,
        b':' => can_be::COLON,
        b'-' | b'/' => can_be::DASHED,
        b',' => can_be::COMMA,
        b'x' | b'X' | b'T' => can_be::JOINED,
        _ if byte.is_ascii_hexdigit() || starts_unit(byte) => can_be::JOINED,
        _ => 0,
    }
}

/// Of the second byte behind a number.
const fn of_after_end(byte: u8) -> u32 {
    let mut bits = can_be::JOINED;
    if byte.is_ascii_digit() {
        bits |= can_be::SPACED | can_be::DOTTED | can_be::COMMA;
    }
    if byte.is_ascii_uppercase() || starts_unit(byte) {
        bits |= can_be::SPACED;
    }
    if byte.is_ascii_hexdigit() || byte == b':' {
        bits |= can_be::COLON;
    }
    if byte.is_ascii_hexdigit() || byte.is_ascii_uppercase() {
        bits |= can_be::DASHED;
    }
    if byte == b' ' {
        bits |= can_be::COMMA;
    }
    bits
}

const fn of_byte_before(byte: u8) -> u32 {
    let mut bits = can_be::PLACEHOLDER | can_be::PERCENT | can_be::DOLLAR | can_be::NUMBER;
    let mut index = 0;
    while index < can_be::NAMES.len() {
        if byte | 0x20 == can_be::NAMES[index].0 {
            bits |= can_be::NAMES[index].2;
        }
        index += 1;
    }
    if is_word(byte) {
        bits |= can_be::SCHEME;
    } else {
        bits |= can_be::PATH | can_be::CREDENTIAL;
        if byte < 0x80 && !matches!(byte, b':' | b'<' | b'>') {
            bits |= can_be::GAP;
        }
    }
    if is_local(byte) {
        bits |= can_be::EMAIL;
    }
    if is_separator(byte) || matches!(byte, b'-' | b'@') {
        bits |= can_be::NAMED;
    }
    if byte.is_ascii_hexdigit() {
        bits |= can_be::GROUP | can_be::UUID;
    }
    bits | match byte {
        b' ' | b'"' | b'\'' | b'\\' => can_be::QUOTED,
        b'a' => can_be::THREAD,
        b'y' => can_be::WEB_TOKEN,
        _ => 0,
    }
}

const fn of_second_before(byte: u8) -> u32 {
    let mut bits = !(ANY_NAME | can_be::WEB_TOKEN | can_be::THREAD) | can_be::QUOTED;
    let mut index = 0;
    while index < can_be::NAMES.len() {
        let (_, letters, bit) = can_be::NAMES[index];
        if byte | 0x20 == letters[0] || byte | 0x20 == letters[letters.len() - 1] {
            bits |= bit;
        }
        index += 1;
    }
    if byte == b'e' {
        bits |= can_be::WEB_TOKEN | can_be::THREAD;
    }
    bits
}

const fn of_byte_before_space(byte: u8) -> u32 {
    if is_separator(byte) || matches!(byte | 0x20, b'd' | b't' | b'e' | b's' | b'p' | b'h') { can_be::NAMED } else { 0 }
}

const ANY_NAME: u32 = can_be::QUOTED | 0x7f;
const TRIGGERS: [u32; 256] = table!(of_trigger);
const NEXT: [u32; 256] = table!(of_next);
const BEFORE: [u32; 256] = table!(of_byte_before);
const SECOND_BEFORE: [u32; 256] = table!(of_second_before);
const END: [u32; 256] = table!(of_end);
const AFTER_END: [u32; 256] = table!(of_after_end);
/// Last letters of the keywords, and what may stand between a keyword and the space before its number.
const BEFORE_SPACE: [u32; 256] = table!(of_byte_before_space);

/// Whether the trigger at `at` can belong to a match at all, by the bytes directly beside it. Has no branches that
/// depend on them.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as `trigger`, which asks this for every trigger")]
pub(super) fn is_possible(bytes: &[u8], at: usize) -> bool {
    let byte = |place: usize| usize::from(bytes.get(place).copied().unwrap_or(0));
    let before = BEFORE[byte(at.wrapping_sub(1))] & SECOND_BEFORE[byte(at.wrapping_sub(2))];
    TRIGGERS[byte(at)] & NEXT[byte(at + 1)] & before != 0
}

/// Whether a number between these bytes is nothing volatile: neither what stands before it nor what follows it makes it
/// anything but a count.
#[inline]
pub(super) fn is_count([second_before, before]: [u8; 2], [end, after]: [u8; 2]) -> bool {
    let named = if before == b' ' { BEFORE_SPACE[usize::from(second_before)] } else { BEFORE[usize::from(before)] };
    let shaped = END[usize::from(end)] & AFTER_END[usize::from(after)];
    named & can_be::NAMED == 0 && shaped == 0
}

/// A byte of the name of an e-mail address.
#[inline]
pub(super) const fn is_local(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b'+' | b'-' | b'%')
}

/// A byte that may stand between a keyword and its number.
#[inline]
pub(super) const fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'=' | b':' | b'#' | b'(' | b'[' | b'"' | b'\'')
}

/// Whether a unit of time may start with `byte`, directly behind a number.
#[inline]
pub(super) const fn starts_unit(byte: u8) -> bool {
    matches!(byte, b'd' | b'h' | b'm' | b'n' | b's' | b'u') || byte >= 0x80
}
