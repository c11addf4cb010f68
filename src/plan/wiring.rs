//! Phase (b): dependencies between the tickets of active categories, upstream first.

use std::collections::{BTreeMap, BTreeSet};

use super::build::Draft;
use super::document::NoteKind;
use super::mutation::Action;
use crate::category_map::Category;
use crate::model::{CategoryId, TicketRef};
use crate::tracker::{Ticket, TicketState};

/// Wires what is wanted and missing; unwires what greenloop wired and the map no longer wants. A dependency on a
/// ticket that is closed blocks nothing and stays as history.
///
/// Unwiring comes first: an edge whose direction the map turned around can only be wired once the old one is gone. A
/// wanted edge that would close a circle with a dependency that a person added is not wired, and said.
pub(super) fn wire(draft: &mut Draft<'_>) {
    let mut waits = Waits::new(draft);
    let live: BTreeSet<TicketRef> = draft.live.values().filter_map(|live| live.ticket.clone()).collect();
    for ticket in draft.tickets.all() {
        let stays_open = ticket.state == TicketState::Open && !draft.closing.contains(&ticket.ticket);
        if stays_open || live.contains(&ticket.ticket) {
            unlink_unwanted(draft, ticket, &mut waits);
        }
    }
    for category in draft.categories() {
        link_upstream(draft, category, &mut waits);
    }
}

/// Which category waits for which, as it will be after the steps planned so far.
struct Waits {
    of: BTreeMap<CategoryId, BTreeSet<CategoryId>>,
    /// True if the tracker holds a dependency that the map does not have: only then can a circle arise.
    has_foreign: bool,
}

impl Waits {
    /// The dependencies that stand in the tracker, by category.
    fn new(draft: &Draft<'_>) -> Self {
        let mut of: BTreeMap<CategoryId, BTreeSet<CategoryId>> = BTreeMap::new();
        let mut has_foreign = false;
        for ticket in draft.tickets.all() {
            for upstream in ticket.blocked_by.iter().filter_map(|link| draft.tickets.get(&link.upstream)) {
                has_foreign |= !draft.wants(&ticket.category_id, &upstream.category_id);
                of.entry(ticket.category_id.clone()).or_default().insert(upstream.category_id.clone());
            }
        }
        Self { of, has_foreign }
    }

    /// True if `from` waits for `to`, directly or through others.
    fn reaches(&self, from: &CategoryId, to: &CategoryId) -> bool {
        let mut stack = vec![from];
        let mut seen = BTreeSet::new();
        while let Some(at) = stack.pop() {
            if at == to {
                return true;
            }
            if seen.insert(at) {
                stack.extend(self.of.get(at).into_iter().flatten());
            }
        }
        false
    }
}

fn link_upstream(draft: &mut Draft<'_>, category: &Category, waits: &mut Waits) {
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
        // The map has no circles, so only dependencies beside the map's can close one.
        if waits.has_foreign && waits.reaches(&dependency.category_id, &category.id) {
            let text = format!(
                "it should wait for {}, but that already waits for it through a dependency that a person added",
                dependency.category_id
            );
            draft.note(NoteKind::PersonWins, &category.id, live.ticket.as_ref(), text);
            continue;
        }
        waits.of.entry(category.id.clone()).or_default().insert(dependency.category_id.clone());
        let action = Action::Link {
            upstream: dependency.category_id.clone(),
            upstream_ticket: upstream.ticket.clone(),
            rationale: dependency.rationale.clone(),
        };
        let reason = format!("waits for {}: {}", dependency.category_id.name(), dependency.rationale);
        draft.mutate(&category.id, live.ticket.as_ref(), reason, action);
    }
}

fn unlink_unwanted(draft: &mut Draft<'_>, ticket: &Ticket, waits: &mut Waits) {
    let id = &ticket.category_id;
    if draft.category(id).is_none() {
        return;
    }
    for link in ticket.blocked_by.iter().filter(|link| link.ours) {
        let Some(upstream) = draft.tickets.get(&link.upstream) else { continue };
        if !draft.wants(id, &upstream.category_id) {
            if let Some(of) = waits.of.get_mut(id) {
                of.remove(&upstream.category_id);
            }
            let reason = format!("the map no longer says that it depends on {}", upstream.category_id);
            let action = Action::Unlink { upstream_ticket: link.upstream.clone() };
            draft.mutate(id, Some(&ticket.ticket), reason, action);
        }
    }
}
