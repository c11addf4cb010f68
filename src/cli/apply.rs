//! `greenloop apply`.

use std::path::PathBuf;

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::{exit_status, inputs};
use crate::apply::{self, ApplyError, Limits};
use crate::campaign::{CampaignPaths, CampaignState};
use crate::ledger::{Ledger, Recovery};
use crate::plan::Plan;
use crate::tracker::EmbeddedTracker;
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
    /// Tickets that may be created at most.
    #[arg(long, value_name = "N", default_value_t = 25)]
    create_cap: usize,
    /// Tickets that may be touched at most.
    #[arg(long, value_name = "N", default_value_t = 100)]
    circuit_breaker: usize,
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
    let limits = Limits { create_cap: args.create_cap, circuit_breaker: args.circuit_breaker };
    apply::check_limits(&plan, limits)?;
    let (mut ledger, recovery) = Ledger::open(&paths.ledger(), paths.id())?;
    say_recovery(&recovery);
    check_campaign(&plan, &CampaignState::fold(ledger.entries()))?;
    let tracker_path = context.tracker_path();
    if !tracker_path.exists() && !apply::journal::made(ledger.entries()).tickets.is_empty() {
        return Err(super::campaign::tracker_gone(&tracker_path));
    }
    let mut tracker = EmbeddedTracker::open_or_create(&tracker_path)?;
    let receipt = apply::apply(&plan, &mut tracker, &mut ledger, &inputs::now, limits)?;
    match context.format {
        Format::Json => ui::data(&ui::json_document(&receipt))?,
        _ => ui::data(&ui::receipt(&receipt))?,
    }
    Ok(exit_status::HELD)
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

/// Says what had to be repaired in the ledger.
pub(super) fn say_recovery(recovery: &Recovery) {
    if let Some(text) = ui::recovery(recovery) {
        ui::note(&text);
    }
}

impl From<ApplyError> for CliError {
    fn from(error: ApplyError) -> Self {
        let mut cli = match &error {
            ApplyError::Tracker(source) | ApplyError::Interrupted { source, .. } => {
                Self::new(exit_status::TRACKER, error.to_string()).caused_by(source)
            }
            ApplyError::Ledger(source) => Self::new(exit_status::INPUT, error.to_string()).caused_by(source),
            _ => Self::new(exit_status::TRACKER, error.to_string()),
        };
        let hint = match &error {
            ApplyError::Stale { .. } => "make the plan again from the same report: nothing was changed",
            ApplyError::CreateCap { .. } => "look at the plan first; then raise the limit with --create-cap N",
            ApplyError::CircuitBreaker { .. } => {
                "look at the plan first; then raise the limit with --circuit-breaker N"
            }
            ApplyError::Interrupted { .. } => "run the same command again: it takes up where it stopped",
            ApplyError::CompensatedBefore(_) | ApplyError::Refused { .. } => {
                "look at the ticket it names; once that is settled, make a new plan (a campaign step does it by itself)"
            }
            ApplyError::RefusedAndLeft { .. } => {
                "look at the tickets with `greenloop ticket list`, then make a new plan"
            }
            ApplyError::Unresolvable { .. } => "the plan file was edited or is damaged; make a new plan",
            ApplyError::Tracker(_) | ApplyError::Ledger(_) => return cli,
        };
        cli.hints.push(hint.to_owned());
        cli
    }
}
