//! The map as the file has it: possibly wrong, every part with its place. Rules look at this view.

use super::place::Spot;

/// A field that may be missing, or there with a wrong type (which was reported already).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Field<T> {
    #[default]
    Missing,
    Bad,
    Is(T),
}

impl<T> Field<T> {
    pub(super) const fn get(&self) -> Option<&T> {
        if let Self::Is(value) = self { Some(value) } else { None }
    }

    pub(super) const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }
}

/// A text of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) value: String,
    pub(super) spot: Spot,
}

impl Text {
    /// True if it holds nothing but white space.
    pub(super) fn is_blank(&self) -> bool {
        self.value.trim().is_empty()
    }
}

/// The whole file.
#[derive(Debug, Default)]
pub(super) struct RawMap {
    /// The opening brace.
    pub(super) spot: Spot,
    pub(super) schema: Field<Text>,
    pub(super) repo: Field<Text>,
    pub(super) map_version: Field<Text>,
    pub(super) categories: Field<Vec<RawCategory>>,
    /// The key `categories`, for findings about all of them.
    pub(super) categories_spot: Spot,
    pub(super) retired: Vec<RawRetired>,
}

impl RawMap {
    pub(super) fn categories(&self) -> &[RawCategory] {
        self.categories.get().map_or(&[], Vec::as_slice)
    }

    /// Part after the slash of a well-formed `repo`.
    pub(super) fn repo_slug(&self) -> Option<&str> {
        let repo = &self.repo.get()?.value;
        crate::model::RepoSlug::parse(repo)?;
        repo.split_once('/').map(|(_, slug)| slug)
    }
}

/// One entry of `categories`.
#[derive(Debug, Default)]
pub(super) struct RawCategory {
    /// The key of the entry and its place.
    pub(super) key: String,
    pub(super) spot: Spot,
    pub(super) id: Field<Text>,
    pub(super) label: Field<Text>,
    pub(super) defect: Field<Text>,
    pub(super) expected: Field<Text>,
    pub(super) supports_claims: Vec<Text>,
    pub(super) seams: Vec<Text>,
    pub(super) risks: Vec<Text>,
    pub(super) cases: Vec<Text>,
    pub(super) signatures: Vec<RawSignature>,
    pub(super) examples_match: Vec<Text>,
    pub(super) examples_no_match: Vec<Text>,
    pub(super) depends_on: Vec<RawDependency>,
}

impl RawCategory {
    /// The id as the file has it, well-formed or not.
    pub(super) fn id_text(&self) -> Option<&str> {
        self.id.get().map(|id| id.value.as_str())
    }

    /// How a message names the category: by its id, or by its key where it has none.
    pub(super) fn name(&self) -> String {
        super::place::quote(self.id_text().unwrap_or(&self.key))
    }
}

/// One entry of `signatures`.
#[derive(Debug)]
pub(super) struct RawSignature {
    pub(super) spot: Spot,
    pub(super) id: Field<Text>,
    pub(super) pattern: Field<Text>,
    pub(super) stream: Field<Text>,
}

/// One entry of `depends_on`.
#[derive(Debug)]
pub(super) struct RawDependency {
    pub(super) spot: Spot,
    pub(super) target: Field<Text>,
    pub(super) rationale: Field<Text>,
}

/// One entry of `retired`.
#[derive(Debug)]
pub(super) struct RawRetired {
    pub(super) id: String,
    pub(super) spot: Spot,
    pub(super) kind: Field<Text>,
    pub(super) into: Vec<Text>,
    pub(super) reason: Field<Text>,
}
