//! The terminal: data on standard output, all else on standard error, colour only where it is wanted.

pub mod findings;
mod output;

pub use output::{OutputError, bold, data, dim, error_report, green, note, red, yellow};
