//! Random campaigns, some of them with kills: what has to hold after every step holds.

use std::collections::{BTreeMap, BTreeSet};

use greenloop::campaign::{BlockerKind, ClosureState, IterationJudged, VerdictRecord};
use greenloop::ledger::Ledger;
use greenloop::tracker::{EmbeddedTracker, Operation, Snapshot, Ticket, TicketState, Tracker as _};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::world::World;

/// `b` waits for `a`, `c` for both, `d` for `c`; `e` for nothing.
const MAP: &str = "a b<a c<a,b d<c e";
const UPSTREAM: [(&str, &[&str]); 5] = [("a", &[]), ("b", &["a"]), ("c", &["a", "b"]), ("d", &["c"]), ("e", &[])];
const MARKS: [char; 8] = ['+', '+', '+', '-', '-', '-', '?', '~'];

/// Outcomes of the cases `a1`, `b1` … `e1`, and of a tenth case each that always passes, so that few are flaky.
fn cases(marks: &[usize]) -> (String, BTreeMap<&'static str, char>) {
    let marks: BTreeMap<&str, char> = UPSTREAM.iter().zip(marks).map(|((name, _), at)| (*name, MARKS[*at])).collect();
    let mut text: Vec<String> = marks.iter().map(|(name, mark)| format!("{name}1{mark}")).collect();
    text.extend((0..40).map(|n| format!("e{}+", n + 2)));
    (text.join(" "), marks)
}

fn snapshot(world: &World) -> Snapshot {
    EmbeddedTracker::open_existing(&world.tracker_file()).unwrap().unwrap().snapshot().unwrap()
}

fn judged(world: &World) -> Vec<IterationJudged> {
    let entries = Ledger::read_only(&world.ledger_file()).unwrap().entries;
    entries
        .into_iter()
        .filter(|entry| entry.kind == "iteration-judged")
        .map(|entry| serde_json::from_value(entry.data).unwrap())
        .collect()
}

/// What has to hold of the tickets after a step with these outcomes.
fn tickets_hold(snapshot: &Snapshot, marks: &BTreeMap<&str, char>) -> TestCaseResult {
    let names: Vec<&str> = snapshot.tickets.iter().map(|ticket| ticket.category_id.name()).collect();
    prop_assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len(), "two tickets: {:?}", names);
    let ticket = |name: &str| snapshot.tickets.iter().find(|ticket| ticket.category_id.name() == name);
    for (name, upstream) in UPSTREAM {
        let found = ticket(name);
        let open = found.is_some_and(|ticket| ticket.state == TicketState::Open);
        match marks[name] {
            '-' | '~' => prop_assert!(open, "{} fails without a ticket", name),
            '+' => prop_assert!(!open, "{} passes on a new head, and its ticket is open", name),
            _ => {}
        }
        let Some(found) = found else { continue };
        let wired: Vec<&Ticket> = found.blocked_by.iter().filter_map(|link| snapshot.ticket(&link.upstream)).collect();
        prop_assert!(wired.iter().all(|up| upstream.contains(&up.category_id.name())), "an edge that no map wants");
        if open && matches!(marks[name], '-' | '~') {
            let failing = upstream.iter().filter(|up| matches!(marks[**up], '-' | '~'));
            for up in failing {
                prop_assert!(wired.iter().any(|wired| wired.category_id.name() == *up), "{} waits for {}", name, up);
            }
        }
        let published = found.labels.contains(Operation::ROUTING_LABEL);
        prop_assert!(open || !published, "a closed ticket is not to be worked on");
        if found.state == TicketState::Closed {
            let proof = found.closure.as_ref().expect("nobody but the program closes here");
            let own = format!("{name}1");
            prop_assert!(proof.slice.iter().any(|case| case.as_str() == own), "its own case is part of the proof");
            prop_assert!(proof.slice.iter().all(|case| case.as_str().starts_with(name)), "and only its guards are");
        }
    }
    // A ticket whose case is BLOCKED now is not wired anew: edges are those between categories that fail in this report.
    for ready in snapshot.ready().into_iter().filter(|ready| marks[ready.category_id.name()] != '?') {
        let upstream = UPSTREAM.iter().find(|(name, _)| *name == ready.category_id.name()).unwrap().1;
        prop_assert!(upstream.iter().all(|up| !matches!(marks[*up], '-' | '~')), "ready before its upstream");
    }
    Ok(())
}

/// Every category goes from state to state, and none is skipped on the way to closed.
fn states_hold(all: &[IterationJudged]) -> TestCaseResult {
    let mut states = BTreeMap::new();
    for step in all.iter().flat_map(|judged| &judged.transitions) {
        let before = states.insert(step.category_id.clone(), step.to);
        prop_assert_eq!(before, step.from);
        prop_assert!(!step.evidence.is_empty());
        let fine = match step.to {
            ClosureState::Observed => before.is_none_or(|before| before == ClosureState::Closed),
            ClosureState::Ticketed => before == Some(ClosureState::Observed),
            ClosureState::Routable | ClosureState::Blocked => {
                matches!(before, Some(ClosureState::Ticketed | ClosureState::Routable | ClosureState::Blocked))
            }
            ClosureState::PatchCandidate => {
                matches!(before, Some(ClosureState::Routable | ClosureState::Blocked))
            }
            ClosureState::ReviewAdmissible => before == Some(ClosureState::PatchCandidate),
            ClosureState::CategoryGreen => before == Some(ClosureState::ReviewAdmissible),
            ClosureState::Integrated => before == Some(ClosureState::CategoryGreen),
            ClosureState::FullRunReconciled => before == Some(ClosureState::Integrated),
            ClosureState::Closed => before == Some(ClosureState::FullRunReconciled),
        };
        prop_assert!(fine, "{:?}", step);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_random_campaign_keeps_its_rules_and_ends(
        runs in proptest::collection::vec(proptest::collection::vec(0..MARKS.len(), 5), 8),
        kills in proptest::collection::vec(proptest::option::of(1_u64..40), 8),
    ) {
        let world = World::started(MAP, &["--max-iterations", "8", "--reopen-cap", "9", "--no-progress", "5"]);
        let mut last = None;
        for (n, (run, kill)) in runs.iter().zip(kills).enumerate() {
            let (text, marks) = cases(run);
            let report = world.report(&format!("h{n}"), &text);
            if let Some(step) = kill {
                world.survives_kill_at(step, &["campaign", "step", &report]);
            }
            let status = world.run(&["campaign", "step", &report]).status;
            tickets_hold(&snapshot(&world), &marks)?;
            let all = judged(&world);
            prop_assert_eq!(all.len(), n + 1, "one iteration for one run");
            states_hold(&all)?;
            let newest = &all[n];
            let all_pass = marks.values().all(|mark| *mark == '+');
            prop_assert_eq!(newest.verdict == VerdictRecord::Green, all_pass);
            prop_assert_eq!(status == Some(0), all_pass);
            prop_assert_eq!(status == Some(1), newest.verdict == VerdictRecord::GoOn);
            last = Some(newest.verdict.clone());
            if newest.verdict != VerdictRecord::GoOn {
                break;
            }
        }
        world.verifies();
        let last = last.unwrap();
        prop_assert_ne!(&last, &VerdictRecord::GoOn, "it ends");
        if let VerdictRecord::Stop { blocker } = &last {
            // All heads and trees differ, so these cannot be.
            let never = [BlockerKind::Stalled, BlockerKind::PatchesCancel];
            prop_assert!(!never.contains(&blocker.kind), "{:?}", blocker);
        }
    }
}
