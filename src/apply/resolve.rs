//! From a mutation of the plan to an operation with every ticket known.

use std::collections::BTreeMap;

use crate::model::{CategoryId, TicketRef};
use crate::plan::{Action, Mutation};
use crate::tracker::{Operation, Snapshot, TicketState};

/// Tickets by category: those that were there, and those that this plan has made so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Tickets(BTreeMap<CategoryId, TicketRef>);

impl Tickets {
    /// The open ticket of each category, else its newest.
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let mut tickets = BTreeMap::new();
        // Closed ones first, by number, so that the newest stays; then the open ones, which win.
        for state in [TicketState::Closed, TicketState::Open] {
            for ticket in snapshot.tickets.iter().filter(|ticket| ticket.state == state) {
                tickets.insert(ticket.category_id.clone(), ticket.ticket.clone());
            }
        }
        Self(tickets)
    }

    pub(super) fn learn(&mut self, category: &CategoryId, ticket: &TicketRef) {
        self.0.insert(category.clone(), ticket.clone());
    }

    fn get(&self, category: &CategoryId) -> Result<TicketRef, String> {
        self.0.get(category).cloned().ok_or_else(|| format!("{category} has no ticket"))
    }

    /// The operation of a mutation.
    pub(super) fn operation(&self, mutation: &Mutation) -> Result<Operation, String> {
        let ticket = || mutation.ticket.clone().map_or_else(|| self.get(&mutation.category_id), Ok);
        Ok(match &mutation.action {
            Action::Create { title, body, labels, receipt } => Operation::Create {
                category_id: mutation.category_id.clone(),
                title: title.clone(),
                body: body.clone(),
                labels: labels.clone(),
                receipt: receipt.clone(),
            },
            Action::Record { receipt } => Operation::Record { ticket: ticket()?, receipt: receipt.clone() },
            Action::Reopen { receipt } => Operation::Reopen { ticket: ticket()?, receipt: receipt.clone() },
            Action::CandidateResolved { receipt } => {
                Operation::CandidateResolved { ticket: ticket()?, receipt: receipt.clone() }
            }
            Action::Close { closure } => Operation::Close { ticket: ticket()?, closure: closure.clone() },
            Action::Supersede { successors } => Operation::Supersede {
                ticket: ticket()?,
                // A successor that does not fail has no ticket, and needs none.
                successors: successors.iter().filter_map(|s| self.0.get(s).cloned()).collect(),
                note: mutation.reason.clone(),
            },
            Action::Absorb { survivor } => {
                Operation::Absorb { ticket: ticket()?, survivor: self.get(survivor)?, note: mutation.reason.clone() }
            }
            Action::Link { upstream, upstream_ticket, rationale } => Operation::Link {
                ticket: ticket()?,
                upstream: upstream_ticket.clone().map_or_else(|| self.get(upstream), Ok)?,
                rationale: rationale.clone(),
            },
            Action::Unlink { upstream_ticket } => {
                Operation::Unlink { ticket: ticket()?, upstream: upstream_ticket.clone() }
            }
            Action::Publish => Operation::Publish { ticket: ticket()? },
        })
    }
}

/// The ticket that a link or unlink waits for.
pub(super) fn upstream_of(operation: &Operation) -> Option<TicketRef> {
    match operation {
        Operation::Link { upstream, .. } | Operation::Unlink { upstream, .. } => Some(upstream.clone()),
        _ => None,
    }
}
