//! Damage: found, named, and never made worse.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::world::World;

fn two_steps() -> World {
    let world = World::started("a b<a", &[]);
    world.step("h1", "a1- b1-").exits(1);
    world.step("h2", "a1+ b1-").exits(1);
    world
}

/// Changes one byte of a file, also of a read-only one.
fn flip(path: &Path, at: impl Fn(&[u8]) -> usize) {
    let mut bytes = std::fs::read(path).unwrap();
    let at = at(&bytes);
    bytes[at] ^= 1;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn frozen(world: &World, digest: &str) -> std::path::PathBuf {
    world.state_dir().join(format!("frozen/{}.json", digest.trim_start_matches("blake3:")))
}

/// The frozen files named in the ledger by the member `key`, in order.
fn frozen_by(world: &World, key: &str) -> Vec<std::path::PathBuf> {
    let ledger = std::fs::read_to_string(world.ledger_file()).unwrap();
    let entries = ledger.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    entries
        .filter(|entry| entry["kind"].as_str().unwrap().ends_with("-started"))
        .filter_map(|entry| entry["data"][key].as_str().map(|digest| frozen(world, digest)))
        .collect()
}

/// `campaign verify` finds exactly this.
#[track_caller]
fn found(world: &World, what: &str, wrong: &str) {
    let done = world.run(&["campaign", "verify", "--format", "json"]).exits(1).json();
    assert_eq!(done["ok"], false);
    let mut findings = done["checks"].as_array().unwrap().clone();
    findings.retain(|finding| !finding["wrong"].is_null());
    let named = findings.iter().find(|finding| finding["what"] == what);
    let named = named.unwrap_or_else(|| panic!("{what} is not among {findings:#?}"));
    assert!(named["wrong"].as_str().unwrap().contains(wrong), "{named}");
    let human = world.run(&["campaign", "verify"]).exits(1);
    assert!(human.stdout.contains(what), "{}", human.stdout);
}

#[test]
fn a_changed_frozen_report_is_named() {
    let world = two_steps();
    let report = &frozen_by(&world, "report_digest")[1];
    flip(report, |bytes| bytes.len() / 2);
    found(&world, "iteration 2: report", "was changed");
    found(&world, "iteration 2: fingerprint", report.file_name().unwrap().to_str().unwrap());
    std::fs::remove_file(report).unwrap();
    found(&world, "iteration 2: report", "does not exist");
}

#[test]
fn a_changed_frozen_map_is_named_and_not_used() {
    let world = two_steps();
    flip(&frozen_by(&world, "map_digest")[0], |bytes| bytes.len() / 2);
    found(&world, "generation 1: map", "was changed");
    found(&world, "iteration 1: fingerprint", "cannot be computed anew");
    let before = world.listing();
    world.step("h3", "a1+ b1+").exits(3).says(&["was changed"]);
    assert_eq!(world.listing(), before);
}

#[test]
fn a_changed_ledger_is_named_and_not_used() {
    let world = two_steps();
    let third_line = |bytes: &[u8]| {
        let ends: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
        usize::midpoint(ends[1], ends[2])
    };
    flip(&world.ledger_file(), third_line);
    let before = world.listing();
    let report = world.report("h3", "a1+ b1+");
    for arguments in [
        &["campaign", "verify"][..],
        &["campaign", "step", &report],
        &["campaign", "status"],
        &["campaign", "start", "--id", "c", "--map", &world.input("map.map.json")],
    ] {
        world.run(arguments).exits(3).says(&["ledger.jsonl", "line 3"]);
    }
    world.run(&["ledger", "verify"]).exits(1);
    assert_eq!(world.listing(), before);
}

#[test]
fn an_edited_plan_is_named() {
    for (from, to) in [("\"changes\"", "\"changes\" "), ("fails", "passes"), ("\"basis\"", "\"more\": 1, \"basis\"")] {
        let world = two_steps();
        let plan = world.campaign_dir().join("iter-001/plan.json");
        let text = std::fs::read_to_string(&plan).unwrap();
        let edited = text.replacen(from, to, 1);
        let edited = if edited == text { text.replacen("failing", "passing", 1) } else { edited };
        assert_ne!(edited, text);
        std::fs::write(&plan, edited).unwrap();
        found(&world, "iteration 1: plan", "");
    }
}

/// A plan that was edited between the kill and the next step is not applied.
#[test]
fn an_edited_plan_of_an_interrupted_iteration_is_not_applied() {
    let world = World::started("a b<a", &[]);
    let report = world.report("h1", "a1- b1-");
    let plan = world.campaign_dir().join("iter-001/plan.json");
    let saved = |line: &str| line.contains("\"plan-saved\"");
    for step in 1.. {
        assert!(!world.survives_kill_at(step, &["campaign", "step", &report]));
        if std::fs::read_to_string(world.ledger_file()).unwrap().lines().any(saved) {
            break;
        }
    }
    let text = std::fs::read_to_string(&plan).unwrap();
    std::fs::write(&plan, text.replace("eval-cat-a", "eval-cat-x")).unwrap();
    world.run(&["campaign", "step", &report]).exits(3).says(&["plan.json is not the plan that the ledger names"]);
    assert_eq!(world.tickets().len(), 0);
    std::fs::write(&plan, text).unwrap();
    world.run(&["campaign", "step", &report]).exits(1);
    assert_eq!(world.tickets().len(), 2);
}

#[test]
fn a_deleted_ticket_is_named_and_nothing_is_planned_around_it() {
    let world = two_steps();
    world.sql("DROP TRIGGER ticket_is_history; PRAGMA foreign_keys = OFF; DELETE FROM ticket WHERE number = 2;");
    found(&world, "ticket #2 of evals:demo:b", "does not list it");
    let before = std::fs::read(world.ledger_file()).unwrap();
    world.step("h3", "a1+ b1-=other").exits(4).says(&["does not list 1 ticket(s)", "#2", "nothing was changed"]);
    assert_eq!(std::fs::read(world.ledger_file()).unwrap(), before);
}

#[test]
fn a_torn_last_line_is_recovered_and_said() {
    let world = two_steps();
    let whole = std::fs::read(world.ledger_file()).unwrap();
    let torn = b"{\"at\":\"2026-01-02T03:04:05Z\",\"camp";
    std::fs::OpenOptions::new().append(true).open(world.ledger_file()).unwrap().write_all(torn).unwrap();
    world.run(&["campaign", "status"]).exits(0);
    let done = world.step("h3", "a1+ b1+").exits(0);
    assert!(done.stderr.contains(&format!("{} bytes", torn.len())), "it is said: {}", done.stderr);
    assert!(std::fs::read(world.ledger_file()).unwrap().starts_with(&whole));
    world.verifies();
    // The last entry itself cut short: the verdict is missing, so the iteration is finished again.
    let world = two_steps();
    let (status, end) = (world.status(), world.end_state());
    let report = std::fs::read_dir(world.state_dir().join("frozen")).unwrap().count();
    let bytes = std::fs::read(world.ledger_file()).unwrap();
    std::fs::write(world.ledger_file(), &bytes[..bytes.len() - 20]).unwrap();
    assert_eq!(world.status()["state"], "interrupted");
    let again = frozen_by_whole_lines(&world);
    world.run(&["campaign", "step", again.to_str().unwrap()]).exits(1);
    assert_eq!((world.status(), world.end_state()), (status, end));
    assert_eq!(std::fs::read_dir(world.state_dir().join("frozen")).unwrap().count(), report);
    world.verifies();
}

/// The newest frozen report, from the whole lines of a torn ledger.
fn frozen_by_whole_lines(world: &World) -> std::path::PathBuf {
    let text = std::fs::read_to_string(world.ledger_file()).unwrap();
    let mut entries = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let started = entries.rfind(|entry| entry["kind"] == "iteration-started").unwrap();
    frozen(world, started["data"]["report_digest"].as_str().unwrap())
}

#[test]
fn a_tracker_that_is_gone_is_not_an_empty_one() {
    let world = two_steps();
    let plan = world.campaign_dir().join("iter-002/plan.json");
    let away = world.input("tracker.db");
    std::fs::rename(world.tracker_file(), &away).unwrap();
    let before = world.listing();
    world.step("h3", "a1+ b1+").exits(4).says(&["is gone", "nothing was changed"]);
    world.run(&["apply", plan.to_str().unwrap()]).exits(4);
    assert_eq!(world.listing(), before);
    found(&world, "ticket #1 of evals:demo:a", "does not list it");
    // A new, empty one in its place is no better.
    let map = world.input("map.map.json");
    world.run(&["campaign", "start", "--id", "c", "--map", &map]).exits(0);
    world.step("h3", "a1+ b1+").exits(4).says(&["does not list 2 ticket(s) that the journal knows"]);
    std::fs::rename(&away, world.tracker_file()).unwrap();
    world.step("h3", "a1+ b1+").exits(0);
    world.verifies();
}

/// Outside a campaign, too: a plan that was applied is not "applied before" when its tickets are gone.
#[test]
fn an_applied_plan_without_its_tracker_is_refused() {
    let world = World::new();
    let map = world.map("map", &crate::world::category_map("a"));
    let (report, plan) = (world.report("h1", "a1-"), world.input("plan.json"));
    world.run(&["plan", &report, "--map", &map, "-o", &plan]).exits(0);
    world.run(&["apply", &plan]).exits(0);
    world.run(&["apply", &plan]).exits(0);
    std::fs::remove_file(world.tracker_file()).unwrap();
    let before = world.listing();
    world.run(&["apply", &plan]).exits(4).says(&["is gone"]);
    assert_eq!(world.listing(), before);
}
