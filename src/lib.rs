//! greenloop: a remediation-loop orchestrator.
//!
//! A frozen report becomes categories, a validated dependency DAG, a plan of ticket mutations, and, after every
//! further full run, a judgement: what got better, what came back, and whether the loop is going in circles.
//!
//! Data flows one way: a module imports only from the rows below it (`tests/it/fences.rs` checks it).
//! From top to bottom: `cli` · `ui` · `campaign` · `dispatch` · `apply` · `plan` · `tracker` · `runner` · `categorize` · `graph` ·
//! `category_map` · `report` · `process` · `ledger` · `config` · `diag` · `model`.

pub mod apply;
pub mod campaign;
pub mod categorize;
pub mod category_map;
pub mod cli;
pub mod config;
pub mod diag;
pub mod dispatch;
pub mod graph;
pub mod ledger;
pub mod model;
pub mod plan;
pub mod process;
pub mod report;
pub mod runner;
pub mod tracker;
pub mod ui;
