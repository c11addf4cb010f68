//! Shards: one fixture run in parts, and the proof that the parts are the whole.
//!
//! Shard I of N takes every Nth case of the manifest, beginning with the Ith: even, and the same for the same fixture.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use crate::model::display_safe;

/// One shard of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    index: u32,
    count: u32,
}

/// A text that is no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected I/N with 1 ≤ I ≤ N ≤ {MAX}, for example 2/4")]
pub struct ShardError;

/// Most shards.
const MAX: u32 = 10_000;

impl Shard {
    /// True if the case at this place in the manifest, counted from 0, belongs to it.
    pub const fn takes(self, place: usize) -> bool {
        // Both fit: a shard's numbers are at most MAX.
        place % self.count as usize == self.index as usize - 1
    }

    /// How many shards there are.
    pub const fn count(self) -> u32 {
        self.count
    }

    /// Which one it is, counted from 1.
    pub const fn index(self) -> u32 {
        self.index
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (index, count) = text.split_once('/').ok_or(ShardError)?;
        let number = |text: &str| {
            let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            if plain { text.parse::<u32>().ok() } else { None }
        };
        let (index, count) = number(index).zip(number(count)).ok_or(ShardError)?;
        if index >= 1 && index <= count && count <= MAX { Ok(Self { index, count }) } else { Err(ShardError) }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// One part of a run, as its report says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What people call it: the report's file.
    pub file: String,
    /// Digest of the fixture that it ran.
    pub fixture_sha256: Option<String>,
    /// The commit that it evaluated.
    pub repo_sha: Option<String>,
    /// Names of its cases.
    pub cases: Vec<String>,
    /// Why the part itself is incomplete (interrupted); empty if it is not.
    pub incomplete_because: Vec<String>,
}

/// What the parts are together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Union {
    /// For each case of the fixture, in its order: the index of the part that has it, of several the first.
    pub taken_from: Vec<(String, Option<usize>)>,
    /// Why the union is not exactly the fixture; empty if it is.
    pub incomplete_because: Vec<String>,
}

/// Joins parts of the fixture with this digest and these cases.
pub fn union(fixture_sha256: &str, cases: &[&str], parts: &[Part]) -> Union {
    let mut incomplete = Vec::new();
    let safe = |text: &str| display_safe(text).into_owned();
    for part in parts {
        if part.fixture_sha256.as_deref() != Some(fixture_sha256) {
            let other = part.fixture_sha256.as_deref().unwrap_or("no fixture");
            incomplete.push(format!("{} ran {}, not {fixture_sha256}", safe(&part.file), safe(other)));
        }
        let reasons = part.incomplete_because.iter();
        incomplete.extend(reasons.map(|why| format!("{} is incomplete: {}", safe(&part.file), safe(why))));
    }
    let commits: BTreeSet<Option<&str>> = parts.iter().map(|part| part.repo_sha.as_deref()).collect();
    if commits.len() > 1 {
        let list: Vec<String> = commits.iter().map(|sha| safe(sha.unwrap_or("an unknown commit"))).collect();
        incomplete.push(format!("the parts evaluated different commits: {}", list.join(", ")));
    }
    let mut holders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, part) in parts.iter().enumerate() {
        for case in &part.cases {
            holders.entry(case).or_default().push(index);
        }
    }
    let known: BTreeSet<&str> = cases.iter().copied().collect();
    let mut taken_from = Vec::new();
    for case in cases {
        let held = holders.get(case).map_or(&[][..], Vec::as_slice);
        match held {
            [] => incomplete.push(format!("no part has the case {}", safe(case))),
            [_] => {}
            several => {
                let files: Vec<String> = several.iter().map(|index| safe(&parts[*index].file)).collect();
                incomplete.push(format!(
                    "the case {} is there {} times: {}",
                    safe(case),
                    several.len(),
                    files.join(", ")
                ));
            }
        }
        taken_from.push(((*case).to_owned(), held.first().copied()));
    }
    for (case, held) in holders.iter().filter(|(case, _)| !known.contains(*case)) {
        let files: Vec<String> = held.iter().map(|index| safe(&parts[*index].file)).collect();
        incomplete.push(format!("the case {} of {} is not in the fixture", safe(case), files.join(", ")));
    }
    Union { taken_from, incomplete_because: incomplete }
}

#[cfg(test)]
#[path = "shard_tests.rs"]
mod tests;
