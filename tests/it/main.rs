//! All integration tests, in one binary.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod exit_status;
mod fences;
mod help;
mod import_junit;
mod ledger;
mod map;
mod schemas;
mod shop;
mod small_disk;
mod smoke;
mod tracker;
