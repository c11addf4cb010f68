//! A loaded and valid map.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{CategoryId, Digest, RepoSlug};

/// A valid map: every rule of the registry held when it was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryMap {
    /// The repository that every category belongs to.
    pub repo: RepoSlug,
    /// The map's own version; part of every fingerprint.
    pub map_version: String,
    /// BLAKE3 of the file's bytes.
    pub digest: Digest,
    /// Categories, sorted by id. Position in this list is the category's index.
    pub categories: Vec<Category>,
    /// Categories that are no more. Their ids are never used again.
    pub retired: BTreeMap<CategoryId, Retired>,
}

/// One root cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// Key of the entry in the file. Presentation only, though a case may name it as its `category`.
    pub key: String,
    /// The stable identity.
    pub id: CategoryId,
    /// Label for the tracker; `eval-cat-<name>` when the file has none.
    pub label: String,
    /// What is broken.
    pub defect: String,
    /// What should be.
    pub expected: Option<String>,
    /// Claims whose failing cases belong here.
    pub supports_claims: Vec<String>,
    /// Seams whose failing cases belong here.
    pub seams: Vec<String>,
    /// Risks whose failing cases belong here.
    pub risks: Vec<String>,
    /// Globs over case names.
    pub cases: Vec<String>,
    /// Patterns over failure evidence.
    pub signatures: Vec<SignaturePattern>,
    /// Categories that must be fixed first, sorted by id.
    pub depends_on: Vec<Dependency>,
}

/// A pattern over the raw failure evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignaturePattern {
    /// Its name inside the category.
    pub id: String,
    /// `regex` syntax, unanchored, linear time.
    pub pattern: String,
    /// Where it looks; `None` = problems, stdout and stderr.
    pub stream: Option<Stream>,
}

/// A kind of failure evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Problems of the case and of its failing trials.
    Problems,
    /// Standard output of failing trials.
    Stdout,
    /// Standard error of failing trials.
    Stderr,
}

/// An edge of the map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The upstream category.
    pub category_id: CategoryId,
    /// Why.
    pub rationale: String,
}

/// What became of a retired category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retired {
    /// How it ended.
    pub kind: RetiredKind,
    /// Its successors (split) or survivor (merged); empty when removed.
    pub into: Vec<CategoryId>,
    /// Why.
    pub reason: String,
}

/// How a category ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RetiredKind {
    /// Into several.
    Split,
    /// Into one other.
    Merged,
    /// It does not exist any more.
    Removed,
}
