//! One failing case, one decision. Sources of evidence from the strongest to the weakest: what the case says
//! explicitly, what it declares, what its failure looks like.

use super::index::{CategoryIndex, Index, PatternSet};
use crate::category_map::CategoryMap;
use crate::report::{Case, Evidence};

/// Which source of evidence decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DecidedBy {
    /// The case names its category.
    Explicit,
    /// Declared seams, claims, risks, or its name.
    Hint,
    /// A pattern over its failure evidence.
    Signature,
}

/// The decision on one failing case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    /// Exactly one category.
    Assigned {
        /// Which.
        category: CategoryIndex,
        /// What decided.
        decided_by: DecidedBy,
        /// The rule in words, for example `seam cart.totals`.
        rule: String,
    },
    /// No category speaks for it.
    Unclassified,
    /// More than one does, or declared hints and the failure contradict each other.
    Ambiguous {
        /// Candidates, sorted, each with the rules that named it.
        candidates: Vec<(CategoryIndex, String)>,
        /// Why, in words.
        reason: &'static str,
    },
    /// The case names a category that the map does not have.
    UnknownCategory {
        /// What it names.
        named: String,
    },
}

/// A candidate and the first rule that named it.
type Candidates = Vec<(CategoryIndex, String)>;

/// Decides one failing case.
pub(super) fn decide(map: &CategoryMap, index: &Index<'_>, case: &Case<'_>, evidence: &Evidence<'_>) -> Decision {
    if let Some(decision) = explicit(map, index, case) {
        return decision;
    }
    let hints = hints(index, case);
    let signatures = signatures(index, evidence);
    let (candidates, decided_by) = match (hints.is_empty(), signatures.is_empty()) {
        (true, true) => return Decision::Unclassified,
        (false, true) => (hints, DecidedBy::Hint),
        (true, false) => (signatures, DecidedBy::Signature),
        (false, false) => {
            let both: Candidates = hints
                .iter()
                .filter_map(|(category, hint)| {
                    let (_, pattern) = signatures.iter().find(|(other, _)| other == category)?;
                    Some((*category, format!("{hint}, {pattern}")))
                })
                .collect();
            if both.is_empty() {
                let mut candidates = hints;
                candidates.extend(signatures);
                candidates.sort();
                return Decision::Ambiguous {
                    candidates,
                    reason: "what the case declares and what its failure looks like name different categories",
                };
            }
            // The hint named it; the signature only narrowed the choice, unless it did narrow it.
            let decided_by = if hints.len() > both.len() { DecidedBy::Signature } else { DecidedBy::Hint };
            (both, decided_by)
        }
    };
    match <[_; 1]>::try_from(candidates) {
        Ok([(category, rule)]) => Decision::Assigned { category, decided_by, rule },
        Err(candidates) => Decision::Ambiguous { candidates, reason: "several categories claim it" },
    }
}

/// `category_id` or `category` of the case itself. Both may be there if they agree.
fn explicit(map: &CategoryMap, index: &Index<'_>, case: &Case<'_>) -> Option<Decision> {
    let find = |named: &str| {
        map.categories
            .binary_search_by(|category| category.id.as_str().cmp(named))
            .ok()
            .and_then(|at| CategoryIndex::try_from(at).ok())
    };
    let mut found = Vec::new();
    for (field, named) in [("category_id", &case.category_id), ("category", &case.category)] {
        let Some(named) = named else { continue };
        let by_key = || (field == "category").then(|| index.keys.get(&**named).copied()).flatten();
        match find(named).or_else(by_key) {
            Some(category) => found.push((category, format!("{field} {}", &**named))),
            None => return Some(Decision::UnknownCategory { named: named.to_string() }),
        }
    }
    let (category, rule) = found.first()?.clone();
    if found.iter().any(|(other, _)| *other != category) {
        found.sort();
        return Some(Decision::Ambiguous {
            candidates: found,
            reason: "its category_id and its category name different categories",
        });
    }
    Some(Decision::Assigned { category, decided_by: DecidedBy::Explicit, rule })
}

fn hints(index: &Index<'_>, case: &Case<'_>) -> Candidates {
    let mut candidates = Candidates::new();
    for (kind, values, owners) in [
        ("seam", &case.seams, &index.seams),
        ("claim", &case.supports_claims, &index.claims),
        ("risk", &case.risks, &index.risks),
    ] {
        for value in values {
            for category in owners.get(&**value).into_iter().flatten() {
                candidates.push((*category, format!("{kind} {}", &**value)));
            }
        }
    }
    for glob in index.globs.matches(case.name.as_bytes()) {
        let (category, pattern) = index.glob_owners[glob];
        candidates.push((category, format!("case {pattern}")));
    }
    one_each(candidates)
}

fn signatures(index: &Index<'_>, evidence: &Evidence<'_>) -> Candidates {
    let mut candidates = Candidates::new();
    for (texts, patterns) in
        [(&evidence.problems, &index.problems), (&evidence.stdout, &index.stdout), (&evidence.stderr, &index.stderr)]
    {
        let PatternSet { set, owners } = patterns;
        if set.is_empty() {
            continue;
        }
        for text in texts {
            for hit in set.matches(text) {
                let (category, id) = &owners[hit];
                candidates.push((*category, format!("signature {id}")));
            }
        }
    }
    one_each(candidates)
}

/// Each category once, sorted, with the first rule (in sorted order) that named it.
fn one_each(mut candidates: Candidates) -> Candidates {
    candidates.sort();
    candidates.dedup_by(|later, earlier| later.0 == earlier.0);
    candidates
}
