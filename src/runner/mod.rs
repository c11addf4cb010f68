//! The eval runner: a fixture manifest (version 2) becomes trials, and trials become a report.v2 that can be trusted.

pub mod manifest;
pub mod pointer;
