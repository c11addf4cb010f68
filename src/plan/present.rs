//! Active categories: create, record, reopen, or leave alone; and, last, publish.

use super::build::{Draft, Live, short_sha};
use super::document::NoteKind;
use super::mutation::Action;
use super::ticket;
use crate::categorize::ActiveCategory;
use crate::category_map::Category;
use crate::tracker::words::label_name;
use crate::tracker::{Operation, PersonChange, Ticket, TicketState};

/// Phase (a) for every active category, upstream first.
pub(super) fn stage(draft: &mut Draft<'_>) {
    for category in draft.categories() {
        let Some(active) = draft.c.active(&category.id) else { continue };
        if let Some(ticket) = draft.tickets.open(&category.id) {
            open(draft, category, active, ticket);
        } else if let Some(ticket) = draft.tickets.of(&category.id).last() {
            closed(draft, category, active, ticket);
        } else {
            create(draft, category, active);
        }
    }
}

fn create(draft: &mut Draft<'_>, category: &Category, active: &ActiveCategory) {
    let c = draft.c;
    let receipt = draft.receipt(active.fingerprint, c.cases_of(active).cloned().collect());
    let reason = format!("{} failing, no ticket yet", failures(active.failures));
    let action = Action::Create {
        title: ticket::title(category),
        body: ticket::body(&ticket::Subject {
            category,
            active,
            c,
            map: draft.map,
            campaign: &draft.view.campaign,
            receipt: &receipt,
        }),
        labels: [label_name(&category.label)].into(),
        receipt,
    };
    draft.mutate(&category.id, None, reason, action);
    go_live(draft, category, active, None);
}

fn open(draft: &mut Draft<'_>, category: &Category, active: &ActiveCategory, ticket: &Ticket) {
    let answered = ticket.closure.as_ref().map_or(0, |closure| closure.receipts);
    let last = ticket.receipts.iter().skip(answered).next_back();
    let recorded = last.is_some_and(|receipt| receipt.category_fingerprint == active.fingerprint);
    if ticket.candidate_resolved || !recorded {
        let reason = if ticket.candidate_resolved {
            format!("fails again on {}: not resolved after all", draft.head_name())
        } else {
            format!("fails differently on {}: {} failing", draft.head_name(), failures(active.failures))
        };
        let receipt = draft.receipt(active.fingerprint, draft.c.cases_of(active).cloned().collect());
        draft.mutate(&category.id, Some(&ticket.ticket), reason, Action::Record { receipt });
    }
    let changed: Vec<&str> = ticket
        .person_changed
        .iter()
        .map(|change| match change {
            PersonChange::Title => "title",
            PersonChange::Labels => "labels",
            PersonChange::State => "state",
            PersonChange::Links => "dependencies",
        })
        .collect();
    if !changed.is_empty() {
        let text = format!("a person changed its {}; that stays", changed.join(", "));
        draft.note(NoteKind::PersonWins, &category.id, Some(&ticket.ticket), text);
    }
    go_live(draft, category, active, Some(ticket));
}

fn closed(draft: &mut Draft<'_>, category: &Category, active: &ActiveCategory, ticket: &Ticket) {
    let by_person = ticket.person_changed.contains(&PersonChange::State);
    if by_person && ticket.state_reason.as_deref() == Some("not_planned") {
        let text =
            "a person closed it as not planned, and it still fails: that decision stands until the person reopens it";
        return draft.note(NoteKind::PersonWins, &category.id, Some(&ticket.ticket), text);
    }
    let proof = ticket.closure.as_ref().filter(|_| !by_person);
    if let (Some(proof), Some(head)) = (proof, &draft.view.evaluated_sha) {
        if *head == proof.proven_head {
            let text = format!("it fails on {}, the same commit on which it was proven gone", short_sha(head));
            return draft.note(NoteKind::SameHead, &category.id, Some(&ticket.ticket), text);
        }
        if draft.view.heads.get(head).is_some_and(|iteration| *iteration < proof.iteration) {
            let text = format!(
                "the evidence is from {}, before the fix proven on {}",
                short_sha(head),
                short_sha(&proof.proven_head)
            );
            return draft.note(NoteKind::PredatesFix, &category.id, Some(&ticket.ticket), text);
        }
    }
    if ticket.reopened >= draft.view.reopen_cap {
        let text = format!(
            "it fails again after {} reopening(s), and {} are allowed: no more automatic changes, a person is needed",
            ticket.reopened, draft.view.reopen_cap
        );
        return draft.note(NoteKind::ReopenCap, &category.id, Some(&ticket.ticket), text);
    }
    let reason = match proof {
        Some(proof) => {
            format!("fails again on {}, after the fix proven on {}", draft.head_name(), short_sha(&proof.proven_head))
        }
        None if by_person => format!("closed by hand, but it fails on {}", draft.head_name()),
        // Closed by greenloop without a proof: a plan that staged it was undone, or its category was retired and is back.
        None => format!("closed without a proof, but it fails on {}", draft.head_name()),
    };
    let receipt = draft.receipt(active.fingerprint, draft.c.cases_of(active).cloned().collect());
    draft.mutate(&category.id, Some(&ticket.ticket), reason, Action::Reopen { receipt });
    go_live(draft, category, active, Some(ticket));
}

/// Remembers the live ticket, and whether its routing label has to be set.
fn go_live(draft: &mut Draft<'_>, category: &Category, active: &ActiveCategory, ticket: Option<&Ticket>) {
    let labelled = ticket.is_some_and(|t| {
        t.state == TicketState::Open && t.labels.contains(Operation::ROUTING_LABEL) && !t.candidate_resolved
    });
    let held = ticket.is_some_and(|t| {
        t.state == TicketState::Open && !t.candidate_resolved && t.person_changed.contains(&PersonChange::Labels)
    });
    if active.all_flaky() {
        let text = "every failing case passes in some trials: flaky, not routed as a defect";
        draft.note(NoteKind::Flaky, &category.id, ticket.map(|t| &t.ticket), text);
    }
    let publish = !labelled && !held && !active.all_flaky();
    draft.live.insert(category.id.clone(), Live { ticket: ticket.map(|t| t.ticket.clone()), publish });
}

/// Phase (c), upstream first.
pub(super) fn publish(draft: &mut Draft<'_>) {
    for category in draft.categories() {
        let Some(live) = draft.live.get(&category.id).filter(|live| live.publish).cloned() else { continue };
        let waits = category.depends_on.iter().filter(|d| draft.live.contains_key(&d.category_id)).count();
        let reason = match waits {
            0 => "can be worked on now".to_owned(),
            n => format!("can be worked on once {n} upstream ticket(s) are closed"),
        };
        draft.mutate(&category.id, live.ticket.as_ref(), reason, Action::Publish);
    }
}

/// `1 case`, `3 cases`.
fn failures(count: usize) -> String {
    if count == 1 { "1 case".to_owned() } else { format!("{count} cases") }
}
