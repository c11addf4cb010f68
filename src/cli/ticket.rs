//! `greenloop ticket`.

mod show;

use std::path::PathBuf;

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::tracker::TrackerArgs;
use super::{exit_status, inputs, remembered};
use crate::model::{CategoryId, display_safe};
use crate::tracker::{EmbeddedTracker, Snapshot, Ticket, TicketDocument, TicketState};
use crate::ui;

/// Arguments of `greenloop ticket`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Args)]
struct Source {
    /// The campaign whose tracker is meant. Default: the only one there is.
    #[arg(long, value_name = "ID")]
    campaign: Option<String>,
    #[command(flatten)]
    tracker: TrackerArgs,
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
        #[command(flatten)]
        source: Source,
    },
    /// Show one ticket: its evidence, its links, its history, its text.
    Show {
        /// The ticket's number, or a category id (then its live ticket, or else its newest one).
        #[arg(value_name = "NUMBER|CATEGORY_ID")]
        ticket: String,
        #[command(flatten)]
        source: Source,
    },
    /// List the tickets that can be worked on now: open, published, waiting for no open ticket. By category.
    Ready {
        #[command(flatten)]
        source: Source,
    },
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

impl StateFilter {
    fn takes(self, state: TicketState) -> bool {
        self == Self::All || (self == Self::Open) == (state == TicketState::Open)
    }
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let (Action::List { source, .. } | Action::Show { source, .. } | Action::Ready { source }) = &args.action;
    let (remembered, known) = remembered::of_project(context, source.campaign.as_deref())?;
    let choice = source.tracker.choice(context, remembered.as_ref(), None)?;
    let path = context.tracker_path();
    let mut tracker = source.tracker.open_to_read(context, &choice)?;
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
        Action::Show { ticket, .. } => show::show(context, &snapshot, tracker, ticket),
        Action::List { state, category, .. } => {
            let wanted = |ticket: &&Ticket| {
                state.takes(ticket.state) && category.as_ref().is_none_or(|category| *category == ticket.category_id)
            };
            let tickets = snapshot.tickets.iter().filter(wanted).collect();
            list(context, &snapshot, tickets, tracker.is_none().then_some(path), "no such ticket here")
        }
        Action::Ready { .. } => {
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
