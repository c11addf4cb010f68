//! Names on a network: e-mail addresses, the host and port of URLs, IPv4 and IPv6 addresses.
//!
//! - A URL keeps its scheme, path and query; the path then goes through the other rules. A user with a password
//!   before the host is a secret, and so is a token that stands there alone.
//! - Four numbers up to 255 joined by dots are an IPv4 address, with its port. A fifth number, a `-`, `==` or `version`
//!   before it make it a version.
//! - IPv6 needs eight groups, or one `::` and a group that no Rust identifier can be (it starts with a digit, or is
//!   a four-digit prefix such as `fe80`), so the path `a::b::c` stays. Brackets keep their place, their port goes.

use super::placeholder::{self, Kind};
use super::scanner::{Scanner, Word, is_word, word_at};

/// Longest domain (RFC 5321, 4.5.3.1.2).
const MAX_DOMAIN: usize = 255;
/// Longest text of an IPv6 address, with an IPv4 address at its end.
const MAX_IPV6: usize = 45;

impl Scanner<'_> {
    /// Tries the rules of this file at `word`.
    pub(super) fn network(&mut self, word: Word, next: u8) -> Option<usize> {
        if matches!(next, b'@' | b'.' | b'+' | b'-' | b'%')
            && let Some(end) = self.email(word.start)
        {
            return Some(self.replace(word.start, end, Kind::Email));
        }
        if next == b':' && self.bytes[word.end..].starts_with(b"://") {
            return self.url(word);
        }
        if next == b'.' && word.len() <= 3 && word.has_digit() {
            return self.ipv4(word);
        }
        if next == b':' && word.len() <= 4 && word.is_hex() && !self.follows_group(word.start) {
            return self.ipv6(word.start);
        }
        None
    }

    /// End of the e-mail address at `start`: the longest run of labels that ends with letters only.
    fn email(&mut self, start: usize) -> Option<usize> {
        if start < self.no_email_before {
            return None;
        }
        let is_local = |b: u8| is_word(b) || matches!(b, b'.' | b'+' | b'-' | b'%');
        let length = self.bytes[start..].iter().take_while(|b| is_local(**b)).count();
        let at = start + length;
        self.no_email_before = at;
        if self.byte(at) != b'@' {
            return None;
        }
        let mut label_start = at + 1;
        let mut best = None;
        while label_start - at <= MAX_DOMAIN {
            let rest = &self.bytes[label_start..];
            let length = rest.iter().take(MAX_DOMAIN).take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
            let label = &rest[..length];
            let end = label_start + length;
            let is_top = length >= 2 && label_start > at + 1 && label.iter().all(u8::is_ascii_alphabetic);
            if is_top && self.ends_at(end) {
                best = Some(end);
            }
            if length == 0 || self.byte(end) != b'.' {
                break;
            }
            label_start = end + 1;
        }
        best
    }

    /// `scheme://user:password@host:port`: replaces what is behind the scheme and before the path.
    fn url(&mut self, word: Word) -> Option<usize> {
        let authority = word.end + 3;
        if !self.byte(word.start).is_ascii_alphabetic() {
            return None;
        }
        if self.byte(authority) == b'/' && self.slice(word).eq_ignore_ascii_case(b"file") {
            self.file_path_at = Some(authority);
            return None;
        }
        let is_end = |b: &u8| *b <= b' ' || matches!(b, b'/' | b'?' | b'#' | b'<' | b'>' | b'"' | b'\'' | b'`' | b'\\');
        let rest = &self.bytes[authority..];
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        let at = rest[..length].iter().rposition(|b| *b == b'@').map(|place| authority + place);
        let host = at.map_or(authority, |at| at + 1);
        // A host that is a placeholder already: what stands before it is treated the same.
        let replaced = placeholder::parse(self.bytes, host).filter(|(kind, _)| at.is_some() && *kind == Kind::Host);
        let end = match replaced {
            Some((_, end)) => end,
            // Cut short by a placeholder: what that stood for was part of what was no host.
            None if placeholder::parse(self.bytes, authority + length).is_some() => return None,
            None => self.host(host)?,
        };
        if let Some(at) = at
            && (self.bytes[authority..at].contains(&b':') || self.is_token(authority, at))
        {
            self.replace(authority, at, Kind::Secret);
        }
        Some(self.replace(host, end, Kind::Host))
    }

    /// Whether `start..end`, the user of a URL without a password, is a token.
    fn is_token(&self, start: usize, end: usize) -> bool {
        start < end && is_word(self.bytes[start]) && self.secret_token(word_at(self.bytes, start)) == Some(end)
    }

    /// End of the host and port at `start`.
    fn host(&self, start: usize) -> Option<usize> {
        let rest = self.bytes.get(start..)?;
        let end = if rest.first() == Some(&b'[') {
            let is_address = |b: &u8| b.is_ascii_hexdigit() || matches!(b, b':' | b'.');
            let length = rest[1..].iter().take(MAX_IPV6).take_while(|b| is_address(b)).count();
            (length > 1 && rest.get(1 + length) == Some(&b']')).then_some(start + length + 2)?
        } else {
            let length = rest.iter().take_while(|b| is_word(**b) || matches!(b, b'.' | b'-')).count();
            let name = &rest[..length];
            let trimmed = name.iter().rposition(|b| is_word(*b))? + 1;
            start + trimmed
        };
        self.ends_at(end).then(|| self.port(end).unwrap_or(end))
    }

    /// End of `:port` at `start`.
    fn port(&self, start: usize) -> Option<usize> {
        if self.byte(start) != b':' {
            return None;
        }
        let digits = self.bytes[start + 1..].iter().take(6).take_while(|b| b.is_ascii_digit()).count();
        let end = start + 1 + digits;
        ((1..=5).contains(&digits) && self.ends_at(end)).then_some(end)
    }

    fn ipv4(&mut self, word: Word) -> Option<usize> {
        let start = word.start;
        let end = ipv4_end(self.bytes, start)?;
        let before = self.left(start, 1);
        let in_dotted_number = before == b'.' && self.left(start, 2).is_ascii_digit();
        let is_version = before == b'-'
            || ["==", "version ", "version: ", "version=", "v."].into_iter().any(|text| self.left_is(start, text));
        if in_dotted_number || is_version || !self.ends_at(end) || self.number_goes_on(end, b'.') {
            return None;
        }
        let end = self.port(end).filter(|port| !self.number_goes_on(*port, b':')).unwrap_or(end);
        Some(self.replace(start, end, Kind::Ip))
    }

    /// `::1`, which starts with no word.
    pub(super) fn ipv6_from_colon(&mut self, at: usize) -> Option<usize> {
        let before = self.left(at, 1);
        let joined = before == b':' || before == b'>' || before == b'<' || before >= 0x80 || is_word(before);
        if joined || self.byte(at + 1) != b':' {
            return None;
        }
        self.ipv6(at)
    }

    fn ipv6(&mut self, start: usize) -> Option<usize> {
        let end = ipv6_end(self.bytes, start)?;
        let ends_with_gap = self.bytes[end - 1] == b':';
        if !self.ends_at(end) || (ends_with_gap && self.byte(end) == b'<') {
            return None;
        }
        if self.byte(end) == b':' && (is_word(self.byte(end + 1)) || matches!(self.byte(end + 1), b'<' | b':')) {
            return None;
        }
        let bracketed = self.left(start, 1) == b'[' && self.byte(end) == b']';
        let end = self.replace(start, end, Kind::Ip);
        if bracketed && let Some(port) = self.port(end + 1) {
            return Some(self.replace(end + 2, port, Kind::Port));
        }
        Some(end)
    }

    /// Whether a group of a longer list of groups stands before `start`, as in the fingerprint of a key.
    fn follows_group(&self, start: usize) -> bool {
        if self.left(start, 1) != b':' {
            return false;
        }
        let group = (2..7).take_while(|back| self.left(start, *back).is_ascii_hexdigit()).count();
        (1..=4).contains(&group) && !is_word(self.left(start, 2 + group)) || self.left(start, 2) == b':'
    }
}

/// End of four numbers up to 255, without leading zeros.
fn ipv4_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    for part in 0..4 {
        if part > 0 {
            if bytes.get(end) != Some(&b'.') {
                return None;
            }
            end += 1;
        }
        let digits = bytes.get(end..)?.iter().take(4).take_while(|b| b.is_ascii_digit()).count();
        let number = &bytes[end..end + digits];
        let value = number.iter().fold(0_u32, |value, b| value * 10 + u32::from(b - b'0'));
        if !(1..=3).contains(&digits) || value > 255 || (digits > 1 && number[0] == b'0') {
            return None;
        }
        end += digits;
    }
    Some(end)
}

/// End of the IPv6 address at `start`, judged by its groups alone.
fn ipv6_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut groups = 0;
    let mut gap = false;
    let mut no_identifier = false;
    let mut at = start;
    if bytes[at..].starts_with(b"::") {
        gap = true;
        at += 2;
    }
    let mut end = at;
    while groups < 8 {
        let rest = &bytes[at..];
        let length = rest.iter().take(5).take_while(|b| b.is_ascii_hexdigit()).count();
        if length == 0 || length > 4 {
            break;
        }
        if rest.get(length) == Some(&b'.') && (gap || groups == 6) {
            let ipv4 = ipv4_end(bytes, at)?;
            return (gap || groups == 6).then_some(ipv4);
        }
        let group = &rest[..length];
        let prefix = groups == 0 && length == 4 && matches!(group[0], b'f' | b'F');
        no_identifier |= group[0].is_ascii_digit() || prefix;
        groups += 1;
        end = at + length;
        if rest[length..].starts_with(b"::") && !gap {
            gap = true;
            at = end + 2;
            end = at;
        } else if rest.get(length) == Some(&b':') && rest.get(length + 1).is_some_and(u8::is_ascii_hexdigit) {
            at = end + 1;
        } else {
            break;
        }
    }
    let complete = if gap { groups < 8 && groups > 0 && no_identifier } else { groups == 8 };
    complete.then_some(end)
}
