//! From a campaign's error to the error of the command line.

use super::status_of;
use crate::campaign::CampaignError;
use crate::cli::error::CliError;
use crate::cli::{exit_status, plan};
use crate::plan::PlanRefusal;

impl From<CampaignError> for CliError {
    /// A refusal is never status 1: that means "recorded, go on", and a loop around `campaign step` would spin.
    fn from(error: CampaignError) -> Self {
        never_one(campaign_error(error))
    }
}

fn campaign_error(error: CampaignError) -> CliError {
    let message = error.to_string();
    match error {
        CampaignError::Entry(error) => error.into(),
        CampaignError::SameReport { .. } => CliError::new(exit_status::STARVED, message)
            .hint("run the whole suite on the new head, and give its new report"),
        CampaignError::MapsDiffer(_) => CliError::input(message)
            .hint("see `greenloop map diff OLD NEW`; retire what is gone, and give a changed map a new map_version"),
        CampaignError::Categorize(error) => error.into(),
        CampaignError::Report(error) => error.into(),
        CampaignError::Freeze(error) => error.into(),
        CampaignError::Ledger(error) => error.into(),
        CampaignError::File(error) => error.into(),
        CampaignError::Tracker(error) => error.into(),
        CampaignError::Apply(error) => error.into(),
        CampaignError::Refused { refusal, categorization } => {
            let mut cli = plan::refused(&refusal, &categorization);
            if matches!(refusal, PlanRefusal::AllBlocked(_)) {
                cli.status = exit_status::BLOCKED_EXTERNAL;
            }
            cli
        }
        CampaignError::Over(verdict) => {
            // A report that was not looked at must never end with the status of success.
            let status = status_of(&verdict);
            let status = if status == exit_status::HELD { exit_status::INPUT } else { status };
            CliError::new(status, message)
                    .hint("nothing was recorded of this report; to go on, begin a new generation: `greenloop campaign start --new-generation --map MAP`")
        }
        CampaignError::InputsDiffer { .. } => {
            CliError::usage(message).hint("begin a new generation with --new-generation, or another campaign with --id")
        }
        CampaignError::FixtureMoved { .. } => CliError::input(message).hint(
            "a changed suite is a new generation: `greenloop campaign start --new-generation --map MAP --fixture FILE`",
        ),
        CampaignError::Replayed(_) => {
            CliError::input(message).hint("run the whole suite on the head as it is now; nothing was changed")
        }
        CampaignError::Dirty => {
            CliError::input(message).hint("commit, ignore or remove what `git status` shows, and run the suite again")
        }
        CampaignError::NoHead => {
            CliError::usage(message).hint("pass --head SHA, the integrated head that the suite ran on")
        }
        CampaignError::HeadsDiffer { .. } => {
            CliError::input(message).hint("a report proves something only about the commit it ran on")
        }
        CampaignError::NotStarted(_) => {
            CliError::usage(message).hint("start it with `greenloop campaign start --map MAP --id ID`")
        }
        CampaignError::ChangedWhileRead { .. } => {
            CliError::input(message).hint("nothing was recorded; try again once it is written")
        }
        CampaignError::Map { .. } | CampaignError::SavedPlan { .. } => CliError::input(message),
        CampaignError::Json(error) => CliError::new(exit_status::BUG, message).caused_by(&error),
    }
}

fn never_one(mut error: CliError) -> CliError {
    if error.status == exit_status::NOT_HELD {
        error.status = exit_status::INPUT;
    }
    error
}
