//! `greenloop ticket show`.

use crate::cli::args::Format;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::exit_status;
use crate::model::CategoryId;
use crate::tracker::{Snapshot, TicketDocument, TicketState, Tracker};
use crate::ui;

pub(super) fn show(
    context: &Context,
    snapshot: &Snapshot,
    tracker: Option<Box<dyn Tracker>>,
    wanted: &str,
) -> Result<u8, CliError> {
    let found = if let Ok(number) = wanted.strip_prefix('#').unwrap_or(wanted).parse::<u64>() {
        snapshot.tickets.iter().find(|ticket| ticket.ticket.number == number)
    } else {
        let category: CategoryId = wanted.parse().map_err(|error| {
            CliError::usage(format!("`{wanted}` is neither a ticket number nor a category id")).caused_by(&error)
        })?;
        let of_category = || snapshot.tickets.iter().rev().filter(|ticket| ticket.category_id == category);
        of_category().find(|ticket| ticket.state == TicketState::Open).or_else(|| of_category().next())
    };
    let (Some(ticket), Some(mut tracker)) = (found, tracker) else {
        let hint = "list what is there with `greenloop ticket list --state all`";
        return Err(CliError::input(format!("there is no ticket {wanted}")).hint(hint));
    };
    let history = tracker.history(ticket.ticket.number)?;
    if context.format == Format::Json {
        ui::data(&ui::json_document(&TicketDocument::one(ticket, history)))?;
    } else {
        let body = tracker.body(ticket.ticket.number)?.unwrap_or_default();
        let page = tracker.page(ticket.ticket.number);
        ui::data(&ui::ticket_page(snapshot, ticket, page.as_deref(), &body, &history, ui::available_width()))?;
    }
    Ok(exit_status::HELD)
}
