//! All integration tests, in one binary.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod campaign;
mod exit_status;
mod fences;
mod help;
mod import_junit;
mod kill_matrix;
mod ledger;
mod shop;
mod small_disk;
mod smoke;
mod termination;
mod tracker;
mod world;
