//! categorize

pub mod signature;
