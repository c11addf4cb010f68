//! Secrets: redacted, so that they neither reach a digest nor a screen.
//!
//! - tokens of a known shape: GitHub, GitLab, npm, Hugging Face, Slack, Stripe, AWS, Google, `sk-…`, JSON Web Tokens;
//! - `Bearer` and `Basic` followed by what looks like a credential, so "Bearer token missing" stays;
//! - the value of a secret-looking name: `API_TOKEN=…`, `password="…"`, `"clientSecret": "…"`, `x-api-key: …`. Behind
//!   a `:` without quotes, or behind spaces, the value must look like a credential ("unexpected token: foo" stays);
//! - blocks of private keys: see `key_block`.
//!
//! Every test of "looks like a credential" can only become false when the value gets shorter. The scanner's promise
//! of a fixed point needs that, because a later rule may have replaced the end of the value.

use super::mask::looks_mixed;
use super::names::Says;
use super::placeholder::Kind;
use super::scanner::{Scanner, Word, is_word};

/// Tokens that are one word: prefix, and the least number of bytes behind it.
const WORD_TOKENS: [(&[u8], usize); 14] = [
    (b"ghp_", 20),
    (b"gho_", 20),
    (b"ghu_", 20),
    (b"ghs_", 20),
    (b"ghr_", 20),
    (b"github_pat_", 20),
    (b"npm_", 30),
    (b"hf_", 30),
    (b"sk_live_", 16),
    (b"sk_test_", 16),
    (b"rk_live_", 16),
    (b"rk_test_", 16),
    (b"AKIA", 16),
    (b"ASIA", 16),
];
/// Tokens with hyphens in them: first word, and the least number of bytes behind the hyphen.
const HYPHEN_TOKENS: [(&[u8], usize); 8] = [
    (b"sk", 20),
    (b"xoxb", 10),
    (b"xoxp", 10),
    (b"xoxa", 10),
    (b"xoxr", 10),
    (b"xoxs", 10),
    (b"xapp", 10),
    (b"glpat", 16),
];
/// Ends of secret-looking names, in lower case.
const SECRET_NAMES: [&str; 16] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "credential",
    "credentials",
    "authorization",
    "apikey",
    "api_key",
    "accesskey",
    "access_key",
    "secret_key",
    "private_key",
    "privatekey",
];
/// What makes a `-key` a secret-looking name.
const KEY_PREFIXES: [&str; 5] = ["api-", "access-", "secret-", "private-", "auth-"];
/// Schemes of an Authorization header.
const SCHEMES: [&str; 5] = ["Bearer", "Basic", "Token", "Digest", "Negotiate"];
/// Values that say there is no secret.
const NO_SECRET: [&str; 7] = ["null", "none", "nil", "undefined", "true", "false", "empty"];

impl Scanner<'_> {
    /// Tries the rules of this file at a word with a digit or joined to what follows.
    pub(super) fn secret(&mut self, word: Word, next: u8) -> Option<usize> {
        if let Some(end) = self.secret_token(word) {
            return Some(self.replace(word.start, end, Kind::Secret));
        }
        if matches!(next, b'=' | b':' | b'"' | b'\'' | b'\\') { self.assignment(word) } else { None }
    }

    /// End of a token of a known shape that starts with `word`.
    pub(super) fn secret_token(&self, word: Word) -> Option<usize> {
        let name = self.slice(word);
        let next = self.byte(word.end);
        // Without a digit it is a word; prose is skipped without looking at its words.
        if word.len() >= 20 && word.has_digit() {
            for (prefix, least) in WORD_TOKENS {
                let rest = name.strip_prefix(prefix).unwrap_or_default();
                let aws = prefix.len() == 4 && prefix.is_ascii() && prefix.ends_with(b"IA");
                let shaped =
                    !aws || rest.len() == 16 && rest.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
                if rest.len() >= least && shaped && self.ends_at(word.end) {
                    return Some(word.end);
                }
            }
        }
        match name {
            // Behind a hyphen it is the middle of something that was looked at already.
            _ if self.left(word.start, 1) == b'-' => None,
            [b's' | b'x' | b'g', ..] if next == b'-' && word.len() <= 5 => {
                let (_, least) = HYPHEN_TOKENS.iter().find(|(first, _)| *first == name)?;
                let end = self.token_run(word.end + 1);
                let rest = &self.bytes[word.end + 1..end];
                (rest.len() >= *least && rest.iter().any(u8::is_ascii_digit) && self.ends_at(end)).then_some(end)
            }
            [b'A', b'I', b'z', b'a', ..] => {
                let end = self.token_run(word.start);
                (end - word.start >= 39
                    && self.bytes[word.start..end].iter().any(u8::is_ascii_digit)
                    && self.ends_at(end))
                .then_some(end)
            }
            [b'e', b'y', b'J', ..] => self.web_token(word.start),
            _ => None,
        }
    }

    /// Three parts of base64url joined by dots, the last of which may be empty.
    fn web_token(&self, start: usize) -> Option<usize> {
        let header = self.token_run(start);
        if header - start < 10 || self.byte(header) != b'.' {
            return None;
        }
        let payload = self.token_run(header + 1);
        if payload - header <= 10 || self.byte(payload) != b'.' {
            return None;
        }
        let end = self.token_run(payload + 1);
        self.ends_at(end).then_some(end)
    }

    fn token_run(&self, start: usize) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        start + rest.iter().take_while(|b| is_word(**b) || **b == b'-').count()
    }

    /// `Bearer` or `Basic` and a credential.
    pub(super) fn credential_scheme(&mut self, word: Word) -> Option<usize> {
        let name = self.slice(word);
        let is_scheme = matches!(word.len(), 5 | 6)
            && (name.eq_ignore_ascii_case(b"bearer") || name.eq_ignore_ascii_case(b"basic"));
        if !is_scheme {
            return None;
        }
        let start = word.end + 1;
        let end = self.credential_run(start);
        looks_secret(&self.bytes[start..end], 8).then(|| self.replace(start, end, Kind::Secret))
    }

    fn credential_run(&self, start: usize) -> usize {
        let is_credential = |b: u8| is_word(b) || matches!(b, b'.' | b'~' | b'+' | b'/' | b'=' | b'-');
        start + self.bytes[start..].iter().take_while(|b| is_credential(**b)).count()
    }

    /// A secret-looking name and its value: redacts the value.
    pub(super) fn assignment(&mut self, word: Word) -> Option<usize> {
        let is_known = self.is_secret_name(word);
        // Redaction knows more names than the normalizer has time for.
        let says = if self.mask.is_some() {
            let says = self.says(word);
            if is_known && !self.slice(word).ends_with(b"PWD") { Says::Secret } else { says }
        } else if is_known {
            Says::Secret
        } else {
            Says::Nothing
        };
        if says == Says::Nothing {
            return None;
        }
        let mut at = word.end;
        let escaped = self.byte(at) == b'\\';
        at += usize::from(escaped);
        let quoted_name = matches!(self.byte(at), b'"' | b'\'');
        at += usize::from(quoted_name);
        if escaped && !quoted_name {
            return None;
        }
        let separator = self.skip_spaces(at);
        let sign = self.byte(separator);
        if !matches!(sign, b'=' | b':') || matches!(self.byte(separator + 1), b'=' | b':') {
            return None;
        }
        let start = self.skip_spaces(separator + 1);
        let certain = quoted_name || (sign == b'=' && start == word.end + 1);
        if is_reference(self.byte(start)) || (!certain && start < self.no_credential_before) {
            return None;
        }
        let (start, end, quoted_value) = self.value(word, start);
        let value = &self.bytes[start..end];
        let says_none = NO_SECRET.iter().any(|none| value.eq_ignore_ascii_case(none.as_bytes()));
        let is_number = quoted_name && !quoted_value;
        if is_reference(*value.first()?) || says_none || is_number {
            return None;
        }
        if self.mask.is_some() {
            // `pwd=/home/x` is a folder, `TESTS_PASS=12` a number, and a `key` is mostly none of a lock.
            let is_folder =
                self.slice(word).to_ascii_lowercase().ends_with(b"pwd") && matches!(value[0], b'/' | b'~' | b'.');
            let is_count = !is_known && value.len() < 6 && value.iter().all(u8::is_ascii_digit);
            if is_folder || is_count || says == Says::Maybe && !(certain && looks_mixed(value)) {
                return None;
            }
        }
        if !certain && !looks_secret(value, 6) {
            // What starts further on in the same value is shorter, so it looks like a credential even less.
            self.no_credential_before = end;
            return None;
        }
        Some(self.replace(start, end, Kind::Secret))
    }

    fn is_secret_name(&self, word: Word) -> bool {
        let name = self.slice(word);
        // The last two letters of every name in the list.
        let [.., a, b] = name else { return false };
        let last = [a.to_ascii_lowercase(), b.to_ascii_lowercase()];
        if ![b"rd", b"wd", b"se", b"et", b"en", b"al", b"ls", b"on", b"ey"].contains(&&last) {
            return false;
        }
        let ends_with = |end: &&str| {
            let from = name.len().checked_sub(end.len());
            from.is_some_and(|from| name[from..].eq_ignore_ascii_case(end.as_bytes()))
        };
        SECRET_NAMES.iter().any(ends_with)
            || name.eq_ignore_ascii_case(b"key") && KEY_PREFIXES.iter().any(|before| self.left_is(word.start, before))
    }

    /// The value at `start`, without its quotes: start, end, whether it has quotes.
    fn value(&self, word: Word, start: usize) -> (usize, usize, bool) {
        let escaped = usize::from(self.byte(start) == b'\\');
        let quote = self.byte(start + escaped);
        if matches!(quote, b'"' | b'\'') {
            let start = start + escaped + 1;
            if let Some(end) = self.closing_quote(start, quote, escaped == 1) {
                return (start, end, true);
            }
            return (start, self.plain_value(start), true);
        }
        let end = self.plain_value(start);
        let scheme = &self.bytes[start..end];
        let has_scheme = self.slice(word).eq_ignore_ascii_case(b"authorization")
            && SCHEMES.iter().any(|name| scheme.eq_ignore_ascii_case(name.as_bytes()));
        if has_scheme && self.byte(end) == b' ' {
            let start = end + 1;
            return (start, self.credential_run(start), false);
        }
        (start, end, false)
    }

    fn closing_quote(&self, start: usize, quote: u8, escaped: bool) -> Option<usize> {
        let mut at = start;
        loop {
            match *self.bytes.get(at)? {
                b'\n' => return None,
                b'\\' if escaped => return Some(at),
                b'\\' => at += 2,
                byte if byte == quote => return Some(at),
                _ => at += 1,
            }
        }
    }

    fn plain_value(&self, start: usize) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let is_end = |b: u8| b <= b' ' || b"\"'`,;&)]}<>|\\".contains(&b);
        start + rest.iter().take_while(|b| !is_end(**b)).count()
    }

    fn skip_spaces(&self, start: usize) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        start + rest.iter().take(2).take_while(|b| **b == b' ').count()
    }
}

/// Whether a value that starts with `byte` is a placeholder, a list, or the name of a variable.
fn is_reference(byte: u8) -> bool {
    matches!(byte, b'<' | b'(' | b'[' | b'{' | b'$' | b'%')
}

/// Whether a value looks like a credential: long enough, and with a digit or with capitals in the middle twice.
pub(super) fn looks_secret(value: &[u8], least: usize) -> bool {
    let digit = value.iter().any(u8::is_ascii_digit);
    let capitals = value.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    value.len() >= least && (digit || capitals >= 2)
}
