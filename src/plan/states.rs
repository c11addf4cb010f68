//! States of categories, for pictures and status: derived from the plan's inputs, never stored beside them.

use std::collections::BTreeMap;

use crate::categorize::Categorization;
use crate::category_map::CategoryMap;
use crate::model::{CategoryId, NodeState, TicketRef};
use crate::tracker::{PersonChange, Snapshot, TicketState};

/// What stands in the picture for one category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryState {
    /// Its state; `None` when it fails but a person or its flakiness keeps it from being routed.
    pub state: Option<NodeState>,
    /// Its newest ticket.
    pub ticket: Option<TicketRef>,
    /// How often that was reopened.
    pub reopened: u32,
}

/// The state of every category that is active or has a ticket, as `snapshot` shows it.
///
/// An active category is blocked while an upstream category is active or has a live ticket; upstream edges come
/// from the map and from the tracker, so that a dependency added by a person blocks too.
pub fn category_states(
    c: &Categorization,
    map: &CategoryMap,
    snapshot: &Snapshot,
) -> BTreeMap<CategoryId, CategoryState> {
    let mut newest: BTreeMap<&str, &crate::tracker::Ticket> = BTreeMap::new();
    for ticket in &snapshot.tickets {
        let slot = newest.entry(ticket.category_id.as_str()).or_insert(ticket);
        if ticket.state == TicketState::Open || slot.state == TicketState::Closed {
            *slot = ticket;
        }
    }
    let mut states = BTreeMap::new();
    for category in &map.categories {
        let ticket = newest.get(category.id.as_str()).copied();
        let active = c.active(&category.id);
        let state = match (active, ticket) {
            (None, None) => continue,
            (None, Some(ticket)) if ticket.state == TicketState::Closed => Some(NodeState::Closed),
            (None, Some(ticket)) if ticket.candidate_resolved => Some(NodeState::CategoryGreen),
            (None, Some(_)) => Some(NodeState::PatchCandidate),
            (Some(_), Some(ticket)) if ticket.state == TicketState::Closed => None,
            (Some(active), _) if active.all_flaky() => None,
            (Some(_), Some(ticket)) if held_by_person(ticket) => None,
            (Some(_), ticket) => {
                let by_map = category.depends_on.iter().any(|d| c.active(&d.category_id).is_some());
                let by_tracker = ticket.is_some_and(|t| {
                    t.blocked_by
                        .iter()
                        .any(|link| snapshot.ticket(&link.upstream).is_some_and(|u| u.state == TicketState::Open))
                });
                Some(if by_map || by_tracker { NodeState::BlockedUpstream } else { NodeState::Routable })
            }
        };
        let reopened = ticket.map_or(0, |t| t.reopened);
        states.insert(category.id.clone(), CategoryState { state, ticket: ticket.map(|t| t.ticket.clone()), reopened });
    }
    states
}

/// A person took the routing label away.
fn held_by_person(ticket: &crate::tracker::Ticket) -> bool {
    ticket.person_changed.contains(&PersonChange::Labels)
        && !ticket.labels.contains(crate::tracker::Operation::ROUTING_LABEL)
}
