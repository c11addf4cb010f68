//! `greenloop campaign step`.

use std::path::PathBuf;

use super::{choose, status_of};
use crate::campaign::{CampaignState, StepInput, status, step};
use crate::cli::args::Format;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::tracker::TrackerArgs;
use crate::cli::{inputs, remembered};
use crate::ledger::Ledger;
use crate::ui;

/// Arguments of `greenloop campaign step`.
#[derive(Debug, clap::Args)]
#[command(after_help = "The report is frozen, checked, categorized, drawn, planned, applied, recorded and judged.\n\n\
    Exit status: 0 GREEN; 1 recorded, not green yet, go on; 10 and more a stop with a named blocker; 2, 3, 4 the report \
    was refused and nothing was recorded. So the loop is:\n\n  \
    until greenloop campaign step \"$(run-suite)\"; do\n    s=$?; [ $s -eq 1 ] || exit $s\n    fix something, integrate it\n  done")]
pub(in crate::cli) struct Args {
    /// The report of a full run on the integrated head (agentic_evals.report.v2 or v1).
    report: PathBuf,
    /// The integrated head that the suite ran on. Default: the commit that the report names.
    #[arg(long, value_name = "SHA", value_parser = crate::cli::import::sha)]
    head: Option<String>,
    /// The tree of that head (`git rev-parse SHA^{tree}`): finds patches that cancel each other. Default: the head.
    #[arg(long, value_name = "TREE")]
    tree: Option<String>,
    /// The campaign. Default: the only one there is.
    #[arg(long, value_name = "ID")]
    campaign: Option<String>,
    /// Tickets that this step may create at most. Default: as the campaign was started.
    #[arg(long, value_name = "N")]
    create_cap: Option<usize>,
    /// Tickets that this step may touch at most. Default: as the campaign was started.
    #[arg(long, value_name = "N")]
    circuit_breaker: Option<usize>,
    #[command(flatten)]
    tracker: TrackerArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let paths = choose(context, args.campaign.as_deref())?;
    if !paths.ledger().is_file() {
        return Err(crate::campaign::CampaignError::NotStarted(paths.id().to_owned()).into());
    }
    let (remembered, _) = remembered::of_campaign(&paths)?;
    let choice = args.tracker.choice(context, remembered.as_ref(), None)?;
    let mut tracker = args.tracker.open_to_write(context, &choice, false)?;
    let done = step(StepInput {
        paths: &paths,
        report: &args.report,
        head: args.head.as_deref(),
        tree: args.tree.as_deref(),
        tracker: tracker.as_mut(),
        create_cap: args.create_cap,
        circuit_breaker: args.circuit_breaker,
        now: &inputs::now,
        elapsed_s: &inputs::elapsed_s,
        progress: &inputs::progress,
    })?;
    inputs::say_recovery(&done.recovery);
    let ledger = Ledger::read_only(&paths.ledger())?;
    let standing = status(paths.id(), &CampaignState::fold(&ledger.entries)?, &tracker.snapshot()?);
    inputs::say_remarks(tracker.as_ref());
    match context.format {
        Format::Json => ui::data(&ui::json_document(&standing))?,
        _ => ui::data(&ui::step(&done, &standing, &Context::shown(&paths.iteration(done.judged.iteration))))?,
    }
    Ok(status_of(&done.judged.verdict))
}
