//! Anything goes wrong at any moment: the end is that of a run that nobody disturbed.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use super::Site;
use crate::github_rig::{Effect, Fault};

/// Schedules tried; `GREENLOOP_FAULT_SCHEDULES` says how many otherwise, `GREENLOOP_FAULT_SEED` which is the first one. Each
/// prints its seed: with that, and one schedule, it comes again.
const SCHEDULES: u64 = 50;
/// Schedules at the same time.
const WORKERS: usize = 4;

const MAP: &str = "a b<a c<a,b d";
const FIRST: &str = "a1- b1- c1- d1+";
const SECOND: &str = "a1- b1+ c1-=other d1-";

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// A fault at a random request, and whether it may end what is being done for good: then it is undone, and done
    /// anew by the next run. The others only delay.
    fn fault(&mut self) -> (Fault, bool) {
        let nth = usize::try_from(self.below(70)).unwrap() + 1;
        let skip = u32::try_from(self.below(6)).unwrap();
        let effect = match self.below(20) {
            0 => Effect::DropBefore,
            1 => Effect::DropAfter,
            2 => Effect::CutBody,
            3 => Effect::StatusBefore(502),
            4 => Effect::StatusAfter(502),
            5 => Effect::StatusBefore(503),
            6 => Effect::HangBefore,
            7 => Effect::HangAfter,
            8 => Effect::SecondaryLimit { status: 429, retry_after: Some(0) },
            9 => Effect::SecondaryLimit { status: 403, retry_after: Some(1) },
            10 => Effect::PrimaryLimit { status: 403, reset: 0 },
            11 => Effect::PrimaryLimit { status: 429, reset: 1 },
            12 => {
                return (
                    Fault::on("POST", "/repos/*/*/issues", Effect::ListLag { listings: 1 }).after(skip % 3),
                    false,
                );
            }
            13 => Effect::BadJson,
            14 => return (Fault::on("GET", "/repos/*/*/issues", Effect::ShortPage).after(skip % 3), false),
            15 => return (Fault::on("GET", "/repos/*/*/issues/comments", Effect::ShortPage), false),
            16 => return (Fault::nth(nth, Effect::Forbidden), true),
            17 => {
                let location = "/repositories/1/issues".to_owned();
                let status = [301, 302, 307, 308][usize::try_from(self.below(4)).unwrap()];
                return (Fault::nth(nth, Effect::Moved { status, location }), true);
            }
            18 => return (Fault::on("*", "/repos/*/*/issues/*", Effect::Gone).after(skip), true),
            _ => Effect::Html(502),
        };
        (Fault::nth(nth, effect), false)
    }
}

/// No ticket can be dispatched whose dependencies are not all wired.
fn is_never_half_dispatchable(site: &Site) {
    let issues = site.rig.issues();
    let named = |name: &str| {
        let marker = format!("category_id=evals:demo:{name} ");
        let mut found = issues.iter().filter(|issue| issue.body.contains(&marker));
        let first = found.next();
        assert!(found.next().is_none(), "two issues of {name}");
        first
    };
    for (name, upstream) in [("b", vec!["a"]), ("c", vec!["a", "b"])] {
        let Some(issue) = named(name).filter(|issue| issue.labels.contains(&"greenloop:ready".to_owned())) else {
            continue;
        };
        for upstream in upstream {
            let number = named(upstream).map(|upstream| upstream.number);
            assert!(
                number.is_some_and(|number| issue.blocked_by.contains(&number)),
                "{name} is ready without {upstream}"
            );
        }
    }
    for name in ["a", "d"] {
        named(name);
    }
}

/// Runs until it is through.
fn insist(site: &Site, arguments: &[&str]) {
    for _ in 0..15 {
        let done = site.run(arguments);
        is_never_half_dispatchable(site);
        match done.status {
            Some(1) => return,
            // A named stop: try again.
            Some(4) => {}
            other => panic!("{other:?}: {}", done.stderr),
        }
    }
    panic!("it does not come to an end");
}

fn undisturbed() -> Option<(Value, [Value; 2])> {
    let site = Site::started(MAP)?;
    site.step("h1", FIRST).exits(1);
    let first = site.end_state();
    site.step("h2", SECOND).exits(1);
    Some((Value::Null, [without_digests(first), without_digests(site.end_state())]))
}

/// Reports of two runs of one suite differ in their digests, and only in them.
fn without_digests(mut state: Value) -> Value {
    fn clear(value: &mut Value) {
        match value {
            Value::String(text) if text.starts_with("blake3:") => "blake3:…".clone_into(text),
            Value::Array(all) => all.iter_mut().for_each(clear),
            Value::Object(all) => all.values_mut().for_each(clear),
            _ => {}
        }
    }
    clear(&mut state);
    state
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may read the environment")]
fn any_schedule_of_faults_ends_as_undisturbed() {
    let Some((_, wanted)) = undisturbed() else { return };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let schedules = number("GREENLOOP_FAULT_SCHEDULES").unwrap_or(SCHEDULES);
    let seed = number("GREENLOOP_FAULT_SEED").unwrap_or(20_261_201);
    let next = AtomicU64::new(0);
    // Mostly they wait; so several at a time.
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let schedule = next.fetch_add(1, Ordering::Relaxed);
                if schedule >= schedules {
                    return;
                }
                follow(seed + schedule, &wanted);
            }
        };
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        let failed = workers.into_iter().find_map(|worker| worker.join().err());
        if let Some(panic) = failed {
            std::panic::resume_unwind(panic);
        }
    });
}

/// One schedule: faults in each of two steps, until both are through.
fn follow(seed: u64, wanted: &[Value; 2]) {
    let mut random = Random(seed ^ 0x9e37_79b9_7f4a_7c15);
    random.below(1);
    let Some(site) = Site::started(MAP) else { return };
    let mut undone = false;
    for (at, (head, cases)) in [("h1", FIRST), ("h2", SECOND)].into_iter().enumerate() {
        let report = site.world.report(head, cases);
        let faults: Vec<(Fault, bool)> = (0..=random.below(3)).map(|_| random.fault()).collect();
        eprintln!("GREENLOOP_FAULT_SEED={seed} GREENLOOP_FAULT_SCHEDULES=1, step {}: {faults:?}", at + 1);
        undone |= faults.iter().any(|(_, ends)| *ends);
        site.rig.set_faults(faults.into_iter().map(|(fault, _)| fault).collect());
        insist(&site, &["campaign", "step", &report]);
        site.rig.set_faults(Vec::new());
        let (found, wanted) = (without_digests(site.end_state()), &wanted[at]);
        if undone {
            // What was undone and done again says so: it counts as reopened, with more receipts.
            assert_eq!(essence(&found), essence(wanted), "seed {seed}");
        } else {
            assert_eq!(found, *wanted, "seed {seed}");
        }
    }
    site.run(&["campaign", "verify"]).exits(0);
}

/// What matters of an end state, whichever way led there.
fn essence(state: &Value) -> Value {
    let kept =
        ["state", "state_reason", "labels", "blocked_by", "blocks", "candidate_resolved", "title", "person_changed"];
    let of = |ticket: &Value| -> Value {
        kept.iter().map(|key| ((*key).to_owned(), ticket[*key].clone())).collect::<serde_json::Map<_, _>>().into()
    };
    state
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, ticket)| (name.clone(), of(ticket)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// The machine dies at every durable step in turn, and the same command goes on.
#[test]
fn killed_at_every_step() {
    let Some((_, wanted)) = undisturbed() else { return };
    let mut steps = 0;
    for (at, cases) in [FIRST, SECOND].into_iter().enumerate() {
        // Every third, shifted by the report: all kinds of steps occur, in bounded time.
        for step in (1 + at as u64..).step_by(3) {
            let Some(site) = Site::started(MAP) else { return };
            if at == 1 {
                site.step("h1", FIRST).exits(1);
            }
            let report = site.world.report(["h1", "h2"][at], cases);
            let survived = site.survives_kill_at(step, &["campaign", "step", &report]);
            is_never_half_dispatchable(&site);
            insist(&site, &["campaign", "step", &report]);
            assert_eq!(without_digests(site.end_state()), wanted[at], "killed at step {step}");
            if survived {
                break;
            }
            steps += 1;
        }
    }
    assert!(steps > 30, "only {steps} kills");
}

#[test]
fn a_lost_creation_is_found_and_not_made_again() {
    for effect in [Effect::DropAfter, Effect::StatusAfter(502), Effect::BadJson, Effect::HangAfter] {
        let Some(site) = Site::started("a") else { return };
        site.rig.set_faults(vec![Fault::on("POST", "/repos/*/*/issues", effect.clone())]);
        site.step("h1", "a1-").exits(1);
        assert_eq!(site.rig.pending_faults(), 0);
        let made =
            site.rig.exchanges().iter().filter(|one| one.method == "POST" && one.path.ends_with("/issues")).count();
        assert_eq!((made, site.tickets().len()), (1, 1), "{effect:?}");
    }
}

#[test]
fn a_lost_request_is_held_as_unknown_and_made_by_the_next_run() {
    for effect in [Effect::DropBefore, Effect::StatusBefore(502), Effect::HangBefore] {
        let Some(site) = Site::started("a") else { return };
        let report = site.world.report("h1", "a1-");
        site.rig.set_faults(vec![Fault::on("POST", "/repos/*/*/issues", effect.clone())]);
        site.run(&["campaign", "step", &report]).exits(4).says(&["unknown"]);
        assert!(site.tickets().is_empty(), "never sent again blindly");
        site.run(&["campaign", "step", &report]).exits(1);
        assert_eq!(site.tickets().len(), 1, "{effect:?}");
    }
}

#[test]
fn half_a_listing_is_no_listing() {
    let Some(site) = Site::started("a b c") else { return };
    site.step("h1", "a1- b1- c1-").exits(1);
    let report = site.world.report("h2", "a1-=x b1-=x c1-=x");
    site.rig.set_faults(vec![Fault::on("GET", "/repos/*/*/issues", Effect::ShortPage).always()]);
    site.run(&["campaign", "step", &report]).exits(4).says(&["not complete"]);
    site.rig.set_faults(Vec::new());
    site.run(&["campaign", "step", &report]).exits(1);
    assert_eq!(site.tickets().len(), 3);
}
