//! Applying a plan: journalled, in three phases, resumable after a crash at any point.

mod error;
mod execute;
pub mod journal;
mod receipt;
mod resolve;

pub use error::ApplyError;
pub use execute::{Limits, apply, check_limits, rehearse};
pub use receipt::{ApplyReceipt, ReceiptStep, StepOutcome};
