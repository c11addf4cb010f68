//! categorize
