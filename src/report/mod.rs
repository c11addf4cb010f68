//! Reports (`agentic_evals.report.v2` and v1): reading them in one pass, judging whether they are complete.
//!
//! Cost: one pass over the bytes; memory grows with what the caller keeps, plus eight bytes a case for the check
//! that names are unique. Trials of passing cases are skipped, not parsed.

mod case;
mod completeness;
mod decode;
mod error;
mod fields;
mod freeze;
mod header;
pub mod import;
mod mapped;
mod names;
mod owned;
mod read;
mod source;
mod suite;
mod tally;
mod trial;
mod walk;
mod wire;
mod write;

pub use case::Case;
pub use completeness::incomplete_because;
pub use error::ReportError;
pub use freeze::{FreezeError, Frozen};
pub use header::{ClaimVerdict, Header, SchemaVersion};
pub use owned::{CountedOutcomes, OwnedCase, OwnedClaims, OwnedEligibility, OwnedRepo, OwnedReport, OwnedTrial};
pub use read::read;
pub use source::ReportSource;
pub use suite::{MissingCases, RequiredCases};
pub use tally::Tally;
pub use trial::Evidence;
pub use write::SaveError;
