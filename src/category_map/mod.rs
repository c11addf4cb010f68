//! Category maps (`agentic_evals.category_map.v1`): which root causes there are, how a failure is recognized as one
//! of them, and what depends on what.

mod types;

pub use types::{Category, CategoryMap, Dependency, Retired, RetiredKind, SignaturePattern, Stream};
