//! The entries with the smallest names. What is shown of a long list must not depend on the order of the report, and
//! must not grow with it.

use std::collections::BTreeMap;

use crate::model::CaseName;

/// At most `max` entries: those with the smallest names of all that were offered.
#[derive(Debug)]
pub(super) struct Smallest<T> {
    max: usize,
    entries: BTreeMap<CaseName, T>,
}

impl<T> Smallest<T> {
    pub(super) const fn new(max: usize) -> Self {
        Self { max, entries: BTreeMap::new() }
    }

    /// True if an entry of this name would be kept now. Asked first, so that what would be dropped is never made.
    pub(super) fn wants(&self, name: &CaseName) -> bool {
        self.entries.len() < self.max || self.entries.last_key_value().is_some_and(|(last, _)| name < last)
    }

    /// Adds an entry that [`Self::wants`] has asked for. Returns the one that had to make room.
    pub(super) fn insert(&mut self, name: CaseName, entry: T) -> Option<(CaseName, T)> {
        self.entries.insert(name, entry);
        if self.entries.len() > self.max { self.entries.pop_last() } else { None }
    }

    /// The entries, sorted by name.
    pub(super) fn into_entries(self) -> impl Iterator<Item = (CaseName, T)> {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn keeps_the_smallest_in_any_order(names in proptest::collection::btree_set("[a-z]{1,3}", 0..40), seed in any::<u64>(), max in 0usize..10) {
            let mut shuffled: Vec<&String> = names.iter().collect();
            shuffled.sort_by_key(|name| crate::model::Digest::of(format!("{seed}{name}").as_bytes()));
            let mut smallest = Smallest::new(max);
            let mut evicted = 0;
            for name in shuffled {
                let name = CaseName::from(name.as_str());
                if smallest.wants(&name) {
                    evicted += usize::from(smallest.insert(name, ()).is_some());
                }
                prop_assert!(smallest.entries.len() <= max);
            }
            let kept: Vec<String> = smallest.into_entries().map(|(name, ())| name.as_str().to_owned()).collect();
            let expected: Vec<String> = names.iter().take(max).cloned().collect();
            prop_assert_eq!(kept, expected);
            prop_assert!(evicted <= names.len().saturating_sub(max));
        }
    }
}
