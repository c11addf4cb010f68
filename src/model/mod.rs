//! Value types that every other module shares: identities, digests, outcomes, node states, safe text.

mod canonical;
mod digest;
mod ids;
mod outcome;
mod state;
mod text;

pub use canonical::canonical_json;
pub use digest::{Digest, DigestError, Hasher};
pub use ids::{CaseName, CategoryId, CategoryIdError, RepoSlug, TicketRef};
pub use outcome::{Outcome, Readiness};
pub use state::NodeState;
pub use text::{display_safe, is_unsafe_for_display, truncate_chars};
