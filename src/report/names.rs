//! Names of cases are unique. Found with eight bytes a case; only a suspicion costs a second look at the file.

use std::collections::{HashMap, HashSet, hash_map};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::{ReportError, place_of};
use super::source::without_bom;
use super::wire::Str;

/// Hashes (64 bits) of the names seen so far.
#[derive(Debug, Default)]
pub(super) struct Names(Vec<u64>);

impl Names {
    pub(super) fn add(&mut self, name: &str) {
        self.0.push(hash(name));
    }

    /// Fails if two cases have one name. Equal hashes only lead to a second look at the names themselves.
    pub(super) fn check(self, file: &str, bytes: &[u8]) -> Result<(), ReportError> {
        let mut hashes = self.0;
        hashes.sort_unstable();
        let suspects: HashSet<u64> = hashes.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        if suspects.is_empty() {
            return Ok(());
        }
        drop(hashes);
        find_duplicate(file, bytes, |name| suspects.contains(&hash(name)))
    }
}

fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// Compares the names that `suspected` picks.
fn find_duplicate(file: &str, bytes: &[u8], suspected: impl Fn(&str) -> bool) -> Result<(), ReportError> {
    #[derive(Deserialize)]
    struct Name<'a> {
        #[serde(borrow)]
        name: Str<'a>,
    }
    let mut first: HashMap<String, (usize, usize)> = HashMap::new();
    for (index, raw) in raw_cases(file, bytes)?.into_iter().enumerate() {
        let offset = offset_in(bytes, raw);
        let name: Name =
            serde_json::from_str(raw.get()).map_err(|error| ReportError::json(file, bytes, offset, &error))?;
        if !suspected(&name.name) {
            continue;
        }
        match first.entry(name.name.to_string()) {
            hash_map::Entry::Vacant(entry) => {
                entry.insert((index, offset));
            }
            hash_map::Entry::Occupied(entry) => {
                let (other, other_offset) = *entry.get();
                let earlier = place_of(file, bytes, other_offset);
                return Err(ReportError {
                    place: place_of(file, bytes, offset),
                    message: format!(
                        "two cases have the name {:?}: cases[{other}] ({}) and cases[{index}]",
                        entry.key(),
                        earlier.compact()
                    ),
                    hint: Some("a case is known by its name across runs, so names must be unique".to_owned()),
                });
            }
        }
    }
    Ok(())
}

fn raw_cases<'a>(file: &str, bytes: &'a [u8]) -> Result<Vec<&'a RawValue>, ReportError> {
    #[derive(Deserialize)]
    struct Cases<'a> {
        #[serde(borrow)]
        cases: Vec<&'a RawValue>,
    }
    let text = without_bom(bytes);
    let all: Cases = serde_json::from_slice(text)
        .map_err(|error| ReportError::json(file, bytes, bytes.len() - text.len(), &error))?;
    Ok(all.cases)
}

/// Byte offset of a borrowed value in the bytes it was parsed from.
fn offset_in(bytes: &[u8], raw: &RawValue) -> usize {
    (raw.get().as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_hashes_of_different_names_are_no_error() {
        let bytes = br#"{"cases": [{"name": "a"}, {"name": "b"}]}"#;
        assert_eq!(find_duplicate("r.json", bytes, |_| true), Ok(()));
    }

    #[test]
    fn both_positions_are_named() {
        let bytes = b"{\"cases\": [\r\n  {\"name\": \"a\"},\r\n  {\"name\": \"b\"},\r\n  {\"name\": \"\\u0061\"}\r\n]}";
        let mut names = Names::default();
        for name in ["a", "b", "a"] {
            names.add(name);
        }
        let error = names.check("r.json", bytes).unwrap_err();
        assert_eq!(error.message, "two cases have the name \"a\": cases[0] (r.json:2:3) and cases[2]");
        assert_eq!((error.place.line, error.place.column), (Some(4), Some(3)));
    }
}
