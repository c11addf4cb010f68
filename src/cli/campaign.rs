//! `greenloop campaign`.

mod errors;
mod start;
mod status;
mod step;
mod verify;

use clap::Subcommand;

use super::context::Context;
use super::error::CliError;
use super::exit_status;
use crate::campaign::{BlockerKind, CampaignPaths, CampaignState, VerdictRecord};

/// Arguments of `greenloop campaign`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Freeze the map (and the fixture) and begin.
    Start(start::Args),
    /// One iteration from the report of a full run.
    Step(step::Args),
    /// Where the campaign stands.
    Status(status::Args),
    /// Check that everything the ledger says still holds.
    Verify(verify::Args),
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    match &args.command {
        Command::Start(args) => start::run(args, context),
        Command::Step(args) => step::run(args, context),
        Command::Status(args) => status::run(args, context),
        Command::Verify(args) => verify::run(args, context),
    }
}

/// The campaign that was named, or the only one there is.
fn choose(context: &Context, named: Option<&str>) -> Result<CampaignPaths, CliError> {
    let state_dir = context.state_dir();
    let id = if let Some(id) = named {
        id.to_owned()
    } else {
        let mut all = CampaignPaths::all(&state_dir)
            .map_err(|error| CliError::input("the campaigns cannot be listed").caused_by(&error))?;
        if all.len() > 1 {
            // A journal of `apply` alone is no campaign.
            only_started(&mut all, &state_dir);
        }
        if all.len() > 1 {
            return Err(CliError::usage("there are several campaigns")
                .hint(format!("name one with --campaign: {}", all.join(", "))));
        }
        all.pop().ok_or_else(|| {
            CliError::usage(format!("there is no campaign in {}", Context::shown(&state_dir)))
                .hint("start one with `greenloop campaign start --map MAP`")
        })?
    };
    CampaignPaths::new(&state_dir, &id).map_err(|error| CliError::usage(error.to_string()))
}

/// Leaves the campaigns of which a generation began, if there is one.
pub(super) fn only_started(ids: &mut Vec<String>, state_dir: &std::path::Path) {
    let started: Vec<String> = ids.iter().filter(|id| is_started(state_dir, id)).cloned().collect();
    if !started.is_empty() {
        *ids = started;
    }
}

fn is_started(state_dir: &std::path::Path, id: &str) -> bool {
    let Ok(paths) = CampaignPaths::new(state_dir, id) else { return true };
    // One that cannot be read is not passed over: the command says what is wrong with it.
    let Ok(entries) = super::inputs::ledger_entries(&paths) else { return true };
    CampaignState::fold(&entries).map_or(true, |state| state.generation.is_some())
}

/// The tracker that this project had is not there. A new, empty one would not be the same.
pub(super) fn tracker_gone(path: &std::path::Path) -> CliError {
    CliError::new(exit_status::TRACKER, format!("the tracker {} is gone", path.display()))
        .hint("the tickets are in it; bring it back first: nothing was changed")
}

/// The exit status of a verdict.
pub(super) const fn status_of(verdict: &VerdictRecord) -> u8 {
    match verdict {
        VerdictRecord::Green => exit_status::HELD,
        VerdictRecord::GoOn => exit_status::NOT_HELD,
        VerdictRecord::Stop { blocker } => match blocker.kind {
            BlockerKind::Repeat | BlockerKind::Oscillation | BlockerKind::PatchesCancel => exit_status::OSCILLATION,
            BlockerKind::NoProgress => exit_status::NO_PROGRESS,
            BlockerKind::Budget => exit_status::BUDGET,
            BlockerKind::Starved | BlockerKind::Stalled => exit_status::STARVED,
            BlockerKind::Nondeterminism => exit_status::NONDETERMINISM,
            BlockerKind::ReopenCap => exit_status::REOPEN_CAP,
            BlockerKind::BlockedExternal => exit_status::BLOCKED_EXTERNAL,
        },
    }
}
