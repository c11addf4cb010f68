//! `greenloop ledger`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::exit_status;
use crate::diag::Place;
use crate::ledger::{Broken, Entry, Head, Ledger, LedgerError};
use crate::ui;

/// Arguments of `greenloop ledger`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Show what a campaign recorded, oldest first.
    Show {
        /// The campaign, by id or by its ledger file. Default: the only campaign of the project.
        #[arg(long, value_name = "ID|FILE")]
        campaign: Option<String>,
        /// Only entries of this kind.
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
        /// Only the last N entries (of that kind).
        #[arg(long, value_name = "N")]
        last: Option<usize>,
    },
    /// Check every link of the chain; names the first broken one. Exit status 1 when it is broken.
    Verify {
        /// The campaign, by id or by its ledger file. Default: the only campaign of the project.
        #[arg(long, value_name = "ID|FILE")]
        campaign: Option<String>,
        /// A head that an earlier verify printed. Finds what the file alone cannot show: entries removed from the end,
        /// or a history written anew.
        #[arg(long, value_name = "ENTRIES:DIGEST")]
        pin: Option<Head>,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    match &args.action {
        Action::Show { campaign, kind, last } => {
            let path = find(context, campaign.as_deref())?;
            let summary = Ledger::read_only(&path)?;
            let wanted = summary.entries.iter().filter(|entry| kind.as_ref().is_none_or(|kind| *kind == entry.kind));
            let mut entries: Vec<&Entry> = wanted.collect();
            entries.drain(..entries.len().saturating_sub(last.unwrap_or(usize::MAX)));
            if context.format == Format::Json {
                document(&json!({ "schema": "greenloop.ledger_entries.v1", "entries": entries }))?;
            } else if entries.is_empty() {
                ui::note("no such entry in this ledger");
            } else {
                ui::data(&ui::entries_table(&entries, ui::available_width()))?;
            }
            Ok(exit_status::HELD)
        }
        Action::Verify { campaign, pin } => verify(context, &find(context, campaign.as_deref())?, pin.as_ref()),
    }
}

fn verify(context: &Context, path: &Path, pin: Option<&Head>) -> Result<u8, CliError> {
    let (summary, broken) = match Ledger::read_only(path) {
        Ok(summary) => (Some(summary), None),
        Err(LedgerError::Broken { broken, .. }) => (None, Some(broken)),
        Err(error) => return Err(error.into()),
    };
    let lost_pin = pin.filter(|pin| summary.as_ref().is_some_and(|summary| !summary.extends(pin)));
    if context.format == Format::Json {
        document(&ui::verification_json(summary.as_ref(), broken.as_ref(), lost_pin))?;
        return Ok(if broken.is_none() && lost_pin.is_none() { exit_status::HELD } else { exit_status::NOT_HELD });
    }
    if let Some(broken) = broken {
        return Err(broken_error(path, &broken, exit_status::NOT_HELD));
    }
    if let Some(pin) = lost_pin {
        let message =
            format!("the ledger never had the head {pin}: entries were removed, or its history was written anew");
        return Err(CliError::new(exit_status::NOT_HELD, message).at(Place::file(path.display().to_string())));
    }
    if let Some(summary) = summary {
        ui::data(&ui::verification_text(&summary))?;
    }
    Ok(exit_status::HELD)
}

fn document(value: &Value) -> Result<(), CliError> {
    Ok(ui::data(&ui::json_document(value))?)
}

/// The ledger file that is meant.
fn find(context: &Context, wanted: Option<&str>) -> Result<PathBuf, CliError> {
    let campaigns = context.state_dir().join("campaigns");
    let ledger_of = |id: &str| campaigns.join(id).join("ledger.jsonl");
    let mut ids: Vec<String> = std::fs::read_dir(&campaigns)
        .map(|folder| folder.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    ids.retain(|id| ledger_of(id).is_file());
    ids.sort();
    let known =
        if ids.is_empty() { "there is no campaign yet".to_owned() } else { format!("campaigns: {}", ids.join(", ")) };
    if wanted.is_none() && ids.len() > 1 {
        // A journal of `apply` alone is no campaign.
        super::campaign::only_started(&mut ids, &context.state_dir());
    }
    match wanted {
        Some(id) if ids.iter().any(|known| known == id) => Ok(ledger_of(id)),
        Some(file) if Path::new(file).is_file() => Ok(PathBuf::from(file)),
        Some(other) => Err(CliError::input(format!("`{other}` is neither a campaign nor a ledger file")).hint(known)),
        None if ids.len() == 1 => Ok(ledger_of(&ids[0])),
        None if ids.is_empty() => Err(CliError::input("there is no campaign here, so there is no ledger")
            .hint(format!("`greenloop campaign start` makes one in {}", campaigns.display()))),
        None => Err(CliError::usage("there are several campaigns; say which with --campaign").hint(known)),
    }
}

pub(super) fn broken_error(path: &Path, broken: &Broken, status: u8) -> CliError {
    let line = usize::try_from(broken.line).ok();
    CliError::new(status, broken.to_string())
        .at(Place { line, ..Place::file(path.display().to_string()) })
        .hint("nothing was changed; compare with a copy, entries before this line are still proven")
}
