//! The map, indexed once, so that deciding a case costs the case and not the map.

use std::collections::HashMap;

use regex::{RegexSet, RegexSetBuilder, bytes};

use crate::category_map::{CaseGlob, CategoryMap, Stream};

/// Size limit of one compiled set of patterns, in bytes: 64 MiB holds thousands of patterns.
const SET_SIZE_LIMIT: usize = 64 << 20;

/// Memory that the automaton of one set may grow to while it is used, in bytes: 16 MiB. With the usual 2 MiB, some
/// hundred patterns throw their automaton away and build it again all the time.
const DFA_SIZE_LIMIT: usize = 16 << 20;

/// The map cannot be indexed, although it is valid: its patterns together are too large.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the map's {what} cannot be compiled together: {reason}")]
pub struct IndexError {
    /// Patterns or globs.
    pub what: &'static str,
    /// What the library said.
    pub reason: String,
}

/// Position of a category in [`CategoryMap::categories`].
pub(super) type CategoryIndex = u32;

/// Patterns of one stream: a set, and for each member its category and its id.
#[derive(Debug)]
pub(super) struct PatternSet {
    pub(super) set: RegexSet,
    pub(super) owners: Vec<(CategoryIndex, String)>,
}

/// The index.
#[derive(Debug)]
pub(super) struct Index<'m> {
    pub(super) seams: HashMap<&'m str, Vec<CategoryIndex>>,
    pub(super) claims: HashMap<&'m str, Vec<CategoryIndex>>,
    pub(super) risks: HashMap<&'m str, Vec<CategoryIndex>>,
    pub(super) keys: HashMap<&'m str, CategoryIndex>,
    pub(super) globs: bytes::RegexSet,
    pub(super) glob_owners: Vec<(CategoryIndex, &'m str)>,
    pub(super) problems: PatternSet,
    pub(super) stdout: PatternSet,
    pub(super) stderr: PatternSet,
}

impl<'m> Index<'m> {
    pub(super) fn new(map: &'m CategoryMap) -> Result<Self, IndexError> {
        let by = |values: fn(&'m crate::category_map::Category) -> &'m [String]| {
            let mut index: HashMap<&'m str, Vec<CategoryIndex>> = HashMap::new();
            for (at, category) in indexed(map) {
                for value in values(category) {
                    let owners = index.entry(value).or_default();
                    // A value that one category lists twice still speaks once.
                    if owners.last() != Some(&at) {
                        owners.push(at);
                    }
                }
            }
            index
        };
        let mut keys = HashMap::new();
        for (at, category) in indexed(map) {
            keys.insert(category.key.as_str(), at);
        }
        let mut globs = Vec::new();
        let mut glob_owners = Vec::new();
        let glob_error = |reason: String| IndexError { what: "case globs", reason };
        for (at, category) in indexed(map) {
            for glob in &category.cases {
                globs.push(CaseGlob::new(glob).map_err(|error| glob_error(error.to_string()))?);
                glob_owners.push((at, glob.as_str()));
            }
        }
        let globs = bytes::RegexSetBuilder::new(globs.iter().map(CaseGlob::as_regex))
            .dot_matches_new_line(true)
            .size_limit(SET_SIZE_LIMIT)
            .build()
            .map_err(|error| glob_error(error.to_string()))?;
        Ok(Self {
            seams: by(|category| &category.seams),
            claims: by(|category| &category.supports_claims),
            risks: by(|category| &category.risks),
            keys,
            globs,
            glob_owners,
            problems: pattern_set(map, Stream::Problems)?,
            stdout: pattern_set(map, Stream::Stdout)?,
            stderr: pattern_set(map, Stream::Stderr)?,
        })
    }
}

/// Categories with their index.
pub(super) fn indexed(map: &CategoryMap) -> impl Iterator<Item = (CategoryIndex, &crate::category_map::Category)> {
    (0..).zip(&map.categories)
}

fn pattern_set(map: &CategoryMap, stream: Stream) -> Result<PatternSet, IndexError> {
    let mut patterns = Vec::new();
    let mut owners = Vec::new();
    for (at, category) in indexed(map) {
        for signature in category.signatures.iter().filter(|s| s.stream.is_none_or(|wanted| wanted == stream)) {
            patterns.push(signature.pattern.as_str());
            owners.push((at, signature.id.clone()));
        }
    }
    let set = RegexSetBuilder::new(patterns)
        .size_limit(SET_SIZE_LIMIT)
        .dfa_size_limit(DFA_SIZE_LIMIT)
        .build()
        .map_err(|error| IndexError { what: "signature patterns", reason: error.to_string() })?;
    Ok(PatternSet { set, owners })
}
