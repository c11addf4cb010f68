//! `greenloop ledger`.

use super::context::Context;
use super::error::CliError;

/// Arguments of `greenloop ledger`.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub(super) fn run(_args: &Args, _context: &Context) -> Result<u8, CliError> {
    Err(CliError::new(super::exit_status::BUG, "not built yet"))
}
