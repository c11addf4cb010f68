//! Laws of loading.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{load, parse, sound};

/// Every place in a value.
fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                pointers(value, &format!("{at}/{key}"), out);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                pointers(value, &format!("{at}/{index}"), out);
            }
        }
        _ => {}
    }
}

fn places() -> Vec<String> {
    let mut out = Vec::new();
    pointers(&sound(), "", &mut out);
    out
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[\\PC\u{0}\u{202e}/~.]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{0,8}", inner, 0..4)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 1 } else { 300 }))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let loaded = parse("m", &bytes);
        prop_assert!(loaded.manifest.is_none() && loaded.errors() > 0, "noise is no manifest");
    }

    #[test]
    fn any_value_at_any_place_loads_or_is_refused_with_a_place(
        place in prop::sample::select(places()),
        value in any_value(),
    ) {
        let mut manifest = sound();
        *manifest.pointer_mut(&place).unwrap() = value;
        let loaded = load(&manifest);
        prop_assert_eq!(loaded.manifest.is_some(), loaded.errors() == 0);
        let text = serde_json::to_string_pretty(&manifest).unwrap();
        for finding in &loaded.findings {
            let span = finding.place.span.clone().unwrap();
            prop_assert!(text.get(span).is_some(), "the place is in the file, between characters");
            prop_assert!(!finding.message.chars().any(crate::model::is_unsafe_for_display));
        }
        let again = load(&manifest);
        prop_assert_eq!(loaded.findings, again.findings);
    }

    #[test]
    fn a_key_that_is_not_expected_is_always_refused(key in "[a-z_]{1,14}") {
        let known = ["exit_code", "stdout_contains", "stderr_contains", "stdout_excludes", "stderr_excludes", "artifacts"];
        prop_assume!(!known.contains(&key.as_str()));
        let mut manifest = sound();
        manifest["cases"][0]["expected"][&key] = json!(["x"]);
        prop_assert!(load(&manifest).manifest.is_none());
    }
}
