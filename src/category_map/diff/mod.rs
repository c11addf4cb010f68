//! What changed in meaning between two versions of a map. Costs time proportional to both maps.

mod compare;
mod types;

pub use compare::diff;
pub use types::{
    CategoryChange, CategorySummary, EdgeSummary, ListChange, MapDiff, MapProblem, RationaleChange, Removal,
    RetiredChange, RetiredSummary, TextChange, Texts,
};
