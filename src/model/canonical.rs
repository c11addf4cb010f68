//! Canonical JSON: the bytes that digests are computed over.

use serde::Serialize;

/// Serializes `value` as canonical JSON: UTF-8, object keys sorted by code point, no insignificant white space.
///
/// Keys are sorted because `serde_json::Map` is an ordered map here (its `preserve_order` feature is off; a test
/// holds that). Values that are hashed hold no floating-point numbers, so number formatting is unambiguous.
///
/// # Errors
/// Only if the value cannot be represented as JSON at all (a map with keys that are not strings).
pub fn canonical_json<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&serde_json::to_value(value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_and_space_is_gone() {
        let value: serde_json::Value = serde_json::from_str(r#"{ "b": [1, 2], "a": {"z": null, "y": "é"} }"#).unwrap();
        assert_eq!(canonical_json(&value).unwrap(), r#"{"a":{"y":"é","z":null},"b":[1,2]}"#.as_bytes());
    }
}
