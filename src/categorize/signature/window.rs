//! Whether a trigger can belong to a match, judged by the bytes beside it, and from where on the words before it
//! have to be looked at.
//!
//! This only leaves out what cannot match: that no rule is missed is a law that the tests hold against a walk over
//! every word. Nearly all triggers of a text end here, so this looks at few bytes, and at a bounded number of them
//! unless the answer is yes.

use super::neighbours::{is_count, is_local, is_separator, starts_unit};
use super::scanner::{Scanner, is_word};

/// Longest word or run that is looked through. No identity is longer; what is longer is walked.
const FAR: usize = 130;
/// A number with so many digits may be a time (`20261201123456`) or a hash all by itself.
const LONG: usize = 14;
/// Most separators between a keyword and its number: see `keyword`.
const MAX_SEPARATORS: usize = 4;

impl Scanner<'_> {
    /// Where to start so that every match with the trigger at `at` is found; `None` if there can be none.
    #[inline]
    pub(super) fn window(&self, at: usize) -> Option<usize> {
        match self.bytes[at] {
            b'0'..=b'9' => self.number_window(at),
            b':' => self.colon_window(at),
            b'=' => self.name_window(at),
            b'<' | b'$' => Some(at),
            b'/' => {
                let folder = [self.byte(at + 1), self.byte(at + 2)];
                matches!(&folder, b"tm" | b"va" | b"us" | b"de" | b"ru" | b"pr").then_some(at)
            }
            b'd' => self.bytes[..=at].ends_with(b"thread").then(|| self.run_start(at)),
            b'b' | b'B' => {
                let is_scheme = |name: &[u8]| {
                    self.bytes.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
                };
                (is_scheme(b"bearer ") || is_scheme(b"basic ")).then(|| self.run_start(at))
            }
            _ => Some(self.run_start(at)),
        }
    }

    /// The byte `back` places before `at`, as it is in the text.
    #[inline]
    fn raw(&self, at: usize, back: usize) -> u8 {
        at.checked_sub(back).map_or(0, |place| self.bytes[place])
    }

    /// Start of the run that ends at `at`: word bytes, what joins them in an e-mail address, and other scripts. Not
    /// before what was walked already.
    #[inline]
    fn run_start(&self, at: usize) -> usize {
        let mut start = at;
        while start > self.walked && (is_local(self.bytes[start - 1]) || self.bytes[start - 1] >= 0x80) {
            start -= 1;
        }
        start
    }

    /// As `run_start`, for what stands before the bytes of `between` (at most `most`) that end at `at`.
    fn run_start_behind(&self, at: usize, between: fn(u8) -> bool, most: usize) -> usize {
        let mut start = at;
        while start > self.walked && at - start < most && between(self.bytes[start - 1]) {
            start -= 1;
        }
        self.run_start(start)
    }

    /// `Tue Dec  1`, `Tue, 01`: the two names that may stand before a day.
    fn date_start(&self, at: usize) -> usize {
        let is_between = |byte| matches!(byte, b' ' | b',');
        let month = self.run_start_behind(at, is_between, 3);
        self.run_start_behind(month, is_between, 3)
    }

    fn colon_window(&self, at: usize) -> Option<usize> {
        let before = self.raw(at, 1);
        match self.byte(at + 1) {
            b':' if is_word(before) => return self.is_group(at).then(|| self.run_start(at)),
            b':' if before >= 0x80 => return None,
            // A keyword may stand before it: `pid ::1`.
            b':' => return Some(self.run_start_behind(at, is_separator, MAX_SEPARATORS)),
            b'/' if is_word(before) && self.byte(at + 2) == b'/' => return Some(self.run_start(at)),
            b'/' | b'\\' if is_word(before) && !is_word(self.raw(at, 2)) => return Some(self.run_start(at)),
            b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F' if self.is_group(at) => return Some(self.run_start(at)),
            _ => {}
        }
        self.name_window(at)
    }

    /// Whether a group of an IPv6 address ends at `at`: a word of one to four hexadecimal digits.
    fn is_group(&self, at: usize) -> bool {
        let digits = (1..=5).take_while(|back| self.raw(at, *back).is_ascii_hexdigit()).count();
        (1..=4).contains(&digits) && !is_word(self.raw(at, digits + 1))
    }

    /// Whether the name before the `:` or `=` at `at` ends as that of a secret does.
    #[inline]
    fn name_window(&self, at: usize) -> Option<usize> {
        let mut end = at;
        for _ in 0..2 {
            end -= usize::from(self.raw(end, 1) == b' ');
        }
        end -= usize::from(matches!(self.raw(end, 1), b'"' | b'\''));
        end -= usize::from(self.raw(end, 1) == b'\\');
        let last = [self.raw(end, 2) | 0x20, self.raw(end, 1) | 0x20];
        let secret = matches!(&last, b"rd" | b"wd" | b"se" | b"et" | b"en" | b"al" | b"ls" | b"on" | b"ey");
        (secret && !matches!(self.byte(at + 1), b'=' | b':')).then(|| self.run_start(end))
    }

    /// A number: judged by what follows it, and by what stands before it.
    fn number_window(&self, at: usize) -> Option<usize> {
        let before = if at == self.copied { 0 } else { self.raw(at, 1) };
        if is_word(before) {
            return self.inner_digit_window(at);
        }
        let rest = &self.bytes[at..];
        let digits = 1 + rest[1..].iter().take_while(|b| b.is_ascii_digit()).count();
        let end = at + digits;
        // Most numbers are counts, which these few look-ups dismiss.
        let is_count = is_count([self.raw(at, 2), before], [self.byte(end), self.byte(end + 1)]);
        let marked = self.id_at.is_some_and(|(place, _)| place == at);
        if is_count && digits < LONG && !marked {
            return None;
        }
        let by_shape = self.shape_window(at, end, before);
        let by_name = if is_separator(before) { self.keyword_window(at, before) } else { None };
        let by_token = if before == b'-' { self.token_window(at) } else { None };
        let by_mark = marked.then_some(at);
        [by_shape, by_name, by_token, by_mark].into_iter().flatten().min()
    }

    /// The number `start..end` by its own look and what follows it.
    fn shape_window(&self, start: usize, end: usize, before: u8) -> Option<usize> {
        let digits = end - start;
        let after = self.byte(end + 1);
        let short = digits <= 2;
        let mut in_date = false;
        let found = match self.byte(end) {
            b' ' => {
                let month = short && after.is_ascii_uppercase() && self.byte(end + 4) == b' ';
                in_date = month || short && after.is_ascii_digit();
                in_date || self.is_unit(end + 1)
            }
            b'.' if after.is_ascii_digit() => {
                let fraction = end + 1 + self.bytes[end + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
                match self.byte(fraction) {
                    b' ' => self.is_unit(fraction + 1),
                    b'.' => digits <= 3,
                    byte => starts_unit(byte),
                }
            }
            b':' => digits <= 4 && (after.is_ascii_hexdigit() || after == b':'),
            b'-' | b'/' => {
                in_date = short && after.is_ascii_uppercase();
                in_date || after.is_ascii_digit() && matches!(digits, 4 | 8) || self.is_version(start, end)
            }
            b',' => {
                in_date = short && after == b' ' && self.byte(end + 2).is_ascii_digit();
                in_date || after.is_ascii_digit() && self.byte(end + 3).is_ascii_digit()
            }
            b'x' | b'X' => digits == 1 && self.bytes[start] == b'0',
            b'T' => digits == 8,
            byte => byte.is_ascii_hexdigit() || starts_unit(byte),
        };
        if in_date {
            return Some(self.date_start(start));
        }
        (found || digits >= LONG || digits >= 5 && before == b'@').then(|| self.run_start(start))
    }

    /// Whether `start..end` has the length and place of a traceparent's version.
    fn is_version(&self, start: usize, end: usize) -> bool {
        end == start + 2 && self.byte(end) == b'-' && self.byte(end + 33) == b'-'
    }

    /// Whether a unit of time that may stand behind a space starts at `at`.
    fn is_unit(&self, at: usize) -> bool {
        let second = self.byte(at + 1);
        match self.byte(at) {
            b's' => second == b'e' || !is_word(second),
            b'm' => matches!(second, b's' | b'i'),
            b'u' | b'n' => second == b's',
            b'h' => matches!(second, b'o' | b'r'),
            b'd' => second == b'a',
            byte => byte >= 0x80,
        }
    }

    /// A number behind a keyword (`port: 80`), a source file (`a.rs:12`) or `line`.
    fn keyword_window(&self, at: usize, before: u8) -> Option<usize> {
        let separators = (1..=MAX_SEPARATORS).take_while(|back| is_separator(self.raw(at, *back))).count();
        let end = at - separators;
        let letter = |back| self.raw(end, back) | 0x20;
        let one = separators == 1;
        let keyword = match [letter(2), letter(1)] {
            [b'i', b'd'] => matches!(letter(3), b'p' | b'g' | b't' | b'd'),
            [b'r' | b's', b't'] | [b'c', b'h'] => letter(3) == b'o',
            [b't', b's'] => !self.raw(end, 3).is_ascii_alphanumeric(),
            [b'm', b'p'] => letter(3) == b'a',
            [b'n', b'e'] if letter(4) == b'l' => {
                // `", line 12` and `.cs:line 12`, not any `line 12`.
                let in_frame = one && letter(3) == b'i' && matches!(self.raw(end, 5), b' ' | b':');
                return in_frame.then(|| self.run_start_behind(self.run_start(end), |byte| byte == b':', 1));
            }
            [b'n', b'e'] => letter(3) == b'i' && letter(4) == b't',
            [b'd', b'e'] => before == b':' && letter(3) == b'o',
            _ => false,
        };
        let source = || {
            let length = (1..=7).take_while(|back| self.raw(end, *back).is_ascii_alphabetic()).count();
            one && matches!(before, b':' | b'(') && length > 0 && self.raw(end, length + 1) == b'.'
        };
        (keyword || source()).then(|| self.run_start(end))
    }

    /// A digit in a word that starts with something else: hexadecimal, a token, or klog's date.
    fn inner_digit_window(&self, at: usize) -> Option<usize> {
        let start = self.back_while(at, is_word);
        if at - start >= FAR {
            return Some(self.run_start(at));
        }
        let digits = self.bytes[start..].iter().take(FAR).take_while(|b| b.is_ascii_hexdigit()).count();
        let end = start + digits;
        let identity =
            end > at && !is_word(self.byte(end)) && (digits >= 7 || digits >= 5 && self.raw(start, 1) == b'@');
        let klog = start + 1 == at && self.byte(at + 4) == b' ' && self.byte(at + 5).is_ascii_digit();
        if identity || klog || self.is_version(start, end) {
            return Some(self.run_start(at));
        }
        let prefix = [self.bytes[start], self.bytes[start + 1]];
        if matches!(&prefix, b"gh" | b"gi" | b"np" | b"hf" | b"sk" | b"rk" | b"AK" | b"AS") {
            return Some(self.run_start(at));
        }
        self.token_window(start)
    }

    /// A digit in the run of words and hyphens that the word at `at` is in: a token with a known start.
    fn token_window(&self, at: usize) -> Option<usize> {
        let start = self.back_while(at, |byte| is_word(byte) || byte == b'-');
        let prefix = [self.bytes[start], self.byte(start + 1)];
        let token = matches!(&prefix, b"sk" | b"xo" | b"xa" | b"gl" | b"AI");
        (token || at - start >= FAR).then(|| self.run_start(at))
    }

    /// The first of at most [`FAR`] bytes before `at` that are all of a kind.
    #[inline]
    fn back_while(&self, at: usize, is_kind: fn(u8) -> bool) -> usize {
        let mut start = at;
        while start > self.walked && at - start < FAR && is_kind(self.bytes[start - 1]) {
            start -= 1;
        }
        start
    }
}
