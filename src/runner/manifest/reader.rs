//! Reads typed values out of the JSON tree. A wrong type is reported where it stands; the value is then as if it were
//! missing, so that one mistake is one finding.

use crate::diag::findings::{Findings, Spot, child, quote};
use crate::diag::json::{Member, Node, Value};

use super::rule::{BAD_NUMBER, BAD_TYPE, EMPTY, LIKELY_TYPO, MISSING, Rule, UNKNOWN_WORD};

/// A value and its pointer.
#[derive(Debug, Clone)]
pub(super) struct At<'n> {
    pub(super) node: &'n Node,
    pub(super) pointer: String,
}

impl<'n> At<'n> {
    pub(super) fn spot(&self) -> Spot {
        Spot::new(&self.pointer, &self.node.span)
    }

    /// The first character alone: where something is missing, the whole object is too much to show.
    pub(super) fn start(&self) -> Spot {
        Spot::new(&self.pointer, &(self.node.span.start..self.node.span.start + 1))
    }

    pub(super) fn get(&self, key: &str) -> Option<At<'n>> {
        self.node.get(key).map(|member| self.of(member))
    }

    pub(super) fn of(&self, member: &'n Member) -> At<'n> {
        At { node: &member.value, pointer: child(&self.pointer, &member.key) }
    }
}

/// Reads, and keeps what was wrong.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) found: Findings,
}

impl Reader {
    pub(super) fn add(&mut self, rule: &Rule, spot: &Spot, message: impl Into<String>, hint: impl Into<String>) {
        self.found.add(rule, spot, message, Some(hint.into()));
    }

    pub(super) fn wrong_type(&mut self, at: &At<'_>, what: &str, wanted: &str) {
        let message = format!("{what} must be {wanted}, not {}", at.node.kind());
        self.found.add(&BAD_TYPE, &at.spot(), message, None);
    }

    fn missing(&mut self, object: &At<'_>, key: &str, whose: &str) {
        self.found.add(&MISSING, &object.start(), format!("{whose} has no `{key}`"), None);
    }

    /// True if it is an object; else that is reported.
    pub(super) fn is_object(&mut self, at: &At<'_>, what: &str) -> bool {
        let is = at.node.members().is_some();
        if !is {
            self.wrong_type(at, what, "an object");
        }
        is
    }

    pub(super) fn as_text(&mut self, at: &At<'_>, what: &str) -> Option<String> {
        if let Value::Text(text) = &at.node.value {
            return Some(text.clone());
        }
        self.wrong_type(at, what, "a text");
        None
    }

    pub(super) fn text(&mut self, object: &At<'_>, key: &str) -> Option<String> {
        let at = object.get(key)?;
        self.as_text(&at, &format!("`{key}`"))
    }

    /// A text that must be there and hold more than white space.
    pub(super) fn needed_text(&mut self, object: &At<'_>, key: &str, whose: &str) -> Option<String> {
        let Some(at) = object.get(key) else {
            self.missing(object, key, whose);
            return None;
        };
        let text = self.as_text(&at, &format!("`{key}`"))?;
        if text.trim().is_empty() {
            self.found.add(&EMPTY, &at.spot(), format!("`{key}` of {whose} is empty"), None);
            return None;
        }
        Some(text)
    }

    /// A value that must be there.
    pub(super) fn needed<'n>(&mut self, object: &At<'n>, key: &str, whose: &str) -> Option<At<'n>> {
        let at = object.get(key);
        if at.is_none() {
            self.missing(object, key, whose);
        }
        at
    }

    pub(super) fn flag(&mut self, object: &At<'_>, key: &str) -> Option<bool> {
        let at = object.get(key)?;
        if let Value::Bool(value) = at.node.value {
            return Some(value);
        }
        self.wrong_type(&at, &format!("`{key}`"), "true or false");
        None
    }

    /// A whole number inside bounds, spelled as one: `2.0`, `2e0` and `true` are none.
    pub(super) fn whole(&mut self, at: &At<'_>, what: &str, within: (i64, i64), hint: &str) -> Option<i64> {
        let Value::Number(spelled) = &at.node.value else {
            self.wrong_type(at, what, "a whole number");
            return None;
        };
        let number = spelled.parse::<i64>().ok().filter(|number| (within.0..=within.1).contains(number));
        if number.is_none() {
            let message =
                format!("{what} must be a whole number from {} to {}, not {}", within.0, within.1, quote(spelled));
            self.add(&BAD_NUMBER, &at.spot(), message, hint);
        }
        number
    }

    pub(super) fn items<'n>(&mut self, object: &At<'n>, key: &str) -> Vec<At<'n>> {
        object.get(key).map_or_else(Vec::new, |at| self.items_of(&at, &format!("`{key}`")))
    }

    pub(super) fn items_of<'n>(&mut self, at: &At<'n>, what: &str) -> Vec<At<'n>> {
        let Some(items) = at.node.items() else {
            self.wrong_type(at, what, "a list");
            return Vec::new();
        };
        let item = |(index, node)| At { node, pointer: child(&at.pointer, &format!("{index}")) };
        items.iter().enumerate().map(item).collect()
    }

    /// Texts, each with more in it than nothing.
    pub(super) fn texts(&mut self, object: &At<'_>, key: &str, why_not_empty: &str) -> Vec<String> {
        let what = format!("every item of `{key}`");
        let mut texts = Vec::new();
        for at in self.items(object, key) {
            if let Some(text) = self.as_text(&at, &what) {
                if text.is_empty() {
                    self.add(&EMPTY, &at.spot(), format!("an item of `{key}` is an empty text"), why_not_empty);
                } else {
                    texts.push(text);
                }
            }
        }
        texts
    }

    /// Any value, as it is.
    pub(super) fn any(&mut self, object: &At<'_>, key: &str) -> Option<serde_json::Value> {
        let at = object.get(key)?;
        self.as_json(&at, &format!("`{key}`"))
    }

    pub(super) fn as_json(&mut self, at: &At<'_>, what: &str) -> Option<serde_json::Value> {
        let value = at.node.to_json();
        if value.is_none() {
            self.found.add(&BAD_NUMBER, &at.start(), format!("{what} holds a number that is too large"), None);
        }
        value
    }

    /// An object, as it is.
    pub(super) fn object(&mut self, object: &At<'_>, key: &str) -> Option<serde_json::Value> {
        let at = object.get(key)?;
        self.is_object(&at, &format!("`{key}`")).then(|| self.as_json(&at, &format!("`{key}`"))).flatten()
    }

    /// One word of a closed vocabulary.
    pub(super) fn word<T: Copy>(&mut self, object: &At<'_>, key: &str, words: &[(&str, T)]) -> Option<T> {
        let at = object.get(key)?;
        self.as_word(&at, &format!("`{key}`"), words)
    }

    pub(super) fn as_word<T: Copy>(&mut self, at: &At<'_>, what: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.as_text(at, what)?;
        let known = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if known.is_none() {
            let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let message = format!("{what} cannot be {}", quote(&text));
            self.add(&UNKNOWN_WORD, &at.spot(), message, format!("one of {}", all.join(", ")));
        }
        known
    }

    /// Unknown keys are allowed here; one that is nearly a known one is probably meant to be it.
    pub(super) fn suspect_typos(&mut self, object: &At<'_>, known: &[&str]) {
        for member in object.node.members().unwrap_or_default() {
            if known.contains(&member.key.as_str()) || member.key.len() > 40 {
                continue;
            }
            let Some(near) = nearest(&member.key, known) else { continue };
            let spot = Spot::new(&child(&object.pointer, &member.key), &member.key_span);
            let message = format!("the key {} is not known and has no effect", quote(&member.key));
            self.add(&LIKELY_TYPO, &spot, message, format!("did you mean `{near}`?"));
        }
    }
}

/// The known key within two edits of `key`, one for short keys.
pub(super) fn nearest<'k>(key: &str, known: &[&'k str]) -> Option<&'k str> {
    let within = if key.chars().count() < 6 { 1 } else { 2 };
    let near = known.iter().map(|word| (strsim::damerau_levenshtein(key, word), *word));
    near.filter(|(edits, _)| *edits <= within).min().map(|(_, word)| word)
}
