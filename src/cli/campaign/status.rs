//! `greenloop campaign status`.

use super::choose;
use crate::campaign::{CampaignError, CampaignState, status};
use crate::cli::args::Format;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::tracker::TrackerArgs;
use crate::cli::{exit_status, inputs, remembered};
use crate::ledger::Ledger;
use crate::ui;

/// Arguments of `greenloop campaign status`.
#[derive(Debug, clap::Args)]
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
    let ledger = Ledger::read_only(&paths.ledger())?;
    let (remembered, known) = remembered::of_campaign(&paths)?;
    let choice = args.tracker.choice(context, remembered.as_ref(), None)?;
    let snapshot = inputs::tracker_snapshot(context, &args.tracker, &choice, &known)?;
    let standing = status(paths.id(), &CampaignState::fold(&ledger.entries)?, &snapshot);
    match context.format {
        Format::Json => ui::data(&ui::json_document(&standing))?,
        _ => ui::data(&ui::campaign_status(&standing))?,
    }
    Ok(exit_status::HELD)
}
