//! The rules of tickets (loop.md §7): what opens, closes, stays, and waits.

use serde_json::{Value, json};

use crate::world::{World, category_map, id, notes_of, sha};

/// Plans from a report outside a campaign and applies it; the saved plan.
fn plan_and_apply(world: &World, report: &str, head: Option<&str>) -> Value {
    let (map, plan) = (world.input("map.map.json"), world.input("plan.json"));
    let mut arguments = vec!["plan", report, "--map", &map, "-o", &plan];
    let head = head.map(sha);
    arguments.extend(head.iter().flat_map(|head| ["--head", head]));
    world.run(&arguments).exits(0);
    world.run(&["apply", &plan]).exits(0);
    serde_json::from_slice(&std::fs::read(plan).unwrap()).unwrap()
}

fn operations(plan: &Value) -> Vec<(&str, &str)> {
    let mutations = plan["mutations"].as_array().unwrap().iter();
    mutations
        .map(|m| (m["op"].as_str().unwrap(), m["category_id"].as_str().unwrap().rsplit(':').next().unwrap()))
        .collect()
}

fn with_map(map: &str) -> World {
    let world = World::new();
    world.map("map", &category_map(map));
    world
}

/// The categories that a ticket waits for, by the numbers of their tickets.
fn waits_for(ticket: &Value) -> Vec<u64> {
    ticket["blocked_by"].as_array().unwrap().iter().map(|link| link["upstream"]["number"].as_u64().unwrap()).collect()
}

#[test]
fn absent_is_a_candidate_and_only_a_full_run_on_the_integrated_head_closes() {
    let world = with_map("a");
    plan_and_apply(&world, &world.report("h1", "a1- a2+"), None);
    // The report names a commit, but nobody says that it is the integrated head.
    let plan = plan_and_apply(&world, &world.report("h2", "a1+ a2+"), None);
    assert_eq!(operations(&plan), [("candidate-resolved", "a")]);
    let ticket = &world.tickets()["a"];
    assert_eq!((&ticket["state"], &ticket["candidate_resolved"]), (&json!("open"), &json!(true)));
    assert_eq!(world.ready(), [""; 0], "there is nothing to do on it");
    let nothing = plan_and_apply(&world, &world.report("h2", "a1+ a2+"), None);
    assert_eq!(operations(&nothing), []);
    // It fails again after all.
    let plan = plan_and_apply(&world, &world.report("h3", "a1- a2+"), None);
    assert_eq!(operations(&plan), [("record", "a"), ("publish", "a")]);
    assert_eq!(world.ready(), ["a"]);
    let plan = plan_and_apply(&world, &world.report("h4", "a1+ a2+"), Some("h4"));
    assert_eq!(operations(&plan), [("candidate-resolved", "a"), ("close", "a")]);
    let ticket = &world.tickets()["a"];
    assert_eq!((&ticket["state"], &ticket["state_reason"]), (&json!("closed"), &json!("completed")));
    let closure = &ticket["closure"];
    assert_eq!(closure["proven_head"], *sha("h4"));
    assert_eq!((&closure["slice"], &closure["manner"]), (&json!(["a1", "a2"]), &json!("direct")));
}

#[test]
fn absence_of_evidence_closes_nothing() {
    for (cases, why) in [
        ("a2+", "a1 is not in the report"),
        ("a9+ a2+", "a1 is not in the report"),
        ("a1+* a2+", "a1 is not required any more"),
        ("a1-* a2+", "a1 is not required any more"),
        ("a1.* a2+", "a1 is not required any more"),
        ("a1? a2+", "a1 is BLOCKED"),
        ("a1^ a2+", "a1 is flaky"),
    ] {
        let world = with_map("a");
        plan_and_apply(&world, &world.report("h1", "a1- a2+"), Some("h1"));
        let before = world.tickets();
        let plan = plan_and_apply(&world, &world.report("h2", cases), Some("h2"));
        assert_eq!(operations(&plan), [], "{cases}");
        let [(kind, category, text)] = &notes_of(&plan)[..] else { panic!("{plan}") };
        assert_eq!((kind.as_str(), category.as_str()), ("absence-of-evidence", "a"));
        assert!(text.contains(why), "{cases}: {text}");
        assert_eq!(world.tickets(), before);
    }
}

/// Every case that ever failed under the ticket has to pass, not only those of the last report.
#[test]
fn all_that_failed_since_the_last_closing_has_to_be_proven() {
    let world = World::started("a b", &[]);
    world.step("h1", "a1- a2+ b1-").exits(1);
    world.step("h2", "a1? a2- b1-=x").exits(1);
    world.step("h3", "a1? a2+ b1-=y").exits(1);
    assert_eq!(world.tickets()["a"]["state"], "open");
    world.step("h4", "a1+ a2+ b1-=z").exits(1);
    let ticket = &world.tickets()["a"];
    assert_eq!((&ticket["state"], &ticket["closure"]["slice"]), (&json!("closed"), &json!(["a1", "a2"])));
    world.verifies();
}

#[test]
fn a_failure_that_comes_back_reopens_its_ticket() {
    let world = World::started("a b", &[]);
    world.step("h1", "a1- b1-").exits(1);
    let first = world.tickets()["a"].clone();
    world.step("h2", "a1+ b1-=x").exits(1);
    assert_eq!(world.tickets()["a"]["state"], "closed");
    world.step("h3", "a1-=again b1-=y").exits(1);
    let ticket = &world.tickets()["a"];
    assert_eq!((&ticket["ref"], &ticket["state"], &ticket["reopened"]), (&first["ref"], &json!("open"), &json!(1)));
    assert_eq!(ticket["receipts"].as_array().unwrap().len(), 3, "failed, passed, failed");
    assert!(world.ready().contains(&"a".to_owned()));
    let closure = |name: &str| {
        let status = world.status();
        let found = status["categories"].as_array().unwrap().iter().find(|c| c["category_id"] == id(name)).cloned();
        found.unwrap()["state"].clone()
    };
    assert_eq!((closure("a"), closure("b")), (json!("ROUTABLE"), json!("ROUTABLE")));
    world.verifies();
}

#[test]
fn evidence_from_before_the_fix_reopens_nothing() {
    let world = World::started("a b", &[]);
    world.step("h1", "a1- b1-").exits(1);
    world.step("h2", "a1+ b1-=x").exits(1);
    let before = world.tickets()["a"].clone();
    // An old head again, with another failure, so that only the plan can tell: the verdict comes after it.
    world.step_with_tree("h1", "other", "a1-=y b1-=y").exits(1);
    assert_eq!(world.tickets()["a"], before);
    let notes = world.notes(3);
    assert!(notes.iter().any(|(kind, name, _)| kind == "predates-fix" && name == "a"), "{notes:?}");
}

/// It was proven gone on this very commit, so this is no recurrence: the commit gives both.
#[test]
fn a_failure_on_the_commit_of_the_proof_reopens_nothing() {
    let world = World::started("a b", &[]);
    world.step("h1", "a1- b1-").exits(1);
    world.step("h2", "a1+ b1-=x").exits(1);
    let before = world.tickets()["a"].clone();
    world.step("h2", "a1- b1-=x").exits(14);
    assert_eq!(world.tickets()["a"], before);
    let notes = world.notes(3);
    assert!(notes.iter().any(|(kind, name, _)| kind == "same-head" && name == "a"), "{notes:?}");
}

#[test]
fn a_dependent_waits_while_an_older_upstream_ticket_is_live() {
    let world = World::started("a b<a c<b", &[]);
    world.step("h1", "a1- b1+ c1+").exits(1);
    let upstream = world.tickets()["a"]["ref"]["number"].as_u64().unwrap();
    world.step("h2", "a1-=x b1- c1+").exits(1);
    assert_eq!(waits_for(&world.tickets()["b"]), [upstream]);
    assert_eq!(world.ready(), ["a"]);
    // Still waiting when the upstream case is only blocked: its ticket is live.
    world.step("h3", "a1? b1-=y c1-").exits(13);
    assert_eq!(world.ready(), ["a"]);
    assert_eq!(world.status()["blocker"]["categories"], json!([id("a"), id("b"), id("c")]));
}

#[test]
fn closing_the_upstream_ticket_frees_the_dependent_in_the_same_step() {
    let world = World::started("a b<a c<b", &[]);
    world.step("h1", "a1- b1- c1-").exits(1);
    assert_eq!(world.ready(), ["a"]);
    world.step("h2", "a1+ b1- c1+").exits(1);
    assert_eq!(world.ready(), ["b"]);
    let tickets = world.tickets();
    assert_eq!(tickets["c"]["state"], "closed");
    let manner = tickets["c"]["closure"]["manner"].as_str().unwrap();
    assert!(manner.starts_with("indirect: it was blocked by #2"), "{manner}");
}

/// Starts a new generation with `map`, in which some categories are retired.
fn retire(world: &World, map: &str, retired: &Value) {
    let mut map = category_map(map);
    map["retired"] = retired.clone();
    let version = world.status()["generation"].as_u64().unwrap() + 1;
    map["map_version"] = json!(version.to_string());
    let map = world.map("next", &map);
    world.run(&["campaign", "start", "--id", "c", "--map", &map, "--new-generation"]).exits(0);
}

#[test]
fn retired_categories() {
    let world = World::started("a b c d<a", &[]);
    world.step("h1", "a1- b1- c1- d1-").exits(1);
    let old = world.tickets();
    assert_eq!(waits_for(&old["d"]), [old["a"]["ref"]["number"].as_u64().unwrap()]);
    let retirements = json!({
        id("a"): { "kind": "split", "into": [id("x"), id("y")], "reason": "two causes" },
        id("b"): { "kind": "merged", "into": [id("d")], "reason": "one cause" },
        id("c"): { "kind": "removed", "into": [], "reason": "no such thing" },
    });
    retire(&world, "d<x x y", &retirements);
    world.step("h2", "x1- y1+ d1-").exits(1);
    let tickets = world.tickets();
    let closed = |name: &str| (tickets[name]["state"].as_str().unwrap(), tickets[name]["state_reason"].as_str());
    assert_eq!(closed("a"), ("closed", Some("not_planned")));
    assert_eq!(closed("b"), ("closed", Some("duplicate")));
    assert_eq!(closed("c"), ("closed", Some("not_planned")));
    assert!(["a", "b", "c"].iter().all(|name| tickets[*name]["closure"].is_null()), "nothing was proven");
    // Which tickets follow is part of the history.
    let history = |name: &str| {
        let shown = world.run(&["ticket", "show", &id(name), "--format", "json"]).exits(0).json();
        shown["history"].as_array().unwrap().last().unwrap()["detail"].clone()
    };
    assert_eq!(history("a")["successors"], json!([tickets["x"]["ref"]]), "y does not fail and has no ticket");
    assert_eq!(history("b")["survivor"], tickets["d"]["ref"]);
    // The dependent waits for the successor now.
    assert_eq!(world.ready(), ["x"]);
    assert!(waits_for(&tickets["d"]).contains(&tickets["x"]["ref"]["number"].as_u64().unwrap()));
    world.step("h3", "x1+ y1+ d1+").exits(0);
    world.verifies();
}

#[test]
fn an_edge_that_the_map_no_longer_wants_is_unwired() {
    let world = World::started("a b<a", &[]);
    world.step("h1", "a1- b1-").exits(1);
    assert_eq!(world.ready(), ["a"]);
    retire(&world, "a b", &json!({}));
    world.step("h2", "a1- b1-").exits(1);
    assert_eq!(waits_for(&world.tickets()["b"]), [0; 0]);
    assert_eq!(world.ready(), ["a", "b"]);
    let plan = std::fs::read(world.campaign_dir().join("iter-002/plan.json")).unwrap();
    assert!(operations(&serde_json::from_slice(&plan).unwrap()).contains(&("unlink", "b")));
    // Unwired by the program, not by a person: a map that wants it again gets it again.
    retire(&world, "a b<a", &json!({}));
    world.step("h3", "a1- b1-").exits(1);
    assert_eq!(world.ready(), ["a"]);
    world.verifies();
}
