//! The compiled patterns of a raw map, for the rules about evidence.

use regex::Regex;

use crate::category_map::pattern::{PatternError, compile_pattern};
use crate::category_map::raw::RawMap;

/// One result per signature of each category, in the order of the file; `None` where the pattern is missing or blank.
pub(super) struct Compiled {
    categories: Vec<Vec<Option<Result<Regex, PatternError>>>>,
}

impl Compiled {
    /// Compiles every pattern once.
    pub(super) fn of(map: &RawMap) -> Self {
        let categories = map.categories().iter().map(|category| {
            let patterns = category.signatures.iter().map(|signature| {
                signature.pattern.get().filter(|text| !text.is_blank()).map(|text| compile_pattern(&text.value))
            });
            patterns.collect()
        });
        Self { categories: categories.collect() }
    }

    /// The results of the category at `index`.
    pub(super) fn signatures(&self, index: usize) -> &[Option<Result<Regex, PatternError>>] {
        self.categories.get(index).map_or(&[], Vec::as_slice)
    }

    /// True if every signature of the category has a usable pattern.
    pub(super) fn all_usable(&self, index: usize) -> bool {
        self.signatures(index).iter().all(|pattern| matches!(pattern, Some(Ok(regex)) if !regex.is_match("")))
    }

    /// Position of the first pattern of the category that is found in `text`. Patterns that match the empty text match
    /// everything; they have their own rule and do not count.
    pub(super) fn first_match(&self, index: usize, text: &str) -> Option<usize> {
        self.signatures(index)
            .iter()
            .position(|pattern| matches!(pattern, Some(Ok(regex)) if !regex.is_match("") && regex.is_match(text)))
    }
}
