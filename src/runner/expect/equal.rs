//! Equality of JSON values with types kept apart.

use serde_json::{Number, Value};

/// True if the two are the same JSON value. Objects are equal whatever the order of their keys; numbers by value.
pub fn json_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => numbers_equal(a, b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| json_equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| json_equal(a, b)))
        }
        (a, b) => a == b,
    }
}

fn numbers_equal(a: &Number, b: &Number) -> bool {
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a.total_cmp(&b).is_eq()),
        // A whole number and a fraction, or one too large to be exact.
        _ => false,
    }
}

/// The number as a whole one, if it is one; also if it is spelled `1.0` or `1e3`.
fn whole(number: &Number) -> Option<i128> {
    if let Some(value) = number.as_i64() {
        return Some(value.into());
    }
    if let Some(value) = number.as_u64() {
        return Some(value.into());
    }
    let value = number.as_f64()?;
    // 2^100 fits into 128 bits with room to spare; larger ones are compared as they are.
    let fits = value.trunc().total_cmp(&value).is_eq() && value.abs() < 2f64.powi(100);
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and smaller than 2^100")]
    let exact = value as i128;
    fits.then_some(exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(a: &str, b: &str) -> bool {
        json_equal(&serde_json::from_str(a).unwrap(), &serde_json::from_str(b).unwrap())
    }

    #[test]
    fn types_are_kept_apart_and_numbers_are_values() {
        for (a, b) in [
            ("1", "1.0"),
            ("1e3", "1000"),
            ("-0.0", "0"),
            ("0.1", "0.10"),
            ("18446744073709551615", "18446744073709551615"),
            ("1e300", "1e300"),
            ("[1, {\"a\": 2.0, \"b\": null}]", "[1.0, {\"b\": null, \"a\": 2}]"),
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
            ("0.1", "0.2"),
            ("1e300", "1e301"),
            ("\"é\"", "\"e\u{301}\""),
        ] {
            assert!(!equal(a, b) && !equal(b, a), "{a} {b}");
        }
    }
}
