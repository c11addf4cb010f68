//! `bad-retirement`: an entry of `retired` that does not say what became of the category.

use std::collections::HashSet;

use super::registry::{Check, Rule};
use crate::category_map::build::retired_kind;
use crate::category_map::nearest::{did_you_mean, nearest};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::{RawMap, RawRetired};
use crate::category_map::types::RetiredKind;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "bad-retirement",
    severity: Severity::Error,
    what: "`kind` is not split, merged or removed, or it does not fit the number of successors in `into`.",
    why: "An open ticket of the category is superseded, absorbed or kept by this entry; half an answer loses it.",
    mend: "split names two or more successors, merged exactly one, removed none.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    for entry in &map.retired {
        let Some(text) = entry.kind.get().filter(|text| !text.is_blank()) else { continue };
        let Some(kind) = retired_kind(&text.value) else {
            let hint = did_you_mean(&nearest(&text.value, ["split", "merged", "removed"], 1))
                .unwrap_or_else(|| "write split, merged or removed".to_owned());
            found.add(&RULE, &text.spot, format!("{} is not an end of a category", quote(&text.value)), hint);
            continue;
        };
        if let Some((trouble, hint)) = trouble(entry, kind) {
            found.add(&RULE, &entry.spot, format!("the retired {} {trouble}", quote(&entry.id)), hint.to_owned());
        }
    }
}

fn trouble(entry: &RawRetired, kind: RetiredKind) -> Option<(&'static str, &'static str)> {
    let distinct: HashSet<&str> = entry.into.iter().map(|id| id.value.as_str()).collect();
    if distinct.len() != entry.into.len() {
        return Some(("names a successor twice", "name each successor once"));
    }
    match (kind, distinct.len()) {
        (RetiredKind::Split, 0 | 1) => {
            Some(("is split into fewer than two", "name the successors in \"into\", or write merged"))
        }
        (RetiredKind::Merged, 1) | (RetiredKind::Removed, 0) | (RetiredKind::Split, _) => None,
        (RetiredKind::Merged, _) => Some(("is not merged into exactly one", "name the one survivor in \"into\"")),
        (RetiredKind::Removed, _) => Some(("is removed and has successors", "write split or merged, or drop \"into\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{categories, clean, map_and, only};

    fn map(entry: &str) -> String {
        map_and(&categories(&[("a", ""), ("b", "")]), &format!(", \"retired\": {{\"n:r:old\": {entry}}}"))
    }

    #[test]
    fn each_kind_has_its_number_of_successors() {
        clean(&map(r#"{"kind": "split", "into": ["n:r:a", "n:r:b"], "reason": "two causes"}"#));
        clean(&map(r#"{"kind": "merged", "into": ["n:r:a"], "reason": "same cause"}"#));
        clean(&map(r#"{"kind": "removed", "reason": "feature gone"}"#));
        for (entry, part) in [
            (r#"{"kind": "split", "into": ["n:r:a"], "reason": "x"}"#, "fewer than two"),
            (r#"{"kind": "merged", "into": ["n:r:a", "n:r:b"], "reason": "x"}"#, "exactly one"),
            (r#"{"kind": "removed", "into": ["n:r:a"], "reason": "x"}"#, "has successors"),
            (r#"{"kind": "split", "into": ["n:r:a", "n:r:a"], "reason": "x"}"#, "twice"),
            (r#"{"kind": "merge", "into": ["n:r:a"], "reason": "x"}"#, "not an end"),
        ] {
            let finding = only(&map(entry));
            assert_eq!(finding.code, "bad-retirement");
            assert!(finding.message.contains(part), "{}", finding.message);
        }
    }
}
