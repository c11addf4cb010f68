//! What campaigns remember of their tracker: which one it is, and which tickets must be there.

use std::collections::BTreeSet;

use super::context::Context;
use super::error::CliError;
use crate::apply::journal;
use crate::campaign::{CampaignPaths, CampaignState};
use crate::ledger::Ledger;
use crate::model::TicketRef;
use crate::tracker::TrackerChoice;

/// The tracker of a campaign (`None` before it is started), and the tickets that its journal knows.
pub(super) fn of_campaign(paths: &CampaignPaths) -> Result<(Option<TrackerChoice>, BTreeSet<TicketRef>), CliError> {
    if !paths.ledger().is_file() {
        return Ok((None, BTreeSet::new()));
    }
    let entries = Ledger::read_only(&paths.ledger())?.entries;
    let generation = CampaignState::fold(&entries)?.generation;
    let known = journal::made(&entries).tickets.into_values().flatten().collect();
    Ok((generation.map(|generation| generation.tracker), known))
}

/// The same of the campaign that is named, or of the only one that was started here. The tickets of a journal whose
/// tracker is not remembered say nothing.
pub(super) fn of_project(
    context: &Context,
    campaign: Option<&str>,
) -> Result<(Option<TrackerChoice>, BTreeSet<TicketRef>), CliError> {
    let state_dir = context.state_dir();
    let ids = match campaign {
        Some(id) => vec![id.to_owned()],
        None => CampaignPaths::all(&state_dir).unwrap_or_default(),
    };
    let mut found = Vec::new();
    for id in ids {
        let paths = CampaignPaths::new(&state_dir, &id).map_err(|error| CliError::usage(error.to_string()))?;
        // A journal that cannot be read is for the commands that need it.
        match of_campaign(&paths) {
            Ok((Some(choice), known)) => found.push((Some(choice), known)),
            Err(error) if campaign.is_some() => return Err(error),
            Ok((None, _)) | Err(_) => {}
        }
    }
    let only = found.pop().filter(|_| found.is_empty());
    Ok(only.unwrap_or_default())
}
