//! JSON pointers (RFC 6901): their syntax, and where they stop.

use serde_json::Value;

use crate::diag::findings::quote;

/// Why a text is not a JSON pointer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PointerSyntax {
    /// It does not start with `/`, and is not empty.
    #[error("a JSON pointer is empty or starts with `/`")]
    Start,
    /// `~` without `0` or `1` after it.
    #[error("`~` in a JSON pointer must be written `~0`, and `/` in a key `~1`")]
    Escape,
}

/// A pointer with correct syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    tokens: Vec<String>,
}

/// Where a pointer stopped: in words that say at which token and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Stopped(String);

impl Pointer {
    /// Parses a pointer; the empty text points at the whole document.
    ///
    /// # Errors
    /// [`PointerSyntax`] if it is none.
    pub fn parse(text: &str) -> Result<Self, PointerSyntax> {
        if text.is_empty() {
            return Ok(Self { tokens: Vec::new() });
        }
        let rest = text.strip_prefix('/').ok_or(PointerSyntax::Start)?;
        let tokens = rest.split('/').map(unescape).collect::<Option<_>>().ok_or(PointerSyntax::Escape)?;
        Ok(Self { tokens })
    }

    /// Its parts, without escapes.
    pub(super) fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// The value it points at. What is said when there is none holds no counts: they may differ from run to run.
    ///
    /// # Errors
    /// [`Stopped`] at the first token that leads nowhere, with what is there instead.
    pub fn find<'v>(&self, root: &'v Value) -> Result<&'v Value, Stopped> {
        let mut value = root;
        for (depth, token) in self.tokens.iter().enumerate() {
            let next = match value {
                Value::Object(members) => members.get(token).ok_or_else(|| format!("no key {} there", quote(token))),
                Value::Array(items) => index(token)
                    .ok_or_else(|| format!("{} is no index of a list", quote(token)))
                    .and_then(|index| items.get(index).ok_or_else(|| format!("the list ends before index {index}"))),
                other => Err(format!("{} has nothing below it", kind(other))),
            };
            value = next.map_err(|why| {
                let walked: Vec<String> = self.tokens[..depth].iter().map(|token| escape(token)).collect();
                let walked = format!("/{}", walked.join("/"));
                let place = if depth == 0 { "at the top".to_owned() } else { format!("at {}", quote(&walked)) };
                Stopped(format!("stops {place}: {why}"))
            })?;
        }
        Ok(value)
    }
}

/// An index as RFC 6901 has it: digits without a leading zero. `-` and signs point at nothing that exists.
fn index(token: &str) -> Option<usize> {
    let plain = token == "0" || (!token.starts_with('0') && token.bytes().all(|b| b.is_ascii_digit()));
    if plain { token.parse().ok() } else { None }
}

fn unescape(token: &str) -> Option<String> {
    let mut out = String::with_capacity(token.len());
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '~' => match chars.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            c => c,
        });
    }
    Some(out)
}

fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// The kind of a value in words, with its article.
pub(super) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rfc() {
        let text = r#"{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6,
            " ": 7, "m~n": 8}"#;
        let document: Value = serde_json::from_str(text).unwrap();
        let at = |pointer: &str| Pointer::parse(pointer).unwrap().find(&document).unwrap().clone();
        assert_eq!(at(""), document);
        assert_eq!(at("/foo/0"), "bar");
        for (pointer, value) in [
            ("/", 0),
            ("/a~1b", 1),
            ("/c%d", 2),
            ("/e^f", 3),
            ("/g|h", 4),
            ("/i\\j", 5),
            ("/k\"l", 6),
            ("/ ", 7),
            ("/m~0n", 8),
        ] {
            assert_eq!(at(pointer), value, "{pointer}");
        }
    }

    #[test]
    fn syntax_is_checked() {
        assert_eq!(Pointer::parse("a"), Err(PointerSyntax::Start));
        assert_eq!(Pointer::parse("#/a"), Err(PointerSyntax::Start));
        for bad in ["/~", "/a~2", "/~/a", "/a/~01~"] {
            assert_eq!(Pointer::parse(bad), Err(PointerSyntax::Escape), "{bad}");
        }
        assert!(Pointer::parse("/~01").is_ok(), "the key `~1`");
    }

    #[test]
    fn a_pointer_says_where_it_stops() {
        let document = serde_json::json!({"a": {"b": [10, {"c": null}]}, "x/y": {}});
        let stops = |pointer: &str| Pointer::parse(pointer).unwrap().find(&document).unwrap_err().to_string();
        let all: Vec<String> = ["/z", "/a/q/r", "/a/b/2", "/a/b/-", "/a/b/01", "/a/b/0/c", "/a/b/1/c/d", "/x~1y/0"]
            .iter()
            .map(|pointer| format!("{pointer} {}", stops(pointer)))
            .collect();
        insta::assert_snapshot!(all.join("\n"));
    }
}
