//! The rules of a map, one file each: its code, what it says, why, how to mend it, and its tests.

// What is not JSON, or not of the right shape.
pub(super) mod bad_json;
pub(super) mod bad_schema;
pub(super) mod bad_type;
mod duplicate_key;
mod empty_categories;
mod missing_field;
mod unknown_field;
// Identity.
mod ambiguous_key;
mod bad_category_id;
mod bad_label;
mod bad_repo;
mod duplicate_category_id;
mod duplicate_label;
mod foreign_repo;
mod missing_expected;
mod missing_label;
mod missing_map_version;
// Dependencies.
mod cycle;
mod duplicate_dependency;
pub(super) mod edges;
mod missing_rationale;
mod redundant_edge;
mod self_edge;
mod unknown_target;
// Evidence.
mod ambiguous_example;
mod duplicate_signature_id;
mod empty_pattern;
mod evidence;
mod example_mismatch;
mod invalid_glob;
mod invalid_pattern;
mod unknown_stream;
// Retired categories.
mod bad_retirement;
mod dangling_successor;
mod reused_retired_id;

mod docs;
mod registry;
#[cfg(test)]
mod testing;

pub use docs::rules_markdown;
pub(super) use registry::check;
pub use registry::{Rule, rules};
