//! Identities: categories, cases, repositories, tickets.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use super::text::is_unsafe_for_display;

/// The stable identity of one root cause: `<namespace>:<repo-slug>:<name>`. Never reused, never renamed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct CategoryId(Arc<str>);

/// Why a text is not a category id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CategoryIdError {
    /// Not exactly three parts.
    #[error("expected three parts `<namespace>:<repo-slug>:<name>`, found {0}")]
    Parts(usize),
    /// One of the three parts is empty.
    #[error("a part of `<namespace>:<repo-slug>:<name>` is empty")]
    EmptyPart,
    /// Something other than letters, digits, `-`, `_`, `.`, `/` and `+`.
    #[error("the id holds a character that is not allowed (U+{0:04X}); use letters, digits, - _ . / +")]
    Character(u32),
    /// Longer than 200 bytes: it would not fit into a ticket's marker and label.
    #[error("the id is {0} bytes long; at most 200 are allowed")]
    TooLong(usize),
}

impl CategoryId {
    /// The whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The namespace, the part before the first colon.
    pub fn namespace(&self) -> &str {
        self.part(0)
    }

    /// The repository's slug, the middle part.
    pub fn repo_slug(&self) -> &str {
        self.part(1)
    }

    /// The name, the part after the second colon.
    pub fn name(&self) -> &str {
        self.part(2)
    }

    fn part(&self, index: usize) -> &str {
        self.0.split(':').nth(index).unwrap_or_default()
    }
}

impl FromStr for CategoryId {
    type Err = CategoryIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > 200 {
            return Err(CategoryIdError::TooLong(text.len()));
        }
        // Letters, digits and a few joiners: an id stands in comments, labels, file names and pictures as it is.
        let allowed = |c: char| {
            (c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | ':')) && !is_unsafe_for_display(c)
        };
        if let Some(bad) = text.chars().find(|c| !allowed(*c)) {
            return Err(CategoryIdError::Character(bad as u32));
        }
        let parts: Vec<&str> = text.split(':').collect();
        if parts.len() != 3 {
            return Err(CategoryIdError::Parts(parts.len()));
        }
        if parts.iter().any(|part| part.is_empty()) {
            return Err(CategoryIdError::EmptyPart);
        }
        Ok(Self(text.into()))
    }
}

impl<'de> Deserialize<'de> for CategoryId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for CategoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for CategoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Borrow<str> for CategoryId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The name of an eval case: its identity across runs (`case_id` changes with every run). Any text that the
/// report holds; show it only through [`super::display_safe`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CaseName(Box<str>);

impl CaseName {
    /// Takes a name as the report has it.
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Self(name.into())
    }

    /// The name as the report has it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for CaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Borrow<str> for CaseName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<&str> for CaseName {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

/// `owner/name` of a repository. Its slug, the last part, stands in every category id of its map.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RepoSlug(Box<str>);

impl RepoSlug {
    /// Parses `owner/name`; `None` if it is anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        let plain = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        (plain(owner) && plain(name)).then(|| Self(text.into()))
    }

    /// `owner/name`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part after the slash.
    pub fn slug(&self) -> &str {
        self.0.split_once('/').map_or("", |(_, name)| name)
    }
}

impl fmt::Display for RepoSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl<'de> Deserialize<'de> for RepoSlug {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("expected `owner/name`"))
    }
}

/// Where a tracker keeps a ticket: the id by which the tracker's interface knows it, and the number that people
/// see. On GitHub the two differ and must not be mixed up; dependencies are wired by id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TicketRef {
    /// The number that people see, as in `#12`.
    pub number: u64,
    /// The tracker's own stable id.
    pub id: u64,
}

impl fmt::Display for TicketRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn category_ids_have_three_plain_parts() {
        let id: CategoryId = "agentic-evals:shop:cart-total".parse().unwrap();
        assert_eq!((id.namespace(), id.repo_slug(), id.name()), ("agentic-evals", "shop", "cart-total"));
        assert_eq!("a:b".parse::<CategoryId>(), Err(CategoryIdError::Parts(2)));
        assert_eq!("a:b:c:d".parse::<CategoryId>(), Err(CategoryIdError::Parts(4)));
        assert_eq!("a::c".parse::<CategoryId>(), Err(CategoryIdError::EmptyPart));
        assert_eq!("a:b:c d".parse::<CategoryId>(), Err(CategoryIdError::Character(0x20)));
        assert_eq!("a:b:c\u{202e}".parse::<CategoryId>(), Err(CategoryIdError::Character(0x202e)));
        assert_eq!("a:b:c-->".parse::<CategoryId>(), Err(CategoryIdError::Character(0x3e)));
        assert_eq!("x".repeat(201).parse::<CategoryId>(), Err(CategoryIdError::TooLong(201)));
    }

    #[test]
    fn repositories_are_owner_and_name() {
        assert_eq!(RepoSlug::parse("me/shop").unwrap().slug(), "shop");
        for bad in ["shop", "a/b/c", "/x", "x/", "a b/c"] {
            assert!(RepoSlug::parse(bad).is_none(), "{bad}");
        }
    }
}
