//! Names of imported cases: the identity of a case across runs, so a name is made from what a producer keeps
//! stable and does not change because another case came or went, unless two would be equal.
//!
//! `suite > inner suite > classname > name`. A classname that repeats a suite or the name is left out, and so
//! is an empty one. The name of a suite's own failure is the prefix of its cases' names. Only where that leaves
//! two different cases with one name, their files are added, and if that is not enough, every part is spelled out.

use std::collections::{HashMap, HashSet};

use super::build::{CaseKey, Tail};

/// Between the parts of a name.
const SEPARATOR: &str = " > ";
const UNNAMED_SUITE: &str = "(test run)";
const UNNAMED_CASE: &str = "(unnamed)";
const HIDDEN_FAILURES: &str = "(failures not shown)";

/// One name per key, all different, in the order of the keys (which are all different).
pub(super) fn unique_names(keys: &[&CaseKey]) -> Vec<String> {
    let mut names: Vec<String> = keys.iter().map(|key| short_name(key)).collect();
    for longer in [with_file as fn(&CaseKey) -> String, spelled_out] {
        let shared = shared_names(&names);
        if shared.is_empty() {
            return names;
        }
        for (name, key) in names.iter_mut().zip(keys) {
            if shared.contains(name.as_str()) {
                *name = longer(key);
            }
        }
    }
    number_the_rest(names)
}

fn shared_names(names: &[String]) -> HashSet<String> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for name in names {
        *count.entry(name).or_default() += 1;
    }
    count.into_iter().filter(|(_, times)| *times > 1).map(|(name, _)| name.to_owned()).collect()
}

fn short_name(key: &CaseKey) -> String {
    let mut parts: Vec<&str> = key.suites.iter().map(String::as_str).collect();
    match &key.tail {
        Tail::Suite { .. } if parts.is_empty() => parts.push(UNNAMED_SUITE),
        Tail::Suite { .. } => {}
        Tail::Hidden { .. } => {
            if parts.is_empty() {
                parts.push(UNNAMED_SUITE);
            }
            parts.push(HIDDEN_FAILURES);
        }
        Tail::Case { class, name, .. } => {
            // PHPUnit writes `a\B` for the suite and `a.B` for the class.
            let same = |part: &str| part == class || part.replace('\\', ".") == *class;
            let repeats = class == name || parts.iter().any(|part| same(part));
            if !class.is_empty() && !repeats {
                parts.push(class);
            }
            parts.push(if name.is_empty() { UNNAMED_CASE } else { name });
        }
    }
    parts.join(SEPARATOR)
}

fn with_file(key: &CaseKey) -> String {
    match &key.tail {
        Tail::Suite { file } | Tail::Hidden { file } | Tail::Case { file, .. } if !file.is_empty() => {
            format!("{} ({file})", short_name(key))
        }
        _ => short_name(key),
    }
}

/// Every part, also empty ones, with `\` and `>` marked, so that parts cannot run into each other.
fn spelled_out(key: &CaseKey) -> String {
    let escape = |part: &str| part.replace('\\', "\\\\").replace('>', "\\>");
    let mut parts: Vec<String> = key.suites.iter().map(|part| escape(part)).collect();
    match &key.tail {
        Tail::Suite { .. } => {}
        Tail::Hidden { .. } => parts.push(HIDDEN_FAILURES.to_owned()),
        Tail::Case { class, name, .. } => parts.extend([escape(class), escape(name)]),
    }
    let (Tail::Suite { file } | Tail::Hidden { file } | Tail::Case { file, .. }) = &key.tail;
    if !file.is_empty() {
        parts.push(format!("({})", escape(file)));
    }
    parts.join(SEPARATOR)
}

/// Last resort for names built to collide: ` #2`, ` #3`, … in the order of the files.
fn number_the_rest(mut names: Vec<String>) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::with_capacity(names.len());
    let mut next: HashMap<String, usize> = HashMap::new();
    let all: HashSet<String> = names.iter().cloned().collect();
    for name in &mut names {
        if taken.insert(name.clone()) {
            continue;
        }
        let number = next.entry(name.clone()).or_insert(1);
        loop {
            *number += 1;
            let candidate = format!("{name} #{number}");
            if !all.contains(&candidate) && taken.insert(candidate.clone()) {
                *name = candidate;
                break;
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;

    fn key(suites: &[&str], class: &str, name: &str, file: &str) -> CaseKey {
        CaseKey {
            suites: Arc::new(suites.iter().map(|s| (*s).to_owned()).collect()),
            tail: Tail::Case { class: class.to_owned(), name: name.to_owned(), file: file.to_owned() },
        }
    }

    fn names(keys: &[CaseKey]) -> Vec<String> {
        unique_names(&keys.iter().collect::<Vec<_>>())
    }

    #[test]
    fn parts_are_joined_and_not_doubled() {
        let suite = CaseKey { suites: Arc::new(vec!["a".to_owned()]), tail: Tail::Suite { file: String::new() } };
        let keys = [
            suite.clone(),
            CaseKey { tail: Tail::Hidden { file: String::new() }, ..suite },
            key(&["a"], "", "t", ""),
            key(&["a"], "b", "t", "f.rs"),
            key(&["a", "x"], "x", "t", ""),
            key(&["a"], "u", "u", ""),
            key(&[], "", "", ""),
            CaseKey { suites: Arc::default(), tail: Tail::Suite { file: "f".to_owned() } },
            key(&["p\\Q", "x"], "p.Q", "t", ""),
        ];
        assert_eq!(
            names(&keys),
            [
                "a",
                "a > (failures not shown)",
                "a > t",
                "a > b > t",
                "a > x > t",
                "a > u",
                "(unnamed)",
                "(test run)",
                "p\\Q > x > t"
            ]
        );
    }

    #[test]
    fn the_file_joins_only_where_it_tells_two_apart() {
        assert_eq!(
            names(&[key(&["s"], "c", "t", "a.js"), key(&["s"], "c", "t", "b.js"), key(&["s"], "c", "u", "a.js")]),
            ["s > c > t (a.js)", "s > c > t (b.js)", "s > c > u"]
        );
        assert_eq!(names(&[key(&["s"], "s", "t", ""), key(&["s"], "", "t", "")]), ["s > s > t", "s >  > t"]);
        assert_eq!(
            names(&[key(&["a > b"], "", "t", ""), key(&["a", "b"], "", "t", "")]),
            ["a \\> b >  > t", "a > b >  > t"]
        );
    }

    proptest! {
        #[test]
        fn names_are_always_unique(raw in proptest::collection::hash_set(
            (proptest::collection::vec("[a> #(]{0,5}", 0..3), "[a> ]{0,3}", "[a> #2(]{0,6}", "[ab)]{0,2}", 0..5u8), 0..40))
        {
            let keys: Vec<CaseKey> = raw.into_iter().map(|(suites, class, name, file, tail)| CaseKey {
                suites: Arc::new(suites),
                tail: match tail { 0 => Tail::Suite { file }, 1 => Tail::Hidden { file }, _ => Tail::Case { class, name, file } },
            }).collect::<HashSet<_>>().into_iter().collect();
            let names = names(&keys);
            prop_assert_eq!(names.iter().collect::<HashSet<_>>().len(), keys.len());
        }
    }
}
