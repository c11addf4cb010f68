//! The eval runner: a fixture manifest (version 2) becomes trials, and trials become a report.v2 that can be trusted.

pub mod artifacts;
pub mod claims;
mod entry;
pub mod environment;
pub mod evidence;
pub mod expect;
pub mod gate;
pub mod manifest;
pub mod observation;
pub mod outcome;
pub mod pointer;
pub mod provenance;
pub mod readiness;
mod redact;
mod sha256;
pub mod shard;
mod shell;
pub mod slice;
#[cfg(test)]
mod testing;
mod text;
mod trial;

pub use redact::Redactor;
pub use text::{CUT_MARK, Output, visible};
pub use trial::{Bench, TrialRun, run_trial};
