//! Tests of close slices.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::runner::testing::{case, manifest};

fn map(category: Value) -> CategoryMap {
    let mut entry = json!({"category_id": "n:shop:cart", "label": "l", "defect": "d", "expected": "e"});
    for (key, value) in category.as_object().unwrap() {
        entry[key] = value.clone();
    }
    let map = json!({"schema": "agentic_evals.category_map.v1", "repo": "o/shop", "map_version": "1",
        "categories": {"cart": entry}});
    let loaded = crate::category_map::parse("map.json", map.to_string().as_bytes());
    loaded.map.unwrap_or_else(|| panic!("{:#?}", loaded.findings))
}

fn shop() -> Manifest {
    let claims = ["cart.right", "files.safe", "mail.sent"];
    let claims: Vec<Value> =
        claims.iter().map(|id| json!({"id": id, "evidence_required": ["deterministic"]})).collect();
    let cases = [
        case("cart adds", json!({"category": "cart", "seams": ["cart.extra"]})),
        case("cart total", json!({"category_id": "n:shop:cart"})),
        case("cart glob", json!({})),
        case("seam guard", json!({"seams": ["cart.file"]})),
        case("claim guard", json!({"supports_claims": ["cart.right"]})),
        case("risk guard", json!({"risks": ["money"]})),
        case("seam of the claim", json!({"seams": ["cart.db"]})),
        case("claim of the seam", json!({"supports_claims": ["files.safe"]})),
        case("same extra seam", json!({"seams": ["cart.extra"]})),
        case("retained", json!({})),
        case("seen failing", json!({})),
        case("unrelated", json!({"seams": ["mail"], "supports_claims": ["mail.sent"]})),
    ];
    manifest(
        &cases,
        json!({
        "capability_claims": claims,
            "seams": [
                    {"seam_id": "cart.file", "claim_id": "files.safe"}, {"seam_id": "cart.db", "claim_id": "cart.right"},
                    {"seam_id": "cart.extra"}, {"seam_id": "mail", "claim_id": "mail.sent"}
                ]
            }),
    )
}

fn category() -> Value {
    json!({"seams": ["cart.file"], "supports_claims": ["cart.right"], "risks": ["money"], "cases": ["*glob"]})
}

fn said(slice: &Slice) -> String {
    let line = |(name, reasons): &(String, Vec<Reason>)| {
        format!("{name}: {}", reasons.iter().map(Reason::describe).collect::<Vec<_>>().join("; "))
    };
    let whole = slice.whole_because.iter().map(|why| format!("whole: {why}"));
    whole.chain(slice.cases.iter().map(line)).collect::<Vec<_>>().join("\n")
}

fn retained() -> Vec<Retained> {
    let regression = |id: &str, case: &str, seam: &str| Retained {
        id: id.to_owned(),
        case: case.to_owned(),
        claims: Vec::new(),
        seams: vec![seam.to_owned()],
    };
    vec![regression("r1", "retained", "cart.file"), regression("r2", "unrelated", "mail")]
}

fn id() -> CategoryId {
    "n:shop:cart".parse().unwrap()
}

#[test]
fn the_slice_holds_all_that_guards_what_the_category_touches() {
    let slice = close_slice(&shop(), &map(category()), &id(), &["seen failing"], &retained());
    assert_eq!(slice.whole_because, None);
    assert!(!slice.cases.iter().any(|(name, _)| name == "unrelated"));
    assert_eq!(slice.cases.len(), 11);
    insta::assert_snapshot!(said(&slice));
}

#[test]
fn what_cannot_be_built_is_the_whole_fixture() {
    let whole = |category: Value, id: &str, assigned: &[&str], retained: &[Retained]| {
        let slice = close_slice(&shop(), &map(category), &id.parse().unwrap(), assigned, retained);
        assert_eq!(slice.cases.len(), 12);
        slice.whole_because.unwrap()
    };
    let lost =
        Retained { id: "r".to_owned(), case: "gone".to_owned(), claims: vec!["cart.right".to_owned()], seams: vec![] };
    let all = [
        whole(category(), "n:shop:other", &[], &[]),
        whole(category(), "n:shop:cart", &["renamed"], &[]),
        whole(category(), "n:shop:cart", &[], &[lost]),
    ];
    insta::assert_snapshot!(all.join("\n"));
    let bare = manifest(&[case("a", json!({"category": "cart"})), case("b", json!({}))], json!({}));
    let slice = close_slice(&bare, &map(json!({"cases": ["a"]})), &id(), &[], &[]);
    assert_eq!(
        slice.whole_because.as_deref(),
        Some("neither the category nor its cases name a seam or a claim to close over")
    );
    let slice = close_slice(&bare, &map(json!({"seams": ["nobody"]})), &id(), &[], &[]);
    assert_eq!(slice.whole_because.as_deref(), Some("no case guards a seam or a claim of the category"));
}

proptest! {
    /// A slice that knows more is never smaller.
    #[test]
    fn more_that_is_touched_is_never_fewer_cases(
        seams in prop::collection::btree_set(prop::sample::select(vec!["cart.file", "cart.db", "cart.extra", "mail"]), 0..4),
        more in prop::sample::select(vec!["cart.file", "cart.db", "cart.extra", "mail"]),
    ) {
        let names = |seams: &BTreeSet<&str>| -> BTreeSet<String> {
            let slice = close_slice(&shop(), &map(json!({"seams": seams})), &id(), &[], &[]);
            slice.cases.into_iter().map(|(name, _)| name).collect()
        };
        let mut wider = seams.clone();
        wider.insert(more);
        prop_assert!(names(&seams).is_subset(&names(&wider)));
    }
}
