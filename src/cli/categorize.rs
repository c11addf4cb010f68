//! `greenloop categorize`.

use std::path::PathBuf;

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::{exit_status, inputs};
use crate::categorize::{Categorization, CategorizationOutput, Watch};
use crate::ledger::write_atomic;
use crate::ui;

/// Arguments of `greenloop categorize`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit status: 0 every failing case has exactly one category and the report is complete; \
    1 something is unclassified, ambiguous or missing (the result is printed all the same).\n\n\
    Example: greenloop categorize report.json --map category_maps/shop.json --format json -o categorization.json")]
pub struct Args {
    /// The report (agentic_evals.report.v2 or v1). JUnit XML: run `greenloop import junit` first.
    report: PathBuf,
    /// The category map.
    #[arg(long, value_name = "FILE")]
    map: PathBuf,
    /// Write greenloop.categorization.v1 to this file (the summary still goes to the terminal).
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json, Format::Github])?;
    let (map, _) = inputs::load_map(&args.map)?;
    inputs::progress("reading and categorizing the report");
    let c = inputs::categorize_file(&args.report, &map, &Watch::default())?;
    if let Some(path) = &args.output {
        write_atomic(path, ui::json_document(&CategorizationOutput::from(&c)).as_bytes())?;
    }
    match context.format {
        Format::Json => ui::data(&ui::json_document(&CategorizationOutput::from(&c)))?,
        Format::Github => ui::data(&ui::categorization_github(&c, &args.report.to_string_lossy()))?,
        _ => ui::data(&ui::categorization(&c))?,
    }
    Ok(status(&c))
}

/// 0 if the report is complete and every failure has its category.
pub(super) fn status(c: &Categorization) -> u8 {
    if c.is_total() && c.report.incomplete_because.is_empty() { exit_status::HELD } else { exit_status::NOT_HELD }
}
