//! What a person did to a ticket stays, and is said.

use serde_json::{Value, json};

use crate::world::{World, category_map};

fn started() -> World {
    let world = World::started("a b<a c", &["--no-progress", "9"]);
    world.step("h1", "a1- b1- c1-").exits(1);
    world
}

fn note(world: &World, iteration: u32, category: &str) -> String {
    let notes = world.notes(iteration);
    let found = notes.iter().find(|(kind, name, _)| kind == "person-wins" && name == category);
    found.unwrap_or_else(|| panic!("{notes:?}")).2.clone()
}

fn labels(ticket: &Value) -> Vec<&str> {
    ticket["labels"].as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect()
}

#[test]
fn a_title_and_labels_stay() {
    let world = started();
    world.sql(
        "UPDATE ticket SET title = 'Mine' WHERE number = 1;
         INSERT INTO label VALUES (1, 'urgent'); DELETE FROM label WHERE ticket = 1 AND label = 'eval-cat-a';",
    );
    world.step("h2", "a1-=other b1- c1-").exits(1);
    let text = note(&world, 2, "a");
    assert!(text.contains("title, labels"), "{text}");
    let tickets = world.tickets();
    assert_eq!(tickets["a"]["title"], "Mine");
    assert_eq!(labels(&tickets["a"]), ["greenloop:ready", "urgent"]);
    assert_eq!(tickets["a"]["receipts"].as_array().unwrap().len(), 2, "evidence is recorded all the same");
    // It is the same ticket by its category, whatever it is called.
    world.step("h3", "a1+ b1- c1-").exits(1);
    let ticket = &world.tickets()["a"];
    assert_eq!((&ticket["state"], &ticket["title"]), (&json!("closed"), &json!("Mine")));
    world.step("h4", "a1-=back b1- c1-").exits(1);
    assert_eq!(labels(&world.tickets()["a"]), ["greenloop:ready", "urgent"]);
}

#[test]
fn a_ticket_without_its_routing_label_is_held_by_the_person() {
    let world = started();
    world.sql("DELETE FROM label WHERE label = 'greenloop:ready' AND ticket = 3");
    world.step("h2", "a1- b1- c1-=other").exits(1);
    assert!(note(&world, 2, "c").contains("labels"));
    assert_eq!(labels(&world.tickets()["c"]), ["eval-cat-c"]);
    assert_eq!(world.ready(), ["a"]);
    // If it is all that is left, nothing can be dispatched.
    world.step("h3", "a1+ b1+ c1-").exits(13);
    assert_eq!(world.status()["blocker"]["kind"], "STARVED");
}

#[test]
fn a_ticket_closed_by_hand_as_completed_is_opened_again() {
    let world = started();
    world.sql("UPDATE ticket SET state = 'closed', state_reason = 'completed' WHERE number = 1");
    assert_eq!(world.ready(), ["b", "c"]);
    world.step("h2", "a1- b1- c1-=other").exits(1);
    let ticket = &world.tickets()["a"];
    assert_eq!((&ticket["state"], &ticket["reopened"]), (&json!("open"), &json!(1)));
    assert_eq!(world.ready(), ["a", "c"]);
    world.verifies();
}

#[test]
fn a_ticket_closed_by_hand_as_not_planned_stays_closed() {
    let world = started();
    world.sql("UPDATE ticket SET state = 'closed', state_reason = 'not_planned' WHERE number = 1");
    world.step("h2", "a1- b1- c1-=other").exits(1);
    assert!(note(&world, 2, "a").contains("not planned"));
    let ticket = &world.tickets()["a"];
    assert_eq!((&ticket["state"], &ticket["reopened"]), (&json!("closed"), &json!(0)));
    // The person opens it again: work goes on.
    world.sql("UPDATE ticket SET state = 'open', state_reason = NULL WHERE number = 1");
    world.step("h3", "a1- b1- c1-=third").exits(1);
    assert!(world.ready().contains(&"a".to_owned()));
    world.verifies();
}

/// A ticket closed by hand although its cases pass is left alone, and green is green.
#[test]
fn a_ticket_closed_by_hand_whose_cases_pass_needs_nothing() {
    let world = World::started("a", &[]);
    world.step("h1", "a1- a2+").exits(1);
    world.sql("UPDATE ticket SET state = 'closed', state_reason = 'completed'");
    world.step("h2", "a1+ a2+").exits(0);
    assert_eq!(world.tickets()["a"]["reopened"], 0);
}

#[test]
fn a_dependency_that_a_person_took_away_is_not_wired_again() {
    let world = started();
    world.sql("DELETE FROM link WHERE ticket = 2 AND upstream = 1");
    world.step("h2", "a1- b1-=other c1-").exits(1);
    assert!(note(&world, 2, "b").contains("dependenc"));
    assert_eq!(world.tickets()["b"]["blocked_by"], json!([]));
    world.verifies();
}

#[test]
fn a_dependency_that_a_person_added_holds_and_is_kept() {
    let world = started();
    world.sql("INSERT INTO link (ticket, upstream) VALUES (3, 1)");
    world.step("h2", "a1- b1- c1-=other").exits(1);
    assert_eq!(world.ready(), ["a"]);
    let link = &world.tickets()["c"]["blocked_by"][0];
    assert_eq!((&link["upstream"]["number"], &link["ours"]), (&json!(1), &json!(false)));
    world.verifies();
}

/// The map wants an edge that the person's own edge turns into a circle: the person wins, and the step says so.
#[test]
fn an_edge_that_would_close_a_circle_with_a_persons_is_not_wired() {
    let world = started();
    world.sql("INSERT INTO link (ticket, upstream) VALUES (1, 3)");
    let mut map = category_map("a b<a c<a d");
    map["map_version"] = json!("2");
    let map = world.map("map2", &map);
    world.run(&["campaign", "start", "--id", "c", "--map", &map, "--new-generation"]).exits(0);
    world.step("h2", "a1- b1- c1- d1-").exits(1);
    assert!(note(&world, 2, "c").contains("a person added"));
    assert_eq!(world.tickets()["c"]["blocked_by"], json!([]));
    world.verifies();
    // Once the person has decided otherwise, the next step wires it.
    world.sql("DELETE FROM link WHERE ticket = 1 AND upstream = 3");
    world.step("h3", "a1- b1- c1-").exits(1);
    assert_eq!(world.tickets()["c"]["blocked_by"][0]["upstream"]["number"], 1);
    world.verifies();
}

/// The map turned a dependency around: the old one is unwired before the new one is wired.
#[test]
fn a_dependency_that_the_map_turned_around_is_wired_anew() {
    let world = World::started("a b<a", &[]);
    world.step("h1", "a1- b1-").exits(1);
    let mut map = category_map("a<b b");
    map["map_version"] = json!("2");
    let map = world.map("map2", &map);
    world.run(&["campaign", "start", "--id", "c", "--map", &map, "--new-generation"]).exits(0);
    world.step("h2", "a1- b1-=other").exits(1);
    let tickets = world.tickets();
    assert_eq!(tickets["b"]["blocked_by"], json!([]));
    assert_eq!(tickets["a"]["blocked_by"][0]["upstream"], tickets["b"]["ref"]);
    assert_eq!(world.ready(), ["b"]);
    world.verifies();
}

/// A step that the tracker refuses is undone as a whole, each time it is tried, and never stays refused only because
/// it was refused before.
#[test]
fn a_step_that_the_tracker_refuses_is_undone_and_planned_anew() {
    let mut map = category_map("a b");
    map["categories"]["b"]["label"] = json!("greenloop:ready");
    let world = World::new();
    let map = world.map("map", &map);
    world.run(&["campaign", "start", "--id", "c", "--map", &map]).exits(0);
    world.step("h1", "a1- b1+").exits(1);
    let before = world.tickets();
    let report = world.report("h2", "a1-=other b1-");
    let step = ["campaign", "step", &report];
    for _ in 0..2 {
        world.run(&step).exits(4).says(&["(create) was refused", "must not carry the label", "was undone"]);
        assert_eq!(world.tickets(), before, "nothing stays");
        world.verifies();
    }
    world.sql("UPDATE ticket SET title = 'Mine'");
    world.run(&step).exits(4).says(&["(create) was refused", "must not carry the label"]);
    assert_eq!(world.tickets()["a"]["receipts"], before["a"]["receipts"]);
    assert_eq!(world.status()["state"], "interrupted");
    world.verifies();
}
