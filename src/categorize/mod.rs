//! Categorization: every failing case of a report gets exactly one category, or is named as unclassified or
//! ambiguous; and the fingerprints of the state that results. Pure: report bytes and map in, values out.
//!
//! Cost: one pass over the report; each failing case costs its own text and its own hints, not the size of the map.

mod categorization;
mod collect;
mod decide;
mod fingerprint;
mod finish;
mod fold;
mod index;
mod nearest;
mod output;
pub mod signature;
mod smallest;

pub use categorization::{
    ActiveCategory, Ambiguous, Assignment, Categorization, Counts, Excerpt, MapFacts, NotGreen, ReportFacts,
    Unclassified, Watch, WatchedOutcome,
};
pub use collect::{CategorizeError, categorize};
pub use decide::DecidedBy;
pub use fingerprint::Provenance;
pub use index::IndexError;
pub use output::CategorizationOutput;

#[cfg(test)]
mod tests;
