//! Forms of secrets that only redaction looks for. The signature normalizer does without them: it must stay fast, and
//! what it makes is never shown without redaction.

use super::names::{self, Says};
use super::placeholder::Kind;
use super::scanner::{Scanner, Word, is_word};
use super::secret::looks_secret;

/// Tokens that are one word, with or without a digit: prefix, and the least number of bytes behind it.
const WORDS: [(&[u8], usize); 26] = [
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
    (b"dop_v1_", 40),
    (b"doo_v1_", 40),
    (b"dor_v1_", 40),
    (b"shpat_", 24),
    (b"shpss_", 24),
    (b"shpca_", 24),
    (b"rubygems_", 32),
    (b"lin_api_", 32),
    (b"dckr_pat_", 20),
    (b"gsk_", 32),
    (b"whsec_", 24),
    (b"sntrys_", 32),
    (b"glsa_", 32),
    (b"r8_", 32),
];
/// Tokens of several words joined by `-`, `.` or `_`: what they start with, the least number of bytes behind it.
const JOINED: [(&[u8], usize); 14] = [
    (b"pypi-AgE", 24),
    (b"hvs.", 20),
    (b"hvb.", 20),
    (b"hvr.", 20),
    (b"AGE-SECRET-KEY-1", 20),
    (b"ya29.", 20),
    (b"GOCSPX-", 20),
    (b"glrt-", 16),
    (b"gldt-", 16),
    (b"glptt-", 16),
    (b"nvapi-", 20),
    (b"tskey-", 16),
    (b"PMAK-", 24),
    (b"NRAK-", 20),
];
/// Names of cookies that carry a login.
const SESSIONS: [&[u8]; 6] = [b"sid", b"sess", b"auth", b"token", b"jwt", b"csrf"];
/// What stands beside a cookie and is none.
const ATTRIBUTES: [&[u8]; 6] = [b"path", b"domain", b"expires", b"max-age", b"samesite", b"priority"];
/// Longest name of a cookie.
const MAX_NAME: usize = 128;
/// Longest value that is looked at where many could follow each other.
const MAX_VALUE: usize = 4096;
/// Most cookies of one line.
const MAX_COOKIES: usize = 64;

impl Scanner<'_> {
    /// Tries the rules of this file at a word.
    pub(super) fn masked(&mut self, word: Word, next: u8) -> Option<usize> {
        let name = self.slice(word);
        if let Some(end) = self.joined_token(word, next) {
            return Some(self.replace(word.start, end, Kind::Secret));
        }
        match next {
            b'/' if name == b"services" || name == b"webhooks" => self.webhook(word),
            b':' | b'"' | b'\'' | b'\\' if name.eq_ignore_ascii_case(b"cookie") => self.cookies(word.end),
            b'>' if self.left(word.start, 1) == b'<' => self.element(word),
            b'=' if matches!(name, b"sig" | b"Signature" | b"signature") => self.signature(word),
            b' ' | b'=' if self.left(word.start, 1) == b'-' => self.option(word),
            b'"' | b'\'' if self.left(word.start, 1) == b'-' => self.quoted_option(word),
            b' ' if name == b"machine" => self.netrc(word),
            b' ' if name == b"curl" || name == b"wget" => {
                let rest = &self.bytes[word.end..];
                self.fetch_until = word.end + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                None
            }
            _ => None,
        }
    }

    /// End of a token that starts with `word`.
    fn joined_token(&self, word: Word, next: u8) -> Option<usize> {
        let name = self.slice(word);
        if matches!(self.left(word.start, 1), b'-' | b'.' | b'/') && next != 0 && word.len() < 20 {
            // The middle of something longer.
            return None;
        }
        if word.len() >= 23 {
            for (prefix, least) in WORDS {
                let rest = name.strip_prefix(prefix).unwrap_or_default();
                if rest.len() >= least && looks_mixed(rest) && self.ends_at(word.end) {
                    return Some(word.end);
                }
            }
        }
        let is_twilio = word.len() == 34 && name.starts_with(b"SK") && name[2..].iter().all(u8::is_ascii_hexdigit);
        if is_twilio && self.ends_at(word.end) {
            return Some(word.end);
        }
        if !matches!(next, b'-' | b'.') {
            return None;
        }
        let rest = &self.bytes[word.start..];
        let run = |start: usize| {
            let inside = |b: &u8| is_word(*b) || *b == b'-';
            start + self.bytes.get(start..).unwrap_or_default().iter().take_while(|b| inside(b)).count()
        };
        if name == b"SG" && next == b'.' {
            let middle = run(word.end + 1);
            let end = run(middle + 1);
            let is_token = middle > word.end + 16 && self.byte(middle) == b'.' && end > middle + 16;
            return (is_token && self.ends_at(end)).then_some(end);
        }
        let (prefix, least) = JOINED.iter().find(|(prefix, _)| rest.starts_with(prefix))?;
        let start = word.start + prefix.len();
        let end = run(start);
        (end - start >= *least && looks_mixed(&self.bytes[start..end]) && self.ends_at(end)).then_some(end)
    }

    /// `hooks.slack.com/services/…`, `discord.com/api/webhooks/…`
    fn webhook(&mut self, word: Word) -> Option<usize> {
        if !["hooks.slack.com/", "discord.com/api/", "discordapp.com/api/"]
            .iter()
            .any(|host| self.left_is(word.start, host))
        {
            return None;
        }
        let start = word.end + 1;
        let inside = |b: &u8| is_word(*b) || matches!(b, b'/' | b'-');
        let end = start + self.bytes[start..].iter().take_while(|b| inside(b)).count();
        looks_secret(&self.bytes[start..end], 16).then(|| self.replace(start, end, Kind::Secret))
    }

    /// The values of `Cookie: a=b; c=d` and `Set-Cookie: a=b; Path=/`.
    fn cookies(&mut self, end: usize) -> Option<usize> {
        let mut at = end;
        at += self.bytes[at..].iter().take(2).take_while(|b| matches!(b, b'\\' | b'"' | b'\'')).count();
        if self.byte(at) != b':' {
            return None;
        }
        at += 1;
        at += self.bytes[at..].iter().take(4).take_while(|b| matches!(b, b' ' | b'\\' | b'"' | b'\'')).count();
        let mut found = None;
        for _ in 0..MAX_COOKIES {
            let is_name = |b: &u8| is_word(*b) || matches!(b, b'-' | b'.');
            let length = self.bytes[at..].iter().take(MAX_NAME).take_while(|b| is_name(b)).count();
            let name = self.bytes[at..at + length].to_ascii_lowercase();
            at += length;
            if self.byte(at) == b'=' && length > 0 {
                let start = at + 1;
                let is_value = |b: &u8| *b > b' ' && !b"\"'\\;,<".contains(b);
                at = start + self.bytes[start..].iter().take(MAX_VALUE).take_while(|b| is_value(b)).count();
                let is_login =
                    SESSIONS.iter().any(|part| memchr::memmem::find(&name, part).is_some()) && at > start + 3;
                let value = &self.bytes[start..at];
                let is_whole = at - start < MAX_VALUE && !ATTRIBUTES.contains(&name.as_slice());
                if is_whole && (is_login || looks_secret(value, 8)) {
                    found = Some(self.replace(start, at, Kind::Secret));
                }
            }
            // Attributes may be dates, with spaces in them.
            let skipped = self.bytes[at..].iter().take(MAX_NAME).take_while(|b| !b";\n\"'\\".contains(b)).count();
            if self.byte(at + skipped) != b';' {
                return found;
            }
            at += skipped + 1;
            at += self.bytes[at..].iter().take(2).take_while(|b| **b == b' ').count();
        }
        found
    }

    /// `<password>…</password>`
    fn element(&mut self, word: Word) -> Option<usize> {
        let says = self.says(word);
        if says == Says::Nothing {
            return None;
        }
        let start = word.end + 1;
        let rest = &self.bytes[start..];
        let length = rest.iter().position(|b| matches!(b, b'<' | b'\n'))?;
        let value = &rest[..length];
        let is_closed = rest[length..].starts_with(b"</");
        let is_text = value.first().is_some_and(|b| !matches!(b, b'$' | b'{' | b'%' | b' '));
        let is_secret = says == Says::Secret || looks_mixed(value);
        (is_secret && is_closed && is_text).then(|| self.replace(start, start + length, Kind::Secret))
    }

    /// `?sig=…`, `&X-Amz-Signature=…`
    fn signature(&mut self, word: Word) -> Option<usize> {
        if !matches!(self.left(word.start, 1), b'&' | b'?' | b'-') {
            return None;
        }
        let start = word.end + 1;
        let inside = |b: &u8| is_word(*b) || b"%+/=-".contains(b);
        let end = start + self.bytes[start..].iter().take_while(|b| inside(b)).count();
        looks_secret(&self.bytes[start..end], 16).then(|| self.replace(start, end, Kind::Secret))
    }

    /// `--token X`, `--db-password X`, and `-u user:password` of `curl`.
    fn option(&mut self, word: Word) -> Option<usize> {
        let start = word.end + 1;
        if self.byte(start) == b'-' {
            return None;
        }
        let quote = self.byte(start);
        let is_quoted = matches!(quote, b'"' | b'\'');
        let start = start + usize::from(is_quoted);
        let is_end =
            |b: u8| if is_quoted { b == quote || b == b'\n' } else { b <= b' ' || b"\"'`,;|&<>)]}\\".contains(&b) };
        let end = start + self.bytes[start..].iter().take_while(|b| !is_end(**b)).count();
        let value = &self.bytes[start..end];
        let is_user = matches!(self.slice(word), b"u" | b"user") && word.start < self.fetch_until;
        if is_user {
            let colon = memchr::memchr(b':', value)?;
            let has_password = colon > 0 && colon + 1 < value.len() && !matches!(value[colon + 1], b'$' | b'{' | b'<');
            return has_password.then(|| self.replace(start, end, Kind::Secret));
        }
        let is_secret = self.byte(word.end) == b' ' && self.is_long_option(word) && self.says(word) == Says::Secret;
        (is_secret && (is_quoted && !value.is_empty() || looks_secret(value, 6)))
            .then(|| self.replace(start, end, Kind::Secret))
    }

    /// `"--token", "X"`: two words of a command.
    fn quoted_option(&mut self, word: Word) -> Option<usize> {
        let quote = self.byte(word.end);
        let mut at = word.end + 1;
        at += self.bytes[at..].iter().take(3).take_while(|b| matches!(b, b',' | b' ')).count();
        let is_secret = self.says(word) == Says::Secret && self.is_long_option(word);
        if !is_secret || at == word.end + 1 || self.byte(at) != quote {
            return None;
        }
        let start = at + 1;
        let length = self.bytes[start..].iter().position(|b| *b == quote || *b == b'\n')?;
        let is_value = length > 0 && !matches!(self.byte(start), b'-' | b'$' | b'<' | b'{');
        is_value.then(|| self.replace(start, start + length, Kind::Secret))
    }

    /// Whether the words joined by `-` before the word start with `--`.
    fn is_long_option(&self, word: Word) -> bool {
        let mut back = 1;
        while back < 48 && (is_word(self.left(word.start, back)) || self.left(word.start, back) == b'-') {
            if self.left(word.start, back) == b'-' && self.left(word.start, back + 1) == b'-' {
                return true;
            }
            back += 1;
        }
        false
    }

    /// `machine host login user password X`, on one line or on three.
    fn netrc(&mut self, word: Word) -> Option<usize> {
        let mut at = word.end;
        let mut next = |scanner: &Self| {
            let start = at + scanner.bytes[at..].iter().take(16).take_while(|b| b.is_ascii_whitespace()).count();
            let length = scanner.bytes[start..].iter().take(MAX_VALUE).take_while(|b| !b.is_ascii_whitespace()).count();
            at = start + length;
            (start, at)
        };
        let host = next(self);
        let host = &self.bytes[host.0..host.1];
        if !host.contains(&b'.') && host != b"localhost" {
            return None;
        }
        for _ in 0..3 {
            let (start, end) = next(self);
            let is_password = &self.bytes[start..end] == b"password";
            let (start, end) = next(self);
            if is_password && start < end && end - start < MAX_VALUE && !matches!(self.bytes[start], b'<' | b'$') {
                return Some(self.replace(start, end, Kind::Secret));
            }
        }
        None
    }

    /// Whether a name alone says that what follows it is a secret, and how surely.
    pub(super) fn says(&self, word: Word) -> Says {
        let name = std::str::from_utf8(self.slice(word)).unwrap_or_default();
        let says = names::says(name);
        let is_key = name.eq_ignore_ascii_case("key");
        if is_key && self.left(word.start, 1) == b'-' {
            // `account-key`: what is before the hyphen belongs to it.
            let length = (2..32).take_while(|back| self.left(word.start, *back).is_ascii_alphanumeric()).count();
            let before =
                self.bytes.get(word.start - 1 - length..word.end).and_then(|name| std::str::from_utf8(name).ok());
            return before.map_or(says, |name| says.max(names::says(name)));
        }
        says
    }

    /// A user without a password that is a token: `https://<token>@host`.
    pub(super) fn is_token_user(&self, start: usize, end: usize) -> bool {
        let value = &self.bytes[start..end];
        let plain = |b: &u8| is_word(*b) || *b == b'-';
        let is_name = value.split(|b| *b == b'-').nth(2).is_some();
        value.len() >= 12
            && value.iter().all(plain)
            && value.iter().any(u8::is_ascii_digit)
            && value.iter().any(u8::is_ascii_alphabetic)
            && (!is_name || looks_mixed(value))
    }

    /// Whether the name of a user is more likely that of a host.
    pub(super) fn is_host(&self, start: usize, end: usize) -> bool {
        let value = &self.bytes[start..end];
        value == b"localhost" || value.contains(&b'.') && !value.contains(&b'@')
    }
}

/// Whether a value changes between small letters, capitals and digits often, as words and numbers do not.
pub(super) fn looks_mixed(value: &[u8]) -> bool {
    let class = |b: u8| match b {
        b'0'..=b'9' => 1,
        b'a'..=b'z' => 2,
        b'A'..=b'Z' => 3,
        _ => 0,
    };
    let changes = value.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).filter(|pair| {
        // A capital at the start of a word is no change, and neither is what joins words.
        class(pair[0]) != 0 && class(pair[1]) != 0 && !(class(pair[0]) == 3 && class(pair[1]) == 2)
    });
    value.len() >= 8 && (changes.count() >= 2 || value.len() >= 32 && value.iter().any(u8::is_ascii_digit))
}
