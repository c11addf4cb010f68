//! What a campaign refuses, and what its generations keep.

use serde_json::{Value, json};

use crate::world::{FIXTURE, World, category_map, sha};

/// A change of a report.
type Change = fn(&mut Value);

/// The command is refused, says why, and changes nothing on the disk.
#[track_caller]
fn refused(world: &World, arguments: &[&str], status: i32, says: &[&str]) {
    let before = world.listing();
    world.run(arguments).exits(status).says(says);
    assert_eq!(world.listing(), before, "something was changed");
}

#[test]
fn reports_that_are_no_complete_run_are_refused() {
    let world = World::started("a b", &[]);
    world.step("h1", "a1- a2+ b1-").exits(1);
    let changes: [(&str, Change, &str); 10] = [
        ("a1+ a2+ b1.", |_| {}, "1 required case(s) are NOT_TESTED"),
        ("a1+ a2+ b1+", |r| r["focused_cases"] = json!(["a1"]), "focused on 1 case(s)"),
        ("a1+ a2+ b1+", |r| r["claims_coverage"] = json!("partial: a"), "claims_coverage is \"partial: a\""),
        ("a1+ a2+ b1+", |r| r["case_count"] = json!(4), "case_count says 4, but there are 3"),
        ("a1+ a2+ b1+", |r| r["required_case_count"] = json!(2), "required_case_count says 2"),
        ("a1+ a2+ b1-", |r| r["outcome_counts"]["PASS"] = json!(3), "outcome_counts.PASS says 3, but there are 2"),
        ("a1+ a2+ b1+", |r| r["trial_count"] = json!(7), "trial_count says 7, but there are 6"),
        ("", |_| {}, "it has no cases"),
        ("a1+ a2+ x1-", |_| {}, "1 failing case(s) are unclassified"),
        ("a1+ a2+ b1+", |r| r["cases"][1]["name"] = json!("a1"), "a1"),
    ];
    for (cases, change, says) in changes {
        let report = world.report_with("h2", cases, change);
        refused(&world, &["campaign", "step", &report], 3, &[says]);
    }
    let cut = world.report("h2", "a1+ a2+ b1+");
    let bytes = std::fs::read(&cut).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    refused(&world, &["campaign", "step", &cut], 3, &["the report cannot be used"]);
    refused(&world, &["campaign", "step", &world.input("none.json")], 3, &["none.json"]);
    // After all this the campaign is what it was.
    world.step("h2", "a1+ a2+ b1+").exits(0);
    world.verifies();
}

#[test]
fn a_report_stands_for_the_head_it_ran_on() {
    let world = World::started("a", &[]);
    let report = world.report("h1", "a1-");
    refused(&world, &["campaign", "step", &report, "--head", &sha("h2")], 3, &[&sha("h1"), &sha("h2")]);
    let nowhere = world.report_with("h1", "a1-", |r| r["repo"]["sha"] = Value::Null);
    refused(&world, &["campaign", "step", &nowhere], 2, &["does not say which commit", "--head"]);
    world.run(&["campaign", "step", &nowhere, "--head", &sha("h1")]).exits(1);
    assert_eq!(world.status()["history"][0]["head"], *sha("h1"));
}

/// An old file given by mistake must not look like a tree that came back.
#[test]
fn the_report_of_an_earlier_iteration_is_no_new_run() {
    let world = World::started("a b", &[]);
    let first = world.report("h1", "a1- b1-");
    world.run(&["campaign", "step", &first]).exits(1);
    world.step("h2", "a1+ b1-=x").exits(1);
    refused(&world, &["campaign", "step", &first], 3, &["that of iteration 1"]);
    // A new run on that head is one: there the tree did come back.
    world.step("h1", "a1- b1-").exits(10);
    assert_eq!(world.status()["blocker"]["kind"], "PATCHES_CANCEL");
}

#[test]
fn another_map_or_fixture_is_a_new_generation() {
    let world = World::started("a b", &[]);
    world.step("h1", "a1- b1-").exits(1);
    let mut other = category_map("a b<a");
    let same_version = world.map("same", &other);
    let again = ["campaign", "start", "--id", "c", "--map", same_version.as_str(), "--new-generation"];
    refused(&world, &again, 3, &["map_version is still 1"]);
    other["map_version"] = json!("2");
    let other_map = world.map("other", &other);
    let start = ["campaign", "start", "--id", "c", "--map", other_map.as_str()];
    refused(&world, &start, 2, &["another map", "--new-generation"]);
    let moved = world.report_with("h3", "a1+ b1-", |r| r["fixture_sha256"] = json!(FIXTURE.replace('1', "2")));
    refused(&world, &["campaign", "step", &moved], 3, &["the campaign froze sha256:1111", "--new-generation"]);
    let none = world.report_with("h2", "a1+ b1-", |r| r["fixture_sha256"] = Value::Null);
    refused(&world, &["campaign", "step", &none], 3, &["--new-generation"]);
    // The map's file may go: the frozen one is used.
    std::fs::remove_file(world.input("map.map.json")).unwrap();
    world.step("h2", "a1- b1+").exits(1);
    world.run(&[start.as_slice(), &["--new-generation"]].concat()).exits(0);
    world.run(&["campaign", "step", &moved]).exits(1);
    let status = world.status();
    assert_eq!((&status["generation"], &status["iteration"]), (&json!(2), &json!(3)), "numbers go on");
    assert!(world.campaign_dir().join("iter-003/category-dag.svg").is_file());
    world.verifies();
}

#[test]
fn a_fixture_stated_at_the_start_holds_from_the_first_report() {
    let world = World::new();
    let fixture = world.input("eval.json");
    std::fs::write(&fixture, b"{}").unwrap();
    world.start("a", &["--fixture", &fixture]);
    let report = world.report("h1", "a1-");
    refused(&world, &["campaign", "step", &report], 3, &["the report ran the fixture sha256:1111"]);
    // SHA-256 of `{}`.
    let digest = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    let report = world.report_with("h1", "a1-", |r| r["fixture_sha256"] = json!(digest));
    world.run(&["campaign", "step", &report]).exits(1);
}

#[test]
fn after_the_end_nothing_is_recorded() {
    for (last, status, of_another) in [("a1+ b1+", 0, 3), ("a1- b1-", 10, 10)] {
        let world = World::started("a b", &[]);
        world.step("h1", "a1- b1-").exits(1);
        let report = world.report("h2", last);
        world.run(&["campaign", "step", &report]).exits(status);
        let other = world.report("h3", "a1- b1+");
        refused(&world, &["campaign", "step", &other], of_another, &["come to its end", "--new-generation"]);
        // The last report again says the same again.
        let before = world.listing();
        world.run(&["campaign", "step", &report]).exits(status);
        assert_eq!(world.listing(), before);
        let map = world.input("map.map.json");
        world.run(&["campaign", "start", "--id", "c", "--map", &map, "--new-generation"]).exits(0);
        // The same report is a report of the new generation, too.
        world.run(&["campaign", "step", &report]).exits(i32::from(status != 0));
        assert_eq!(world.status()["iteration"], 3);
        world.verifies();
    }
}

#[test]
fn a_step_over_a_limit_is_refused_and_can_be_let_through() {
    let world = World::started("a b c", &["--create-cap", "2"]);
    let report = world.report("h1", "a1- b1- c1-");
    refused(&world, &["campaign", "step", &report], 4, &["creates 3 tickets", "--create-cap"]);
    let narrow = ["campaign", "step", &report, "--create-cap", "3", "--circuit-breaker", "2"];
    refused(&world, &narrow, 4, &["--circuit-breaker"]);
    world.run(&["campaign", "step", &report, "--create-cap", "3"]).exits(1);
    assert_eq!(world.tickets().len(), 3);
}

#[test]
fn a_saved_plan_of_another_iteration_or_generation_is_stale() {
    let world = World::started("a b", &[]);
    world.step("h1", "a1- b1+").exits(1);
    let map = world.input("map.map.json");
    let (report, plan) = (world.report("h2", "a1- b1-"), world.input("plan.json"));
    world.run(&["plan", &report, "--map", &map, "-o", &plan, "--campaign", "c"]).exits(0);
    world.step("h2", "a1- b1+=x").exits(10);
    refused(&world, &["apply", &plan], 4, &["stale plan: the iteration moved"]);
    world.run(&["campaign", "start", "--id", "c", "--map", &map, "--new-generation"]).exits(0);
    refused(&world, &["apply", &plan], 4, &["stale plan: the campaign generation moved"]);
    // A plan with another map than the campaign's.
    let other = world.map("other", &category_map("a b<a"));
    world.run(&["plan", &report, "--map", &other, "-o", &plan, "--campaign", "c"]).exits(0);
    refused(&world, &["apply", &plan], 4, &["stale plan: the category map moved"]);
}
