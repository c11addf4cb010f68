//! The terminal: data on standard output, all else on standard error, colour only where it is wanted.

mod campaign;
mod categorization;
pub mod findings;
mod json;
mod output;
mod plan;

pub use campaign::{campaign_status, step, verification};
pub use categorization::{categorization, categorization_github, unplaced};
pub use json::json_document;
pub use output::{OutputError, bold, data, dim, error_report, green, note, progress, red, yellow};
pub use plan::{plan, receipt, recovery};
