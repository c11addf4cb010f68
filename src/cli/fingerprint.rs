//! `greenloop fingerprint`.

use std::path::PathBuf;

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::{categorize, inputs};
use crate::categorize::{Watch, signature};
use crate::ui;

/// Arguments of `greenloop fingerprint`.
#[derive(Debug, clap::Args)]
#[command(after_help = "The semantic fingerprint is the same for the same failures, whatever the run id, durations, \
    process ids or temporary paths; it is what the campaign compares. The provenance fingerprint adds the commit, \
    the fixture and the map.\n\nExit status: 0; 1 when a failing case has no category or the report is incomplete.")]
pub struct Args {
    /// The report (agentic_evals.report.v2 or v1).
    report: PathBuf,
    /// The category map.
    #[arg(long, value_name = "FILE")]
    map: PathBuf,
    /// The commit that was evaluated, when the report does not say it.
    #[arg(long, value_name = "SHA")]
    head: Option<String>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let (map, _) = inputs::load_map(&args.map)?;
    let watch = Watch { evaluated_sha: args.head.clone(), ..Watch::default() };
    let c = inputs::categorize_file(&args.report, &map, &watch)?;
    let text = match context.format {
        Format::Json => ui::json_document(&serde_json::json!({
            "schema": "greenloop.fingerprint.v1",
            "semantic_fingerprint": c.semantic_fingerprint,
            "provenance_fingerprint": c.provenance_fingerprint,
            "provenance": c.provenance,
            "signature_version": signature::VERSION,
            "report_digest": c.report.digest,
            "total": c.is_total(),
            "complete": c.report.incomplete_because.is_empty(),
        })),
        _ => format!("semantic    {}\nprovenance  {}\n", c.semantic_fingerprint, c.provenance_fingerprint),
    };
    ui::data(&text)?;
    if categorize::status(&c) != super::exit_status::HELD {
        ui::note("note: the state is not whole: see `greenloop categorize` for what is unclassified or missing");
    }
    Ok(categorize::status(&c))
}
