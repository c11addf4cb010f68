//! What the campaign knows that the report, the map and the tracker do not.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{CategoryId, TicketRef};
use crate::tracker::TrackerChoice;

/// The campaign's side of a plan. Outside a campaign most of it is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignView {
    /// Id of the campaign (or of the journal that stands in for one).
    pub campaign: String,
    /// Its generation.
    pub generation: u32,
    /// The iteration that this plan belongs to; 0 outside a campaign.
    pub iteration: u32,
    /// The commit the report ran on.
    pub evaluated_sha: Option<String>,
    /// True if the report is a full run on the integrated head: only then may a ticket close.
    pub on_integrated_head: bool,
    /// Heads evaluated before, with the number of their last iteration.
    pub heads: BTreeMap<String, u32>,
    /// Tickets that the journal knows, by category: a listing without them contradicts it.
    pub known_tickets: BTreeMap<CategoryId, BTreeSet<TicketRef>>,
    /// Edges (dependent, upstream) that the journal says greenloop wired and did not unwire.
    pub wired: BTreeSet<(TicketRef, TicketRef)>,
    /// How often a ticket may be reopened.
    pub reopen_cap: u32,
    /// Where the tickets are.
    pub tracker: TrackerChoice,
    /// How many plans of this journal were refused and undone before.
    pub attempt: u32,
    /// The tree of that commit, if the caller knows it.
    pub evaluated_tree: Option<String>,
    /// Heads and trees on which each category failed, from the campaign's history: passing there proves nothing.
    pub failed_on: BTreeMap<CategoryId, BTreeSet<String>>,
}

impl CampaignView {
    /// A view without history.
    pub fn new(campaign: impl Into<String>) -> Self {
        Self {
            campaign: campaign.into(),
            generation: 1,
            iteration: 0,
            evaluated_sha: None,
            on_integrated_head: false,
            heads: BTreeMap::new(),
            known_tickets: BTreeMap::new(),
            wired: BTreeSet::new(),
            reopen_cap: DEFAULT_REOPEN_CAP,
            attempt: 0,
            tracker: TrackerChoice::Embedded,
            evaluated_tree: None,
            failed_on: BTreeMap::new(),
        }
    }
}

/// Reopenings allowed before a person is needed (`[budget] reopen_cap` of the design).
pub const DEFAULT_REOPEN_CAP: u32 = 2;
