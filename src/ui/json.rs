//! JSON documents for standard output: exact values in harmless bytes.

use std::fmt::Write as _;

use serde::Serialize;

use crate::model::is_unsafe_for_display;

/// `value` as indented JSON with sorted keys and a line break at its end. Characters that could act in a terminal are
/// written as `\uXXXX`, so the document may be shown as it is and still holds every value exactly.
///
/// `value` must be representable as JSON: maps in it have text keys, and numbers are finite.
pub fn json_document<T: Serialize>(value: &T) -> String {
    let sorted = serde_json::to_value(value).unwrap_or_default();
    let mut text = escape_unsafe(&serde_json::to_string_pretty(&sorted).unwrap_or_default());
    text.push('\n');
    text
}

/// Unsafe characters stand only inside the texts of a document: outside there is nothing but ASCII, and the only control
/// character outside is the line break.
fn escape_unsafe(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && is_unsafe_for_display(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}"); // writing to a String cannot fail
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_are_exact_and_bytes_are_harmless(key in any::<String>(), text in any::<String>()) {
            let value = serde_json::json!({ key: [text, "\u{202e}\u{e0041}\u{9b}\u{7f}"] });
            let document = json_document(&value);
            prop_assert!(!document.chars().any(|c| c != '\n' && is_unsafe_for_display(c)), "{document:?}");
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&document).unwrap(), value);
        }
    }
}
