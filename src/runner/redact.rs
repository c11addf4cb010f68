//! Secrets out of everything that is stored: the values that are known from the environment, and all that has the
//! form of a secret (`categorize::signature::redact`).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsString;

use crate::categorize::signature::{REDACTED, is_secret_name, redact};

/// Shortest value that counts as a secret; shorter ones would eat ordinary text.
const MIN_VALUE: usize = 6;
/// Shortest line of a value of several lines that is looked for alone.
const MIN_LINE: usize = 16;
/// How far a cut looks for a line end, in bytes, so that no half secret stays there.
const CUT_REACH: usize = 4096;
/// Values that say there is no secret.
const NO_SECRET: [&str; 4] = ["undefined", "required", "disabled", "enabled"];

/// Knows the secrets of one run.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Longest first, so that a value is gone before a part of it is looked for.
    values: Vec<String>,
}

impl std::fmt::Debug for Redactor {
    /// Only how many.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} values)", self.values.len())
    }
}

impl Redactor {
    /// Learns the secrets of an environment: values of at least six characters of variables whose name looks secret, as they
    /// are, as JSON and as a URL spell them, and the long lines of values of several lines.
    pub fn new<'e>(environment: impl IntoIterator<Item = &'e (OsString, OsString)>) -> Self {
        let mut values = BTreeSet::new();
        for (name, value) in environment {
            let (name, value) = (name.to_string_lossy(), super::visible(value.as_encoded_bytes()));
            if !is_secret_name(&name) || NO_SECRET.contains(&value.as_str()) {
                continue;
            }
            let lines = value.lines().filter(|line| line.len() >= MIN_LINE);
            for one in lines.chain([value.as_str(), value.trim()]).filter(|one| one.chars().count() >= MIN_VALUE) {
                values.extend([one.to_owned(), json(one), percent(one)]);
            }
        }
        let mut values: Vec<String> = values.into_iter().collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self { values }
    }

    /// Replaces every secret in `text`; a text without one is returned as it is.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.known(text) {
            Cow::Borrowed(text) => redact(text),
            Cow::Owned(text) => match redact(&text) {
                Cow::Borrowed(_) => Cow::Owned(text),
                Cow::Owned(redacted) => Cow::Owned(redacted),
            },
        }
    }

    /// Redacts the two parts of a text that lost its middle. What could be half a secret at the cut goes: the head
    /// ends, and the tail starts, at a line end, and a value that is known or a private key may be cut there, too.
    /// Returns the parts and about how many bytes went at the cut.
    pub fn redact_parts(&self, head: &str, tail: &str) -> (String, String, u64) {
        // Whole secrets first, then the half of a known one, then what has a form, then the last line: no step may
        // make a half out of what a later one would find whole.
        let known = self.known(head);
        let half = self.half_at_end(&known);
        let mut head = redact(&known[..known.len() - half]).into_owned();
        let reach = boundary(&head, head.len().saturating_sub(CUT_REACH));
        let end = head[reach..].rfind('\n').map_or(reach, |at| reach + at + 1);
        let gone = half + head.len() - end;
        head.truncate(end);
        let start = self.tail_start(tail);
        let tail = self.redact(&tail[start..]);
        let reach = boundary(&tail, CUT_REACH);
        let line = tail[..reach].find('\n').unwrap_or(reach);
        (head, tail[line..].to_owned(), (gone + start + line) as u64)
    }

    /// Length of the longest start of a known value that `head` ends with.
    fn half_at_end(&self, head: &str) -> usize {
        let starts = self.values.iter().flat_map(|value| value.char_indices().map(move |(at, _)| &value[..at]));
        starts.filter(|start| head.ends_with(start)).map(str::len).max().unwrap_or(0)
    }

    /// Where a tail starts that does not begin inside a known value or a private key.
    fn tail_start(&self, tail: &str) -> usize {
        let mut start = 0;
        for value in &self.values {
            let ends = value.char_indices().map(|(at, _)| at);
            for from in ends.filter(|from| tail.starts_with(&value[*from..])) {
                start = start.max(value.len() - from);
            }
        }
        let marker = "PRIVATE KEY-----";
        if let Some(at) = tail.find(marker)
            && tail[..at].rfind("-----").is_some_and(|dashes| tail[dashes..].starts_with("-----END"))
        {
            start = start.max(at + marker.len());
        }
        start
    }

    fn known<'t>(&self, text: &'t str) -> Cow<'t, str> {
        // Each value's next place; a place that lies behind what was taken is looked for again.
        let mut next: Vec<Option<usize>> = self.values.iter().map(|value| find(text, value, 0)).collect();
        let mut out = String::new();
        let mut copied = 0;
        loop {
            for (place, value) in next.iter_mut().zip(&self.values) {
                if place.is_some_and(|at| at < copied) {
                    *place = find(text, value, copied);
                }
            }
            // At one place the longest: they are in that order, and `min_by_key` takes the first.
            let first = next.iter().zip(&self.values).filter_map(|(at, value)| Some(((*at)?, value)));
            let Some((at, value)) = first.min_by_key(|(at, _)| *at) else { break };
            out.push_str(&text[copied..at]);
            out.push_str(REDACTED);
            copied = at + value.len();
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[copied..]);
        Cow::Owned(out)
    }
}

/// Next place of `value` in `text`. A value of letters alone counts as a word of its own only: a password `postgres`
/// must not eat the middle of `postgresql`.
fn find(text: &str, value: &str, mut from: usize) -> Option<usize> {
    let is_word = value.chars().all(char::is_alphabetic);
    while let Some(at) = memchr::memmem::find(&text.as_bytes()[from..], value.as_bytes()).map(|at| from + at) {
        let end = at + value.len();
        let inside = text[..at].chars().next_back().is_some_and(char::is_alphanumeric)
            || text[end..].chars().next().is_some_and(char::is_alphanumeric);
        if !is_word || !inside {
            return Some(at);
        }
        from = end;
    }
    None
}

/// The last character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// As it stands between the quotes of JSON.
fn json(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// As it stands in the query of a URL.
fn percent(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn knows(list: &[(&str, &str)]) -> Redactor {
        let env: Vec<(OsString, OsString)> = list.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Redactor::new(&env)
    }

    #[test]
    fn values_are_found_wherever_they_stand() {
        let redactor = knows(&[
            ("MY_TOKEN", "a\"b c/d9"),
            ("DB_PASSWORD", "postgres"),
            ("SHORT_TOKEN", "abc12"),
            ("HOME", "/home/somebody"),
            ("OTHER_SECRET", "a\"b c/d9-and-more"),
        ]);
        for (text, wanted) in [
            ("xa\"b c/d9x", "x<redacted>x"),
            (r#"{"v": "a\"b c/d9"}"#, r#"{"v": "<redacted>"}"#),
            ("q=a%22b%20c%2Fd9", "q=<redacted>"),
            ("a\"b c/d9-and-more", "<redacted>"),
            ("postgresql, postgres and postgres", "postgresql, <redacted> and <redacted>"),
            ("abc12 /home/somebody", "abc12 /home/somebody"),
            ("TOKEN=postgres", "TOKEN=<redacted>"),
        ] {
            assert_eq!(redactor.redact(text), wanted);
        }
        assert!(matches!(redactor.redact("nothing here"), Cow::Borrowed(_)));
        assert!(!format!("{redactor:?}").contains("postgres"));
    }

    #[test]
    fn every_form_of_a_secret_name_is_known() {
        let names = ["MYSQL_PWD", "SSHPASS", "API_TOKENS", "GH_TOKEN_2", "TOKEN1", "APP_KEYS", "KEY", "PASS", "DB_PWD"];
        for name in names {
            assert_eq!(knows(&[(name, "value7788x")]).redact("< value7788x >"), "< <redacted> >", "{name}");
        }
        for name in ["PWD", "OLDPWD", "KEYBOARD", "AUTHOR"] {
            assert_eq!(knows(&[(name, "value7788x")]).redact("< value7788x >"), "< value7788x >", "{name}");
        }
    }

    #[test]
    fn a_key_cut_at_its_start_is_gone() {
        let (head, tail, _) = knows(&[]).redact_parts(
            "log\n-----BEGIN PRIVATE KEY-----\nMIIEvQ\nAAAA",
            "BBBB\nCCCCCC\n-----END PRIVATE KEY-----\nend",
        );
        assert_eq!((head.as_str(), tail.as_str()), ("log\n", "\nend"));
    }

    proptest! {
        #[test]
        fn known_values_never_leak_and_other_text_stays(
            secret in "[a-zA-Z0-9+/=\"\\\\ é-]{5,30}[0-9]",
            before in "([a-z]{1,8} ){0,4}",
            after in "( [a-z]{1,8}){0,4}",
            form in 0_usize..4,
        ) {
            let redactor = knows(&[("SERVICE_TOKEN", &secret)]);
            let planted = match form {
                0 => secret.clone(),
                1 => serde_json::json!({"v": secret}).to_string(),
                2 => format!("https://host.example/?q={}", percent(&secret)),
                _ => format!("[{secret}]"),
            };
            let out = redactor.redact(&format!("{before}{planted}{after}")).into_owned();
            for leak in [secret.clone(), json(&secret), percent(&secret)] {
                prop_assert!(!out.contains(&leak), "{}", out);
            }
            prop_assert!(out.starts_with(before.trim_end()) && out.ends_with(after.trim_start()));
            let plain = format!("{before}{after}");
            prop_assert_eq!(redactor.redact(&plain), plain.as_str());
        }

        /// Wherever the cut falls, no part of a secret of more than a few characters stays, and whole lines do.
        #[test]
        fn a_cut_leaves_no_half_secret(cut in 0_usize..90, gap in 0_usize..30, shape in 0_usize..4) {
            let secret = [
                "ghp_0123456789abcdefghijABCDEFGHIJ012345",
                "correct horse battery staple 42",
                "two lines\nof one 4711 secret",
                "never known one",
            ][shape];
            let redactor = knows(&[("A_SECRET", "correct horse battery staple 42"), ("B_SECRET", "two lines\nof one 4711 secret")]);
            let text = format!("first row\nnext PASSWORD='{secret}' words\nlast row\n");
            let cut = cut.min(text.len());
            let after = (cut + gap).min(text.len());
            let (head, tail, _) = redactor.redact_parts(&text[..cut], &text[after..]);
            for at in 0..secret.len() - 5 {
                let part = &secret[at..at + 5];
                prop_assert!(!head.contains(part) && !tail.contains(part), "{}|{}", head, tail);
            }
            prop_assert!(cut < 10 || head.starts_with("first row\n"), "{}", head);
            prop_assert!(after > text.len() - 10 || tail.ends_with("\nlast row\n"), "{}", tail);
        }
    }
}
