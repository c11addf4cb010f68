//! `greenloop ticket`.

use std::path::PathBuf;

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::tracker::TrackerArgs;
use super::{exit_status, inputs, remembered};
use crate::model::{CategoryId, display_safe};
use crate::tracker::{EmbeddedTracker, Snapshot, Ticket, TicketDocument, TicketState, Tracker};
use crate::ui;

/// Arguments of `greenloop ticket`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    tracker: TrackerArgs,
    /// The campaign whose tracker is meant. Default: the only one there is.
    #[arg(long, value_name = "ID", global = true)]
    campaign: Option<String>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List tickets, by number.
    List {
        /// Which tickets: those with work left, those that are done, or both.
        #[arg(long, value_enum, default_value_t = StateFilter::Open)]
        state: StateFilter,
        /// Only tickets of this category, as in `agentic-evals:shop:cart-total`.
        #[arg(long, value_name = "ID")]
        category: Option<CategoryId>,
    },
    /// Show one ticket: its evidence, its links, its history, its text.
    Show {
        /// The ticket's number, or a category id (then its live ticket, or else its newest one).
        #[arg(value_name = "NUMBER|CATEGORY_ID")]
        ticket: String,
    },
    /// List the tickets that can be worked on now: open, published, waiting for no open ticket. By category.
    Ready,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum StateFilter {
    /// Open tickets.
    Open,
    /// Closed tickets.
    Closed,
    /// All tickets.
    All,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let (remembered, known) = remembered::of_project(context, args.campaign.as_deref())?;
    let choice = args.tracker.choice(remembered.as_ref(), None)?;
    let path = context.tracker_path();
    let mut tracker = args.tracker.open_to_read(context, &choice)?;
    let snapshot = match &mut tracker {
        Some(tracker) => {
            tracker.expect(&known);
            let snapshot = tracker.snapshot()?;
            inputs::say_remarks(tracker.as_ref());
            snapshot
        }
        // Nothing was ever applied here. Only a reader may take that for "no tickets".
        None => Snapshot::empty(EmbeddedTracker::IDENTITY),
    };
    match &args.action {
        Action::Show { ticket } => show(context, &snapshot, tracker, ticket),
        Action::List { state, category } => {
            let wanted = |ticket: &&Ticket| {
                let state = match state {
                    StateFilter::Open => ticket.state == TicketState::Open,
                    StateFilter::Closed => ticket.state == TicketState::Closed,
                    StateFilter::All => true,
                };
                state && category.as_ref().is_none_or(|category| *category == ticket.category_id)
            };
            let tickets = snapshot.tickets.iter().filter(wanted).collect();
            list(context, &snapshot, tickets, tracker.is_none().then_some(path), "no such ticket here")
        }
        Action::Ready => {
            let none = "no ticket is ready: nothing is open, published and free of open blockers";
            list(context, &snapshot, snapshot.ready(), tracker.is_none().then_some(path), none)
        }
    }
}

fn list(
    context: &Context,
    snapshot: &Snapshot,
    tickets: Vec<&Ticket>,
    missing: Option<PathBuf>,
    none: &str,
) -> Result<u8, CliError> {
    if let Some(path) = missing {
        let path = path.display().to_string();
        ui::note(&format!("no tickets yet: {} will be made by the first `greenloop apply`", display_safe(&path)));
    } else if snapshot.tickets.is_empty() {
        ui::note("the tracker is empty: no ticket was ever made");
    } else if tickets.is_empty() {
        ui::note(none);
    }
    if context.format == Format::Json {
        ui::data(&ui::json_document(&TicketDocument::list(tickets)))?;
    } else if !tickets.is_empty() {
        ui::data(&ui::ticket_table(snapshot, &tickets, ui::available_width()))?;
        ui::note(&ui::tickets_summary(snapshot, &tickets));
    }
    Ok(exit_status::HELD)
}

fn show(
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
        ui::data(&ui::ticket_page(snapshot, ticket, &body, &history, ui::available_width()))?;
    }
    Ok(exit_status::HELD)
}
