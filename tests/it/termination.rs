//! Every rule of termination that reports alone can show, through the real program: exit status and status document.

#![cfg(test)]

use serde_json::{Value, json};

use crate::world::{World, id, sha};

/// The blocker of the status document has this kind and these commits, and everything else that belongs to one.
#[track_caller]
fn stopped(world: &World, kind: &str, categories: &[&str], heads: &[&str]) -> Value {
    let status = world.status();
    let blocker = &status["blocker"];
    assert_eq!(status["state"], "stopped");
    assert_eq!(blocker["kind"], kind, "{blocker}");
    let ids: Vec<String> = categories.iter().map(|name| id(name)).collect();
    assert_eq!(blocker["categories"], json!(ids));
    let commits: Vec<String> = heads.iter().map(|head| sha(head)).collect();
    assert_eq!(blocker["commits"], json!(commits));
    // Fingerprints and receipts are those of the iterations that ran on these heads, in the same order.
    let history = status["history"].as_array().unwrap();
    let fingerprints = blocker["fingerprints"].as_array().unwrap();
    assert_eq!(fingerprints.len(), heads.len());
    for (commit, fingerprint) in commits.iter().zip(fingerprints) {
        assert!(
            history.iter().any(|seen| seen["head"] == **commit && seen["semantic_fingerprint"] == *fingerprint),
            "{status}"
        );
    }
    assert_eq!(blocker["receipts"].as_array().unwrap().len(), heads.len());
    let tickets = world.tickets();
    let wanted: Vec<&Value> = categories.iter().filter_map(|name| tickets.get(*name)).map(|t| &t["ref"]).collect();
    assert_eq!(blocker["tickets"], json!(wanted));
    world.verifies();
    blocker.clone()
}

#[test]
fn green() {
    let world = World::started("a b<a", &[]);
    world.step("h1", "a1- b1- b2+").exits(1);
    world.step("h2", "a1+ b1- b2+").exits(1);
    let done = world.step("h3", "a1+ b1+ b2+").exits(0);
    assert!(done.stdout.contains("GREEN"), "{}", done.stdout);
    let status = world.status();
    assert_eq!((&status["state"], &status["blocker"]), (&json!("green"), &Value::Null));
    assert_eq!(status["iteration"], 3);
    for category in status["categories"].as_array().unwrap() {
        assert_eq!((&category["state"], &category["failing"]), (&json!("CLOSED"), &json!(0)));
    }
    assert!(world.tickets().values().all(|ticket| ticket["state"] == "closed"));
    world.verifies();
}

#[test]
fn repeat() {
    let world = World::started("a b<a", &[]);
    world.step("h1", "a1- b1- c1+").exits(1);
    let done = world.step("h2", "a1- b1- c1+").exits(10);
    assert!(done.stdout.contains("REPEAT"), "{}", done.stdout);
    let blocker = stopped(&world, "REPEAT", &["a", "b"], &["h1", "h2"]);
    assert_eq!(blocker["fingerprints"][0], blocker["fingerprints"][1]);
    // Other messages of the same case are another state: a fix that changes the failure is not a repetition.
    let world = World::started("a", &[]);
    world.step("h1", "a1-").exits(1);
    world.step("h2", "a1-=other").exits(1);
}

#[test]
fn oscillation_with_periods_two_three_and_five() {
    let states = ["a1- b1+ c1+", "a1+ b1- c1+", "a1+ b1+ c1-", "a1- b1- c1+", "a1+ b1- c1-"];
    for period in [2, 3, 5] {
        let world = World::started("a b c", &["--no-progress", "9", "--reopen-cap", "9"]);
        let heads: Vec<String> = (0..=period).map(|n| format!("h{n}")).collect();
        for (head, state) in heads.iter().zip(&states[..period]) {
            world.step(head, state).exits(1);
        }
        world.step(&heads[period], states[0]).exits(10);
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let blocker = stopped(&world, "OSCILLATION", &["a"], &heads);
        assert!(blocker["detail"].as_str().unwrap().contains(&format!("period {period}")), "{blocker}");
        assert_eq!(blocker["fingerprints"][0], blocker["fingerprints"][period]);
    }
}

#[test]
fn patches_cancel() {
    let world = World::started("a b", &[]);
    world.step_with_tree("h1", "t1", "a1- b1+").exits(1);
    world.step_with_tree("h2", "t2", "a1+ b1-").exits(1);
    world.step_with_tree("h3", "t1", "a1- b1+").exits(10);
    stopped(&world, "PATCHES_CANCEL", &["a"], &["h1", "h2", "h3"]);
    // Without the trees, the same history is an oscillation.
    let world = World::started("a b", &[]);
    world.step("h1", "a1- b1+").exits(1);
    world.step("h2", "a1+ b1-").exits(1);
    world.step("h3", "a1- b1+").exits(10);
    stopped(&world, "OSCILLATION", &["a"], &["h1", "h2", "h3"]);
}

/// The cases `a1` to `a12`, of which the first `failing` fail, with a message of their own.
fn of_twelve(failing: usize, message: &str) -> String {
    let cases: Vec<String> =
        (1..=12).map(|n| if n <= failing { format!("a{n}-={message}") } else { format!("a{n}+") }).collect();
    cases.join(" ")
}

#[test]
fn no_progress() {
    let world = World::started("a", &[]);
    for (n, failing) in [10, 3, 5, 6].into_iter().enumerate() {
        world.step(&format!("h{n}"), &of_twelve(failing, "first")).exits(1);
    }
    world.step("h4", &of_twelve(6, "second")).exits(11);
    let blocker = stopped(&world, "NO_PROGRESS", &["a"], &["h1", "h2", "h3", "h4"]);
    assert!(blocker["detail"].as_str().unwrap().contains("still 3 failure(s)"), "{blocker}");
    // A new best starts the count again.
    let world = World::started("a", &[]);
    for (n, failing) in [10, 3, 5, 6, 2, 4, 5].into_iter().enumerate() {
        world.step(&format!("h{n}"), &of_twelve(failing, &format!("message{n}"))).exits(1);
    }
}

#[test]
fn budget() {
    let world = World::started("a", &["--max-iterations", "3"]);
    world.step("h1", &of_twelve(9, "x")).exits(1);
    world.step("h2", &of_twelve(8, "x")).exits(1);
    world.step("h3", &of_twelve(7, "x")).exits(12);
    stopped(&world, "BUDGET", &["a"], &["h3"]);
    // Green on the last one is green.
    let world = World::started("a", &["--max-iterations", "2"]);
    world.step("h1", "a1-").exits(1);
    world.step("h2", "a1+").exits(0);
}

#[test]
fn starved_by_an_upstream_ticket_that_nothing_can_close() {
    let world = World::started("a b<a", &[]);
    world.step("h1", "a1- b1-").exits(1);
    assert_eq!(world.ready(), ["a"]);
    // The upstream case is gone from the suite: its ticket stays, and the only failing category waits for it.
    world.step("h2", "b1-=still").exits(13);
    stopped(&world, "STARVED", &["a", "b"], &["h2"]);
    assert_eq!(world.tickets()["a"]["state"], "open");
    assert_eq!(world.ready(), ["a"], "the upstream ticket itself is still there for a person");
}

#[test]
fn starved_by_nothing_but_flaky_failures() {
    let world = World::started("a", &["--flaky-max-permille", "500"]);
    world.step("h1", "a1~ a2+ a3+").exits(13);
    stopped(&world, "STARVED", &["a"], &["h1"]);
    assert_eq!(world.ready(), [""; 0]);
    assert_eq!(world.notes(1)[0].0, "flaky");
}

#[test]
fn stalled() {
    let world = World::started("a b", &["--stalled", "2"]);
    world.step("h1", "a1- b1+").exits(1);
    world.step("h1", "a1- b1+").exits(1);
    world.step("h1", "a1- b1+").exits(13);
    stopped(&world, "STALLED", &["a"], &["h1", "h1"]);
}

#[test]
fn nondeterminism_of_one_tree() {
    let world = World::started("a b", &[]);
    world.step("h1", "a1- b1+").exits(1);
    world.step("h1", "a1+ b1-").exits(14);
    stopped(&world, "NONDETERMINISM", &["a", "b"], &["h1", "h1"]);
    assert_eq!(world.tickets()["a"]["state"], "open", "it passes on the commit on which it failed: nothing is proven");
    // Also when the heads differ and their trees do not.
    let world = World::started("a b", &[]);
    world.step_with_tree("h1", "t", "a1- b1+").exits(1);
    world.step_with_tree("h2", "t", "a1+ b1-").exits(14);
}

#[test]
fn nondeterminism_by_too_many_flaky_cases() {
    let world = World::started("a", &[]);
    world.step("h1", "a1- a2~ a3+ a4+").exits(14);
    let blocker = stopped(&world, "NONDETERMINISM", &["a"], &["h1"]);
    assert!(blocker["detail"].as_str().unwrap().contains("1 of 4 required cases are flaky"), "{blocker}");
}

/// Running the same tree again until it passes is no way to green.
#[test]
fn a_second_try_on_the_same_tree_is_not_green() {
    let world = World::started("a", &[]);
    world.step("h1", "a1- a2+").exits(1);
    world.step("h1", "a1+ a2+").exits(14);
    stopped(&world, "NONDETERMINISM", &["a"], &["h1", "h1"]);
    assert_eq!(world.tickets()["a"]["state"], "open");
}

/// Nor is taking the failing case away. (A suite with a digest of its fixture cannot even be changed unnoticed.)
#[test]
fn a_failure_that_is_only_no_longer_looked_for_is_not_green() {
    let no_fixture = |report: &mut Value| report["fixture_sha256"] = Value::Null;
    for cases in ["a2+", "a1-* a2+", "a1+* a2+", "a1.* a2+"] {
        let world = World::started("a", &[]);
        let first = world.report_with("h1", "a1- a2+", no_fixture);
        world.run(&["campaign", "step", &first]).exits(1);
        let second = world.report_with("h2", cases, no_fixture);
        world.run(&["campaign", "step", &second]).exits(13);
        let blocker = stopped(&world, "STARVED", &["a"], &["h2"]);
        assert!(blocker["detail"].as_str().unwrap().contains("cannot be proven gone"), "{blocker}");
        assert_eq!(world.tickets()["a"]["state"], "open");
        // A person may decide that it is not needed any more; then nothing is left.
        world.sql("UPDATE ticket SET state = 'closed', state_reason = 'not_planned'");
        let map = world.input("map.map.json");
        world.run(&["campaign", "start", "--id", "c", "--new-generation", "--map", &map]).exits(0);
        let third = world.report_with("h3", cases, no_fixture);
        world.run(&["campaign", "step", &third]).exits(0);
    }
}

#[test]
fn reopen_cap() {
    let world = World::started("a b", &["--reopen-cap", "1", "--no-progress", "9"]);
    world.step("h1", "a1-=one b1-=one").exits(1);
    world.step("h2", "a1+ b1-=two").exits(1);
    world.step("h3", "a1-=three b1-=three").exits(1);
    assert_eq!(world.tickets()["a"]["reopened"], 1);
    world.step("h4", "a1+ b1-=four").exits(1);
    world.step("h5", "a1-=five b1-=five").exits(15);
    stopped(&world, "REOPEN_CAP", &["a"], &["h5"]);
    let ticket = &world.tickets()["a"];
    assert_eq!((&ticket["state"], &ticket["reopened"]), (&json!("closed"), &json!(1)));
    assert_eq!(world.status()["categories"][0]["reopened"], 1);
}

#[test]
fn blocked_from_outside() {
    let world = World::started("a b", &[]);
    world.step("h1", "a1- b1?").exits(1);
    world.step("h2", "a1+ b1?").exits(17);
    stopped(&world, "BLOCKED_EXTERNAL", &[], &["h2"]);
    assert_eq!(world.tickets()["a"]["state"], "closed");
}

#[test]
fn a_report_in_which_everything_is_blocked_changes_nothing() {
    let world = World::started("a", &[]);
    world.step("h1", "a1- a2+").exits(1);
    let before = world.listing();
    world.step("h2", "a1? a2?").exits(17).says(&["all 2 required case(s) are BLOCKED", "nothing was changed"]);
    assert_eq!(world.listing(), before);
    world.step("h2", "a1+ a2+").exits(0);
}
