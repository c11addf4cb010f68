//! report

pub mod import;
mod write;

pub use write::{
    CountedOutcomes, OwnedCase, OwnedClaims, OwnedEligibility, OwnedRepo, OwnedReport, OwnedTrial, SaveError,
};
