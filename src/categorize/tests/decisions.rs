//! One failing case, one decision: each row of the rules.

use super::super::DecidedBy::{Explicit, Hint, Signature};
use super::*;

/// The decision on one failing case, in a line.
fn decided(more: &Value) -> String {
    named("case", more)
}

fn named(name: &str, more: &Value) -> String {
    let c = run(&usual(), &report(&[failing(name, more)]));
    if let Some(a) = c.assignments.first() {
        let by = match a.decided_by {
            Explicit => "explicit",
            Hint => "hint",
            Signature => "signature",
        };
        let key = c.active[0].category_id.name();
        return format!("{key} by {by}: {}", a.rule);
    }
    if let Some(a) = c.ambiguous.first() {
        let candidates: Vec<String> = a.candidates.iter().map(|(id, rule)| format!("{} ({rule})", id.name())).collect();
        return format!("ambiguous, {}: {}", a.reason, candidates.join(", "));
    }
    format!("unclassified: {}", c.unclassified[0].nearest)
}

fn trial(stream: &str, text: &str) -> Value {
    json!({"trials": [{"outcome": "PASS", stream: "fine"}, {"outcome": "FAIL", stream: text}]})
}

#[test]
fn an_explicit_category_wins_over_everything() {
    let id = json!({"category_id": "evals:shop:cart", "seams": ["net"], "problems": ["panic: prob"]});
    assert_eq!(decided(&id), "cart by explicit: category_id evals:shop:cart");
    assert_eq!(decided(&json!({"category": "cart"})), "cart by explicit: category cart");
    assert_eq!(decided(&json!({"category": "evals:shop:cart"})), "cart by explicit: category evals:shop:cart");
    let both = json!({"category": "cart", "category_id": "evals:shop:cart"});
    assert_eq!(decided(&both), "cart by explicit: category_id evals:shop:cart");
}

#[test]
fn an_unknown_or_contradictory_explicit_category_is_nobodys_guess() {
    let hinted = json!({"category": "crat", "seams": ["cart.totals"]});
    assert_eq!(decided(&hinted), "unclassified: the case names the category crat, which the map does not have");
    // A key is no id.
    let key = json!({"category_id": "cart"});
    assert_eq!(decided(&key), "unclassified: the case names the category cart, which the map does not have");
    let differ = json!({"category": "err", "category_id": "evals:shop:cart"});
    assert_eq!(
        decided(&differ),
        "ambiguous, its category_id and its category name different categories: cart (category_id evals:shop:cart), \
         err (category err)"
    );
}

#[test]
fn each_kind_of_hint_decides() {
    assert_eq!(decided(&json!({"seams": ["x", "cart.totals"]})), "cart by hint: seam cart.totals");
    assert_eq!(decided(&json!({"supports_claims": ["shop.pays"]})), "claims by hint: claim shop.pays");
    assert_eq!(decided(&json!({"risks": ["unpaid"]})), "claims by hint: risk unpaid");
    assert_eq!(named("checkout / by card", &json!({})), "globs by hint: case checkout *");
    assert_eq!(named("pay-42", &json!({})), "globs by hint: case pay-??");
    assert!(named("pay-423", &json!({})).starts_with("unclassified"));
    // Two hints for one category are one voice.
    let twice = json!({"supports_claims": ["shop.pays"], "risks": ["unpaid"]});
    assert_eq!(decided(&twice), "claims by hint: claim shop.pays");
}

#[test]
fn signatures_look_only_where_they_belong() {
    assert_eq!(decided(&trial("stdout", "x\npanic: out")), "out by signature: signature o");
    assert_eq!(decided(&trial("stderr", "panic: err")), "err by signature: signature e");
    assert_eq!(decided(&json!({"problems": ["panic: prob"]})), "probs by signature: signature p");
    assert!(decided(&trial("stdout", "panic: err, panic: prob")).starts_with("unclassified"));
    // Without `in`, a pattern looks at all three.
    for evidence in [trial("stdout", "total: 7"), trial("stderr", "total: 7"), json!({"problems": ["total: 7"]})] {
        assert_eq!(decided(&evidence), "cart by signature: signature rounding");
    }
    // The output of a passing trial is no evidence of a failure.
    let passing = json!({"trials": [{"outcome": "PASS", "stdout": "panic: out"}, {"outcome": "FAIL", "stdout": ""}]});
    assert!(decided(&passing).starts_with("unclassified"));
}

#[test]
fn hints_and_signatures_must_agree() {
    let agree = json!({"seams": ["cart.totals"], "problems": ["total: 7"]});
    assert_eq!(decided(&agree), "cart by hint: seam cart.totals, signature rounding");
    // The seam `net` belongs to two categories; the failure tells which.
    let narrowed = json!({"seams": ["net"], "problems": ["panic: prob"]});
    assert_eq!(decided(&narrowed), "probs by signature: seam net, signature p");
    let contradict = json!({"seams": ["cart.totals"], "problems": ["panic: prob"]});
    assert_eq!(
        decided(&contradict),
        "ambiguous, what the case declares and what its failure looks like name different categories: \
         cart (seam cart.totals), probs (signature p)"
    );
}

#[test]
fn several_candidates_are_ambiguous() {
    let ambiguous = "ambiguous, several categories claim it: ";
    assert_eq!(decided(&json!({"seams": ["net"]})), format!("{ambiguous}err (seam net), probs (seam net)"));
    let crossed = json!({"seams": ["cart.totals"], "risks": ["unpaid"]});
    assert_eq!(decided(&crossed), format!("{ambiguous}cart (seam cart.totals), claims (risk unpaid)"));
    let both = json!({"problems": ["panic: prob, total: 7"]});
    assert_eq!(decided(&both), format!("{ambiguous}cart (signature rounding), probs (signature p)"));
}

#[test]
fn what_nobody_claims_is_unclassified_and_told_what_was_near() {
    assert_eq!(
        decided(&json!({"seams": ["cart.total"]})),
        "unclassified: seam cart.totals of evals:shop:cart (the case declares cart.total)"
    );
    assert_eq!(
        decided(&json!({"problems": ["the claims were lost"]})),
        "unclassified: evals:shop:claims (shares the words claims)"
    );
    assert_eq!(decided(&json!({})), "unclassified: none: no category shares a hint or a word with it");
    let long = decided(&json!({"seams": ["cart.total".repeat(100_000)], "category": null}));
    assert!(long.len() < 200, "{long}");
}

#[test]
fn all_of_them_are_reported_together() {
    let cases = [
        failing("a", &json!({})),
        failing("b", &json!({"seams": ["net"]})),
        failing("c", &json!({"category": "gone"})),
        failing("d", &json!({"seams": ["cart.totals"]})),
    ];
    let c = run(&usual(), &report(&cases));
    let n = c.counts;
    assert_eq!((n.failing, n.assigned, n.unclassified, n.ambiguous), (4, 1, 2, 1));
    assert!(!c.is_total());
}

#[test]
fn many_unclassified_cases_are_brief_after_the_first_thousand_by_name() {
    let long = "p".repeat(5_000);
    let cases: Vec<Value> =
        (0..1_200).rev().map(|n| failing(&format!("c{n:04}"), &json!({"problems": [long, "b", "c", "d"]}))).collect();
    let c = run(&usual(), &report(&cases));
    let shown: Vec<(usize, usize)> =
        c.unclassified.iter().map(|u| (u.problems.len(), u.problems[0].chars().count())).collect();
    assert_eq!(shown[..1_000], vec![(3, 300); 1_000]);
    assert_eq!(shown[1_000..], vec![(1, 100); 200]);
    assert!(c.unclassified[999].nearest.starts_with("none") && c.unclassified[1_000].nearest.starts_with("not looked"));
    assert!(c.unclassified.is_sorted_by_key(|u| &u.case));
}

#[test]
fn decisions_have_an_order_of_strength() {
    assert!(Explicit < Hint && Hint < Signature);
}
