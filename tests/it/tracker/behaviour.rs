//! What every tracker does. Each check takes `&mut dyn Tracker` on an empty tracker, so a second tracker can run them
//! all: add it to [`for_each_tracker`].

use super::*;
use crate::github_rig::{Rig, RigSeed};
use greenloop::model::CaseName;
use greenloop::tracker::{Snapshot, Ticket, TicketState};

/// Runs a check on a fresh tracker of every kind.
fn for_each_tracker(check: impl Fn(&mut dyn Tracker)) {
    for_embedded(&check);
    let dir = tempfile::tempdir().unwrap();
    // Without issues of others, so that numbers begin at 1; ids are far away from numbers all the same.
    let seed = RigSeed { decoys: 0, pull_request: false, ..RigSeed::default() };
    if let Some(rig) = Rig::start(&seed) {
        check(&mut github(&rig, dir.path()));
        rig.validate().unwrap();
    }
}

/// Runs a check on the embedded tracker only: on a server it would take too long, or the server changes the text.
fn for_embedded(check: &impl Fn(&mut dyn Tracker)) {
    let dir = tempfile::tempdir().unwrap();
    check(&mut embedded(dir.path()));
}

/// One check inside one begin and commit; the snapshot after it.
fn committed<T>(tracker: &mut dyn Tracker, work: impl FnOnce(&mut dyn Tracker) -> T) -> Snapshot {
    tracker.begin().unwrap();
    work(tracker);
    tracker.commit().unwrap();
    consistent(tracker.snapshot().unwrap())
}

/// What holds in every snapshot of every tracker.
fn consistent(snapshot: Snapshot) -> Snapshot {
    assert!(snapshot.tickets.is_sorted_by_key(|t| t.ticket.number));
    let mut live = BTreeSet::new();
    for ticket in &snapshot.tickets {
        assert!(ticket.state == TicketState::Closed || live.insert(&ticket.category_id), "one live ticket a category");
        assert_eq!(ticket.state_reason.is_some(), ticket.state == TicketState::Closed);
        assert_eq!(ticket.candidate_resolved, ticket.labels.contains(Operation::CANDIDATE_LABEL));
        assert!(ticket.blocked_by.is_sorted_by_key(|l| l.upstream.number) && ticket.blocks.is_sorted());
        for link in &ticket.blocked_by {
            assert!(snapshot.ticket(&link.upstream).unwrap().blocks.contains(&ticket.ticket), "blocks is the mirror");
        }
        for dependent in &ticket.blocks {
            let links = &snapshot.ticket(dependent).unwrap().blocked_by;
            assert!(links.iter().any(|l| l.upstream == ticket.ticket), "blocks is the mirror");
        }
        assert!(ticket.person_changed.is_empty(), "greenloop's own changes are not a person's");
    }
    snapshot
}

fn only(snapshot: &Snapshot) -> &Ticket {
    assert_eq!(snapshot.tickets.len(), 1);
    &snapshot.tickets[0]
}

fn labels(ticket: &Ticket) -> Vec<&str> {
    ticket.labels.iter().map(String::as_str).collect()
}

#[test]
fn an_empty_tracker_says_so() {
    for_each_tracker(|tracker| {
        let snapshot = tracker.snapshot().unwrap();
        assert_eq!((snapshot.tracker.clone(), snapshot.tickets.len()), (tracker.identity(), 0));
        assert_eq!(snapshot, Snapshot::empty(tracker.identity()));
    });
}

#[test]
fn a_ticket_lives_from_creation_to_proof() {
    for_each_tracker(|tracker| {
        let made = committed(tracker, |t| create(t, "a"));
        let ticket = only(&made).clone();
        assert_ne!(ticket.ticket.id, ticket.ticket.number, "ids and numbers are told apart");
        assert_eq!((ticket.title.as_str(), ticket.state, ticket.reopened), ("Title of a", TicketState::Open, 0));
        assert_eq!(labels(&ticket), ["eval-cat"], "not dispatchable before it is published");
        assert_eq!(ticket.receipts, [receipt(1, &["case"])]);

        let reference = ticket.ticket;
        let target = || reference.clone();
        let published = committed(tracker, |t| t.execute("p", &Operation::Publish { ticket: target() }).unwrap());
        assert_eq!(labels(only(&published)), ["eval-cat", Operation::ROUTING_LABEL]);

        let resolved = Operation::CandidateResolved { ticket: target(), receipt: receipt(2, &[]) };
        let candidate = committed(tracker, |t| t.execute("c", &resolved).unwrap());
        assert!(only(&candidate).candidate_resolved);
        assert_eq!(labels(only(&candidate)), ["eval-cat", Operation::CANDIDATE_LABEL]);
        assert_eq!(only(&candidate).receipts.len(), 2);

        let close = Operation::Close { ticket: target(), closure: closure() };
        let closed = committed(tracker, |t| t.execute("x", &close).unwrap());
        assert_eq!(only(&closed).state_reason.as_deref(), Some("completed"));
        assert_eq!((labels(only(&closed)), only(&closed).closure.clone()), (vec!["eval-cat"], Some(closure())));

        let reopen = Operation::Reopen { ticket: target(), receipt: receipt(4, &["case"]) };
        let again = committed(tracker, |t| t.execute("r", &reopen).unwrap());
        assert_eq!((only(&again).state, only(&again).reopened), (TicketState::Open, 1));
        assert_eq!(only(&again).closure, Some(closure()), "the proof is kept");
        assert_eq!(labels(only(&again)), ["eval-cat"], "published anew by a plan, not by itself");
        assert_eq!(only(&again).receipts.last().unwrap().iteration, 4);
    });
}

#[test]
fn new_evidence_takes_the_candidate_mark_away() {
    for_each_tracker(|tracker| {
        let snapshot = committed(tracker, |t| {
            let ticket = create(t, "a");
            let resolved = Operation::CandidateResolved { ticket: ticket.clone(), receipt: receipt(2, &[]) };
            t.execute("c", &resolved).unwrap();
            assert!(refusal(t, "p", &Operation::Publish { ticket: ticket.clone() }).contains("waits for the proof"));
            t.execute("r", &Operation::Record { ticket, receipt: receipt(3, &["case", "other"]) }).unwrap();
        });
        assert!(!only(&snapshot).candidate_resolved);
        let cases: Vec<&str> = only(&snapshot).receipts[2].cases.iter().map(CaseName::as_str).collect();
        assert_eq!(cases, ["case", "other"]);
    });
}

#[test]
fn a_key_does_its_operation_once() {
    for_each_tracker(|tracker| {
        let mut first = None;
        let before = committed(tracker, |t| {
            assert_eq!(t.find_done("create-a").unwrap(), None);
            first = Some(t.execute("create-a", &creation("a")).unwrap());
            assert!(t.execute("create-a", &creation("a")).unwrap().adopted, "within one transaction");
        });
        let first = first.unwrap();
        assert!(!first.adopted);
        let after = committed(tracker, |t| {
            let again = t.execute("create-a", &creation("a")).unwrap();
            assert_eq!((again.ticket.clone(), again.adopted), (first.ticket.clone(), true));
            assert_eq!(t.find_done("create-a").unwrap(), Some(again));
            let why = refusal(t, "create-a", &creation("b"));
            assert!(why.contains("another operation"), "{why}");
        });
        assert_eq!(before.digest(), after.digest());
    });
}

#[test]
fn one_live_ticket_per_category() {
    for_each_tracker(|tracker| {
        committed(tracker, |t| {
            let first = create(t, "a");
            assert!(refusal(t, "again", &creation("a")).contains("already has the live ticket #"));
            t.execute("close", &Operation::Close { ticket: first.clone(), closure: closure() }).unwrap();
            let second = t.execute("again", &creation("a")).unwrap().ticket;
            assert!(second.number > first.number, "a refused key can be used when the reason is gone");
            let reopen = Operation::Reopen { ticket: first, receipt: receipt(2, &["case"]) };
            assert!(refusal(t, "reopen", &reopen).contains("already has the live ticket #"));
        });
    });
}

#[test]
fn links_wait_for_live_tickets_without_circles() {
    for_each_tracker(|tracker| {
        let link = |from: &TicketRef, to: &TicketRef| Operation::Link {
            ticket: from.clone(),
            upstream: to.clone(),
            rationale: "why".into(),
        };
        let snapshot = committed(tracker, |t| {
            let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| create(t, name));
            t.execute("ba", &link(&b, &a)).unwrap();
            t.execute("cb", &link(&c, &b)).unwrap();
            t.execute("ca", &link(&c, &a)).unwrap();
            assert!(refusal(t, "aa", &link(&a, &a)).contains("itself"));
            assert!(refusal(t, "ab", &link(&a, &b)).contains("which waits for"));
            assert!(refusal(t, "ac", &link(&a, &c)).contains("which waits for"), "through b");
            assert!(refusal(t, "ba2", &link(&b, &a)).contains("already"));
            let unlink = Operation::Unlink { ticket: d.clone(), upstream: a.clone() };
            assert!(refusal(t, "u", &unlink).contains("does not wait for"));
            t.execute("uca", &Operation::Unlink { ticket: c.clone(), upstream: a.clone() }).unwrap();
            // A closed ticket holds nothing up, but what it waited for still makes a circle, until it is unwired.
            t.execute("close-b", &Operation::Close { ticket: b.clone(), closure: closure() }).unwrap();
            assert!(refusal(t, "db", &link(&d, &b)).contains("closed"));
            assert!(refusal(t, "ac2", &link(&a, &c)).contains("which waits for"));
            t.execute("uba", &Operation::Unlink { ticket: b.clone(), upstream: a.clone() }).unwrap();
            t.execute("ac2", &link(&a, &c)).unwrap();
            t.execute("reopen-b", &Operation::Reopen { ticket: b.clone(), receipt: receipt(2, &["case"]) }).unwrap();
            assert!(refusal(t, "ba3", &link(&b, &a)).contains("which waits for"));
        });
        let edges: Vec<(u64, u64, bool, &str)> = snapshot
            .tickets
            .iter()
            .flat_map(|t| {
                t.blocked_by.iter().map(|l| (t.ticket.number, l.upstream.number, l.ours, l.rationale.as_str()))
            })
            .collect();
        assert_eq!(edges, [(1, 3, true, "why"), (3, 2, true, "why")]);
    });
}

#[test]
fn retired_categories_leave_history() {
    for_each_tracker(|tracker| {
        let snapshot = committed(tracker, |t| {
            let [old, left, right] = ["old", "left", "right"].map(|name| create(t, name));
            t.execute("p", &Operation::Publish { ticket: old.clone() }).unwrap();
            let supersede = |successors| Operation::Supersede { ticket: old.clone(), successors, note: "split".into() };
            assert!(refusal(t, "self", &supersede(vec![left.clone(), old.clone()])).contains("itself"));
            t.execute("split", &supersede(vec![left.clone(), right.clone()])).unwrap();
            let absorb = Operation::Absorb { ticket: left, survivor: right, note: "merged".into() };
            t.execute("merge", &absorb).unwrap();
        });
        let reasons: Vec<_> = snapshot.tickets.iter().map(|t| t.state_reason.as_deref()).collect();
        assert_eq!(reasons, [Some("not_planned"), Some("duplicate"), None]);
        assert_eq!(labels(&snapshot.tickets[0]), ["eval-cat"]);
    });
}

#[test]
fn refused_operations_change_nothing() {
    for_each_tracker(|tracker| {
        let before = committed(tracker, |t| {
            let [_, closed] = ["open", "closed"].map(|name| create(t, name));
            t.execute("close", &Operation::Close { ticket: closed, closure: closure() }).unwrap();
        });
        let [open, closed] = [0, 1].map(|at| before.tickets[at].ticket.clone());
        let nobody = TicketRef { number: 99, id: open.id - open.number + 99 };
        let mixed_up = TicketRef { number: open.number, id: open.number };
        let huge = TicketRef { number: u64::MAX, id: u64::MAX };
        let with = |label: &str| {
            let Operation::Create { category_id, title, body, receipt, .. } = creation("new") else { unreachable!() };
            Operation::Create { category_id, title, body, labels: BTreeSet::from([label.to_owned()]), receipt }
        };
        let record = |ticket: &TicketRef| Operation::Record { ticket: ticket.clone(), receipt: receipt(2, &["x"]) };
        let operations = [
            (with(Operation::ROUTING_LABEL), "must not carry"),
            (with(Operation::CANDIDATE_LABEL), "must not carry"),
            (record(&nobody), "no ticket #99"),
            (record(&huge), "no ticket"),
            (record(&mixed_up), "mixed up"),
            (record(&closed), "closed"),
            (Operation::Reopen { ticket: open.clone(), receipt: receipt(2, &[]) }, "open already"),
            (Operation::CandidateResolved { ticket: closed.clone(), receipt: receipt(2, &[]) }, "closed"),
            (Operation::Close { ticket: closed.clone(), closure: closure() }, "closed"),
            (Operation::Publish { ticket: closed.clone() }, "closed"),
            (Operation::Supersede { ticket: closed.clone(), successors: vec![], note: String::new() }, "closed"),
            (Operation::Absorb { ticket: open.clone(), survivor: nobody, note: String::new() }, "no ticket #99"),
            (Operation::Link { ticket: closed, upstream: open, rationale: String::new() }, "closed"),
        ];
        let after = committed(tracker, |t| {
            for (at, (operation, says)) in operations.iter().enumerate() {
                let key = format!("refused-{at}");
                let why = refusal(t, &key, operation);
                assert!(why.contains(says), "{}: {why}", operation.name());
                assert_eq!(t.find_done(&key).unwrap(), None);
            }
        });
        assert_eq!(before, after);
    });
}

#[test]
fn an_abort_leaves_nothing_where_there_are_transactions() {
    for_each_tracker(|tracker| {
        let before = committed(tracker, |t| create(t, "a"));
        if !tracker.is_transactional() {
            return;
        }
        tracker.begin().unwrap();
        create(tracker, "b");
        tracker.execute("p", &Operation::Publish { ticket: only(&before).ticket.clone() }).unwrap();
        tracker.abort();
        assert_eq!(tracker.snapshot().unwrap(), before);
        assert_eq!(tracker.find_done("create-b").unwrap(), None);
        assert!(tracker.execute("later", &creation("c")).is_err(), "no writing outside begin and commit");
        assert!(tracker.commit().is_err());
        tracker.abort();
    });
}

#[test]
fn hostile_text_comes_back_as_it_was() {
    for_embedded(&|tracker: &mut dyn Tracker| {
        let hostile = "'); DROP TABLE ticket; --\u{0}\u{1b}[31m\u{202e}\n<script>${x}";
        let snapshot = committed(tracker, |t| {
            let operation = Operation::Create {
                category_id: "evals:shop:--".parse().unwrap(),
                title: hostile.into(),
                body: hostile.into(),
                labels: BTreeSet::from([hostile.to_owned()]),
                receipt: receipt(1, &[hostile]),
            };
            t.execute(hostile, &operation).unwrap();
        });
        let ticket = only(&snapshot);
        assert_eq!((ticket.title.as_str(), labels(ticket)), (hostile, vec![hostile]));
        assert_eq!(ticket.receipts[0].cases[0].as_str(), hostile);
    });
}

#[test]
fn two_snapshots_of_one_state_are_equal_and_any_change_shows() {
    for_each_tracker(|tracker| {
        let made = committed(tracker, |t| create(t, "a"));
        assert_eq!(made.digest(), tracker.snapshot().unwrap().digest());
        let ticket = only(&made).ticket.clone();
        let record = Operation::Record { ticket, receipt: receipt(2, &["case"]) };
        assert_ne!(made.digest(), committed(tracker, |t| t.execute("r", &record).unwrap()).digest());
    });
}

/// The reference that a tracker gives to a number.
fn tracker_reference(identity: &str, number: u64) -> TicketRef {
    match identity {
        EmbeddedTracker::IDENTITY => TicketRef { number, id: 1_000_000 + number },
        other => panic!("say here how {other} makes ids"),
    }
}

/// Any sequence of operations, most of them nonsense, on four categories.
fn random_operation(kind: u8, ticket: TicketRef, other: TicketRef, name: usize) -> Operation {
    match kind {
        0 | 1 => creation(["a", "b", "c", "d"][name % 4]),
        2 => Operation::Record { ticket, receipt: receipt(2, &["case"]) },
        3 => Operation::Reopen { ticket, receipt: receipt(3, &["case"]) },
        4 => Operation::CandidateResolved { ticket, receipt: receipt(4, &[]) },
        5 => Operation::Close { ticket, closure: closure() },
        6 => Operation::Supersede { ticket, successors: vec![other], note: "split".into() },
        7 => Operation::Absorb { ticket, survivor: other, note: "merged".into() },
        8..=11 => Operation::Link { ticket, upstream: other, rationale: "why".into() },
        12 => Operation::Unlink { ticket, upstream: other },
        _ => Operation::Publish { ticket },
    }
}

/// Takes away live tickets that wait for nothing live, until nothing changes; what is left is on a circle.
fn has_live_circle(snapshot: &Snapshot) -> bool {
    let mut live: BTreeSet<u64> =
        snapshot.tickets.iter().filter(|t| t.state == TicketState::Open).map(|t| t.ticket.number).collect();
    loop {
        let free = |n: &u64| {
            let ticket = snapshot.tickets.iter().find(|t| t.ticket.number == *n).unwrap();
            !ticket.blocked_by.iter().any(|link| live.contains(&link.upstream.number))
        };
        let free: Vec<u64> = live.iter().copied().filter(free).collect();
        if free.is_empty() {
            return !live.is_empty();
        }
        live.retain(|n| !free.contains(n));
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    /// Whatever is asked for, the rules of a snapshot hold, and asking for all of it again changes nothing.
    #[test]
    fn any_sequence_keeps_the_rules_and_is_idempotent(
        steps in proptest::collection::vec((0u8..16, 1u64..7, 1u64..7), 1..40),
    ) {
        for_embedded(&|tracker: &mut dyn Tracker| {
            // Numbers that may or may not exist; each with the id that it would have.
            let reference = |number| tracker_reference(tracker.identity().as_str(), number);
            let operations: Vec<Operation> = steps
                .iter()
                .enumerate()
                .map(|(at, (kind, a, b))| random_operation(*kind, reference(*a), reference(*b), at + usize::from(*kind)))
                .collect();
            let mut done = Vec::new();
            let first = committed(tracker, |t| {
                for (at, operation) in operations.iter().enumerate() {
                    match t.execute(&format!("key-{at}"), operation) {
                        Ok(outcome) => done.push((at, outcome.ticket)),
                        Err(TrackerError::Refused(_)) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
            assert!(!has_live_circle(&first), "live tickets wait for each other");
            assert!(first.ready().iter().all(|ticket| first.live_blockers(ticket).next().is_none()));
            let again = committed(tracker, |t| {
                for (at, ticket) in &done {
                    let outcome = t.execute(&format!("key-{at}"), &operations[*at]).unwrap();
                    assert_eq!((&outcome.ticket, outcome.adopted), (ticket, true));
                }
            });
            assert_eq!(first.digest(), again.digest());
        });
    }
}
