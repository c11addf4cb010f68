//! Categories without a failing case whose ticket is still open: proven gone, only absent, retired, or unknown.

use std::collections::BTreeSet;

use super::build::{Draft, cases_to_prove, short_sha, unproven, why_unproven};
use super::document::NoteKind;
use super::mutation::Action;
use crate::categorize::signature::publishable;
use crate::category_map::{Retired, RetiredKind};
use crate::model::{CaseName, CategoryId, Digest, display_safe, truncate_chars};
use crate::tracker::{Closure, Ticket};

/// Cases named in a note.
const CASES_NAMED: usize = 3;

/// Phase (a) for every open ticket whose category does not fail: those of the map upstream first, then the others.
pub(super) fn stage(draft: &mut Draft<'_>) {
    for category in draft.categories() {
        if draft.c.active(&category.id).is_none()
            && let Some(ticket) = draft.tickets.open(&category.id)
        {
            absent(draft, &category.id, ticket);
        }
    }
    for ticket in draft.tickets.all_open() {
        let id = &ticket.category_id;
        if draft.map.categories.binary_search_by(|category| category.id.cmp(id)).is_ok() {
            continue;
        }
        match draft.map.retired.get(id) {
            Some(retirement) => retired(draft, id, retirement, ticket),
            None => draft.note(
                NoteKind::UnknownCategory,
                id,
                Some(&ticket.ticket),
                "the map does not know its category, neither live nor retired",
            ),
        }
    }
}

fn absent(draft: &mut Draft<'_>, id: &CategoryId, ticket: &Ticket) {
    // What another campaign filed, from another suite perhaps, is not this one's to prove.
    let filed_here = draft.view.known_tickets.get(id).is_some_and(|known| known.contains(&ticket.ticket));
    if !filed_here && !draft.view.failed_on.contains_key(id) {
        let text = "another campaign filed it, and this one never saw it fail: only that one can prove it gone";
        return draft.note(NoteKind::AbsenceOfEvidence, id, Some(&ticket.ticket), text);
    }
    let own = cases_to_prove(ticket);
    let mut open_questions = unproven(draft.c, &own);
    let guards = draft.c.guards.get(id);
    for (case, seen) in guards.into_iter().flatten().filter(|(case, _)| !own.contains(case)) {
        if let Some(why) = why_unproven(Some(seen)) {
            open_questions.push((case, why));
        }
    }
    if own.is_empty() || !open_questions.is_empty() {
        let named: Vec<String> = open_questions
            .iter()
            .take(CASES_NAMED)
            .map(|(case, why)| format!("{} {why}", truncate_chars(&display_safe(case.as_str()), 80)))
            .collect();
        let text = if own.is_empty() {
            "no case is recorded on the ticket, so nothing can prove it gone".to_owned()
        } else {
            let more = if open_questions.len() > named.len() { ", …" } else { "" };
            format!("{} case(s) of its slice do not prove it gone: {}{more}", open_questions.len(), named.join("; "))
        };
        return draft.note(NoteKind::AbsenceOfEvidence, id, Some(&ticket.ticket), text);
    }
    if failed_here(draft, id, ticket) {
        let text = format!("its cases pass on {}, the same commit on which they failed", draft.head_name());
        return draft.note(NoteKind::SameHead, id, Some(&ticket.ticket), text);
    }
    let slice: BTreeSet<CaseName> =
        own.into_iter().chain(guards.into_iter().flatten().map(|(case, _)| case)).map(publishable).collect();
    let slice: Vec<CaseName> = slice.into_iter().collect();
    if !ticket.candidate_resolved {
        let receipt = draft.receipt(Digest::zero(), slice.clone());
        let reason = format!("all {} case(s) pass on {}", slice.len(), draft.head_name());
        draft.mutate(id, Some(&ticket.ticket), reason, Action::CandidateResolved { receipt });
    }
    let Some(head) = draft.view.evaluated_sha.clone().filter(|_| draft.view.on_integrated_head) else { return };
    let manner = manner(draft, ticket);
    let reason = format!("proven gone by a full run on the integrated head {}", short_sha(&head));
    let closure = Closure {
        report_digest: draft.c.report.digest,
        proven_head: head,
        iteration: draft.view.iteration,
        provenance_fingerprint: draft.c.provenance_fingerprint,
        slice,
        manner,
        receipts: ticket.receipts.len() + usize::from(!ticket.candidate_resolved),
    };
    draft.closing.insert(ticket.ticket.clone());
    draft.mutate(id, Some(&ticket.ticket), reason, Action::Close { closure });
}

/// True if the report ran on a commit on which this category is known to have failed.
fn failed_here(draft: &Draft<'_>, id: &CategoryId, ticket: &Ticket) -> bool {
    let Some(head) = &draft.view.evaluated_sha else { return false };
    let recorded = ticket.receipts.iter().rev().find(|receipt| receipt.category_fingerprint != Digest::zero());
    let tree = draft.view.evaluated_tree.as_ref();
    recorded.is_some_and(|receipt| receipt.head.as_ref() == Some(head))
        || draft
            .view
            .failed_on
            .get(id)
            .is_some_and(|on| on.contains(head) || tree.is_some_and(|tree| on.contains(tree)))
}

/// `direct`, or through which upstream ticket it went away.
fn manner(draft: &Draft<'_>, ticket: &Ticket) -> String {
    let upstream = ticket.blocked_by.iter().find(|link| {
        draft.closing.contains(&link.upstream)
            || draft.tickets.get(&link.upstream).is_some_and(|t| t.state == crate::tracker::TicketState::Open)
    });
    match upstream {
        Some(link) => format!("indirect: it was blocked by {} and was never routable itself", link.upstream),
        None => "direct".to_owned(),
    }
}

fn retired(draft: &mut Draft<'_>, id: &CategoryId, retirement: &Retired, ticket: &Ticket) {
    let reason = |what: &str| format!("the category was {what}: {}", display_safe(&retirement.reason));
    match retirement.kind {
        // Its failure lives on only if a successor fails now; if none does, it has to be proven gone like any other.
        RetiredKind::Split if !retirement.into.iter().any(|s| draft.live.contains_key(s)) => {
            return absent(draft, id, ticket);
        }
        RetiredKind::Split => {
            let action = Action::Supersede { successors: retirement.into.clone() };
            draft.mutate(id, Some(&ticket.ticket), reason("split"), action);
        }
        // A person said in the map, with a reason, that the category is no more. That is a decision and not a proof: the
        // ticket closes as not planned.
        RetiredKind::Removed => {
            draft.mutate(id, Some(&ticket.ticket), reason("removed"), Action::Supersede { successors: Vec::new() });
        }
        RetiredKind::Merged => {
            let survivor = retirement.into.first().filter(|survivor| draft.live.contains_key(*survivor));
            let Some(survivor) = survivor else { return absent(draft, id, ticket) };
            let action = Action::Absorb { survivor: survivor.clone() };
            draft.mutate(id, Some(&ticket.ticket), reason("merged"), action);
        }
    }
    draft.closing.insert(ticket.ticket.clone());
}
