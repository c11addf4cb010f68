//! From each library error to the error of the command line: which exit status, which hints. The library knows neither.

use super::error::CliError;
use super::{campaign, exit_status, plan};
use crate::apply::ApplyError;
use crate::campaign::CampaignError;
use crate::categorize::CategorizeError;
use crate::ledger::{FileError, LedgerError};
use crate::plan::PlanRefusal;
use crate::report::{FreezeError, ReportError};
use crate::tracker::TrackerError;

impl From<ReportError> for CliError {
    fn from(error: ReportError) -> Self {
        let mut cli = Self::input(format!("the report cannot be used: {}", error.message)).at(error.place);
        cli.hints.extend(error.hint);
        cli
    }
}

impl From<CategorizeError> for CliError {
    fn from(error: CategorizeError) -> Self {
        match error {
            CategorizeError::Report(error) => error.into(),
            CategorizeError::Index(error) => Self::new(exit_status::NOT_HELD, error.to_string()),
            CategorizeError::Counts(_) => Self::new(exit_status::BUG, error.to_string()),
        }
    }
}

impl From<TrackerError> for CliError {
    fn from(error: TrackerError) -> Self {
        match &error {
            TrackerError::NewerFormat { .. } => Self::input(error.to_string()).hint("use a newer greenloop"),
            TrackerError::IncompleteListing { .. } => Self::new(exit_status::TRACKER, error.to_string())
                .hint("nothing was changed: an incomplete listing is never taken as \"no tickets\""),
            TrackerError::Unknown(_) => Self::new(exit_status::TRACKER, error.to_string())
                .hint("run the same command again: it looks at what was done, and does only the rest"),
            _ => Self::new(exit_status::TRACKER, error.to_string()),
        }
    }
}

impl From<LedgerError> for CliError {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::File(file) => file.into(),
            LedgerError::Broken { path, broken } => super::ledger::broken_error(&path, &broken, exit_status::INPUT),
            LedgerError::NewerFormat { .. } => Self::input(error.to_string()).hint("use a newer greenloop"),
            _ => Self::input(error.to_string()),
        }
    }
}

impl From<FileError> for CliError {
    fn from(error: FileError) -> Self {
        let hint = error.hint();
        let cli = Self::input(error.to_string()).caused_by(error.system_error());
        hint.map(str::to_owned).into_iter().fold(cli, Self::hint)
    }
}

impl From<FreezeError> for CliError {
    fn from(error: FreezeError) -> Self {
        let hint = error.hint();
        let cli = Self::input(error.to_string());
        match hint {
            Some(hint) => cli.hint(hint),
            None => cli,
        }
    }
}

impl From<CampaignError> for CliError {
    /// A refusal is never status 1: that means "recorded, go on", and a loop around `campaign step` would spin.
    fn from(error: CampaignError) -> Self {
        let message = error.to_string();
        match error {
            CampaignError::Categorize(error) => error.into(),
            CampaignError::Report(error) => error.into(),
            CampaignError::Freeze(error) => error.into(),
            CampaignError::Ledger(error) => never_one(error.into()),
            CampaignError::File(error) => error.into(),
            CampaignError::Tracker(error) => error.into(),
            CampaignError::Apply(error @ ApplyError::Ledger(_)) => never_one(error.into()),
            CampaignError::Apply(error) => error.into(),
            CampaignError::Refused { refusal, categorization } => {
                let mut cli = plan::refused(&refusal, &categorization);
                if matches!(refusal, PlanRefusal::AllBlocked(_)) {
                    cli.status = exit_status::BLOCKED_EXTERNAL;
                }
                never_one(cli)
            }
            CampaignError::Over(verdict) => {
                // A report that was not looked at must never end with the status of success.
                let status = campaign::status_of(&verdict);
                let status = if status == exit_status::HELD { exit_status::INPUT } else { status };
                CliError::new(status, message)
                    .hint("nothing was recorded of this report; to go on, begin a new generation: `greenloop campaign start --new-generation --map MAP`")
            }
            CampaignError::InputsDiffer { .. } => CliError::usage(message)
                .hint("begin a new generation with --new-generation, or another campaign with --id"),
            CampaignError::FixtureMoved { .. } => CliError::input(message)
                .hint("a changed suite is a new generation: `greenloop campaign start --new-generation --map MAP --fixture FILE`"),
            CampaignError::NoHead => CliError::usage(message).hint("pass --head SHA, the integrated head that the suite ran on"),
            CampaignError::HeadsDiffer { .. } => {
                CliError::input(message).hint("a report proves something only about the commit it ran on")
            }
            CampaignError::NotStarted(_) => {
                CliError::usage(message).hint("start it with `greenloop campaign start --map MAP --id ID`")
            }
            CampaignError::ChangedWhileRead { .. } => CliError::input(message).hint("nothing was recorded; try again once it is written"),
            CampaignError::Map { .. } | CampaignError::SavedPlan { .. } => CliError::input(message),
            CampaignError::Json(error) => CliError::new(exit_status::BUG, message).caused_by(&error),
        }
    }
}

fn never_one(mut error: CliError) -> CliError {
    if error.status == exit_status::NOT_HELD {
        error.status = exit_status::INPUT;
    }
    error
}
