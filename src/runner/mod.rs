//! The eval runner: a fixture manifest (version 2) becomes trials, and trials become a report.v2 that can be trusted.

pub mod artifacts;
mod assemble;
pub mod claims;
mod entry;
pub mod environment;
pub mod evidence;
pub mod exact;
pub mod expect;
mod findings;
pub mod gate;
mod inline_code;
mod inline_words;
pub mod lock;
pub mod manifest;
pub mod merge;
pub mod observation;
pub mod outcome;
pub mod pointer;
mod programs;
pub mod provenance;
pub mod readiness;
mod redact;
pub mod regressions;
pub mod rules;
pub mod schedule;
pub mod scripts;
pub mod select;
mod sha256;
pub mod shard;
mod shell;
pub mod slice;
#[cfg(test)]
mod testing;
mod text;
mod trial;

pub use assemble::{Surroundings, assemble, redact_commands};
pub use findings::{case_findings, gate_findings, script_findings};
pub use redact::Redactor;
pub use text::{CUT_MARK, Output, visible};
pub use trial::{Bench, TrialRun, run_trial};
