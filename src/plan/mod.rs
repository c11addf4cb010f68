//! The plan: which mutations bring the tracker to what a categorized report says. Pure, complete, refusable.

mod absent;
mod build;
mod document;
mod mutation;
mod present;
mod refusal;
mod states;
mod ticket;
mod view;
mod wiring;

pub use build::plan;
pub use document::{Basis, Note, NoteKind, PLAN_SCHEMA, Plan, PlanFileError, PlanFiles};
pub use mutation::{Action, Mutation, Phase};
pub use refusal::PlanRefusal;
pub use states::{CategoryState, category_states};
pub use ticket::shell_line;
pub use view::{CampaignView, DEFAULT_REOPEN_CAP};
