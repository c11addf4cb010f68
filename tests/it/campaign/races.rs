//! Several processes at once.

use std::process::Stdio;

use serde_json::Value;

use crate::world::{Done, World, category_map};

/// Runs all commands at once; what each said.
fn at_once(world: &World, commands: &[Vec<&str>]) -> Vec<Done> {
    let spawn =
        |arguments: &Vec<&str>| world.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let children: Vec<_> = commands.iter().map(spawn).collect();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    children
        .into_iter()
        .map(|child| child.wait_with_output().unwrap())
        .map(|output| Done { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) })
        .collect()
}

fn planned(world: &World, name: &str, cases: &str, campaign: &str) -> String {
    let map = world.map("map", &category_map("a b<a c<b"));
    let (report, plan) = (world.report("h1", cases), world.input(name));
    world.run(&["plan", &report, "--map", &map, "-o", &plan, "--campaign", campaign]).exits(0);
    plan
}

#[test]
fn eight_processes_apply_one_plan() {
    let world = World::new();
    let plan = planned(&world, "plan.json", "a1- b1- c1-", "default");
    let undisturbed = world.copy();
    undisturbed.run(&["apply", &plan]).exits(0);
    let all = at_once(&world, &vec![vec!["apply", &plan, "--format", "json"]; 8]);
    let receipts: Vec<Value> = all.into_iter().map(|done| done.exits(0).json()).collect();
    assert!(receipts.iter().all(|receipt| *receipt == receipts[0]));
    assert_eq!(world.end_state(), undisturbed.end_state());
    world.run(&["ledger", "verify"]).exits(0);
}

/// In one journal, and in two: there only the tracker itself can tell that the second plan is stale.
#[test]
fn two_plans_from_one_moment() {
    for second_campaign in ["default", "other"] {
        let world = World::new();
        let one = planned(&world, "one.json", "a1- b1- c1+", "default");
        let two = planned(&world, "two.json", "a1- b1+ c1-", second_campaign);
        let mut all = at_once(&world, &[vec!["apply", &one], vec!["apply", &two]]);
        all.sort_by_key(|done| done.status);
        let stale = all.pop().unwrap();
        all.pop().unwrap().exits(0);
        stale.exits(4).says(&["stale plan", "nothing was changed"]);
        assert_eq!(world.tickets().len(), 2, "one plan as a whole");
    }
}

#[test]
fn four_processes_make_one_step() {
    let world = World::started("a b<a", &[]);
    let undisturbed = world.copy();
    let report = world.report("h1", "a1- b1-");
    undisturbed.run(&["campaign", "step", &report]).exits(1);
    for done in at_once(&world, &vec![vec!["campaign", "step", &report]; 4]) {
        assert!(done.stdout.contains("iteration 1"), "{done:?}");
        done.exits(1);
    }
    assert_eq!(world.status(), undisturbed.status());
    assert_eq!(world.end_state(), undisturbed.end_state());
    world.verifies();
}

#[test]
fn four_processes_with_four_reports_make_four_steps() {
    let world = World::started("a b c d", &[]);
    let reports: Vec<String> =
        (1..=4).map(|n| world.report(&format!("h{n}"), &format!("a1-=state{n} b1- c1+ d1+"))).collect();
    let commands: Vec<Vec<&str>> = reports.iter().map(|report| vec!["campaign", "step", report.as_str()]).collect();
    for done in at_once(&world, &commands) {
        // The fourth one without a new best ends it, whichever that is.
        assert!(matches!(done.status, Some(1 | 11)), "{done:?}");
    }
    assert_eq!(world.status()["iteration"], 4);
    assert_eq!(world.tickets().len(), 2);
    world.verifies();
}

/// `apply` of a plan that belongs to no campaign keeps a journal; that is no second campaign to choose from.
#[test]
fn the_journal_of_a_plan_is_no_campaign() {
    let world = World::new();
    let plan = planned(&world, "plan.json", "a1- b1- c1-", "default");
    world.run(&["apply", &plan]).exits(0);
    world.run(&["apply", &plan]).exits(0).says(&["applied before"]);
    let map = world.map("map", &category_map("a b<a c<b"));
    world.run(&["campaign", "start", "--map", &map, "--id", "mine"]).exits(0);
    let status = world.run(&["campaign", "status"]).exits(0);
    assert!(status.stdout.contains("mine"), "{status:?}");
    world.run(&["ledger", "verify"]).exits(0);
    let report = world.report("h1", "a1- b1- c1-");
    world.run(&["campaign", "step", &report, "--head", "main"]).exits(2).says(&["hexadecimal"]);
    world.run(&["campaign", "step", &report]).exits(1);
}
