//! For a case that no rule matched: the rule that came closest, so that a person sees what to mend.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::index::{CategoryIndex, indexed};
use crate::category_map::CategoryMap;
use crate::report::{Case, Evidence};

/// Similarity (Jaro-Winkler, 0 to 1) from which on two ids count as one with a typing error.
const SIMILAR: f64 = 0.8;
/// Longer declared values, in bytes, are no ids: comparing them costs the product of both lengths.
const LONGEST_ID: usize = 200;
/// Distinct declared values whose comparison is remembered.
const REMEMBERED: usize = 10_000;
/// Problems of one case, and bytes of each, in which words are looked for.
const PROBLEMS: usize = 20;
const PROBLEM_BYTES: usize = 4_000;

/// Finds the nearest rule of one map. Indexed at the first question: most reports never ask.
#[derive(Debug)]
pub(super) struct Nearest<'m> {
    map: &'m CategoryMap,
    /// Categories by the words of their key, defect and patterns; ascending.
    words: Option<HashMap<String, Vec<CategoryIndex>>>,
    /// Nearest id of the map, by kind and declared value.
    similar: HashMap<(usize, String), Option<(f64, String)>>,
}

impl<'m> Nearest<'m> {
    pub(super) fn new(map: &'m CategoryMap) -> Self {
        Self { map, words: None, similar: HashMap::new() }
    }

    /// Describes the nearest rule of the map that did not match `case`, or says that the map has nothing near.
    ///
    /// A declared seam, claim or risk that is spelled almost like one of the map wins; else the category that shares
    /// most words with the problems and the name of the case.
    pub(super) fn describe(&mut self, case: &Case<'_>, evidence: &Evidence<'_>) -> String {
        let mut best: Option<(f64, String)> = None;
        for (kind, values) in [&case.seams, &case.supports_claims, &case.risks].into_iter().enumerate() {
            for value in values.iter().filter(|value| value.len() <= LONGEST_ID) {
                if let Some(found) = self.similar(kind, value)
                    && best.as_ref().is_none_or(|(other, _)| found.0 > *other)
                {
                    best = Some(found);
                }
            }
        }
        best.map(|(_, rule)| rule)
            .or_else(|| self.by_words(case, evidence))
            .unwrap_or_else(|| "none: no category shares a hint or a word with it".to_owned())
    }

    fn similar(&mut self, kind: usize, value: &str) -> Option<(f64, String)> {
        if let Some(known) = self.similar.get(&(kind, value.to_owned())) {
            return known.clone();
        }
        let mut best: Option<(f64, String)> = None;
        for (_, category) in indexed(self.map) {
            let (name, wanted) =
                [("seam", &category.seams), ("claim", &category.supports_claims), ("risk", &category.risks)][kind];
            for wanted in wanted.iter().filter(|wanted| wanted.len() <= LONGEST_ID) {
                let similarity = strsim::jaro_winkler(value, wanted);
                if similarity >= SIMILAR && best.as_ref().is_none_or(|(other, _)| similarity > *other) {
                    best =
                        Some((similarity, format!("{name} {wanted} of {} (the case declares {value})", category.id)));
                }
            }
        }
        if self.similar.len() < REMEMBERED {
            self.similar.insert((kind, value.to_owned()), best.clone());
        }
        best
    }

    fn by_words(&mut self, case: &Case<'_>, evidence: &Evidence<'_>) -> Option<String> {
        let mut seen: BTreeSet<String> = words(&case.name).collect();
        for problem in evidence.problems.iter().take(PROBLEMS) {
            seen.extend(words(head(problem)));
        }
        let index = self.words.get_or_insert_with(|| index(self.map));
        let mut shared: BTreeMap<CategoryIndex, Vec<&str>> = BTreeMap::new();
        for word in &seen {
            for category in index.get(word).into_iter().flatten() {
                shared.entry(*category).or_default().push(word);
            }
        }
        // Of several with equally many words, the first.
        let (category, words) = shared.iter().rev().max_by_key(|(_, words)| words.len())?;
        let id = &self.map.categories[*category as usize].id;
        Some(format!("{id} (shares the words {})", words[..words.len().min(4)].join(", ")))
    }
}

fn index(map: &CategoryMap) -> HashMap<String, Vec<CategoryIndex>> {
    let mut index: HashMap<String, Vec<CategoryIndex>> = HashMap::new();
    for (at, category) in indexed(map) {
        let mut own: BTreeSet<String> = words(&category.key).chain(words(&category.defect)).collect();
        own.extend(category.signatures.iter().flat_map(|signature| words(&signature.pattern)));
        for word in own {
            index.entry(word).or_default().push(at);
        }
    }
    index
}

/// The beginning of a text.
fn head(text: &str) -> &str {
    let mut end = text.len().min(PROBLEM_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Lower-case words of at least four letters: shorter ones are mostly glue.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().nth(3).is_some()).map(str::to_lowercase)
}
