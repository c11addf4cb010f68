//! The one pass: from word to word, each rule tried where it can start.

use fearless_simd::Level;

use super::clean::clean;
use super::placeholder::{self, Kind, Numbering};
use super::trigger::{CHUNK, Places};
use super::{duration, identity, key_block, timestamp};

/// Normalizes a text. Total: takes any text, never fails, in time linear in its length. Idempotent.
pub fn normalize(text: &str) -> String {
    let text = key_block::redact(clean(text));
    Scanner::new(&text).run()
}

/// What [`normalize`] must give, by a walk over every word.
#[cfg(test)]
pub(super) fn normalize_everywhere(text: &str) -> String {
    let text = key_block::redact(clean(text));
    Scanner::new(&text).run_everywhere()
}

/// A letter, digit or underscore.
const WORD: u8 = 1;
/// A decimal digit.
const DIGIT: u8 = 2;
/// A word byte that is no hexadecimal digit.
const NOT_HEX: u8 = 4;
/// A byte that starts a rule without being a word: `<`, `/`, `:`, `%`, `$`.
const SPECIAL: u8 = 8;
/// A byte of a character outside ASCII.
const WIDE: u8 = 16;
/// A byte after which a word without digits can be the start of something: `:`, `=`, `@`, `.`, quotes …
const JOINS: u8 = 32;
/// An upper-case letter.
const UPPER: u8 = 64;

const CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte: u8 = 0;
    loop {
        table[byte as usize] = match byte {
            b'0'..=b'9' => WORD | DIGIT,
            b'a'..=b'f' => WORD,
            b'A'..=b'F' => WORD | UPPER,
            b'G'..=b'Z' => WORD | UPPER | NOT_HEX,
            b'g'..=b'z' | b'_' => WORD | NOT_HEX,
            b'<' | b'/' | b'$' => SPECIAL,
            b':' | b'%' => SPECIAL | JOINS,
            b'=' | b'@' | b'-' | b'.' | b'+' | b'"' | b'\'' | b'(' | b'[' | b'\\' | b'#' => JOINS,
            0x80.. => WIDE,
            _ => 0,
        };
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

/// Whether `byte` is an ASCII letter, digit or underscore.
pub(super) const fn is_word(byte: u8) -> bool {
    CLASSES[byte as usize] & WORD != 0
}

/// A maximal run of ASCII word bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    pub(super) start: usize,
    pub(super) end: usize,
    flags: u8,
}

impl Word {
    pub(super) fn len(self) -> usize {
        self.end - self.start
    }

    pub(super) fn has_digit(self) -> bool {
        self.flags & DIGIT != 0
    }

    pub(super) fn has_upper(self) -> bool {
        self.flags & UPPER != 0
    }

    pub(super) fn is_hex(self) -> bool {
        self.flags & NOT_HEX == 0
    }
}

/// The state of one pass over one text.
pub(super) struct Scanner<'t> {
    text: &'t str,
    pub(super) bytes: &'t [u8],
    out: String,
    /// Everything before this byte has been written.
    pub(super) copied: usize,
    /// Everything that starts before this byte has been tried.
    pub(super) walked: usize,
    numbering: Numbering<'t>,
    /// No e-mail address starts before this byte.
    pub(super) no_email_before: usize,
    /// No unquoted value that starts before this byte looks like a credential.
    pub(super) no_credential_before: usize,
    /// A process id that the head of a log line (syslog, klog, Rust's panic message) points at.
    pub(super) id_at: Option<(usize, Kind)>,
    /// The path of a `file:///…` URL.
    pub(super) file_path_at: Option<usize>,
    /// A command that takes `-u user:password` ends here.
    pub(super) fetch_until: usize,
    /// What every value is replaced by, instead of numbered placeholders: set when secrets are redacted.
    pub(super) mask: Option<&'static str>,
    /// Values replaced.
    replaced: usize,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            out: String::with_capacity(text.len()),
            copied: 0,
            walked: 0,
            numbering: Numbering::default(),
            no_email_before: 0,
            no_credential_before: 0,
            id_at: None,
            file_path_at: None,
            fetch_until: 0,
            mask: None,
            replaced: 0,
        }
    }

    /// Walks the text with the rules for secrets only, and replaces each by `mask`. Returns the text and how many
    /// were found.
    pub(super) fn mask_secrets(text: &'t str, mask: &'static str) -> (String, usize) {
        let mut scanner = Self { mask: Some(mask), ..Self::new(text) };
        let mut at = 0;
        while let Some(&byte) = scanner.bytes.get(at) {
            let class = CLASSES[byte as usize];
            at = if class & WORD != 0 {
                let word = word_at(scanner.bytes, at);
                scanner.secret_word(word)
            } else if byte == b':' {
                scanner.user_info(at).unwrap_or(at + 1)
            } else if class & WIDE != 0 {
                scanner.wide(at)
            } else {
                at + 1
            };
        }
        scanner.out.push_str(&text[scanner.copied..]);
        (scanner.out, scanner.replaced)
    }

    fn secret_word(&mut self, word: Word) -> usize {
        let next = self.byte(word.end);
        if next >= 0x80 && !self.ends_at(word.end) {
            return self.wide(word.end);
        }
        let found = self.masked(word, next);
        let found = found
            .or_else(|| self.secret(word, next))
            .or_else(|| if next == b' ' { self.assignment(word) } else { None });
        found.or_else(|| self.credential_scheme(word)).unwrap_or(word.end)
    }

    /// Walks around every trigger that can belong to a match.
    fn run(mut self) -> String {
        let level = Level::new();
        let mut places = Places::new();
        for base in (0..self.bytes.len()).step_by(CHUNK) {
            places.find(level, self.bytes, base);
            for index in 0..places.len() {
                let at = base + places.get(index);
                if at >= self.walked
                    && let Some(start) = self.window(at)
                {
                    self.walk(start, at);
                }
            }
        }
        self.finish()
    }

    /// What [`Self::run`] must give, the slow way: walks over every word.
    #[cfg(test)]
    pub(super) fn run_everywhere(mut self) -> String {
        self.walk(0, self.bytes.len());
        self.finish()
    }

    fn finish(mut self) -> String {
        self.out.push_str(&self.text[self.copied..]);
        self.out
    }

    /// Tries the rules at every word and special byte that starts in `start..=last`.
    fn walk(&mut self, start: usize, last: usize) {
        let bytes = self.bytes;
        let mut at = start;
        while at <= last {
            let Some(&byte) = bytes.get(at) else { break };
            let class = CLASSES[byte as usize];
            if class & WORD != 0 {
                let word = word_at(bytes, at);
                let next = self.byte(word.end);
                // Most words are plain: no digit in them, and nothing that joins them to what follows.
                let plain = word.flags & DIGIT == 0 && CLASSES[next as usize] & (JOINS | WIDE) == 0;
                at = if plain && self.is_prose(word, next) {
                    word.end
                } else if plain {
                    self.plain_word(word, next)
                } else {
                    self.word(word, next)
                };
            } else if class & SPECIAL != 0 {
                at = self.special(at, byte);
            } else if class & WIDE != 0 {
                at = self.wide(at);
            } else {
                at += 1;
            }
        }
        self.walked = at;
    }

    /// The byte at `at`; 0 behind the end.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The byte `back` places before `at`, as the text already written has it: 0 before the start, and `>` for
    /// everything up to the end of the last placeholder.
    pub(super) fn left(&self, at: usize, back: usize) -> u8 {
        match at.checked_sub(back) {
            Some(place) if place >= self.copied => self.bytes[place],
            Some(_) => b'>',
            None => 0,
        }
    }

    /// Whether the text already written ends with `suffix` before `at`, in any ASCII case.
    pub(super) fn left_is(&self, at: usize, suffix: &str) -> bool {
        let from = at.checked_sub(suffix.len()).filter(|from| *from >= self.copied);
        from.is_some_and(|from| self.bytes[from..at].eq_ignore_ascii_case(suffix.as_bytes()))
    }

    /// Whether `at` lies directly behind a placeholder.
    pub(super) fn follows_placeholder(&self, at: usize) -> bool {
        at > 0 && at == self.copied
    }

    /// Whether a word may end at `at`: what follows is no word character, in any script.
    pub(super) fn ends_at(&self, at: usize) -> bool {
        let byte = self.byte(at);
        if byte < 0x80 {
            return !is_word(byte);
        }
        !self.text[at..].chars().next().is_some_and(char::is_alphanumeric)
    }

    /// The bytes of a word.
    pub(super) fn slice(&self, word: Word) -> &'t [u8] {
        &self.bytes[word.start..word.end]
    }

    /// Writes the placeholder of `start..end` instead of it. Both are beside ASCII bytes, as all rules only match
    /// those, so they are character boundaries. Returns `end`.
    pub(super) fn replace(&mut self, start: usize, end: usize, kind: Kind) -> usize {
        self.replaced += 1;
        if let Some(mask) = self.mask {
            return self.rewrite(start, end, mask);
        }
        let value = &self.text[start..end];
        self.out.push_str(&self.text[self.copied..start]);
        self.numbering.write(kind, value, &mut self.out);
        self.copied = end;
        end
    }

    /// Leaves out `start..end` and writes `text` there. Returns `end`.
    pub(super) fn rewrite(&mut self, start: usize, end: usize, text: &str) -> usize {
        self.out.push_str(&self.text[self.copied..start]);
        self.out.push_str(text);
        self.copied = end;
        end
    }

    /// Whether no rule can start at a plain word: most words of most texts, so this is asked first.
    #[inline]
    fn is_prose(&self, word: Word, next: u8) -> bool {
        if next != b' ' {
            return next != b',' || !word.has_upper();
        }
        // What a keyword is followed by is no letter, except behind a scheme, a weekday or a month.
        let scheme = matches!(word.len(), 5 | 6) && matches!(self.bytes[word.start], b'b' | b'B');
        self.byte(word.end + 1).is_ascii_alphabetic() && !scheme && !word.has_upper()
    }

    /// Whether no rule can start at a word without digits, by what joins it to the next byte.
    #[inline]
    fn joins_nothing(&self, word: Word, next: u8) -> bool {
        let after = self.byte(word.end + 1);
        match next {
            b'(' | b'[' | b'#' => !after.is_ascii_digit() && !matches!(after, b'"' | b'\'' | b'('),
            // A path of names. `abc::1` may be an address.
            b':' => after == b':' && !(word.is_hex() && word.len() <= 4),
            _ => false,
        }
    }

    /// A word without digits that is followed by a space, a comma or an end. Returns where to go on.
    fn plain_word(&mut self, word: Word, next: u8) -> usize {
        if next != b' ' && next != b',' {
            return word.end;
        }
        let ahead = self.byte(word.end + 1);
        let joined = ahead.is_ascii_digit() || ahead == b' ' || next == b',' || word.has_upper();
        if joined && let Some(end) = timestamp::starting_with_name(self, word) {
            return end;
        }
        if next != b' ' {
            return word.end;
        }
        if ahead == b'='
            && let Some(end) = self.assignment(word)
        {
            return end;
        }
        self.mark_thread(word);
        self.keyword(word)
            .or_else(|| self.frame_line(word))
            .or_else(|| self.credential_scheme(word))
            .unwrap_or(word.end)
    }

    /// A word with a digit in it, or joined to what follows. Returns where to go on.
    fn word(&mut self, word: Word, next: u8) -> usize {
        if next >= 0x80 && !self.ends_at(word.end) {
            // A word that goes on in another script. Only a duration (`5µs`) may do so.
            return match duration::parse(self, word) {
                Some(end) => self.replace(word.start, end, Kind::Duration),
                None => self.wide(word.end),
            };
        }
        if !word.has_digit() && self.joins_nothing(word, next) {
            return word.end;
        }
        let digits = self.byte(word.start).is_ascii_digit();
        if let Some((at, kind)) = self.id_at
            && at == word.start
            && digits
        {
            self.id_at = None;
            return self.replace(word.start, word.end, kind);
        }
        if let Some(end) = self.secret(word, next).or_else(|| self.network(word, next)) {
            return end;
        }
        if let Some((end, kind)) = identity::parse(self, word, next) {
            return self.replace(word.start, end, kind);
        }
        if !word.has_digit() && matches!(next, b'.' | b'-' | b'+' | b'@') {
            return word.end;
        }
        if digits {
            if let Some(end) = timestamp::starting_with_digit(self, word) {
                return end;
            }
            if let Some(end) = duration::parse(self, word) {
                return self.replace(word.start, end, Kind::Duration);
            }
        } else if let Some(end) = timestamp::starting_with_name(self, word) {
            return end;
        }
        if let Some((end, kind)) = identity::address(self, word) {
            return self.replace(word.start, end, kind);
        }
        self.drive_path(word, next)
            .or_else(|| self.keyword(word))
            .or_else(|| self.source_line(word, next))
            .unwrap_or(word.end)
    }

    fn special(&mut self, at: usize, byte: u8) -> usize {
        let end = match byte {
            b'<' => placeholder::parse(self.bytes, at).map(|(kind, end)| self.replace(at, end, kind)),
            b'/' => self.temp_path(at),
            b'%' | b'$' => self.variable_path(at),
            b':' => self.ipv6_from_colon(at),
            _ => None,
        };
        end.unwrap_or(at + 1)
    }

    /// A character outside ASCII. Letters and digits of other scripts, and what is joined to them, are one word that
    /// no rule applies to.
    fn wide(&self, at: usize) -> usize {
        let mut chars = self.text[at..].char_indices();
        match chars.next() {
            Some((_, c)) if !c.is_alphanumeric() => at + c.len_utf8(),
            _ => chars.find(|(_, c)| !c.is_alphanumeric() && *c != '_').map_or(self.bytes.len(), |(i, _)| at + i),
        }
    }
}

/// The word that starts at `start`.
pub(super) fn word_at(bytes: &[u8], start: usize) -> Word {
    let mut flags = 0;
    let mut end = start;
    while let Some(&byte) = bytes.get(end) {
        let class = CLASSES[byte as usize];
        if class & WORD == 0 {
            break;
        }
        flags |= class;
        end += 1;
    }
    Word { start, end, flags }
}
