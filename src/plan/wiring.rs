//! Phase (b): dependencies between the tickets of active categories, upstream first.

use std::collections::BTreeSet;

use super::build::Draft;
use super::document::NoteKind;
use super::mutation::Action;
use crate::category_map::Category;
use crate::model::TicketRef;
use crate::tracker::Ticket;

/// Wires what is wanted and missing; unwires what greenloop wired and the map no longer wants. A dependency on a
/// ticket that is closed blocks nothing and stays as history.
pub(super) fn wire(draft: &mut Draft<'_>) {
    for category in draft.categories() {
        link_upstream(draft, category);
    }
    for ticket in draft.tickets.all_open() {
        unlink_unwanted(draft, ticket);
    }
}

fn link_upstream(draft: &mut Draft<'_>, category: &Category) {
    let Some(live) = draft.live.get(&category.id).cloned() else { return };
    let ticket = live.ticket.as_ref().and_then(|reference| draft.tickets.get(reference));
    let wired: BTreeSet<&TicketRef> =
        ticket.into_iter().flat_map(|t| &t.blocked_by).map(|link| &link.upstream).collect();
    for dependency in &category.depends_on {
        let Some(upstream) = draft.live.get(&dependency.category_id).cloned() else { continue };
        if let (Some(ticket), Some(upstream)) = (&live.ticket, &upstream.ticket) {
            if wired.contains(upstream) {
                continue;
            }
            if draft.view.wired.contains(&(ticket.clone(), upstream.clone())) {
                let text = format!("a person removed its dependency on {upstream}; it is not wired again");
                draft.note(NoteKind::PersonWins, &category.id, Some(ticket), text);
                continue;
            }
        }
        let action = Action::Link {
            upstream: dependency.category_id.clone(),
            upstream_ticket: upstream.ticket.clone(),
            rationale: dependency.rationale.clone(),
        };
        let reason = format!("waits for {}: {}", dependency.category_id.name(), dependency.rationale);
        draft.mutate(&category.id, live.ticket.as_ref(), reason, action);
    }
}

fn unlink_unwanted(draft: &mut Draft<'_>, ticket: &Ticket) {
    if draft.closing.contains(&ticket.ticket) {
        return;
    }
    let category = draft.map.categories.binary_search_by(|c| c.id.cmp(&ticket.category_id)).ok();
    let Some(category) = category.map(|at| &draft.map.categories[at]) else { return };
    for link in ticket.blocked_by.iter().filter(|link| link.ours) {
        let Some(upstream) = draft.tickets.get(&link.upstream) else { continue };
        let wanted = category.depends_on.iter().any(|d| d.category_id == upstream.category_id);
        if !wanted {
            let reason = format!("the map no longer says that it depends on {}", upstream.category_id);
            let action = Action::Unlink { upstream_ticket: link.upstream.clone() };
            draft.mutate(&category.id, Some(&ticket.ticket), reason, action);
        }
    }
}
