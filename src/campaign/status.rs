//! `greenloop.campaign_status.v1`: where a campaign stands.

use std::collections::BTreeMap;

use serde::Serialize;

use super::closure::ClosureState;
use super::events::{IterationFacts, VerdictRecord};
use super::judge::Blocker;
use super::state::CampaignState;
use crate::model::{CategoryId, Digest, TicketRef};
use crate::tracker::{Snapshot, Ticket, TicketState};

/// The document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(title = "greenloop.campaign_status.v1")]
pub struct CampaignStatus {
    /// What stopped it; `null` while it goes on and when it is green.
    pub blocker: Option<StatusBlocker>,
    /// The campaign.
    pub campaign: String,
    /// Categories that were ever active in it, sorted.
    pub categories: Vec<CategoryStatus>,
    /// Its generation.
    pub generation: u32,
    /// Iterations of the current generation.
    pub history: Vec<IterationStatus>,
    /// Number of the newest iteration; 0 before the first.
    pub iteration: u32,
    /// `greenloop.campaign_status.v1`.
    pub schema: String,
    /// `started`, `going-on`, `interrupted`, `green` or `stopped`.
    pub state: String,
}

/// What stopped a campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct StatusBlocker {
    /// Which rule, why, and everything involved.
    #[serde(flatten)]
    pub blocker: Blocker,
    /// Tickets of the categories involved.
    pub tickets: Vec<TicketRef>,
}

/// One category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct CategoryStatus {
    /// Its id.
    #[schemars(with = "String")]
    pub category_id: CategoryId,
    /// Failures in the newest iteration.
    pub failing: u64,
    /// How often its ticket was reopened.
    pub reopened: u32,
    /// Its closure state.
    pub state: ClosureState,
    /// Its newest ticket.
    pub ticket: Option<TicketRef>,
}

/// One iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct IterationStatus {
    /// Number of active categories.
    pub categories: usize,
    /// Failures.
    pub failures: u64,
    /// The integrated head.
    pub head: String,
    /// Its number.
    pub iteration: u32,
    /// Fingerprint of the failure state.
    #[schemars(with = "String")]
    pub semantic_fingerprint: Digest,
    /// The tree of the head.
    pub tree: String,
}

/// Where the campaign stands, from its ledger and its tickets. Pure.
pub fn status(campaign: &str, state: &CampaignState, snapshot: &Snapshot) -> CampaignStatus {
    let generation = state.generation_number();
    let tickets = newest_tickets(snapshot);
    let current: Vec<&(u32, u32, IterationFacts)> = state.history.iter().filter(|(_, g, _)| *g == generation).collect();
    let newest = current.last().map(|(_, _, facts)| facts);
    let blocker = match &state.verdict {
        Some(VerdictRecord::Stop { blocker }) => Some(StatusBlocker {
            tickets: blocker.categories.iter().filter_map(|id| tickets.get(id)).map(|t| t.ticket.clone()).collect(),
            blocker: blocker.clone(),
        }),
        _ => None,
    };
    CampaignStatus {
        blocker,
        campaign: campaign.to_owned(),
        categories: state
            .closure
            .iter()
            .map(|(id, closure)| CategoryStatus {
                category_id: id.clone(),
                failing: newest.and_then(|facts| facts.categories.get(id)).copied().unwrap_or(0),
                reopened: tickets.get(id).map_or(0, |ticket| ticket.reopened),
                state: *closure,
                ticket: tickets.get(id).map(|ticket| ticket.ticket.clone()),
            })
            .collect(),
        generation,
        history: current
            .iter()
            .map(|(iteration, _, facts)| IterationStatus {
                categories: facts.categories.len(),
                failures: facts.failures,
                head: facts.head.clone(),
                iteration: *iteration,
                semantic_fingerprint: facts.semantic_fingerprint,
                tree: facts.tree.clone(),
            })
            .collect(),
        iteration: current.last().map_or(0, |(iteration, _, _)| *iteration),
        schema: "greenloop.campaign_status.v1".to_owned(),
        state: match (&state.verdict, &state.open) {
            (_, Some(_)) => "interrupted",
            (None, None) => "started",
            (Some(VerdictRecord::Green), _) => "green",
            (Some(VerdictRecord::GoOn), _) => "going-on",
            (Some(VerdictRecord::Stop { .. }), _) => "stopped",
        }
        .to_owned(),
    }
}

/// The open ticket of each category, else its newest.
fn newest_tickets(snapshot: &Snapshot) -> BTreeMap<&CategoryId, &Ticket> {
    let mut tickets = BTreeMap::new();
    for state in [TicketState::Closed, TicketState::Open] {
        tickets.extend(snapshot.tickets.iter().filter(|t| t.state == state).map(|t| (&t.category_id, t)));
    }
    tickets
}
