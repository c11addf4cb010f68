//! GitHub Issues as a tracker: one repository, through octocrab, which is named only here.
//!
//! # Where what is kept
//! - **In the issue's body**: the marker ([`super::marker`]: `category_id`, campaign, the key of the creation). It is the
//!   identity of the ticket. It counts only if the issue's author is ours; a marker of somebody else is reported, and so
//!   are two different ones in one body.
//! - **In one comment of ours** ([`record`]): receipts, closure, counts, our links with their reasons, the keys of done
//!   operations, and title, labels and state as we last wrote them. Where the issue differs from that, a person
//!   changed it, and the person wins.
//! - **On this disk**, below `.greenloop/github/<repository>/`: the lock of the one writer, the pace (last write, end of
//!   a limit), and records that are not in their comment yet ([`unfinished`]).
//!
//! # Writes
//! A ticket's record is written once its links are wired, right before it is published, and not after each link: `n`
//! new tickets with `e` links cost `n` creations, `e` links, `n` comments and `n` labels. Each request is *done*,
//! *rejected*, *not sent* or *unknown* ([`retry`]); what is unknown and must not happen twice is looked for before
//! anything else is done ([`create`]).
//!
//! # Reads
//! See [`read`] for the number of requests.

mod client;
mod create;
mod doctor;
mod issue;
mod links;
mod listing;
mod open;
mod pace;
mod read;
mod record;
mod retry;
mod save;
mod seen;
mod settings;
mod unfinished;
mod write;

pub use client::PlannedRequest;
pub use doctor::{Check, CheckState};
pub use open::GithubTracker;
pub use settings::{GithubSettings, Token};
