//! A campaign from red to green, and a plan by hand, when nothing goes wrong.

use super::{Site, labels};
use crate::world::{category_map, id};

#[test]
fn from_red_to_green() {
    let Some(site) = Site::started("a b<a c<a,b") else { return };
    site.step("h1", "a1- b1- c1-").exits(1);
    let tickets = site.tickets();
    assert_eq!(labels(&tickets["c"]), ["eval-cat-c", "greenloop:ready"]);
    assert_eq!(tickets["c"]["blocked_by"].as_array().unwrap().len(), 2);
    assert_eq!(tickets["a"]["blocks"].as_array().unwrap().len(), 2);
    let (number, id) = (&tickets["a"]["ref"]["number"], &tickets["a"]["ref"]["id"]);
    assert_ne!(number, id);
    let ready = site.run(&["ticket", "ready", "--format", "json"]).exits(0).json();
    assert_eq!(ready["tickets"].as_array().unwrap().len(), 1, "only the upstream one");

    site.step("h2", "a1+ b1-=other c1-").exits(1);
    let tickets = site.tickets();
    assert_eq!((&tickets["a"]["state"], &tickets["a"]["state_reason"]), (&"closed".into(), &"completed".into()));
    assert_eq!(tickets["b"]["receipts"].as_array().unwrap().len(), 2, "new evidence on the same ticket");
    site.step("h3", "a1- b1+ c1-").exits(1);
    let again = site.tickets();
    assert_eq!((&again["a"]["state"], &again["a"]["reopened"]), (&"open".into(), &1.into()));
    assert_eq!(again["a"]["ref"], tickets["a"]["ref"]);
    site.step("h4", "a1+ b1+ c1+").exits(0);
    assert!(site.tickets().values().all(|ticket| ticket["state"] == "closed"));
    site.run(&["campaign", "verify"]).exits(0);
    let seen = site.rig.issue(again["a"]["ref"]["number"].as_u64().unwrap());
    assert!(seen.comments[0].1.contains("**Closed: proven gone.**"), "{}", seen.comments[0].1);
    site.fits();
}

#[test]
fn nothing_is_left_to_do_after_a_plan() {
    let Some(site) = Site::new().map(Site::patient) else { return };
    let map = site.world.map("map", &category_map("a b<a"));
    let report = site.world.report("h1", "a1- b1-");
    let plan = site.world.input("plan.json");
    site.run(&["plan", &report, "--map", &map, "-o", &plan]).exits(0);
    let shown = site.run(&["apply", &plan, "--dry-run"]).exits(0);
    assert!(site.tickets().is_empty(), "a rehearsal writes nothing");
    assert_eq!(shown.stdout.matches("POST /repos/").count(), 2 + 2 + 1 + 2 + 2, "{}", shown.stdout);
    site.rig.forget_exchanges();
    site.run(&["apply", &plan]).exits(0);
    let writes = site.rig.exchanges().iter().filter(|one| one.method != "GET").count();
    assert_eq!(writes, 9, "as many as rehearsed: 2 labels, 2 tickets, 1 link, 2 records, 2 publications");
    site.rig.forget_exchanges();
    site.run(&["apply", &plan]).exits(0);
    assert_eq!(site.rig.exchanges().len(), 0, "applied before: the journal knows");
    let again = site.run(&["plan", &report, "--map", &map, "--format", "json"]).exits(0).json();
    assert_eq!(again["changes"], 0);
}

#[test]
fn retired_categories_leave_history() {
    let Some(site) = Site::started("a b c<b d") else { return };
    site.step("h1", "a1- b1- c1- d1-").exits(1);
    let mut map = category_map("b c x");
    map["map_version"] = "2".into();
    map["retired"] = serde_json::json!({
        id("a"): { "kind": "split", "into": [id("x"), id("c")], "reason": "two causes @team" },
        id("d"): { "kind": "merged", "into": [id("b")], "reason": "one cause" },
    });
    let map = site.world.map("map2", &map);
    site.run(&["campaign", "start", "--id", "c", "--map", &map, "--new-generation"]).exits(0);
    site.step("h2", "b1- c1- x1-").exits(1);
    let tickets = site.tickets();
    assert_eq!(tickets["a"]["state_reason"], "not_planned");
    assert_eq!(tickets["d"]["state_reason"], "duplicate");
    assert!(tickets["c"]["blocked_by"].as_array().unwrap().is_empty(), "unwired");
    assert!(tickets.values().all(|ticket| ticket["person_changed"].as_array().unwrap().is_empty()));
    let old = site.rig.issue(site.number("a"));
    assert!(old.comments[0].1.contains(&format!("#{}", site.number("x"))), "the successor is linked");
    assert!(old.comments[0].1.contains("`@team`"), "in code: nobody is mentioned");
    site.fits();
}

#[test]
fn a_campaign_keeps_its_tracker() {
    let Some(site) = Site::started("a") else { return };
    let report = site.world.report("h1", "a1-");
    site.world
        .run(&["campaign", "step", &report, "--tracker", "embedded"])
        .exits(2)
        .says(&["the tickets are in github"]);
    let mut command = site.world.command(&["campaign", "step", &report, "--write-interval-ms", "0"]);
    crate::world::done(command.env("GITHUB_TOKEN", site.rig.token())).exits(1);
    assert_eq!(site.tickets().len(), 1);
    let mut command = site.world.command(&["campaign", "status"]);
    crate::world::done(command.env_remove("GITHUB_TOKEN").env_remove("GH_TOKEN")).exits(2).says(&["there is no token"]);
    let token = format!("echo {}", site.rig.token());
    let mut command = site.world.command(&["campaign", "status", "--token-command", &token]);
    crate::world::done(command.env_remove("GITHUB_TOKEN").env_remove("GH_TOKEN")).exits(0);
}
