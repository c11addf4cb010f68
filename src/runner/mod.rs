//! The eval runner: a fixture manifest (version 2) becomes trials, and trials become a report.v2 that can be trusted.

pub mod expect;
pub mod manifest;
pub mod observation;
pub mod outcome;
pub mod pointer;
pub mod readiness;
