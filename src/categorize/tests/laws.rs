//! Laws of any report and any map.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::CategorizationOutput;
use super::*;

/// A failing or other case; hints, explicit categories and evidence are drawn from a small pool, so that all meet.
fn any_case() -> impl Strategy<Value = Value> {
    let pick = |pool: &'static [&'static str]| proptest::sample::subsequence(pool.to_vec(), 0..=pool.len().min(2));
    (
        (
            prop_oneof![4 => Just("FAIL"), 1 => Just("PASS"), 1 => Just("BLOCKED"), 1 => Just("NOT_TESTED")],
            any::<bool>(),
        ),
        pick(&["cart.totals", "net", "unknown"]),
        pick(&["shop.pays"]),
        pick(&["total: 7", "panic: prob", "exit_code 1 != 0"]),
        pick(&["panic: out", "panic: err"]),
        proptest::option::weighted(0.2, proptest::sample::select(vec!["cart", "claims", "gone", "evals:shop:out"])),
        any::<bool>(),
    )
        .prop_map(|((outcome, optional), seams, claims, problems, output, category, flaky)| {
            json!({"outcome": outcome, "required": !optional || outcome != "PASS", "seams": seams,
                "supports_claims": claims, "problems": problems, "category": category, "flaky": flaky,
                "trials": [{"outcome": outcome, "stdout": output.join(" "), "stderr": output.join(" ")}]})
        })
}

/// Cases with distinct names, some of them parents of others.
fn any_cases() -> impl Strategy<Value = Vec<Value>> {
    proptest::collection::btree_map("(a|b|checkout )(/x)?(/[0-9]{1,2})?", any_case(), 0..30).prop_map(|cases| {
        cases
            .into_iter()
            .map(|(name, mut case)| {
                case["name"] = name.into();
                case
            })
            .collect()
    })
}

/// Everything but the digest of the report.
fn shown(c: &Categorization) -> String {
    let mut value = serde_json::to_value(CategorizationOutput::from(c)).unwrap();
    value["report"]["digest"] = Value::Null;
    let excerpts: Vec<_> = c.active.iter().map(|a| (&a.excerpts, a.fingerprint)).collect();
    format!("{value:#} {excerpts:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_failing_case_is_in_exactly_one_list(cases in any_cases()) {
        let c = run(&usual(), &report(&cases));
        let lists = c.assignments.iter().map(|a| &a.case)
            .chain(c.unclassified.iter().map(|u| &u.case))
            .chain(c.ambiguous.iter().map(|a| &a.case));
        let listed: Vec<&str> = lists.map(crate::model::CaseName::as_str).collect();
        let distinct: BTreeSet<&str> = listed.iter().copied().collect();
        prop_assert_eq!(listed.len(), distinct.len());
        let expected: BTreeSet<&str> = cases.iter()
            .filter(|case| case["outcome"] == "FAIL" && case["required"] == true)
            .map(|case| case["name"].as_str().unwrap()).collect();
        prop_assert_eq!(distinct, expected);
        let n = c.counts;
        prop_assert_eq!(n.failing, n.assigned + n.unclassified + n.ambiguous);
        prop_assert_eq!(n.failing_cases, listed.len() as u64);
        prop_assert_eq!(n.folded, c.folded.len() as u64);
        let in_categories: usize = c.active.iter().map(|a| a.cases.len()).sum();
        prop_assert_eq!(in_categories, c.assignments.len());
        let failures: usize = c.active.iter().map(|a| a.failures).sum();
        prop_assert_eq!(failures as u64, n.assigned);
        for active in &c.active {
            // Folding never makes a category disappear.
            prop_assert!(active.failures > 0 && active.cases.is_sorted());
        }
        prop_assert!(c.active.is_sorted_by(|a, b| a.category_id < b.category_id));
    }

    #[test]
    fn the_order_of_the_cases_does_not_matter(cases in any_cases(), seed in any::<u64>()) {
        let expected = shown(&run(&usual(), &report(&cases)));
        let mut shuffled = cases;
        shuffled.sort_by_cached_key(|case| crate::model::Digest::of(format!("{seed}{}", case["name"]).as_bytes()));
        prop_assert_eq!(shown(&run(&usual(), &report(&shuffled))), expected);
    }
}

/// More cases than are shown of a category, and more unclassified ones than are described.
#[test]
fn the_order_does_not_matter_beyond_what_is_shown() {
    let mut cases: Vec<Value> = (0..1_100)
        .flat_map(|n| {
            [
                failing(&format!("u{n}"), &json!({"seams": [format!("cart.t{n}")]})),
                failing(&format!("a{n}"), &json!({"category": "cart"})),
            ]
        })
        .collect();
    let expected = shown(&run(&usual(), &report(&cases)));
    cases.reverse();
    assert_eq!(shown(&run(&usual(), &report(&cases))), expected);
    cases.sort_by_cached_key(|case| crate::model::Digest::of(case["name"].to_string().as_bytes()));
    assert_eq!(shown(&run(&usual(), &report(&cases))), expected);
}
