//! All integration tests, in one binary.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod apply_faults;
mod bad_input;
mod campaign;
mod categorize;
mod corpus;
mod exit_status;
mod fences;
mod help;
mod import_junit;
mod kill_matrix;
mod ledger;
mod map;
mod plan_laws;
mod process;
mod readme;
mod run;
mod schemas;
mod shop;
mod small_disk;
mod smoke;
mod termination;
mod tracker;
mod trial;
mod world;
