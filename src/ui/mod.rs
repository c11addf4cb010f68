//! The terminal: data on standard output, all else on standard error, colour only where it is wanted.

pub mod findings;
mod json;
mod output;

pub use json::json_document;
pub use output::{OutputError, bold, data, dim, error_report, green, note, red, yellow};
