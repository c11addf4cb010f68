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
/// wanted edge that would close a circle is not wired, and said, if a dependency that a person added is part of it. If
/// the circle goes through what greenloop wired on tickets that are closed now, that is unwired: no tracker takes
/// circles, not even through closed tickets.
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

/// A ticket, or the one that this plan makes for a category.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Ticket(TicketRef),
    New(CategoryId),
}

/// Which ticket waits for which, as it will be after the steps planned so far.
struct Waits {
    of: BTreeMap<Node, BTreeSet<Node>>,
    /// True if the tracker holds a dependency that the map does not have: only then can a circle arise.
    has_foreign: bool,
}

impl Waits {
    /// The dependencies that stand in the tracker.
    fn new(draft: &Draft<'_>) -> Self {
        let mut of: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
        let mut has_foreign = false;
        for ticket in draft.tickets.all() {
            for upstream in ticket.blocked_by.iter().filter_map(|link| draft.tickets.get(&link.upstream)) {
                has_foreign |= !draft.wants(&ticket.category_id, &upstream.category_id);
                let node = Node::Ticket(upstream.ticket.clone());
                of.entry(Node::Ticket(ticket.ticket.clone())).or_default().insert(node);
            }
        }
        Self { of, has_foreign }
    }

    /// What `from` waits for, directly or through others; itself included.
    fn above(&self, from: &Node) -> BTreeSet<&Node> {
        let mut seen = BTreeSet::new();
        let mut stack: Vec<&Node> = self.of.get(from).into_iter().flatten().collect();
        while let Some(at) = stack.pop() {
            if seen.insert(at) {
                stack.extend(self.of.get(at).into_iter().flatten());
            }
        }
        seen
    }

    /// True if `from` waits for `to`, directly or through others, or is it.
    fn reaches(&self, from: &Node, to: &Node) -> bool {
        from == to || self.above(from).contains(to)
    }

    fn remove(&mut self, ticket: &TicketRef, upstream: &TicketRef) {
        if let Some(of) = self.of.get_mut(&Node::Ticket(ticket.clone())) {
            of.remove(&Node::Ticket(upstream.clone()));
        }
    }
}

fn link_upstream(draft: &mut Draft<'_>, category: &Category, waits: &mut Waits) {
    let Some(live) = draft.live.get(&category.id).cloned() else { return };
    let node = |ticket: &Option<TicketRef>, id: &CategoryId| {
        ticket.clone().map_or_else(|| Node::New(id.clone()), Node::Ticket)
    };
    let here = node(&live.ticket, &category.id);
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
        let there = node(&upstream.ticket, &dependency.category_id);
        // The map has no circles, so only dependencies beside the map's can close one.
        if waits.has_foreign && waits.reaches(&there, &here) {
            unlink_closed(draft, &there, &here, waits);
            if waits.reaches(&there, &here) {
                let text = format!(
                    "it should wait for {}, but that already waits for it through a dependency that a person added",
                    dependency.category_id
                );
                draft.note(NoteKind::PersonWins, &category.id, live.ticket.as_ref(), text);
                continue;
            }
        }
        waits.of.entry(here.clone()).or_default().insert(there);
        let action = Action::Link {
            upstream: dependency.category_id.clone(),
            upstream_ticket: upstream.ticket.clone(),
            rationale: dependency.rationale.clone(),
        };
        let reason = format!("waits for {}: {}", dependency.category_id.name(), dependency.rationale);
        draft.mutate(&category.id, live.ticket.as_ref(), reason, action);
    }
}

/// Unwires what greenloop wired on tickets that are closed after this plan and that lies between `from` and `to`, if
/// that parts them.
fn unlink_closed(draft: &mut Draft<'_>, from: &Node, to: &Node, waits: &mut Waits) {
    let above: BTreeSet<Node> = waits.above(from).into_iter().chain([from]).cloned().collect();
    let live: BTreeSet<&TicketRef> = draft.live.values().filter_map(|live| live.ticket.as_ref()).collect();
    let mut between: Vec<(&Ticket, TicketRef, CategoryId)> = Vec::new();
    for ticket in draft.tickets.all() {
        let closed = ticket.state == TicketState::Closed || draft.closing.contains(&ticket.ticket);
        if !closed || live.contains(&ticket.ticket) || !above.contains(&Node::Ticket(ticket.ticket.clone())) {
            continue;
        }
        for link in ticket.blocked_by.iter().filter(|link| link.ours) {
            let Some(upstream) = draft.tickets.get(&link.upstream) else { continue };
            if waits.reaches(&Node::Ticket(upstream.ticket.clone()), to) {
                between.push((ticket, upstream.ticket.clone(), upstream.category_id.clone()));
            }
        }
    }
    let before = waits.of.clone();
    for (ticket, upstream, _) in &between {
        waits.remove(&ticket.ticket, upstream);
    }
    if waits.reaches(from, to) {
        waits.of = before;
        return;
    }
    for (ticket, upstream_ticket, category) in between {
        let reason = format!("it is closed, and its dependency on {category} would close a circle");
        draft.mutate(&ticket.category_id, Some(&ticket.ticket), reason, Action::Unlink { upstream_ticket });
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
            waits.remove(&ticket.ticket, &link.upstream);
            let reason = format!("the map no longer says that it depends on {}", upstream.category_id);
            let action = Action::Unlink { upstream_ticket: link.upstream.clone() };
            draft.mutate(id, Some(&ticket.ticket), reason, action);
        }
    }
}
