//! All integration tests, in one binary.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod apply_faults;
mod bad_input;
mod campaign;
mod categorize;
mod corpus;
mod evals;
mod exit_status;
mod fences;
mod github;
mod github_rig;
mod help;
mod import_junit;
mod kill_matrix;
mod ledger;
mod map;
mod plan_laws;
mod process;
mod readme;
mod run;
mod running_evals;
mod schemas;
mod shop;
mod shop_live;
mod small_disk;
mod smoke;
mod termination;
mod ticket_words;
mod tracker;
mod trial;
mod world;
