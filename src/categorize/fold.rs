//! A package and its test, a suite and its case often report one crash twice. Such a pair is one failure.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::categorization::Assignment;

/// What stands between the name of a parent and the rest of the name of its child, in the formats that are
/// imported and in common test runners.
const SEPARATORS: [&str; 5] = [" > ", "::", "/", ".", ":"];

/// Separators of one kind looked at in one name: real names have a handful, and a hostile name of a million dots
/// must not cost a million look-ups.
const PREFIXES: usize = 32;

/// Pairs (parent → child) of positions in `assignments`, which are sorted by name. A parent is folded into its first
/// child that has the same category and exactly the same normalized problems; nothing else is ever folded, so no
/// failure can disappear.
pub(super) fn repeating_parents(assignments: &[Assignment]) -> BTreeMap<u32, u32> {
    let mut repeated: HashMap<(u64, u32), u32> = HashMap::new();
    for assignment in assignments.iter().filter(|a| a.problems_hash != 0) {
        *repeated.entry((assignment.problems_hash, assignment.category)).or_default() += 1;
    }
    let groups: HashSet<(u64, u32)> = repeated.into_iter().filter(|(_, n)| *n > 1).map(|(key, _)| key).collect();
    if groups.is_empty() {
        return BTreeMap::new();
    }
    let mut members: HashMap<(u64, u32, &str), u32> = HashMap::new();
    for (at, a) in (0..).zip(assignments) {
        if groups.contains(&(a.problems_hash, a.category)) {
            members.insert((a.problems_hash, a.category, a.case.as_str()), at);
        }
    }
    let mut parents = BTreeMap::new();
    for (at, child) in (0..).zip(assignments) {
        if !groups.contains(&(child.problems_hash, child.category)) {
            continue;
        }
        for prefix in prefixes(child.case.as_str()) {
            if let Some(parent) = members.get(&(child.problems_hash, child.category, prefix)) {
                parents.entry(*parent).or_insert(at);
            }
        }
    }
    parents
}

/// Every proper prefix of `name` that ends just before a separator.
fn prefixes(name: &str) -> impl Iterator<Item = &str> {
    SEPARATORS
        .into_iter()
        .flat_map(move |separator| name.match_indices(separator).take(PREFIXES).map(|(at, _)| &name[..at]))
        .filter(|prefix| !prefix.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::decide::DecidedBy;
    use super::*;
    use crate::model::{CaseName, Digest};

    fn failing(name: &str, category: u32, problems_hash: u64) -> Assignment {
        Assignment {
            case: CaseName::from(name),
            category,
            decided_by: DecidedBy::Hint,
            rule: "r".into(),
            signature: Digest::zero(),
            problems_hash,
            flaky: false,
        }
    }

    #[test]
    fn a_parent_with_the_crash_of_its_child_is_folded_once() {
        let cases = [failing("pkg", 0, 7), failing("pkg/TestA", 0, 7), failing("pkg/TestB", 0, 7)];
        assert_eq!(repeating_parents(&cases), BTreeMap::from([(0, 1)]));
    }

    #[test]
    fn siblings_other_problems_other_categories_and_silent_cases_stay() {
        for cases in [
            [failing("pkg/TestA", 0, 7), failing("pkg/TestB", 0, 7)],
            [failing("pkg", 0, 7), failing("pkg/TestA", 0, 8)],
            [failing("pkg", 0, 7), failing("pkg/TestA", 1, 7)],
            [failing("pkg", 0, 0), failing("pkg/TestA", 0, 0)],
            [failing("pk", 0, 7), failing("pkg/TestA", 0, 7)],
        ] {
            assert!(repeating_parents(&cases).is_empty(), "{cases:?}");
        }
    }
}
