//! `greenloop doctor`.

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::tracker::TrackerArgs;
use super::{config, exit_status, remembered};
use crate::tracker::{Check, CheckState, EmbeddedTracker, Tracker as _};
use crate::ui;

/// Arguments of `greenloop doctor`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Changes nothing. Exit status: 0 everything that is needed is there; 1 something is missing, and it says what \
    to do.\n\n\
    Example: greenloop doctor --tracker github --repo me/shop"
)]
pub struct Args {
    /// The campaign whose tracker is meant.
    #[arg(long, value_name = "ID")]
    campaign: Option<String>,
    #[command(flatten)]
    tracker: TrackerArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let (remembered, _) = remembered::of_project(context, args.campaign.as_deref())?;
    let choice = args.tracker.choice(context, remembered.as_ref(), None)?;
    let mut checks = vec![configuration(context), Check::ok("tracker", choice.to_string())];
    if choice.is_embedded() {
        checks.push(embedded(context));
    } else {
        match args.tracker.github(context, &choice, false) {
            Ok(mut tracker) => {
                checks.push(Check::ok("token", "there is one; it is not shown"));
                checks.extend(tracker.doctor());
            }
            Err(error) => checks.push(Check::failed("token", error.message, error.hints.join("; "))),
        }
    }
    match context.format {
        Format::Json => ui::data(&ui::json_document(&serde_json::json!({
            "schema": "greenloop.doctor.v1", "tracker": choice, "config": config::file(context), "checks": checks,
        })))?,
        _ => ui::data(&ui::checks(&checks))?,
    }
    let failed = checks.iter().any(|check| check.state == CheckState::Failed);
    Ok(if failed { exit_status::NOT_HELD } else { exit_status::HELD })
}

/// The file that was read. One that cannot be used is an error before this.
fn configuration(context: &Context) -> Check {
    if let Some(path) = config::file(context) {
        return Check::ok("configuration", Context::shown(&path));
    }
    let root = Context::shown(&context.root);
    let root = if root.is_empty() { "this folder".to_owned() } else { root };
    Check::ok("configuration", format!("no greenloop.toml in {root} or above it: the defaults hold"))
}

fn embedded(context: &Context) -> Check {
    let path = context.tracker_path();
    let shown = Context::shown(&path);
    match EmbeddedTracker::open_existing(&path) {
        Ok(None) => Check::ok("file", format!("{shown} is not there yet; the first apply makes it")),
        Ok(Some(mut tracker)) => match tracker.snapshot() {
            Ok(snapshot) => Check::ok("file", format!("{shown} holds {} ticket(s)", snapshot.tickets.len())),
            Err(error) => Check::failed("file", error.to_string(), "bring the file back from a copy"),
        },
        Err(error) => Check::failed("file", error.to_string(), "bring the file back from a copy"),
    }
}
