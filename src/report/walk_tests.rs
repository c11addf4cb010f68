//! The walk accepts exactly what serde_json accepts.

use proptest::prelude::*;
use serde::de::IgnoredAny;

use super::*;

/// Walks a whole document.
fn walk(text: &[u8]) -> Result<(), Fault> {
    let mut walk = Walk::new(text, 0);
    walk.space();
    walk.value()?;
    walk.space();
    if walk.at < text.len() { walk.fault("trailing characters") } else { Ok(()) }
}

fn compare(text: &[u8]) {
    let theirs = serde_json::from_slice::<IgnoredAny>(text);
    let ours = walk(text);
    assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?}: {ours:?} {theirs:?}", String::from_utf8_lossy(text));
    if let Err(fault) = ours {
        assert!(fault.at <= text.len() && fault.message.is_none() == (fault.at == text.len()), "{fault:?}");
    }
}

#[test]
fn corners_are_decided_as_serde_json_does() {
    for text in [
        "",
        " ",
        "null",
        "nul",
        "nulL",
        "true",
        "false",
        "tru",
        "falsy",
        "0",
        "-",
        "-0",
        "00",
        "01",
        "-01",
        "1.",
        "1.0",
        ".5",
        "1e",
        "1e+",
        "1E-5",
        "1e999",
        "1.e1",
        "+1",
        "NaN",
        "Infinity",
        "1 2",
        "\"",
        "\"a\"",
        "\"a",
        "\"\\\"",
        "\"\\\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12G4\"",
        "\"\\ud800\"",
        "\"\\",
        "\"\\u",
        "\"\t\"",
        "\"\u{7f}\u{80}\"",
        "[",
        "]",
        "[]",
        "[ ]",
        "[1",
        "[1,",
        "[1,]",
        "[,]",
        "[1 2]",
        "[1}",
        "{",
        "}",
        "{}",
        "{ }",
        "{1:2}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1",
        "{\"a\":1,}",
        "{\"a\":1,\"b\":[{}]}",
        "{\"a\" : 1 , \"b\" : 2 }",
        "{\"a\":1]",
        "[[[[]]]]",
        "[[[[]]]",
        "[]]",
        "\u{feff}1",
        "{\"a\":1 \"b\":2}",
        "'a'",
        "[1]x",
        "[\"a\":1]",
        "{\"a\",1}",
    ] {
        compare(text.as_bytes());
    }
}

#[test]
fn special_bytes_are_found_at_every_offset() {
    for special in (0..=255u8).filter(|byte| *byte < 0x20 || b"\"\\".contains(byte)) {
        for length in 0..80 {
            for (fill, other) in [(b'a', b'#'), (0xff, 0x80), (b'!', 0x20), (b']', b'[')] {
                let mut text: Vec<u8> = (0..length).map(|n| if n % 3 == 0 { other } else { fill }).collect();
                text.push(special);
                text.extend([b'"'; 40]);
                let mut walk = Walk::new(&text, 0);
                walk.plain();
                assert_eq!(walk.at, length, "{special:#x} after {length}");
            }
        }
    }
}

#[test]
fn depth_is_not_recursion() {
    let deep = 1_000_000;
    assert_eq!(walk(("[".repeat(deep) + &"]".repeat(deep)).as_bytes()), Ok(()));
    assert_eq!(walk("{\"a\":".repeat(deep).as_bytes()), Err(Fault { at: 5 * deep, message: None }));
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
        "[ -~\n\"\\\\]{0,80}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            proptest::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn documents_and_damaged_documents(value in json(), pretty in any::<bool>(), damage in proptest::option::of((any::<proptest::sample::Index>(), "[ -~]|\n|\u{1}")), cut in proptest::option::of(any::<proptest::sample::Index>())) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        prop_assert_eq!(walk(text.as_bytes()), Ok(()));
        let mut chars: Vec<char> = text.chars().collect();
        if let Some((at, with)) = damage {
            let at = at.index(chars.len());
            chars[at] = with.chars().next().unwrap();
        }
        if let Some(cut) = cut {
            chars.truncate(cut.index(chars.len()));
        }
        compare(chars.into_iter().collect::<String>().as_bytes());
    }

    #[test]
    fn any_text(text in "[\\[\\]{}:,\"\\\\0-9eE+. truefalsn-]{0,24}") {
        compare(text.as_bytes());
    }
}
