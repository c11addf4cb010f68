//! JSON documents for standard output: exact values in harmless bytes.

use std::fmt::Write as _;

use serde::Serialize;

use crate::model::is_unsafe_for_display;

/// `value` as indented JSON with sorted keys and a line break at its end. Characters that could act in a terminal are
/// written as `\uXXXX`, so the document may be shown as it is and still holds every value exactly.
///
/// `value` must be representable as JSON: maps in it have text keys, and numbers are finite.
///
/// # Panics
/// Never: the documents of this program are plain structs.
pub fn json_document<T: Serialize>(value: &T) -> String {
    // Invariant: every document is a plain struct with text keys and no floating-point numbers.
    #[expect(clippy::expect_used, reason = "plain structs with text keys always become JSON")]
    let sorted = serde_json::to_value(value)
        .and_then(|sorted| serde_json::to_string_pretty(&sorted))
        .expect("a document is plain data");
    let mut text = harmless_json(&sorted);
    text.push('\n');
    text
}

/// Unsafe characters stand only inside the texts of a document: outside there is nothing but ASCII, and the only control
/// character outside is the line break.
pub fn harmless_json(json: &str) -> String {
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
