//! The eval runner: a fixture manifest (version 2) becomes trials, and trials become a report.v2 that can be trusted.

pub mod environment;
pub mod manifest;
mod redact;
mod text;
mod trial;

pub use redact::Redactor;
pub use text::{CUT_MARK, Output, visible};
pub use trial::{Bench, TrialRun, run_trial};
