//! JSON with places: every value and every key knows its bytes in the file, and duplicate keys survive.
//!
//! `serde_json` does the parsing. Each level is read as borrowed raw slices of the file, and a slice's place is its
//! distance from the start of the text. A file of `n` bytes and depth `d` costs O(n · d); `d` is limited.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::findings::child;

/// Deepest nesting that is read. A category map needs six levels, a fixture manifest eight; the limit keeps hostile files cheap.
pub(crate) const MAX_DEPTH: usize = 32;

/// A value and its bytes.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) value: Value,
}

/// What the value is. A number is kept as it is spelled: `2` and `2.0` are different texts, and neither loses digits.
#[derive(Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Box<str>),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

/// A key, its bytes (with the quotes), and its value.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) value: Node,
}

impl Node {
    /// The kind in words, with its article.
    pub(crate) const fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }

    /// The members, if it is an object.
    pub(crate) fn members(&self) -> Option<&[Member]> {
        if let Value::Object(members) = &self.value { Some(members) } else { None }
    }

    /// The items, if it is a list.
    pub(crate) fn items(&self) -> Option<&[Self]> {
        if let Value::List(items) = &self.value { Some(items) } else { None }
    }

    /// The value without places. `None` if a number in it is too large for any JSON reader here.
    pub(crate) fn to_json(&self) -> Option<serde_json::Value> {
        Some(match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(spelled) => serde_json::Value::Number(spelled.parse().ok()?),
            Value::Text(text) => text.as_str().into(),
            Value::List(items) => items.iter().map(Self::to_json).collect::<Option<Vec<_>>>()?.into(),
            Value::Object(members) => {
                let member = |member: &Member| Some((member.key.clone(), member.value.to_json()?));
                members.iter().map(member).collect::<Option<serde_json::Map<_, _>>>()?.into()
            }
        })
    }

    /// The value of the first member named `key`.
    pub(crate) fn get(&self, key: &str) -> Option<&Member> {
        self.members()?.iter().find(|member| member.key == key)
    }
}

/// Why bytes are not JSON.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// The text of a file, as far as it is UTF-8, its root value if it is JSON, and everything that is wrong with it as JSON.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub(crate) text: &'a str,
    pub(crate) root: Option<Node>,
    pub(crate) faults: Vec<Fault>,
}

/// A key that stands twice in one object.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Duplicate<'n> {
    pub(crate) key: &'n str,
    pub(crate) pointer: String,
    pub(crate) span: Range<usize>,
    /// Byte offset of the first one.
    pub(crate) first: usize,
}

/// Every key that stands twice, at any depth, in the order of the file.
pub(crate) fn duplicates(root: &Node) -> Vec<Duplicate<'_>> {
    let mut found = Vec::new();
    walk(root, "", &mut found);
    found
}

// Depth is limited by the reader, so recursion is safe.
fn walk<'n>(node: &'n Node, pointer: &str, found: &mut Vec<Duplicate<'n>>) {
    match &node.value {
        Value::Object(members) => {
            let mut first: HashMap<&str, usize> = HashMap::new();
            for Member { key, key_span, value } in members {
                let here = child(pointer, key);
                if let Some(start) = first.get(key.as_str()) {
                    found.push(Duplicate { key, pointer: here.clone(), span: key_span.clone(), first: *start });
                } else {
                    first.insert(key, key_span.start);
                }
                walk(value, &here, found);
            }
        }
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, &child(pointer, &index.to_string()), found);
            }
        }
        _ => {}
    }
}

/// What to say about a file that holds nothing, and about one that is nested too deep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hints {
    pub(crate) empty: &'static str,
    pub(crate) deep: &'static str,
}

/// Reads a file.
pub(crate) fn parse(bytes: &[u8], hints: Hints) -> Document<'_> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            // The part before the fault is UTF-8 by definition of `valid_up_to`.
            let text = std::str::from_utf8(&bytes[..at]).unwrap_or_default();
            let fault = Fault {
                span: at..at,
                message: format!("byte {at} is not UTF-8 (0x{:02x})", bytes[at]),
                hint: Some("save the file as UTF-8".to_owned()),
            };
            return Document { text, root: None, faults: vec![fault] };
        }
    };
    let mut faults = Vec::new();
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    if body.len() != text.len() {
        faults.push(Fault {
            span: 0..text.len() - body.len(),
            message: "the file starts with a byte order mark".to_owned(),
            hint: Some("save it as UTF-8 without a byte order mark".to_owned()),
        });
    }
    let root = match serde_json::from_str::<&RawValue>(body) {
        Ok(raw) => Reader { text, hints }.node(raw, 0).map_err(|fault| faults.push(*fault)).ok(),
        Err(error) => {
            faults.push(syntax_fault(text, text.len() - body.len(), &error, hints));
            None
        }
    };
    Document { text, root, faults }
}

struct Reader<'a> {
    text: &'a str,
    hints: Hints,
}

impl<'a> Reader<'a> {
    fn span(&self, raw: &'a RawValue) -> Range<usize> {
        // Both point into the same text, so the difference of the addresses is the place.
        let start = (raw.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len());
        start..(start + raw.get().len()).min(self.text.len())
    }

    fn node(&self, raw: &'a RawValue, depth: usize) -> Result<Node, Box<Fault>> {
        let span = self.span(raw);
        if depth >= MAX_DEPTH {
            return Err(Box::new(Fault {
                span: span.start..span.start + 1,
                message: format!("values are nested deeper than {MAX_DEPTH} levels"),
                hint: Some(self.hints.deep.to_owned()),
            }));
        }
        let value = match raw.get().as_bytes().first() {
            Some(b'{') => {
                let pairs: Pairs<'a> = self.read(raw)?;
                let member = |(key, value): (&'a RawValue, &'a RawValue)| {
                    let name: String = self.read(key)?;
                    Ok(Member { key: name, key_span: self.span(key), value: self.node(value, depth + 1)? })
                };
                Value::Object(pairs.0.into_iter().map(member).collect::<Result<_, Box<Fault>>>()?)
            }
            Some(b'[') => {
                let items: Vec<&'a RawValue> = self.read(raw)?;
                let items = items.into_iter().map(|item| self.node(item, depth + 1)).collect::<Result<_, _>>()?;
                Value::List(items)
            }
            Some(b'"') => Value::Text(self.read(raw)?),
            Some(first @ (b't' | b'f')) => Value::Bool(*first == b't'),
            Some(b'n') => Value::Null,
            _ => Value::Number(raw.get().into()),
        };
        Ok(Node { span, value })
    }

    /// Reads a part whose syntax was checked with the whole file; what can still be wrong is an escape in a text.
    fn read<T: Deserialize<'a>>(&self, raw: &'a RawValue) -> Result<T, Box<Fault>> {
        serde_json::from_str(raw.get()).map_err(|error| {
            Box::new(Fault {
                span: self.span(raw),
                message: format!("not JSON: {}", without_place(&error)),
                hint: Some("write characters as they are, or as complete `\\u` escapes".to_owned()),
            })
        })
    }
}

/// All members of an object in order, duplicates included.
struct Pairs<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Vec<(&'de RawValue, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_map(All).map(Pairs)
    }
}

fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rfind(" at line ").map_or(text.clone(), |at| text[..at].to_owned())
}

fn syntax_fault(text: &str, skipped: usize, error: &serde_json::Error, hints: Hints) -> Fault {
    let body = &text[skipped..];
    // serde_json counts lines from 1, and columns in bytes up to and including the offending one.
    let line_start: usize = body.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut at = skipped + (line_start + error.column().saturating_sub(1)).min(body.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let offending = text[at..].chars().next();
    let end = at + offending.map_or(0, char::len_utf8);
    let message = without_place(error);
    if body.trim().is_empty() {
        return Fault { span: at..end, message: "the file is empty".to_owned(), hint: Some(hints.empty.to_owned()) };
    }
    let hint = if error.is_eof() {
        "the file ends too early: it was cut off, or a bracket or a quote is not closed"
    } else if matches!(offending, Some('}' | ']')) && text[..at].trim_end().ends_with(',') {
        "remove the comma after the last item"
    } else if message.contains("trailing characters") {
        "the file must hold exactly one JSON value"
    } else if matches!(offending, Some('/' | '#')) {
        "JSON has no comments"
    } else if offending == Some('\'') {
        "JSON texts stand in double quotes"
    } else if message.contains("control character") {
        "write a line break inside a text as `\\n`"
    } else {
        "the file must be strict JSON: double quotes, no comments, no trailing commas"
    };
    Fault { span: at..end, message: format!("not JSON: {message}"), hint: Some(hint.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HINTS: Hints = Hints { empty: "write something", deep: "write less" };

    fn parse(bytes: &[u8]) -> Document<'_> {
        super::parse(bytes, HINTS)
    }

    fn only_fault(bytes: &[u8]) -> Fault {
        let mut document = parse(bytes);
        assert_eq!(document.faults.len(), 1, "{:?}", document.faults);
        document.faults.remove(0)
    }

    #[test]
    fn every_value_and_key_knows_its_bytes() {
        let text = " {\"a\" : [1, \"é\\u0041\"], \"a\":null}";
        let document = parse(text.as_bytes());
        let root = document.root.unwrap();
        let members = root.members().unwrap();
        assert_eq!(&text[members[0].key_span.clone()], "\"a\"");
        assert_eq!(&text[members[0].value.span.clone()], "[1, \"é\\u0041\"]");
        let second = &members[0].value.items().unwrap()[1];
        assert_eq!(&text[second.span.clone()], "\"é\\u0041\"");
        assert!(matches!(&second.value, Value::Text(value) if value == "éA"));
        assert_eq!((members.len(), members[1].value.kind()), (2, "null"), "duplicate keys survive");
    }

    #[test]
    fn faults_say_where_and_what_to_do() {
        let fault = only_fault(b"{\"a\": 1,\n \"b\": 2,\n}");
        assert_eq!(fault.span, 18..19);
        assert_eq!(fault.hint.as_deref(), Some("remove the comma after the last item"));
        assert!(only_fault(b"{\"a\": [1").hint.unwrap().contains("ends too early"));
        assert!(only_fault(b"{ // note\n}").hint.unwrap().contains("comments"));
        assert!(only_fault(b"{'a': 1}").hint.unwrap().contains("double quotes"));
        assert!(only_fault(b"{} {}").hint.unwrap().contains("exactly one"));
        assert_eq!(only_fault(b" \n").message, "the file is empty");
        assert_eq!(only_fault(b"[\"ab\xff\"]").span, 4..4);
    }

    #[test]
    fn a_byte_order_mark_is_a_fault_and_the_rest_is_still_read() {
        let document = parse(b"\xef\xbb\xbf{\"a\": 1}");
        assert_eq!(document.faults[0].message, "the file starts with a byte order mark");
        assert_eq!(document.root.unwrap().members().unwrap()[0].key_span, 4..7);
    }

    #[test]
    fn values_keep_their_spelling_and_lose_only_their_places() {
        let document = parse(b"[2, 2.0, true, null, {\"a\": [\"x\"]}]");
        let root = document.root.unwrap();
        let items = root.items().unwrap();
        assert!(matches!(&items[1].value, Value::Number(spelled) if &**spelled == "2.0"));
        assert_eq!(root.to_json().unwrap(), serde_json::json!([2, 2.0, true, null, {"a": ["x"]}]));
        assert!(parse(b"1e999").root.unwrap().to_json().is_none(), "no number that a reader could hold");
    }

    #[test]
    fn half_a_surrogate_pair_is_a_fault_at_its_text() {
        let fault = only_fault(br#"{"a": "\ud800"}"#);
        assert_eq!(fault.span, 6..14);
    }

    #[test]
    fn deep_nesting_is_a_fault_and_not_a_stack_overflow() {
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        let fault = only_fault(deep.as_bytes());
        assert!(fault.message.contains("nested deeper"), "{}", fault.message);
        assert_eq!(fault.span, MAX_DEPTH..MAX_DEPTH + 1);
    }
}
