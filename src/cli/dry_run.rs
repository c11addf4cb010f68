//! `greenloop apply --dry-run`.

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::exit_status;
use super::tracker::TrackerArgs;
use crate::apply;
use crate::plan::Plan;
use crate::tracker::{EmbeddedTracker, Tracker, TrackerChoice};
use crate::ui;

/// Goes through the plan and changes nothing. Reads are made; writes are shown.
pub(super) fn run(plan: &Plan, args: &TrackerArgs, choice: &TrackerChoice, context: &Context) -> Result<u8, CliError> {
    // A tracker whose file is not there yet is rehearsed in a file that goes away.
    let nowhere = tempfile::tempdir().map_err(|error| CliError::input("no temporary folder").caused_by(&error))?;
    let mut tracker: Box<dyn Tracker> = if choice.is_embedded() && !context.tracker_path().exists() {
        Box::new(EmbeddedTracker::open_or_create(&nowhere.path().join("tracker.db"))?)
    } else if choice.is_embedded() {
        args.open_to_write(context, choice, false)?
    } else {
        Box::new(args.github(context, choice, true)?)
    };
    let receipt = apply::rehearse(plan, tracker.as_mut())?;
    let requests = tracker.planned_requests();
    match context.format {
        Format::Json => ui::data(&ui::json_document(&serde_json::json!({
            "schema": "greenloop.dry_run.v1", "steps": receipt.steps, "requests": requests,
        })))?,
        _ if requests.is_empty() => ui::data(&ui::rehearsal(&receipt))?,
        _ => ui::data(&ui::requests(&requests))?,
    }
    ui::note("nothing was changed");
    Ok(exit_status::HELD)
}
