//! Which cases of a fixture a run takes, and how its report says that it is not the whole.

use std::collections::BTreeSet;

use super::manifest::Manifest;
use super::shard::Shard;
use super::slice::Slice;
use crate::model::display_safe;

/// The cases of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Places in the manifest, ascending.
    pub cases: Vec<usize>,
    /// Why these; `None` if it is the whole fixture.
    pub part: Option<Part>,
}

/// What makes a run a part of a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Cases that were named.
    Named,
    /// The close slice of a category.
    Slice {
        /// The category.
        category_id: String,
        /// The slice, with the reason for each case.
        slice: Slice,
    },
    /// One shard.
    Shard(Shard),
}

/// A case that is not in the fixture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the fixture has no case {name:?}")]
pub struct UnknownCase {
    /// As it was asked for.
    pub name: String,
    /// The most similar name, if there is one.
    pub nearest: Option<String>,
}

impl Selection {
    /// Every case.
    pub fn whole(manifest: &Manifest) -> Self {
        Self { cases: (0..manifest.cases.len()).collect(), part: None }
    }

    /// The cases of these names, in the order of the manifest.
    ///
    /// # Errors
    /// For the first name that the fixture does not have.
    pub fn named(manifest: &Manifest, names: &[String]) -> Result<Self, UnknownCase> {
        let known: BTreeSet<&str> = manifest.cases.iter().map(|case| case.name.as_str()).collect();
        if let Some(name) = names.iter().find(|name| !known.contains(name.as_str())) {
            let nearest = known
                .iter()
                .map(|candidate| (strsim::jaro_winkler(name, candidate), *candidate))
                .filter(|(likeness, _)| *likeness > 0.8)
                .max_by(|a, b| a.0.total_cmp(&b.0))
                .map(|(_, candidate)| candidate.to_owned());
            return Err(UnknownCase { name: name.clone(), nearest });
        }
        let wanted: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        Ok(Self::of(manifest, |_, name| wanted.contains(name), Part::Named))
    }

    /// The cases of a shard; none if there are fewer cases than shards.
    pub fn shard(manifest: &Manifest, shard: Shard) -> Self {
        Self::of(manifest, |place, _| shard.takes(place), Part::Shard(shard))
    }

    /// The close slice of a category.
    pub fn slice(manifest: &Manifest, category_id: String, slice: Slice) -> Self {
        let wanted: BTreeSet<String> = slice.cases.iter().map(|(name, _)| name.clone()).collect();
        Self::of(manifest, |_, name| wanted.contains(name), Part::Slice { category_id, slice })
    }

    fn of(manifest: &Manifest, takes: impl Fn(usize, &str) -> bool, part: Part) -> Self {
        let places = manifest.cases.iter().enumerate();
        let cases = places.filter(|(place, case)| takes(*place, case.name.as_str())).map(|(place, _)| place).collect();
        Self { cases, part: Some(part) }
    }

    /// `manifest-spanning`, or `partial: …`: the words by which a reader knows that the report is no complete run.
    pub fn coverage(&self, manifest: &Manifest) -> String {
        let count = format!("{} of {} cases", self.cases.len(), manifest.cases.len());
        match &self.part {
            None => "manifest-spanning".to_owned(),
            Some(Part::Named) => format!("partial: {count}, as named; claims are judged on whole runs only"),
            Some(Part::Slice { category_id, .. }) => format!(
                "partial: {count}, the close slice of {}; claims are judged on whole runs only",
                display_safe(category_id)
            ),
            Some(Part::Shard(shard)) => {
                format!("partial: {count}, shard {shard}; claims are judged when the shards are merged")
            }
        }
    }
}
