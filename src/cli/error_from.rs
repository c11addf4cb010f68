//! From each library error to the error of the command line: which exit status, which hints. The library knows neither.

use super::error::CliError;
use super::exit_status;
use crate::apply::ApplyError;
use crate::apply::journal::UnreadableEntry;
use crate::categorize::CategorizeError;
use crate::ledger::{FileError, LedgerError};
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

impl From<UnreadableEntry> for CliError {
    fn from(error: UnreadableEntry) -> Self {
        Self::input(error.to_string()).hint("was it written by a newer greenloop? Nothing was changed")
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
