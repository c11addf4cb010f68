//! The GitHub tracker through the real program, against the test rig: what happens when nothing goes wrong, when people
//! work beside it, and when anything goes wrong.

#![cfg(test)]

mod configured;
mod cost;
mod faults;
#[path = "../../src/tracker/words/gfm.rs"]
#[expect(dead_code, reason = "the unit tests of the words use the rest of it")]
mod gfm;
mod hostile;
mod links;
mod people;
mod servers;
mod steps;

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::github_rig::{Rig, RigSeed};
use crate::world::{Done, World, category_map, done};

/// A project whose tickets are in a rig.
pub(crate) struct Site {
    pub(crate) rig: Rig,
    pub(crate) world: World,
    /// What is added to every command.
    options: Vec<String>,
}

impl Site {
    /// `None`, said visibly, where the rig cannot be installed.
    pub(crate) fn new() -> Option<Self> {
        let rig = Rig::start(&RigSeed::default())?;
        let mut options = vec!["--tracker", "github", "--repo", rig.repo(), "--base-url", rig.base_url()];
        options.extend(["--write-interval-ms", "0", "--unknown-wait-s", "0.1", "--network-timeout-s", "0.7"]);
        let options = options.into_iter().map(str::to_owned).collect();
        Some(Self { rig, world: World::new(), options })
    }

    /// With a program that waits for a busy machine: where requests are counted, none may be sent twice.
    pub(crate) fn patient(mut self) -> Self {
        let at = self.options.iter().position(|option| option == "--network-timeout-s").unwrap();
        self.options[at + 1] = "60".to_owned();
        self
    }

    /// With campaign `c` started on this map.
    pub(crate) fn started(map: &str) -> Option<Self> {
        let site = Self::new()?;
        let map = site.world.map("map", &category_map(map));
        site.run(&["campaign", "start", "--id", "c", "--map", &map]).exits(0);
        Some(site)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(arguments);
        command.args(&self.options).env("GITHUB_TOKEN", self.rig.token()).env_remove("GH_TOKEN");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Done {
        let done = done(&mut self.command(arguments));
        assert!(
            !done.stdout.contains(self.rig.token()) && !done.stderr.contains(self.rig.token()),
            "the token is shown"
        );
        done
    }

    pub(crate) fn step(&self, head: &str, cases: &str) -> Done {
        self.run(&["campaign", "step", &self.world.report(head, cases)])
    }

    /// Killed at the `step`-th durable step; true if it ran to its end instead.
    pub(crate) fn survives_kill_at(&self, step: u64, arguments: &[&str]) -> bool {
        use std::os::unix::process::ExitStatusExt as _;
        let mut command = self.command(arguments);
        command.env("GREENLOOP_TEST_KILL_AT", step.to_string()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().unwrap().signal().is_none()
    }

    /// All tickets by name of their category, as the program lists them. There is never more than one of each.
    #[track_caller]
    pub(crate) fn tickets(&self) -> BTreeMap<String, Value> {
        let document = self.run(&["ticket", "list", "--state", "all", "--format", "json"]).exits(0).json();
        let mut tickets = BTreeMap::new();
        for ticket in document["tickets"].as_array().unwrap() {
            assert_eq!(tickets.insert(name(ticket), ticket.clone()), None, "two tickets of {}", name(ticket));
        }
        tickets
    }

    #[track_caller]
    pub(crate) fn number(&self, category: &str) -> u64 {
        self.tickets()[category]["ref"]["number"].as_u64().unwrap()
    }

    /// The tickets without their numbers, which depend on what was tried before.
    #[track_caller]
    pub(crate) fn end_state(&self) -> Value {
        let tickets = self.tickets();
        let by_number: BTreeMap<u64, String> =
            tickets.iter().map(|(name, ticket)| (ticket["ref"]["number"].as_u64().unwrap(), name.clone())).collect();
        let names = |refs: Vec<&Value>| -> Vec<String> {
            let mut names: Vec<String> =
                refs.iter().map(|r| by_number[&r["number"].as_u64().unwrap()].clone()).collect();
            names.sort();
            names
        };
        let state = tickets.iter().map(|(name, ticket)| {
            let mut ticket = ticket.clone();
            let links = ticket["blocked_by"].as_array().unwrap();
            assert!(links.iter().all(|link| link["ours"] == true), "{name}: {links:?}");
            let upstream = names(links.iter().map(|link| &link["upstream"]).collect());
            ticket["blocked_by"] = json!(upstream);
            ticket["blocks"] = json!(names(ticket["blocks"].as_array().unwrap().iter().collect()));
            ticket["ref"] = Value::Null;
            (name.clone(), ticket)
        });
        let state: serde_json::Map<String, Value> = state.collect();
        for issue in self.rig.issues().iter().filter(|issue| issue.body.contains("<!-- greenloop:v1 category_id=")) {
            let records = issue.comments.iter().filter(|(_, body)| body.contains("<!-- greenloop-receipts:v1")).count();
            assert_eq!(records, 1, "#{} has {records} records", issue.number);
        }
        Value::Object(state)
    }

    /// Every request and answer fits GitHub's description of its interface.
    #[track_caller]
    pub(crate) fn fits(&self) {
        if let Err(problems) = self.rig.validate() {
            panic!("{problems:#?}");
        }
    }
}

pub(crate) fn name(ticket: &Value) -> String {
    ticket["category_id"].as_str().unwrap().rsplit(':').next().unwrap().to_owned()
}

pub(crate) fn labels(ticket: &Value) -> Vec<&str> {
    ticket["labels"].as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect()
}
