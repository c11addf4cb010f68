//! The plan: a pure function of categorization, map, tracker snapshot and campaign view. Complete or refused.
//!
//! Cost: linear in active categories, edges, tickets and their receipts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::document::{Basis, Note, NoteKind, PLAN_SCHEMA, Plan};
use super::mutation::{Action, Mutation};
use super::refusal::PlanRefusal;
use super::view::CampaignView;
use super::{absent, present, wiring};
use crate::categorize::signature::publishable;
use crate::categorize::{Categorization, WatchedOutcome};
use crate::category_map::{Category, CategoryMap};
use crate::graph::Dag;
use crate::model::{CaseName, CategoryId, Outcome, TicketRef};
use crate::tracker::{Receipt, Snapshot, Ticket, TicketState};

/// Makes the plan.
///
/// # Errors
/// [`PlanRefusal`]: an incomplete or all-blocked report, unclassified or ambiguous failures, a tracker that
/// contradicts the journal or holds two live tickets of one category, a cycle among the active categories.
pub fn plan(
    categorization: &Categorization,
    map: &CategoryMap,
    snapshot: &Snapshot,
    view: &CampaignView,
) -> Result<Plan, PlanRefusal> {
    admit(categorization)?;
    let tickets = Tickets::new(snapshot)?;
    check_journal(&tickets, view)?;
    let mut draft = Draft {
        c: categorization,
        map,
        tickets,
        view,
        order: upstream_first(map)?,
        mutations: Vec::new(),
        notes: Vec::new(),
        live: BTreeMap::new(),
        closing: BTreeSet::new(),
    };
    present::stage(&mut draft);
    absent::stage(&mut draft);
    wiring::wire(&mut draft);
    present::publish(&mut draft);
    let mut notes = draft.notes;
    notes.sort();
    notes.dedup();
    Ok(Plan {
        basis: Basis {
            attempt: view.attempt,
            campaign: view.campaign.clone(),
            evaluated_sha: view.evaluated_sha.clone(),
            generation: view.generation,
            iteration: view.iteration,
            map_digest: map.digest,
            map_version: map.map_version.clone(),
            report_digest: categorization.report.digest,
            tracker: view.tracker.clone(),
            tracker_digest: snapshot.digest(),
        },
        changes: draft.mutations.len(),
        digest: None,
        files: None,
        mutations: draft.mutations,
        notes,
        schema: PLAN_SCHEMA.to_owned(),
    })
}

/// Only a complete, totally categorized run that tested something leads to a plan.
fn admit(c: &Categorization) -> Result<(), PlanRefusal> {
    if !c.report.incomplete_because.is_empty() {
        return Err(PlanRefusal::Incomplete(c.report.incomplete_because.clone()));
    }
    if !c.is_total() {
        return Err(PlanRefusal::NotTotal { unclassified: c.unclassified.len(), ambiguous: c.ambiguous.len() });
    }
    if c.counts.required > 0 && c.counts.blocked == c.counts.required {
        return Err(PlanRefusal::AllBlocked(c.counts.required));
    }
    Ok(())
}

/// A listing that lacks tickets that the journal knows is not trusted: unknown is never zero.
fn check_journal(tickets: &Tickets<'_>, view: &CampaignView) -> Result<(), PlanRefusal> {
    let mut missing = view
        .known_tickets
        .iter()
        .flat_map(|(category, known)| known.iter().map(move |ticket| (category, ticket)))
        .filter(|(category, known)| !tickets.of(category).iter().any(|t| t.ticket == **known));
    let Some((category_id, example)) = missing.next() else { return Ok(()) };
    Err(PlanRefusal::TrackerContradiction {
        missing: 1 + missing.count(),
        example: example.clone(),
        category_id: category_id.clone(),
    })
}

/// Positions of all categories of the map, upstream first, ties by id.
fn upstream_first(map: &CategoryMap) -> Result<Vec<usize>, PlanRefusal> {
    let ids = map.categories.iter().map(|category| category.id.as_str());
    let edges = map
        .categories
        .iter()
        .flat_map(|category| category.depends_on.iter().map(|d| (category.id.as_str(), d.category_id.as_str())));
    let dag = Dag::new(ids, edges).map_err(|error| PlanRefusal::Cycle(error.to_string()))?;
    let order = dag.topological_order().map_err(|cycle| PlanRefusal::Cycle(cycle.arrows()))?;
    Ok(order.into_iter().map(crate::graph::NodeIx::index).collect())
}

/// Tickets by category.
pub(super) struct Tickets<'s> {
    by_category: HashMap<&'s str, Vec<&'s Ticket>>,
    by_ref: HashMap<&'s TicketRef, &'s Ticket>,
}

impl<'s> Tickets<'s> {
    fn new(snapshot: &'s Snapshot) -> Result<Self, PlanRefusal> {
        let mut by_category: HashMap<&str, Vec<&Ticket>> = HashMap::new();
        for ticket in &snapshot.tickets {
            let list = by_category.entry(ticket.category_id.as_str()).or_default();
            if ticket.state == TicketState::Open
                && let Some(other) = list.iter().find(|other| other.state == TicketState::Open)
            {
                return Err(PlanRefusal::SeveralLive {
                    category_id: ticket.category_id.clone(),
                    first: other.ticket.clone(),
                    second: ticket.ticket.clone(),
                });
            }
            list.push(ticket);
        }
        Ok(Self { by_category, by_ref: snapshot.tickets.iter().map(|ticket| (&ticket.ticket, ticket)).collect() })
    }

    /// All tickets of a category, by number.
    pub(super) fn of(&self, category: &CategoryId) -> &[&'s Ticket] {
        self.by_category.get(category.as_str()).map_or(&[], Vec::as_slice)
    }

    /// The open ticket of a category.
    pub(super) fn open(&self, category: &CategoryId) -> Option<&'s Ticket> {
        self.of(category).iter().copied().find(|ticket| ticket.state == TicketState::Open)
    }

    /// A ticket by reference.
    pub(super) fn get(&self, ticket: &TicketRef) -> Option<&'s Ticket> {
        self.by_ref.get(ticket).copied()
    }

    /// Every ticket, by category id, then by number.
    pub(super) fn all(&self) -> Vec<&'s Ticket> {
        let mut all: Vec<&Ticket> = self.by_ref.values().copied().collect();
        all.sort_by(|a, b| (&a.category_id, a.ticket.number).cmp(&(&b.category_id, b.ticket.number)));
        all
    }

    /// Every open ticket, by category id.
    pub(super) fn all_open(&self) -> Vec<&'s Ticket> {
        let mut open: Vec<&Ticket> =
            self.by_ref.values().copied().filter(|ticket| ticket.state == TicketState::Open).collect();
        open.sort_by(|a, b| a.category_id.cmp(&b.category_id));
        open
    }
}

/// What will stand for an active category after this plan.
#[derive(Debug, Clone)]
pub(super) struct Live {
    /// The ticket; `None` while this plan creates it.
    pub(super) ticket: Option<TicketRef>,
    /// True if the routing label has to be set.
    pub(super) publish: bool,
}

/// A plan in the making.
pub(super) struct Draft<'a> {
    pub(super) c: &'a Categorization,
    pub(super) map: &'a CategoryMap,
    pub(super) tickets: Tickets<'a>,
    pub(super) view: &'a CampaignView,
    /// Positions of the map's categories, upstream first.
    pub(super) order: Vec<usize>,
    pub(super) mutations: Vec<Mutation>,
    pub(super) notes: Vec<Note>,
    /// Live tickets of active categories after this plan.
    pub(super) live: BTreeMap<CategoryId, Live>,
    /// Tickets that this plan closes.
    pub(super) closing: BTreeSet<TicketRef>,
}

impl<'a> Draft<'a> {
    /// The category of the map with this id.
    pub(super) fn category(&self, id: &CategoryId) -> Option<&'a Category> {
        self.map.categories.binary_search_by(|category| category.id.cmp(id)).ok().map(|at| &self.map.categories[at])
    }

    /// True if the map says that `category` depends on `upstream`.
    pub(super) fn wants(&self, category: &CategoryId, upstream: &CategoryId) -> bool {
        self.category(category).is_some_and(|c| c.depends_on.iter().any(|d| d.category_id == *upstream))
    }

    /// Categories, upstream first.
    pub(super) fn categories(&self) -> Vec<&'a Category> {
        self.order.iter().map(|at| &self.map.categories[*at]).collect()
    }

    pub(super) fn mutate(
        &mut self,
        category: &CategoryId,
        ticket: Option<&TicketRef>,
        reason: impl Into<String>,
        action: Action,
    ) {
        self.mutations.push(Mutation {
            category_id: category.clone(),
            ticket: ticket.cloned(),
            reason: reason.into(),
            action,
        });
    }

    pub(super) fn note(
        &mut self,
        kind: NoteKind,
        category: &CategoryId,
        ticket: Option<&TicketRef>,
        text: impl Into<String>,
    ) {
        self.notes.push(Note { category_id: category.clone(), ticket: ticket.cloned(), kind, text: text.into() });
    }

    /// The commit of the report, for people.
    pub(super) fn head_name(&self) -> String {
        self.view.evaluated_sha.as_deref().map_or_else(|| "an unnamed commit".to_owned(), short_sha)
    }

    /// A receipt of this report for a category. Trackers keep it, so no case's name in it holds a secret.
    pub(super) fn receipt(&self, fingerprint: crate::model::Digest, cases: Vec<CaseName>) -> Receipt {
        Receipt {
            report_digest: self.c.report.digest,
            head: self.view.evaluated_sha.clone(),
            iteration: self.view.iteration,
            category_fingerprint: fingerprint,
            provenance_fingerprint: self.c.provenance_fingerprint,
            cases: cases.iter().map(publishable).collect(),
        }
    }
}

/// The first 12 characters of a commit: enough for people.
pub(super) fn short_sha(sha: &str) -> String {
    sha.chars().take(12).collect()
}

/// Cases whose passing would prove that what a ticket stands for is gone: all that failed since its last closing.
pub(super) fn cases_to_prove(ticket: &Ticket) -> BTreeSet<&CaseName> {
    let answered = ticket.closure.as_ref().map_or(0, |closure| closure.receipts);
    ticket.receipts.iter().skip(answered).flat_map(|receipt| &receipt.cases).collect()
}

/// The cases that the report does not prove to hold, each with the reason.
pub(super) fn unproven<'t>(c: &Categorization, cases: &BTreeSet<&'t CaseName>) -> Vec<(&'t CaseName, &'static str)> {
    cases.iter().filter_map(|case| Some((*case, why_unproven(c.watched.get(*case))?))).collect()
}

/// Why what a report says of a case (`None` = nothing) does not prove that it holds; `None` if it does.
pub(super) fn why_unproven(seen: Option<&WatchedOutcome>) -> Option<&'static str> {
    let Some(seen) = seen else { return Some("is not in the report") };
    Some(match seen.outcome {
        _ if seen.proves_absence() => return None,
        _ if !seen.required => "is not required any more",
        Outcome::Fail => "fails",
        Outcome::Blocked => "is BLOCKED",
        Outcome::NotTested => "is NOT_TESTED",
        Outcome::Pass => "is flaky",
    })
}
