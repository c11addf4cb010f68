//! The GitHub test rig: an emulator of GitHub behind a proxy that mends it, breaks it on request, and records it.
//!
//! What it is made of, from the bottom:
//! - `install`: what npm gives, once per machine, in `target/github-rig`;
//! - `emulator`: the process that keeps issues, labels and comments;
//! - `github`: what the emulator gets wrong, put right (`issues`, `labels`, `dependencies`, `people`);
//! - `faults` and `proxy`: answers that get lost, come late, or are no answers; and the record of every exchange;
//! - `openapi` and `check`: GitHub's own description of its API, against which every exchange is checked;
//! - `rig`: what a test holds.
//!
//! `tests/github-rig.sh` starts it for people.

mod check;
mod dependencies;
mod emulator;
mod faults;
mod github;
mod install;
mod issues;
mod labels;
mod message;
mod openapi;
mod people;
mod proxy;
mod rig;
mod seed;
mod serve;
mod state;
mod tests;

pub(crate) use check::{Coverage, Problem};
pub(crate) use faults::{Effect, Fault};
pub(crate) use message::{Exchange, Reply};
pub(crate) use people::Person;
pub(crate) use rig::Rig;
pub(crate) use seed::{RigSeed, SeedIssue};
pub(crate) use state::{Edit, Edition, IssueNow};
