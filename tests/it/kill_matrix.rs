//! Killed at every durable step, then run again: the end is that of a run that nobody disturbed.

#![cfg(test)]

use std::process::Stdio;
use std::time::Duration;

use assert_cmd::assert::OutputAssertExt as _;
use serde_json::Value;

use crate::world::World;

/// A command in a prepared project, and how it ends when nobody disturbs it.
struct Subject {
    base: World,
    arguments: Vec<String>,
    status: i32,
    campaign: Option<Value>,
    end: Value,
}

impl Subject {
    fn new(base: World, arguments: &[&str], status: i32) -> Self {
        let undisturbed = base.copy();
        undisturbed.run(arguments).exits(status);
        let mut subject = Self {
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            status,
            campaign: None,
            end: undisturbed.end_state(),
            base,
        };
        subject.campaign = subject.campaign_status(&undisturbed);
        subject
    }

    fn arguments(&self) -> Vec<&str> {
        self.arguments.iter().map(String::as_str).collect()
    }

    fn campaign_status(&self, world: &World) -> Option<Value> {
        (self.arguments[0] == "campaign").then(|| world.status())
    }

    /// Runs the command in `world`, where it was killed, and compares.
    #[track_caller]
    fn ends_as_undisturbed(&self, world: &World) {
        // What a kill leaves is no damage, also before anything repairs it.
        if world.ledger_file().is_file() {
            world.run(&["ledger", "verify"]).exits(0);
        }
        world.run(&self.arguments()).exits(self.status);
        assert_eq!(world.end_state(), self.end);
        assert_eq!(self.campaign_status(world), self.campaign);
        world.run(&["ledger", "verify"]).exits(0);
        if self.campaign.is_some() {
            world.run(&["campaign", "verify"]).exits(0);
        }
        // And once more: now there is nothing to do.
        world.run(&self.arguments()).exits(self.status);
        assert_eq!(world.end_state(), self.end);
    }

    /// One kill at each durable step; how many there are.
    fn killed_everywhere(&self) -> u64 {
        for step in 1.. {
            let world = self.base.copy();
            if world.survives_kill_at(step, &self.arguments()) {
                assert_eq!(world.end_state(), self.end);
                return step - 1;
            }
            self.ends_as_undisturbed(&world);
        }
        unreachable!("the numbers do not end")
    }

    /// Kills the command, and the command that recovers from it, at pairs of steps: every first one, with every
    /// `stride`-th second one, shifted each time so that all second ones occur.
    fn killed_twice(&self, stride: u64) {
        let survives = |step: &u64| self.base.copy().survives_kill_at(*step, &self.arguments());
        let steps = (1..1000).find(survives).unwrap() - 1;
        for first in 1..=steps {
            for second in (1 + first % stride..=steps).step_by(usize::try_from(stride).unwrap()) {
                let world = self.base.copy();
                assert!(!world.survives_kill_at(first, &self.arguments()));
                if !world.survives_kill_at(second, &self.arguments()) {
                    self.ends_as_undisturbed(&world);
                }
            }
        }
    }
}

/// A campaign that has not seen a report; and its first step makes three tickets and two links.
fn first_step() -> Subject {
    let base = World::started("a b<a c<a,b d", &[]);
    let report = base.report("h1", "a1- a2+ b1- c1- d1+");
    Subject::new(base, &["campaign", "step", &report], 1)
}

/// `a` comes back, `b` is proven gone, `c` appears and waits for `a`, `d` fails differently.
fn busy_step() -> Subject {
    let base = World::started("a b c<a d", &["--reopen-cap", "5"]);
    base.step("h1", "a1- b1- c1+ d1-").exits(1);
    base.step("h2", "a1+ b1-=other c1+ d1-").exits(1);
    let report = base.report("h3", "a1-=again b1+ c1- d1-=other");
    let subject = Subject::new(base, &["campaign", "step", &report], 1);
    let plan: Value =
        serde_json::from_str(subject.end["files"][".greenloop/campaigns/c/iter-003/plan.json"].as_str().unwrap())
            .unwrap();
    let mut done: Vec<&str> = plan["mutations"].as_array().unwrap().iter().map(|m| m["op"].as_str().unwrap()).collect();
    done.sort_unstable();
    assert_eq!(done, ["candidate-resolved", "close", "create", "link", "publish", "publish", "record", "reopen"]);
    subject
}

fn green_step() -> Subject {
    let base = World::started("a b<a", &[]);
    base.step("h1", "a1- b1-").exits(1);
    let report = base.report("h2", "a1+ b1+");
    Subject::new(base, &["campaign", "step", &report], 0)
}

/// A new generation with another map: one ticket is superseded, one absorbed, one unwired.
fn step_with_retired_categories() -> Subject {
    let base = World::started("a b c<b d", &[]);
    base.step("h1", "a1- b1- c1- d1-").exits(1);
    let mut map = crate::world::category_map("b c x");
    map["map_version"] = "2".into();
    map["retired"] = serde_json::json!({
        crate::world::id("a"): { "kind": "split", "into": [crate::world::id("x"), crate::world::id("c")], "reason": "two causes" },
        crate::world::id("d"): { "kind": "merged", "into": [crate::world::id("b")], "reason": "one cause" },
    });
    let map = base.map("map2", &map);
    base.run(&["campaign", "start", "--id", "c", "--map", &map, "--new-generation"]).exits(0);
    let report = base.report("h2", "b1- c1- x1-");
    let subject = Subject::new(base, &["campaign", "step", &report], 1);
    let plan = subject.end["files"][".greenloop/campaigns/c/iter-002/plan.json"].as_str().unwrap();
    assert!(["supersede", "absorb", "unlink", "create"].iter().all(|op| plan.contains(&format!("\"{op}\""))), "{plan}");
    subject
}

fn saved_plan() -> Subject {
    let base = World::new();
    let map = base.map("map", &crate::world::category_map("a b<a c<b"));
    let report = base.report("h1", "a1- b1- c1-");
    let plan = base.input("plan.json");
    base.run(&["plan", &report, "--map", &map, "-o", &plan]).exits(0);
    Subject::new(base, &["apply", &plan], 0)
}

#[test]
fn the_first_step_of_a_campaign() {
    let steps = first_step().killed_everywhere();
    assert!(steps > 20, "only {steps} durable steps");
}

#[test]
fn a_step_that_reopens_closes_creates_and_links() {
    let steps = busy_step().killed_everywhere();
    assert!(steps > 20, "only {steps} durable steps");
}

#[test]
fn the_step_to_green() {
    let steps = green_step().killed_everywhere();
    assert!(steps > 20, "only {steps} durable steps");
}

#[test]
fn a_step_that_retires_tickets() {
    let steps = step_with_retired_categories().killed_everywhere();
    assert!(steps > 20, "only {steps} durable steps");
}

#[test]
fn applying_a_saved_plan() {
    let steps = saved_plan().killed_everywhere();
    assert!(steps > 8, "only {steps} durable steps");
}

#[test]
fn starting_a_campaign() {
    let base = World::new();
    let map = base.map("map", &crate::world::category_map("a b<a"));
    let report = base.report("h1", "a1- b1-");
    let start = ["campaign", "start", "--id", "c", "--map", &map];
    let undisturbed = base.copy();
    undisturbed.run(&start).exits(0);
    undisturbed.run(&["campaign", "step", &report]).exits(1);
    for step in 1.. {
        let world = base.copy();
        let survived = world.survives_kill_at(step, &start);
        world.run(&start).exits(0);
        world.run(&["campaign", "step", &report]).exits(1);
        assert_eq!(world.end_state(), undisturbed.end_state());
        assert_eq!(world.status(), undisturbed.status());
        world.verifies();
        if survived {
            assert!(step > 5, "only {step} durable steps");
            return;
        }
    }
}

#[test]
fn killed_again_while_recovering() {
    busy_step().killed_twice(13);
    saved_plan().killed_twice(4);
}

/// The interrupted iteration is finished with its own report first; then the other report is a new iteration.
#[test]
fn another_report_after_a_kill() {
    let base = World::started("a b<a", &[]);
    let first = base.report("h1", "a1- b1-");
    let second = base.report("h2", "a1+ b1-");
    let undisturbed = base.copy();
    undisturbed.run(&["campaign", "step", &first]).exits(1);
    let after_first = undisturbed.end_state();
    let only_second = base.copy();
    only_second.run(&["campaign", "step", &second]).exits(1);
    undisturbed.run(&["campaign", "step", &second]).exits(1);
    let (mut recovered, mut never_began, mut judged_before) = (0, 0, 0);
    for step in 1.. {
        let world = base.copy();
        if world.survives_kill_at(step, &["campaign", "step", &first]) {
            break;
        }
        let done = world.run(&["campaign", "step", &second]).exits(1);
        let wanted = if world.status()["iteration"] == 2 {
            recovered += 1;
            judged_before += u32::from(!done.stdout.contains("finished first: iteration 1"));
            &undisturbed
        } else {
            never_began += 1;
            &only_second
        };
        assert_eq!(world.status(), wanted.status());
        assert_eq!(world.end_state(), wanted.end_state());
        world.verifies();
    }
    assert!(recovered > 20 && never_began > 1, "{recovered} {never_began}");
    assert_eq!(judged_before, 1, "only the last kill comes after the verdict; every other recovery is said");
    assert_ne!(after_first, undisturbed.end_state());
}

/// A step that ends the campaign is interrupted: the next report is not taken, and the end is said.
#[test]
fn another_report_after_a_kill_in_the_last_step() {
    for (last, next, status, kind) in [("a1- a2+", "a1+ a2+", 10, "REPEAT"), ("a1+ a2+", "a1- a2+", 3, "GREEN")] {
        let world = World::started("a", &[]);
        world.step("h1", "a1- a2+").exits(1);
        let last = world.report("h2", last);
        let next = world.report("h3", next);
        // After the iteration began, before it was judged.
        assert!(!world.survives_kill_at(8, &["campaign", "step", &last]));
        assert_eq!(world.status()["state"], "interrupted");
        for _ in 0..2 {
            // Also the verdict GREEN is not one on this report.
            world.run(&["campaign", "step", &next]).exits(status).says(&[kind, "new generation"]);
            assert_eq!(world.status()["iteration"], 2);
            world.verifies();
        }
        world.run(&["campaign", "step", &last]).exits(if status == 3 { 0 } else { status });
    }
}

/// A person changes a ticket between the kill and the next step: both changes stand, and nothing is done twice.
#[test]
fn a_person_at_work_after_a_kill() {
    let subject = busy_step();
    let edit = "UPDATE ticket SET title = 'Mine' WHERE number = 3";
    let undisturbed = subject.base.copy();
    undisturbed.run(&subject.arguments()).exits(1);
    undisturbed.sql(edit);
    for step in 1.. {
        let world = subject.base.copy();
        if world.survives_kill_at(step, &subject.arguments()) {
            return;
        }
        world.sql(edit);
        world.run(&subject.arguments()).exits(1);
        // Only the digest of the plan knows whether the person came before it or after it.
        assert_eq!(world.tickets(), undisturbed.tickets());
        assert_eq!(world.status(), undisturbed.status());
        world.verifies();
    }
}

/// The same with a saved plan: if the kill came before the commit, the plan is stale now; if after, it is finished.
#[test]
fn a_person_at_work_after_a_kill_of_apply() {
    let base = World::new();
    let map = base.map("map", &crate::world::category_map("a b<a c<b"));
    let plan = base.input("plan.json");
    let planned = |report: &str| base.run(&["plan", report, "--map", &map, "-o", &plan]).exits(0);
    planned(&base.report("h1", "a1- b1+ c1+"));
    base.run(&["apply", &plan]).exits(0);
    planned(&base.report("h2", "a1-=other b1- c1-"));
    let undisturbed = base.copy();
    undisturbed.run(&["apply", &plan]).exits(0);
    let edit = "UPDATE ticket SET title = 'Mine' WHERE number = 1";
    undisturbed.sql(edit);
    let (mut stale, mut finished) = (0, 0);
    for step in 1.. {
        let world = base.copy();
        if world.survives_kill_at(step, &["apply", &plan]) {
            break;
        }
        world.sql(edit);
        let before = world.tickets();
        if before.len() == 1 {
            stale += 1;
            world.run(&["apply", &plan]).exits(4).says(&["stale plan"]);
            assert_eq!(world.tickets(), before);
        } else {
            finished += 1;
            world.run(&["apply", &plan]).exits(0);
            assert_eq!(world.tickets(), undisturbed.tickets());
        }
        world.run(&["ledger", "verify"]).exits(0);
    }
    assert!(stale > 2 && finished > 2, "{stale} {finished}");
}

/// A new generation after a kill leaves the interrupted iteration alone: its number and its files are not used again.
#[test]
fn a_new_generation_after_a_kill() {
    let base = World::started("a b<a", &[]);
    let first = base.report("h1", "a1- b1-");
    let second = base.report("h2", "a1- b1-=other");
    let map = base.input("map.map.json");
    let mut abandoned = 0;
    for step in 1.. {
        let world = base.copy();
        if world.survives_kill_at(step, &["campaign", "step", &first]) {
            break;
        }
        let interrupted = world.status()["state"] == "interrupted";
        let plan = world.campaign_dir().join("iter-001/plan.json");
        let before = std::fs::read(&plan).ok();
        world.run(&["campaign", "start", "--id", "c", "--map", &map, "--new-generation"]).exits(0);
        world.run(&["campaign", "step", &second]).exits(1);
        assert_eq!(world.tickets().len(), 2);
        if interrupted {
            abandoned += 1;
            assert_eq!(world.status()["iteration"], 2);
            assert_eq!(std::fs::read(&plan).ok(), before);
        }
        world.verifies();
    }
    assert!(abandoned > 15, "{abandoned}");
}

/// Kills from outside, at any moment, not only at the durable steps.
#[test]
fn killed_from_outside_at_random_moments() {
    let subject = busy_step();
    let seed = u64::from(std::process::id()) ^ std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    eprintln!("seed of the random kills: {seed}");
    let mut random = seed | 1;
    let mut killed = 0;
    for _ in 0..20 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let world = subject.base.copy();
        let mut child =
            world.command(&subject.arguments()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros((random >> 33) % 150_000));
        child.kill().unwrap();
        killed += u32::from(child.wait().unwrap().code().is_none());
        subject.ends_as_undisturbed(&world);
    }
    eprintln!("{killed} of 20 were killed before they ended");
}

/// Negative control of the comparison: it sees a step that was not made, and one ticket too many.
#[test]
fn the_comparison_sees_a_difference() {
    let subject = first_step();
    assert_ne!(subject.base.end_state(), subject.end);
    let world = subject.base.copy();
    world.run(&subject.arguments()).exits(1);
    world.sql("UPDATE ticket SET reopened = 1 WHERE number = 1");
    assert_ne!(world.end_state(), subject.end);
    world.command(&["ticket", "list"]).assert().success();
}
