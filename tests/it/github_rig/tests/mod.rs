//! Tests of the rig itself: what is wrong in it would be taken for a fault of the client, or hide one.

mod controls;
mod dependencies;
mod ending;
mod faults;
mod pages;
mod record;
mod rights;
mod rules;
mod translation;

use crate::github_rig::{Person, Reply, Rig};
use serde_json::Value;

/// Sends a request below the repository as the bot.
#[track_caller]
fn call(rig: &Rig, method: &str, rest: &str, body: &Value) -> Reply {
    call_as(rig, Person::Bot, method, rest, body)
}

/// Sends a request below the repository; a body of null is none.
#[track_caller]
fn call_as(rig: &Rig, person: Person, method: &str, rest: &str, body: &Value) -> Reply {
    let target = format!("/repos/{}{rest}", rig.repo());
    rig.call(person.token(), method, &target, (!body.is_null()).then_some(body)).unwrap()
}

/// Everything that went over the wire fits GitHub's description.
#[track_caller]
fn fits(rig: &Rig) {
    if let Err(problems) = rig.validate() {
        panic!("{problems:#?}");
    }
}
