//! "Did you mean": the known words nearest to an unknown one.

/// Longest word that is compared, in characters; the distance costs the product of both lengths.
const MAX_LENGTH: usize = 200;

/// Most known words that are compared: beyond, a suggestion is not worth its time.
const MAX_WORDS: usize = 2_000;

/// At most `limit` of `known`, nearest first. Each is within a third of the length of the word, or of its part after the
/// last colon (category ids of one map share what is before it), and at least within one edit.
pub(super) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>, limit: usize) -> Vec<&'k str> {
    let length = word.chars().count();
    if length > MAX_LENGTH {
        return Vec::new();
    }
    let name = word.rsplit(':').next().map_or(length, |name| name.chars().count());
    let within = (name / 3).max(1);
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .take(MAX_WORDS)
        .filter(|other| other.chars().count().abs_diff(length) <= within)
        .map(|other| (distance(word, other), other))
        .filter(|(edits, _)| *edits <= within)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(limit);
    near.into_iter().map(|(_, other)| other).collect()
}

/// The words as a question, or nothing when there are none.
pub(super) fn did_you_mean(near: &[&str]) -> Option<String> {
    let quoted: Vec<String> = near.iter().map(|word| super::place::quote(word)).collect();
    (!quoted.is_empty()).then(|| format!("did you mean {}?", quoted.join(" or ")))
}

/// Edits that turn one word into the other: insert, delete, replace, swap neighbours; letter case is no edit.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_edits() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("label", "Lable"), 1, "a swap is one edit");
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn only_near_words_are_suggested_nearest_first() {
        assert_eq!(nearest("lable", ["defect", "label", "labels"], 3), ["label"]);
        assert_eq!(nearest("seam", ["seams", "beam", "x"], 3), ["beam", "seams"]);
        assert!(nearest("n:r:gone", ["n:r:cart"], 3).is_empty(), "a common prefix is no likeness");
        assert_eq!(nearest("n:r:crat", ["n:r:cart"], 3), ["n:r:cart"]);
        assert!(nearest("zzz", ["label"], 3).is_empty());
        assert!(nearest(&"x".repeat(201), ["label"], 3).is_empty());
        assert_eq!(did_you_mean(&["a", "b"]).unwrap(), "did you mean `a` or `b`?");
    }
}
