//! Why there is no plan. A refused plan means zero mutations.

use crate::model::{CategoryId, TicketRef};

/// Why no plan can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanRefusal {
    /// The report is not a complete run.
    #[error("the report is not a complete run: {}", .0.join("; "))]
    Incomplete(Vec<String>),
    /// Some failing cases have no category, or several.
    #[error("{unclassified} failing case(s) are unclassified and {ambiguous} are ambiguous")]
    NotTotal {
        /// Number without a category.
        unclassified: usize,
        /// Number with several.
        ambiguous: usize,
    },
    /// Every required case is blocked: nothing was tested.
    #[error("all {0} required case(s) are BLOCKED: nothing was tested")]
    AllBlocked(u64),
    /// Two live tickets stand for one category.
    #[error("{category_id} has several open tickets ({}, {}): a person must close all but one", .first, .second)]
    SeveralLive {
        /// The category.
        category_id: CategoryId,
        /// One of them.
        first: TicketRef,
        /// Another.
        second: TicketRef,
    },
    /// The journal knows tickets that the tracker does not list.
    #[error(
        "the tracker does not list {missing} ticket(s) that the journal knows, among them {example} of {category_id}"
    )]
    TrackerContradiction {
        /// How many.
        missing: usize,
        /// One of them.
        example: TicketRef,
        /// Its category.
        category_id: CategoryId,
    },
    /// The active categories depend on each other in a circle.
    #[error("the active categories depend on each other in a circle: {0}")]
    Cycle(String),
}
