//! Other servers and other states of a repository: no dependencies, archived, moved, a token that may only read.

use super::{Site, labels};
use crate::github_rig::{Effect, Fault, Person};

#[test]
fn without_dependencies_links_are_text_and_a_label() {
    let Some(site) = Site::started("a b<a") else { return };
    site.rig.set_dependencies(false);
    site.step("h1", "a1- b1-").exits(1);
    let tickets = site.tickets();
    assert_eq!(tickets["b"]["blocked_by"][0]["ours"], true);
    assert_eq!(labels(&tickets["b"]), ["eval-cat-b", "greenloop:blocked", "greenloop:ready"]);
    assert!(site.rig.issue(site.number("b")).body.contains(&format!("- #{}: b is computed from a", site.number("a"))));
    let ready = site.run(&["ticket", "ready", "--format", "json"]).exits(0).says(&["no issue dependencies"]).json();
    assert_eq!(ready["tickets"].as_array().unwrap().len(), 1);
    site.run(&["doctor"]).exits(0);
    site.step("h2", "a1+ b1-").exits(1);
    assert_eq!(labels(&site.tickets()["b"]), ["eval-cat-b", "greenloop:ready"], "free");
    site.step("h3", "a1+ b1+").exits(0);
}

#[test]
fn doctor_says_what_is_missing() {
    let Some(site) = Site::new() else { return };
    let said = site.run(&["doctor"]).exits(0);
    assert!(said.stdout.contains("issues and labels can be written"), "{}", said.stdout);
    site.rig.set_archived(true);
    assert!(site.run(&["doctor"]).exits(1).stdout.contains("unarchive it"));
    site.rig.set_archived(false);
    site.rig.set_issues_disabled(true);
    assert!(site.run(&["doctor"]).exits(1).stdout.contains("switch them on"));
    site.rig.set_issues_disabled(false);
    let mut command = site.command(&["doctor"]);
    let said = crate::world::done(command.env("GITHUB_TOKEN", Person::ReadOnly.token())).exits(1);
    assert!(said.stdout.contains("may only read"), "{}", said.stdout);
    let mut command = site.command(&["doctor"]);
    let said = crate::world::done(command.env("GITHUB_TOKEN", "not-a-token")).exits(1);
    assert!(said.stdout.contains("not valid") && !said.stdout.contains("not-a-token"), "{}", said.stdout);
    let mut command = site.command(&["doctor"]);
    crate::world::done(command.env_remove("GITHUB_TOKEN")).exits(1);
}

#[test]
fn a_moved_repository_stops_everything() {
    let Some(site) = Site::started("a") else { return };
    let location = "/repositories/1/issues".to_owned();
    site.rig.set_faults(vec![Fault::on("POST", "/repos/*/*/issues", Effect::Moved { status: 301, location })]);
    site.step("h1", "a1-").exits(4).says(&["renamed or moved"]);
    site.step("h1", "a1-");
    assert_eq!(site.tickets().len(), 1);
}

#[test]
fn a_refusal_is_undone_and_nothing_is_dispatchable() {
    let Some(site) = Site::started("a b<a c") else { return };
    let report = site.world.report("h1", "a1- b1- c1-");
    site.rig
        .set_faults(vec![Fault::on("POST", "/repos/*/*/issues/*/dependencies/blocked_by", Effect::Forbidden).times(9)]);
    site.run(&["campaign", "step", &report]).exits(4).says(&["was refused"]);
    let issues = site.rig.issues();
    let made = issues.iter().filter(|issue| issue.body.contains("greenloop:v1 category_id"));
    assert!(made.clone().count() == 3 && made.clone().all(|issue| issue.state == "closed"));
    assert!(made.clone().all(|issue| !issue.labels.contains(&"greenloop:ready".to_owned())));
    site.rig.set_faults(Vec::new());
    site.run(&["campaign", "step", &report]).exits(1);
    let tickets = site.tickets();
    assert!(tickets.values().all(|ticket| ticket["state"] == "open"));
    assert_eq!(tickets["b"]["blocked_by"].as_array().unwrap().len(), 1);
}

#[test]
fn a_limit_is_kept_for_the_next_process() {
    let Some(site) = Site::started("a") else { return };
    let limit = Effect::SecondaryLimit { status: 403, retry_after: Some(3) };
    site.rig.set_faults(vec![Fault::on("POST", "/repos/*/*/issues", limit)]);
    let report = site.world.report("h1", "a1-");
    let impatient = ["campaign", "step", &report, "--limit-wait-s", "0"];
    site.run(&impatient).exits(4).says(&["asks to wait until"]);
    site.rig.forget_exchanges();
    site.run(&impatient).exits(4).says(&["asks to wait until"]);
    assert_eq!(site.rig.exchanges().len(), 0, "nothing is sent before the time");
    site.run(&["campaign", "step", &report]).exits(1);
    assert_eq!(site.tickets().len(), 1);
}
