//! The terminal: data on standard output, all else on standard error, colour only where it is wanted.

mod campaign;
mod categorization;
mod doctor;
pub mod findings;
mod json;
mod ledger;
mod output;
mod plan;
mod run;
mod table;
mod tickets;

pub use campaign::{campaign_status, step, verification};
pub use categorization::{categorization, categorization_github, unplaced};
pub use doctor::checks;
pub use json::{harmless_json, json_document};
pub use ledger::{entries_table, verification_json, verification_text};
pub use output::{OutputError, bold, data, dim, error_report, green, note, progress, red, remark, yellow};
pub use plan::{plan, receipt, recovery, rehearsal, requests};
pub use run::{RunProgress, run_readiness, run_summary};
pub use table::{Table, available_width, display_width, fit_width};
pub use tickets::{ticket_page, ticket_table, tickets_summary};
