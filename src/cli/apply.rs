//! `greenloop apply`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::tracker::TrackerArgs;
use super::{dry_run, exit_status, inputs};
use crate::apply::journal::{self, PlanProgress};
use crate::apply::{self, ApplyError, Limits};
use crate::campaign::{CampaignPaths, CampaignState};
use crate::ledger::Ledger;
use crate::plan::Plan;
use crate::report::Frozen;
use crate::ui;

/// Arguments of `greenloop apply`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Applying is all or nothing. After a crash at any moment, apply the same plan again: it takes up where \
    it stopped, and no ticket is made twice.\n\n\
    Exit status: 0 applied (or applied before); 4 the plan is stale, over a limit, or the tracker refused it; nothing \
    was changed then, or it was undone."
)]
pub struct Args {
    /// The plan that `greenloop plan -o` saved.
    plan: PathBuf,
    /// Tickets that may be created at most. Default: `tracker.create_cap`, which is 25.
    #[arg(long, value_name = "N")]
    create_cap: Option<usize>,
    /// Tickets that may be touched at most. Default: `tracker.circuit_breaker`, which is 100.
    #[arg(long, value_name = "N")]
    circuit_breaker: Option<usize>,
    /// Change nothing: print each request that would be sent (for the embedded tracker: each step).
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    tracker: TrackerArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let file = args.plan.to_string_lossy().into_owned();
    let bytes = std::fs::read(&args.plan)
        .map_err(|error| CliError::input(format!("the plan {file} cannot be read")).caused_by(&error))?;
    let plan = Plan::from_bytes(&bytes).map_err(|error| {
        CliError::input(format!("{file} cannot be applied"))
            .caused_by(&error)
            .hint("make a plan with `greenloop plan … -o plan.json`")
    })?;
    let paths = CampaignPaths::new(&context.state_dir(), &plan.basis.campaign)
        .map_err(|error| CliError::input(format!("{file}: {error}")))?;
    let (cap, breaker) = args.tracker.limits(context)?;
    let limits =
        Limits { create_cap: args.create_cap.unwrap_or(cap), circuit_breaker: args.circuit_breaker.unwrap_or(breaker) };
    // A plan knows its tracker. Those of greenloop 0.1 had only one.
    let choice = args.tracker.choice(context, Some(&plan.basis.tracker), None)?;
    check_before_writing(&plan, limits, &paths, args, context)?;
    if args.dry_run {
        return dry_run::run(&plan, &args.tracker, &choice, context);
    }
    let (mut ledger, recovery) = Ledger::open(&paths.ledger(), paths.id())?;
    inputs::say_recovery(&recovery);
    let mut tracker = args.tracker.open_to_write(context, &choice, true)?;
    if let PlanProgress::Finished(_) = journal::progress(ledger.entries(), plan.digest()) {
        ui::note("this plan was applied before; nothing changes now");
    }
    let receipt = apply::apply(&plan, tracker.as_mut(), &mut ledger, &inputs::now, limits)?;
    match context.format {
        Format::Json => ui::data(&ui::json_document(&receipt))?,
        _ => ui::data(&ui::receipt(&receipt))?,
    }
    Ok(exit_status::HELD)
}

/// Everything that can be refused without taking the writer's place, so that a refusal leaves no file behind. A plan
/// that was begun before is past these questions: it is brought to its end.
fn check_before_writing(
    plan: &Plan,
    limits: Limits,
    paths: &CampaignPaths,
    args: &Args,
    context: &Context,
) -> Result<(), CliError> {
    let entries = inputs::ledger_entries(paths)?;
    let state = CampaignState::fold(&entries)?;
    let tracker_path = context.tracker_path();
    let choice = &plan.basis.tracker;
    if choice.is_embedded() && !tracker_path.exists() && !journal::made(&entries).tickets.is_empty() {
        return Err(super::campaign::tracker_gone(&tracker_path));
    }
    if journal::progress(&entries, plan.digest()) != PlanProgress::Unknown {
        return Ok(());
    }
    apply::check_limits(plan, limits)?;
    check_campaign(plan, &state)?;
    check_inputs(plan, context)?;
    if !choice.is_embedded() {
        // Its requests are counted; `apply` asks once, when nobody else can write.
        return Ok(());
    }
    let found = inputs::tracker_snapshot(context, &args.tracker, choice, &BTreeSet::new())?.digest();
    if found != plan.basis.tracker_digest {
        // The journal was read before the tracker: meanwhile another process may have carried out this very plan.
        if journal::progress(&inputs::ledger_entries(paths)?, plan.digest()) != PlanProgress::Unknown {
            return Ok(());
        }
        let planned = plan.basis.tracker_digest.to_string();
        return Err(ApplyError::Stale { what: "tracker", planned, found: found.to_string() }.into());
    }
    Ok(())
}

/// The frozen report and map are whole, and the files they came from still hold the same bytes, if they are there.
fn check_inputs(plan: &Plan, context: &Context) -> Result<(), CliError> {
    let Some(files) = &plan.files else { return Ok(()) };
    for (what, file, planned) in
        [("report", &files.report, plan.basis.report_digest), ("category map", &files.map, plan.basis.map_digest)]
    {
        Frozen::open(&context.state_dir(), planned)?;
        let path = std::path::Path::new(file);
        if path.is_file() {
            let found = inputs::digest_of(path)?;
            if found != planned {
                return Err(ApplyError::Stale { what, planned: planned.to_string(), found: found.to_string() }.into());
            }
        }
    }
    Ok(())
}

/// A plan belongs to one generation and one iteration of its campaign.
fn check_campaign(plan: &Plan, state: &CampaignState) -> Result<(), CliError> {
    let Some(generation) = &state.generation else { return Ok(()) };
    let moved = |what, planned: String, found: String| Err(ApplyError::Stale { what, planned, found }.into());
    let basis = &plan.basis;
    if basis.generation != generation.generation {
        return moved("campaign generation", basis.generation.to_string(), generation.generation.to_string());
    }
    if basis.map_digest != generation.map_digest {
        return moved("category map", basis.map_digest.to_string(), generation.map_digest.to_string());
    }
    if basis.iteration != state.next_iteration() {
        return moved("iteration", basis.iteration.to_string(), state.next_iteration().to_string());
    }
    Ok(())
}
