//! The terminal: data on standard output, all else on standard error, colour only where it is wanted.

mod ledger;
mod output;
mod table;
mod tickets;

pub use ledger::{entries_table, verification_json, verification_text};
pub use output::{OutputError, bold, data, dim, error_report, green, note, red, yellow};
pub use table::{Table, available_width, display_width, fit_width};
pub use tickets::{ticket_page, ticket_table, tickets_summary};
