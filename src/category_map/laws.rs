//! Laws of loading: they hold for any bytes.

use proptest::prelude::*;

use super::{CategoryMap, parse, picture_of};
use crate::diag::line_column;

const SOUND: &str = include_str!("../../tests/fixtures/maps/valid/with-retired.json");

/// Checks what must hold for the findings about any bytes.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let loaded = parse("any.json", bytes);
    prop_assert_eq!(loaded.map.is_none(), loaded.errors() > 0, "a map exactly when there is no error");
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let text = std::str::from_utf8(&bytes[..valid]).unwrap();
    for finding in &loaded.findings {
        let place = &finding.place;
        let span = place.span.clone().unwrap();
        prop_assert!(span.start <= span.end && span.end <= text.len(), "{:?}", finding);
        prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end), "{:?}", finding);
        prop_assert_eq!((place.line.unwrap(), place.column.unwrap()), line_column(text, span.start));
        if let Some(pointer) = &place.pointer
            && let Ok(value) = serde_json::from_str::<serde_json::Value>(text)
        {
            prop_assert!(value.pointer(pointer).is_some(), "{} points to nothing", pointer);
        }
    }
    let mut sorted = loaded.findings.clone();
    sorted.sort_by_key(|finding| finding.place.span.clone().unwrap().start);
    prop_assert_eq!(&sorted, &loaded.findings, "in the order of the file");
    prop_assert_eq!(parse("any.json", bytes).findings, loaded.findings, "the same input gives the same findings");
    if loaded.map.is_some() {
        prop_assert!(picture_of(bytes).is_some());
    } else {
        let _ = picture_of(bytes);
    }
    Ok(())
}

/// A map with every kind of entry, as a value.
fn sound() -> serde_json::Value {
    serde_json::from_str(SOUND).unwrap()
}

/// Any JSON value that a field might be given by mistake.
fn any_value() -> impl Strategy<Value = serde_json::Value> {
    let text = prop_oneof![any::<String>(), "[a-z]{1,4}:shop:[a-z]{1,6}", Just(String::new()), Just("(".to_owned())];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        text.prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::btree_map(key(), inner, 0..4)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("category_id".to_owned()),
        Just("rationale".to_owned()),
        Just("pattern".to_owned()),
        Just("id".to_owned()),
        Just("kind".to_owned()),
        Just("into".to_owned()),
        any::<String>(),
    ]
}

/// Pointers of all values of a document.
fn pointers(value: &serde_json::Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        serde_json::Value::Object(members) => {
            for (key, value) in members {
                pointers(value, &super::place::child(at, key), out);
            }
        }
        serde_json::Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                pointers(value, &super::place::child(at, &index.to_string()), out);
            }
        }
        _ => {}
    }
}

fn content(map: CategoryMap) -> CategoryMap {
    CategoryMap { digest: crate::model::Digest::zero(), ..map }
}

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check(&bytes)?;
    }

    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        check(text.as_bytes())?;
    }

    #[test]
    fn a_damaged_map_is_answered(at in 0..SOUND.len(), with in prop::collection::vec(any::<u8>(), 0..4), cut in 0usize..40) {
        let mut bytes = SOUND.as_bytes().to_vec();
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, with);
        check(&bytes)?;
    }

    #[test]
    fn a_map_with_any_value_anywhere_is_answered(pick in any::<prop::sample::Index>(), value in any_value(), dense in any::<bool>()) {
        let mut map = sound();
        let mut all = Vec::new();
        pointers(&map, "", &mut all);
        *map.pointer_mut(&all[pick.index(all.len())]).unwrap() = value;
        let text = if dense { map.to_string() } else { serde_json::to_string_pretty(&map).unwrap() };
        check(text.as_bytes())?;
    }

    #[test]
    fn any_edges_are_answered(edges in prop::collection::vec((0usize..6, 0usize..8), 0..14)) {
        let mut map = sound();
        let names = ["n0", "n1", "n2", "n3", "n4", "n5"];
        let mut categories = serde_json::Map::new();
        for (at, name) in names.iter().enumerate() {
            let targets: Vec<_> = edges.iter().filter(|(from, _)| *from == at)
                .map(|(_, to)| serde_json::json!({"category_id": format!("evals:shop:n{to}"), "rationale": "why"})).collect();
            let category = serde_json::json!({
                "category_id": format!("evals:shop:{name}"), "label": name, "defect": "d", "expected": "e", "depends_on": targets
            });
            categories.insert((*name).to_owned(), category);
        }
        map["categories"] = categories.into();
        map["retired"] = serde_json::json!({});
        check(map.to_string().as_bytes())?;
    }

    #[test]
    fn the_order_of_the_file_does_not_matter(order in Just(vec![0usize, 1, 2]).prop_shuffle()) {
        let map = sound();
        let members = map["categories"].as_object().unwrap();
        let entries: Vec<String> =
            members.iter().map(|(key, value)| format!("{}: {value}", serde_json::json!(key))).collect();
        let shuffled: Vec<&str> = order.iter().map(|at| entries[*at].as_str()).collect();
        let mut frame = map.clone();
        frame["categories"] = serde_json::json!("HERE");
        let text = frame.to_string().replace("\"HERE\"", &format!("{{{}}}", shuffled.join(", ")));
        let (one, two) = (parse("m", SOUND.as_bytes()).map.unwrap(), parse("m", text.as_bytes()).map.unwrap());
        prop_assert_eq!(content(one), content(two));
    }
}

#[test]
fn large_and_awkward_maps_stay_cheap() {
    // 3,000 categories in a chain, on one line: places, cycles and implied edges must not cost a square.
    let entry = |n: usize| {
        let up = n
            .checked_sub(1)
            .map_or(String::new(), |up| format!("{{\"category_id\":\"n:r:c{up}\",\"rationale\":\"x\"}}"));
        format!("\"k{n}\":{{\"category_id\":\"n:r:c{n}\",\"defect\":\"d\",\"depends_on\":[{up}]}}")
    };
    let entries: Vec<String> = (0..3_000).map(entry).collect();
    let text = format!(
        "{{\"schema\":\"agentic_evals.category_map.v1\",\"repo\":\"o/r\",\"map_version\":\"1\",\"categories\":{{{}}}}}",
        entries.join(",")
    );
    let loaded = parse("m", text.as_bytes());
    assert_eq!(loaded.findings.len(), 6_000, "a label and an expectation are missing in each");
    assert_eq!(loaded.map.unwrap().categories.len(), 3_000);
}
