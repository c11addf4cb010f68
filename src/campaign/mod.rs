//! Campaigns: one iteration per full run, until green or a named blocker. The rules (`judge`, `closure`, `state`,
//! `picture`) are pure; `start` and `step` are the shell around them.

mod closure;
mod error;
mod events;
mod iteration;
mod judge;
mod paths;
mod picture;
mod start;
mod state;
mod status;
mod step;
mod verify;

pub use closure::{ClosureState, Seen, Transition, transitions};
pub use error::CampaignError;
pub use events::{
    GenerationStarted, IterationFacts, IterationJudged, IterationStarted, Limits, PlanSaved, VerdictRecord, kind,
};
pub use judge::{Blocker, BlockerKind, Verdict, judge};
pub use paths::{CampaignIdError, CampaignPaths};
pub use picture::active_picture;
pub use start::{StartInput, Started, start};
pub use state::CampaignState;
pub use status::{CampaignStatus, status};
pub use step::{StepInput, StepReport, step, watch_open};
pub use verify::{Finding, verify};
