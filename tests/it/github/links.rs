//! Dependencies in awkward places: circles through closed tickets, and a process that dies around a request.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Site, name};
use crate::github_rig::{Effect, Fault};
use crate::world::{Done, World, category_map};

/// Which ticket waits for which, by name.
fn edges(tickets: &BTreeMap<String, Value>) -> Vec<(String, String)> {
    let by_number: BTreeMap<u64, String> =
        tickets.values().map(|t| (t["ref"]["number"].as_u64().unwrap(), name(t))).collect();
    let of = |ticket: &Value| -> Vec<(String, String)> {
        let links = ticket["blocked_by"].as_array().unwrap().iter();
        links.map(|link| (name(ticket), by_number[&link["upstream"]["number"].as_u64().unwrap()].clone())).collect()
    };
    tickets.values().flat_map(of).collect()
}

/// The map turns around what once went through a ticket that is closed now.
fn a_circle_through_a_closed_ticket(
    world: &World,
    run: &dyn Fn(&[&str]) -> Done,
    tickets: &dyn Fn() -> BTreeMap<String, Value>,
) {
    let step = |head: &str, cases: &str| run(&["campaign", "step", &world.report(head, cases)]).exits(1);
    let map = world.map("one", &category_map("a b<a c<b"));
    run(&["campaign", "start", "--id", "c", "--map", &map]).exits(0);
    step("h1", "a1- b1- c1-");
    step("h2", "a1- b1+ c1-");
    let mut map = category_map("a<c b c<b");
    map["map_version"] = "2".into();
    let map = world.map("two", &map);
    run(&["campaign", "start", "--id", "c", "--map", &map, "--new-generation"]).exits(0);
    step("h3", "a1- b1+ c1-");
    let wired = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(edges(&tickets()), [wired("a", "c"), wired("c", "b")]);
    step("h4", "a1- b1- c1-");
    assert_eq!(tickets()["b"]["state"], "open");
    assert_eq!(edges(&tickets()), [wired("a", "c"), wired("c", "b")]);
    assert!(tickets().values().all(|ticket| ticket["person_changed"].as_array().unwrap().is_empty()));
    run(&["campaign", "verify"]).exits(0);
}

#[test]
fn a_circle_through_a_closed_ticket_is_unwired_on_both_trackers() {
    let world = World::new();
    a_circle_through_a_closed_ticket(&world, &|arguments| world.run(arguments), &|| world.tickets());
    let Some(site) = Site::new() else { return };
    a_circle_through_a_closed_ticket(&site.world, &|arguments| site.run(arguments), &|| site.tickets());
    site.fits();
}

/// The link is made, the process is killed before it hears of it, and another plan comes after it.
#[test]
fn a_link_made_by_a_process_that_was_killed_is_ours_in_the_next_plan() {
    for effect in [Effect::HangAfter, Effect::HangBefore] {
        let Some(site) = Site::new() else { return };
        let map = site.world.map("map", &category_map("a b<a"));
        let plan = |head: &str, cases: &str| {
            let path = site.world.input(&format!("{head}.plan.json"));
            site.run(&["plan", &site.world.report(head, cases), "--map", &map, "-o", &path]).exits(0);
            path
        };
        let first = plan("h1", "a1- b1-");
        let pattern = "/repos/*/*/issues/*/dependencies/blocked_by";
        site.rig.set_faults(vec![Fault::on("POST", pattern, effect.clone())]);
        let mut patient =
            site.world.command(&["apply", &first, "--network-timeout-s", "60", "--write-interval-ms", "0"]);
        patient.env("GITHUB_TOKEN", site.rig.token()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = patient.spawn().unwrap();
        let begun = Instant::now();
        while site.rig.pending_faults() > 0 {
            assert!(begun.elapsed() < Duration::from_secs(30), "the request does not come");
            std::thread::sleep(Duration::from_millis(20));
        }
        // What it asked for is done, or not, before the machine dies.
        std::thread::sleep(Duration::from_millis(300));
        child.kill().unwrap();
        child.wait().unwrap();
        site.rig.set_faults(Vec::new());
        let second = plan("h2", "a1- b1-=other");
        site.run(&["apply", &second]).exits(0);
        let tickets = site.tickets();
        let links = tickets["b"]["blocked_by"].as_array().unwrap();
        assert_eq!((links.len(), &links[0]["ours"]), (1, &true.into()), "{effect:?}: {links:?}");
        assert_eq!(links[0]["rationale"], "b is computed from a");
        assert!(tickets["b"]["person_changed"].as_array().unwrap().is_empty(), "{effect:?}");
        // And it goes when the map no longer wants it.
        let mut other = category_map("a b");
        other["map_version"] = "2".into();
        let other = site.world.map("other", &other);
        let path = site.world.input("third.plan.json");
        site.run(&["plan", &site.world.report("h3", "a1- b1-=other"), "--map", &other, "-o", &path]).exits(0);
        site.run(&["apply", &path]).exits(0);
        assert!(site.tickets()["b"]["blocked_by"].as_array().unwrap().is_empty());
        site.fits();
    }
}
