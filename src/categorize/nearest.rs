//! For a case that no rule matched: the rule that came closest, so that a person sees what to mend.

use std::collections::BTreeSet;

use super::index::indexed;
use crate::category_map::CategoryMap;
use crate::report::{Case, Evidence};

/// Describes the nearest rule of the map that did not match `case`, or says that the map has nothing near.
///
/// A declared seam, claim or risk that is spelled almost like one of the map wins (Jaro-Winkler similarity of at
/// least 0.8, the library's usual threshold for typing errors); else the category that shares most words with the
/// problems and the name of the case.
pub(super) fn nearest(map: &CategoryMap, case: &Case<'_>, evidence: &Evidence<'_>) -> String {
    let declared = [("seam", &case.seams, 0usize), ("claim", &case.supports_claims, 1), ("risk", &case.risks, 2)];
    let mut best: Option<(f64, String)> = None;
    for (_, category) in indexed(map) {
        let lists = [&category.seams, &category.supports_claims, &category.risks];
        for (kind, values, which) in &declared {
            for value in *values {
                for wanted in lists[*which] {
                    let similarity = strsim::jaro_winkler(value, wanted);
                    if similarity >= 0.8 && best.as_ref().is_none_or(|(other, _)| similarity > *other) {
                        best = Some((
                            similarity,
                            format!("{kind} {wanted} of {} (the case declares {})", category.id, &**value),
                        ));
                    }
                }
            }
        }
    }
    if let Some((_, rule)) = best {
        return rule;
    }
    let mut seen: BTreeSet<String> = words(&case.name);
    for problem in evidence.problems.iter().take(20) {
        seen.extend(words(problem));
    }
    let mut by_words: Option<(usize, String)> = None;
    for (_, category) in indexed(map) {
        let mut wanted = words(&category.key);
        wanted.extend(words(&category.defect));
        for signature in &category.signatures {
            wanted.extend(words(&signature.pattern));
        }
        let shared: Vec<&String> = wanted.intersection(&seen).collect();
        if !shared.is_empty() && by_words.as_ref().is_none_or(|(most, _)| shared.len() > *most) {
            let listed: Vec<&str> = shared.iter().take(4).map(|word| word.as_str()).collect();
            by_words = Some((shared.len(), format!("{} (shares the words {})", category.id, listed.join(", "))));
        }
    }
    by_words.map_or_else(|| "none: no category shares a hint or a word with it".to_owned(), |(_, rule)| rule)
}

/// Lower-case words of at least four letters: shorter ones are mostly glue.
fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() >= 4).map(str::to_lowercase).collect()
}
