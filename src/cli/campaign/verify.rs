//! `greenloop campaign verify`.

use super::choose;
use crate::campaign::{CampaignError, verify};
use crate::cli::args::Format;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::tracker::TrackerArgs;
use crate::cli::{exit_status, inputs, remembered};
use crate::ui;

/// Arguments of `greenloop campaign verify`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Checks the chain of the ledger, the digests of every frozen report and map, the saved plans, the recorded \
    fingerprints (computed anew from the frozen reports), and that the tracker still lists every ticket.\n\n\
    Exit status: 0 everything holds; 1 something does not, and it is named."
)]
pub(in crate::cli) struct Args {
    /// The campaign. Default: the only one there is.
    #[arg(long, value_name = "ID")]
    campaign: Option<String>,
    #[command(flatten)]
    tracker: TrackerArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let paths = choose(context, args.campaign.as_deref())?;
    if !paths.ledger().is_file() {
        return Err(CampaignError::NotStarted(paths.id().to_owned()).into());
    }
    let (remembered, known) = remembered::of_campaign(&paths)?;
    let choice = args.tracker.choice(context, remembered.as_ref(), None)?;
    let findings = verify(&paths, &inputs::tracker_snapshot(context, &args.tracker, &choice, &known)?)?;
    let ok = findings.iter().all(|finding| finding.wrong.is_none());
    match context.format {
        Format::Json => ui::data(&ui::json_document(&serde_json::json!({
            "schema": "greenloop.campaign_verify.v1", "ok": ok, "checks": findings,
        })))?,
        _ => ui::data(&ui::verification(&findings))?,
    }
    Ok(if ok { exit_status::HELD } else { exit_status::NOT_HELD })
}
