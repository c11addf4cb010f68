//! The difference of two maps as a value. Fields are declared in sorted order, as in its JSON form.

use serde::Serialize;

use crate::category_map::RetiredKind;

/// The difference of two maps by meaning: order, white space and examples do not count. Every list is sorted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MapDiff {
    /// Ids that only the new map has.
    pub added: Vec<CategorySummary>,
    /// Categories of both maps that differ.
    pub changed: Vec<CategoryChange>,
    /// Dependencies that only the new map has.
    pub edges_gained: Vec<EdgeSummary>,
    /// Dependencies that only the old map has.
    pub edges_lost: Vec<EdgeSummary>,
    /// Version of the map.
    pub map_version: Texts,
    /// What must not happen between two versions.
    pub problems: Vec<MapProblem>,
    /// Dependencies of both maps whose rationale differs.
    pub rationales_changed: Vec<RationaleChange>,
    /// Ids that only the old map has, with what became of them.
    pub removed: Vec<Removal>,
    /// Repository of the map.
    pub repo: Texts,
    /// Retired ids whose entry differs, or that only one of the maps has, without those in `removed`.
    pub retired_changed: Vec<RetiredChange>,
}

/// The old and the new value of one text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Texts {
    /// In the new map.
    pub new: String,
    /// In the old map.
    pub old: String,
}

/// A category in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct CategorySummary {
    /// Its id.
    pub category_id: String,
    /// What is broken.
    pub defect: String,
}

/// A category of both maps that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct CategoryChange {
    /// Its id.
    pub category_id: String,
    /// Lists that differ.
    pub lists: Vec<ListChange>,
    /// Single fields that differ: key, label, defect, expected.
    pub texts: Vec<TextChange>,
}

/// A single field that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TextChange {
    /// Name of the field; `key` is the key of the entry.
    pub field: &'static str,
    /// Its new value; none if it is gone.
    pub new: Option<String>,
    /// Its old value; none if it is new.
    pub old: Option<String>,
}

/// A list that differs, as sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ListChange {
    /// Name of the field.
    pub field: &'static str,
    /// Values that only the new map has.
    pub gained: Vec<String>,
    /// Values that only the old map has.
    pub lost: Vec<String>,
}

/// A dependency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct EdgeSummary {
    /// The dependent category.
    pub from: String,
    /// Why.
    pub rationale: String,
    /// The category it waits for.
    pub to: String,
}

/// A dependency whose reason differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RationaleChange {
    /// The dependent category.
    pub from: String,
    /// The new reason.
    pub new: String,
    /// The old reason.
    pub old: String,
    /// The category it waits for.
    pub to: String,
}

/// A category that only the old map has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Removal {
    /// Its id.
    pub category_id: String,
    /// The new map's entry; none if it vanished.
    pub retired: Option<RetiredSummary>,
}

/// What became of a category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RetiredSummary {
    /// Its successors.
    pub into: Vec<String>,
    /// How it ended.
    pub kind: RetiredKind,
    /// Why.
    pub reason: String,
}

/// A retired entry that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RetiredChange {
    /// The retired id.
    pub category_id: String,
    /// The new entry; none if it is gone.
    pub new: Option<RetiredSummary>,
    /// The old entry; none if it is new.
    pub old: Option<RetiredSummary>,
}

/// Something that must not happen between two versions of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MapProblem {
    /// Kebab-case code.
    pub code: &'static str,
    /// What to do.
    pub hint: String,
    /// What is wrong, in one sentence.
    pub message: String,
}

impl MapDiff {
    /// True if both maps mean the same: nothing differs, except perhaps the version.
    pub const fn is_same_meaning(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && self.edges_gained.is_empty()
            && self.edges_lost.is_empty()
            && self.rationales_changed.is_empty()
            && self.retired_changed.is_empty()
    }
}
