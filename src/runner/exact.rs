//! JSON values that keep every digit and every key: what the exact comparisons of `equals` and `equals_artifact` need.
//! `serde_json::Value` reads whole numbers above 64 bits as floating-point ones, and keeps one of two equal keys.

use std::fmt;

use crate::diag::json::{Node, Value as Spelled};

/// A JSON value as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exact {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is spelled.
    Number(Box<str>),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Exact>),
    /// Members, ordered by key; a key may be there twice.
    Object(Vec<(String, Exact)>),
}

impl Exact {
    /// Reads a JSON text that `serde_json` has read before: it has to be valid, and is not nested deeper than that allows.
    /// What is not valid becomes some other value.
    pub(super) fn of_valid(text: &str) -> Self {
        Reader { text, at: 0 }.value()
    }

    /// A value of a manifest.
    pub(super) fn of(node: &Node) -> Self {
        match &node.value {
            Spelled::Null => Self::Null,
            Spelled::Bool(value) => Self::Bool(*value),
            Spelled::Number(spelled) => Self::Number(spelled.clone()),
            Spelled::Text(text) => Self::Text(text.clone()),
            Spelled::List(items) => Self::List(items.iter().map(Self::of).collect()),
            Spelled::Object(members) => {
                Self::object(members.iter().map(|member| (member.key.clone(), Self::of(&member.value))).collect())
            }
        }
    }

    fn object(mut members: Vec<(String, Self)>) -> Self {
        members.sort_by(|a, b| a.0.cmp(&b.0));
        Self::Object(members)
    }

    /// A key that stands twice in one object here or below.
    pub(super) fn duplicate(&self) -> Option<&str> {
        match self {
            Self::List(items) => items.iter().find_map(Self::duplicate),
            Self::Object(members) => {
                let twice = members.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].0.as_str());
                twice.or_else(|| members.iter().find_map(|(_, value)| value.duplicate()))
            }
            _ => None,
        }
    }

    /// True if the two are the same JSON value. Objects are equal whatever the order of their keys; numbers by value:
    /// whole ones to the last digit, fractions as floating-point numbers of 64 bits.
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => numbers_equal(a, b),
            (Self::List(a), Self::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b)),
            (Self::Object(a), Self::Object(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((key, a), (other, b))| key == other && a.equals(b))
            }
            (a, b) => a == b,
        }
    }
}

impl fmt::Display for Exact {
    /// Compact JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(spelled) => f.write_str(spelled),
            Self::Text(text) => write!(f, "{}", serde_json::Value::from(text.as_str())),
            Self::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index == 0 { "" } else { "," })?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, (key, value)) in members.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    write!(f, "{comma}{}:{value}", serde_json::Value::from(key.as_str()))?;
                }
                f.write_str("}")
            }
        }
    }
}

fn numbers_equal(a: &str, b: &str) -> bool {
    match (Decimal::of(a), Decimal::of(b)) {
        (Some(a), Some(b)) if a == b => true,
        // Two spellings of one fraction: programs print as many digits as they like.
        (Some(one), Some(other)) if !one.is_whole() && !other.is_whole() => {
            let (a, b) = (a.parse::<f64>(), b.parse::<f64>());
            a.ok().zip(b.ok()).is_some_and(|(a, b)| a.total_cmp(&b).is_eq())
        }
        (None, None) => a == b,
        _ => false,
    }
}

/// A number: its digits without zeros at either end, and the power of ten of the last one.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// `None` if the exponent is out of all bounds.
    fn of(spelled: &str) -> Option<Self> {
        let (is_negative, rest) = spelled.strip_prefix('-').map_or((false, spelled), |rest| (true, rest));
        let (mantissa, power) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits, exponent: 0 });
        }
        let zeros = all.len() - all.trim_end_matches('0').len();
        let moved = i64::try_from(zeros).ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        let exponent = power.strip_prefix('+').unwrap_or(power).parse::<i64>().ok()?.checked_add(moved)?;
        Some(Self { is_negative, digits, exponent })
    }

    const fn is_whole(&self) -> bool {
        self.exponent >= 0
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> u8 {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn value(&mut self) -> Exact {
        match self.peek() {
            b'{' => {
                let mut members = Vec::new();
                self.at += 1;
                while !matches!(self.peek(), b'}' | 0) {
                    let key = self.string();
                    if self.peek() == b':' {
                        self.at += 1;
                    }
                    members.push((key, self.value()));
                    if self.peek() == b',' {
                        self.at += 1;
                    }
                }
                self.close();
                Exact::object(members)
            }
            b'[' => {
                let mut items = Vec::new();
                self.at += 1;
                while !matches!(self.peek(), b']' | 0) {
                    items.push(self.value());
                    if self.peek() == b',' {
                        self.at += 1;
                    }
                }
                self.close();
                Exact::List(items)
            }
            b'"' => Exact::Text(self.string()),
            _ => self.word(),
        }
    }

    fn close(&mut self) {
        self.at = (self.at + 1).min(self.text.len());
    }

    fn string(&mut self) -> String {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        while let Some(byte) = bytes.get(end).filter(|byte| **byte != b'"') {
            end += if *byte == b'\\' { 2 } else { 1 };
        }
        self.at = (end + 1).min(bytes.len());
        let quoted = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(quoted).unwrap_or_default()
    }

    fn word(&mut self) -> Exact {
        let rest = &self.text.as_bytes()[self.at..];
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        // At least one byte, so that a text that is not valid ends, too.
        let length = rest.iter().take_while(|b| is_part(b)).count().max(usize::from(!rest.is_empty()));
        let word = self.text.get(self.at..self.at + length).unwrap_or_default();
        self.at += length;
        match word {
            "null" => Exact::Null,
            "true" => Exact::Bool(true),
            "false" => Exact::Bool(false),
            number => Exact::Number(number.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn equal(a: &str, b: &str) -> bool {
        Exact::of_valid(a).equals(&Exact::of_valid(b))
    }

    #[test]
    fn types_are_kept_apart_and_numbers_are_values() {
        for (a, b) in [
            ("1", "1.0"),
            ("1e3", "1000"),
            ("-0.0", "0"),
            ("0.1", "0.10"),
            ("0.1", "0.10000000000000001"),
            ("18446744073709551615", "18446744073709551615"),
            ("100000000000000000000", "1e20"),
            ("100000000000000000001", "100000000000000000001.00"),
            ("12e-1", "1.2"),
            ("1e300", "1e300"),
            ("1e999", "10e998"),
            ("[1, {\"a\": 2.0, \"b\": null}]", "[1.0, {\"b\": null, \"a\": 2}]"),
            ("\"\\u00e9\\\"\"", "\"é\\\"\""),
        ] {
            assert!(equal(a, b) && equal(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("1", "true"),
            ("1", "\"1\""),
            ("0", "false"),
            ("null", "false"),
            ("null", "\"\""),
            ("\"\"", "[]"),
            ("[]", "{}"),
            ("[1, 2]", "[2, 1]"),
            ("[1]", "[1, 1]"),
            ("{\"a\": 1}", "{\"a\": 1, \"b\": 1}"),
            ("{\"a\": null}", "{\"b\": null}"),
            ("9007199254740993", "9007199254740992.0"),
            ("100000000000000000000", "100000000000000000001"),
            ("18446744073709551616", "18446744073709551617"),
            ("1e20", "100000000000000000001"),
            ("-1", "1"),
            ("1", "1.0000000000000000001"),
            ("0.1", "0.2"),
            ("1e300", "1e301"),
            ("1e99999999999999999999", "1"),
            ("\"é\"", "\"e\u{301}\""),
        ] {
            assert!(!equal(a, b) && !equal(b, a), "{a} {b}");
        }
    }

    #[test]
    fn keys_that_stand_twice_are_found() {
        for (text, key) in [
            ("{\"a\": 1, \"a\": 1}", Some("a")),
            ("[{\"x\": {\"b\": 1, \"c\": 2, \"\\u0062\": 3}}]", Some("b")),
            ("{\"a\": {\"b\": 1}, \"b\": [{\"a\": 1}, {\"a\": 1}]}", None),
        ] {
            assert_eq!(Exact::of_valid(text).duplicate(), key, "{text}");
        }
    }

    proptest! {
        /// It reads what `serde_json` writes, and any other text without harm.
        #[test]
        fn it_reads_what_serde_writes(texts in prop::collection::vec("\\PC{0,8}", 0..4), numbers in prop::collection::vec(any::<i64>(), 0..4), any in "\\PC{0,30}") {
            let value = serde_json::json!({"texts": texts, "deep": {"numbers": numbers, "none": null, "yes": true}});
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                prop_assert_eq!(Exact::of_valid(&text).to_string(), value.to_string());
            }
            let _ = Exact::of_valid(&any);
        }
    }
}
