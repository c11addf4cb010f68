//! `greenloop.receipt.v1`: what applying a plan did, step by step.

use serde::{Deserialize, Serialize};

use crate::model::{CategoryId, Digest, TicketRef};

/// The receipt of one plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(title = "greenloop.receipt.v1")]
pub struct ApplyReceipt {
    /// True if every step was done; false if the plan was compensated.
    pub complete: bool,
    /// The plan.
    #[schemars(with = "String")]
    pub plan_digest: Digest,
    /// `greenloop.receipt.v1`.
    pub schema: String,
    /// The steps, in order of execution; compensation comes last.
    pub steps: Vec<ReceiptStep>,
}

impl ApplyReceipt {
    pub(super) fn new(plan_digest: Digest, steps: Vec<ReceiptStep>, complete: bool) -> Self {
        Self { complete, plan_digest, schema: "greenloop.receipt.v1".to_owned(), steps }
    }
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReceiptStep {
    /// The category.
    #[schemars(with = "String")]
    pub category_id: CategoryId,
    /// In words: the reason of the mutation, or why it was refused.
    pub detail: String,
    /// The operation.
    pub op: String,
    /// How it went.
    pub outcome: StepOutcome,
    /// The ticket.
    pub ticket: Option<TicketRef>,
    /// The ticket that is waited for, of `link` and `unlink`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream: Option<TicketRef>,
}

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepOutcome {
    /// Done now.
    Done,
    /// Done by an earlier, interrupted apply of the same plan.
    Adopted,
    /// Not needed after all.
    Skipped,
    /// The tracker refused it.
    Refused,
    /// Undone, because a later step was refused.
    Compensated,
}
