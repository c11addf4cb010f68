//! Category maps (`agentic_evals.category_map.v1`): which root causes there are, how a failure is recognized as one
//! of them, and what depends on what.
//!
//! [`parse`] turns the bytes of a file into a [`CategoryMap`] or into findings, each with its place; [`picture_of`]
//! draws also what is wrong; [`diff`] compares two maps by meaning. Each rule is one file in `rules/`.

mod build;
mod diff;
#[cfg(test)]
mod laws;
mod load;
mod nearest;
mod pattern;
mod picture;
mod place;
mod raw;
mod read;
mod rules;
mod types;

pub use diff::{
    CategoryChange, CategorySummary, EdgeSummary, ListChange, MapDiff, MapProblem, RationaleChange, Removal,
    RetiredChange, RetiredSummary, TextChange, Texts, diff,
};
pub use load::{Loaded, parse};
pub use pattern::{CaseGlob, PatternError, compile_pattern};
pub use picture::picture_of;
pub use rules::{Rule, rules, rules_markdown};
pub use types::{Category, CategoryMap, Dependency, Retired, RetiredKind, SignaturePattern, Stream};
