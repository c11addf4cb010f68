//! Apply on a tracker without transactions: every step is made at once, so a refusal has to be compensated and an
//! unknown outcome has to be found out. The tracker is the real embedded one, committed after every operation.

use std::collections::{BTreeMap, BTreeSet};

use greenloop::apply::journal::{self, PlanProgress};
use greenloop::apply::{ApplyError, ApplyReceipt, Limits, StepOutcome, apply};
use greenloop::ledger::Ledger;
use greenloop::plan::{Plan, plan};
use greenloop::tracker::{EmbeddedTracker, Operation, OperationOutcome, Snapshot, TicketState, Tracker, TrackerError};

use super::plan_laws::{categorized, map, report, view};

/// What goes wrong, at which execution (from 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    Refuse(usize),
    /// The write happens, and its answer is lost.
    LoseAnswer(usize),
    /// The write does not happen, and nobody can tell.
    LoseRequest(usize),
}

struct Stepwise {
    inner: EmbeddedTracker,
    fault: Fault,
    executed: usize,
}

impl Tracker for Stepwise {
    fn identity(&self) -> String {
        self.inner.identity()
    }
    fn snapshot(&mut self) -> Result<Snapshot, TrackerError> {
        self.inner.snapshot()
    }
    fn is_transactional(&self) -> bool {
        false
    }
    fn begin(&mut self) -> Result<(), TrackerError> {
        Ok(())
    }
    fn find_done(&mut self, key: &str) -> Result<Option<OperationOutcome>, TrackerError> {
        self.inner.find_done(key)
    }
    fn execute(&mut self, key: &str, operation: &Operation) -> Result<OperationOutcome, TrackerError> {
        let at = self.executed;
        self.executed += 1;
        if self.fault == Fault::Refuse(at) {
            return Err(TrackerError::Refused("the rig refuses this one".into()));
        }
        if self.fault == Fault::LoseRequest(at) {
            return Err(TrackerError::Unknown("the rig lost the request".into()));
        }
        self.inner.begin()?;
        let outcome = self.inner.execute(key, operation);
        match outcome {
            Ok(_) => self.inner.commit()?,
            Err(_) => self.inner.abort(),
        }
        if self.fault == Fault::LoseAnswer(at) {
            return Err(TrackerError::Unknown("the rig lost the answer".into()));
        }
        outcome
    }
    fn commit(&mut self) -> Result<(), TrackerError> {
        Ok(())
    }
    fn abort(&mut self) {}
    fn body(&mut self, number: u64) -> Result<Option<String>, TrackerError> {
        self.inner.body(number)
    }
    fn history(&mut self, number: u64) -> Result<Vec<greenloop::tracker::Event>, TrackerError> {
        self.inner.history(number)
    }
}

struct Rig {
    _folder: tempfile::TempDir,
    tracker: Stepwise,
    ledger: Ledger,
    plan: Plan,
}

/// Three categories in a row, all failing: 3 creates, 2 links, 3 publishes.
fn rig() -> Rig {
    let folder = tempfile::tempdir().unwrap();
    let inner = EmbeddedTracker::open_or_create(&folder.path().join("tracker.db")).unwrap();
    let mut tracker = Stepwise { inner, fault: Fault::None, executed: 0 };
    let (ledger, _) = Ledger::open(&folder.path().join("ledger.jsonl"), "laws").unwrap();
    let map = map(3, &BTreeSet::from([(1, 0), (2, 1)]));
    let failing = (0..3).map(|i| ((i, 0), 1)).collect::<BTreeMap<_, _>>();
    let snapshot = tracker.snapshot().unwrap();
    let c = categorized(report(3, &failing, "a"), &map, &snapshot);
    let plan = plan(&c, &map, &snapshot, &view("a", 1)).unwrap();
    assert_eq!(plan.changes, 8);
    Rig { _folder: folder, tracker, ledger, plan }
}

impl Rig {
    fn apply(&mut self, fault: Fault) -> Result<ApplyReceipt, ApplyError> {
        self.tracker.fault = fault;
        self.tracker.executed = 0;
        apply(&self.plan, &mut self.tracker, &mut self.ledger, &|| "t".to_owned(), Limits::default())
    }

    /// The tracker without the numbers that say when things happened.
    fn state(&mut self) -> Vec<(String, TicketState, Vec<String>, usize)> {
        let snapshot = self.tracker.snapshot().unwrap();
        snapshot
            .tickets
            .iter()
            .map(|t| (t.category_id.to_string(), t.state, t.labels.iter().cloned().collect(), t.blocked_by.len()))
            .collect()
    }
}

#[test]
fn a_lost_answer_or_request_at_any_step_leads_to_the_same_end() {
    let mut undisturbed = rig();
    let receipt = undisturbed.apply(Fault::None).unwrap();
    let wanted = undisturbed.state();
    for step in 0..8 {
        for fault in [Fault::LoseAnswer(step), Fault::LoseRequest(step)] {
            let mut rig = rig();
            let error = rig.apply(fault).unwrap_err();
            assert!(
                matches!(error, ApplyError::Interrupted { step: at, steps: 8, .. } if at == step + 1),
                "{fault:?}: {error}"
            );
            assert_eq!(journal::progress(rig.ledger.entries(), rig.plan.digest()), PlanProgress::Started);
            let again = rig.apply(Fault::None).unwrap();
            assert!(again.complete);
            assert_eq!(again.steps.len(), receipt.steps.len());
            assert_eq!(rig.state(), wanted, "{fault:?}");
        }
    }
}

#[test]
fn a_refusal_before_publishing_is_undone_and_recorded() {
    for step in 0..5 {
        let mut rig = rig();
        let error = rig.apply(Fault::Refuse(step)).unwrap_err();
        assert!(matches!(&error, ApplyError::Refused { step: at, .. } if *at == step + 1), "{error}");
        let snapshot = rig.tracker.snapshot().unwrap();
        assert!(snapshot.tickets.iter().all(|t| t.state == TicketState::Closed), "staged tickets are closed again");
        assert!(snapshot.tickets.iter().all(|t| t.state_reason.as_deref() == Some("not_planned")));
        assert!(snapshot.tickets.iter().all(|t| t.blocked_by.is_empty()), "links are unwired again");
        assert!(
            snapshot.tickets.iter().all(|t| !t.labels.contains(Operation::ROUTING_LABEL)),
            "nothing was dispatchable"
        );
        let PlanProgress::Compensated(reason) = journal::progress(rig.ledger.entries(), rig.plan.digest()) else {
            panic!("the compensation is in the journal");
        };
        assert!(reason.contains("refuses"));
        assert!(
            matches!(rig.apply(Fault::None), Err(ApplyError::CompensatedBefore(_))),
            "history is not applied again"
        );
    }
}

#[test]
fn after_a_compensation_the_next_plan_does_not_lose_the_failure() {
    let mut rig = rig();
    rig.apply(Fault::Refuse(4)).unwrap_err();
    let map = map(3, &BTreeSet::from([(1, 0), (2, 1)]));
    let failing = (0..3).map(|i| ((i, 0), 1)).collect::<BTreeMap<_, _>>();
    let snapshot = rig.tracker.snapshot().unwrap();
    let c = categorized(report(3, &failing, "a"), &map, &snapshot);
    rig.plan = plan(&c, &map, &snapshot, &view("a", 1)).unwrap();
    rig.apply(Fault::None).unwrap();
    let live = rig.tracker.snapshot().unwrap().tickets.iter().filter(|t| t.state == TicketState::Open).count();
    assert_eq!(live, 3, "every failing category has a live ticket");
}

#[test]
fn a_refusal_while_publishing_is_not_undone_but_taken_up_again() {
    let mut rig = rig();
    let error = rig.apply(Fault::Refuse(6)).unwrap_err();
    assert!(matches!(error, ApplyError::Interrupted { step: 7, .. }), "{error}");
    let receipt = rig.apply(Fault::None).unwrap();
    assert_eq!(receipt.steps.iter().filter(|step| step.outcome == StepOutcome::Adopted).count(), 6);
}

#[test]
fn limits_and_stale_plans_change_nothing() {
    let mut rig = rig();
    let none = Limits { create_cap: 2, circuit_breaker: 100 };
    let error = apply(&rig.plan, &mut rig.tracker, &mut rig.ledger, &|| "t".into(), none).unwrap_err();
    assert!(matches!(error, ApplyError::CreateCap { planned: 3, cap: 2 }));
    let none = Limits { create_cap: 25, circuit_breaker: 2 };
    let error = apply(&rig.plan, &mut rig.tracker, &mut rig.ledger, &|| "t".into(), none).unwrap_err();
    assert!(matches!(error, ApplyError::CircuitBreaker { planned: 3, limit: 2 }));
    assert_eq!(rig.ledger.entries().len(), 0);
    assert_eq!(rig.state(), []);

    rig.apply(Fault::None).unwrap();
    rig.plan.basis.iteration = 2;
    let entries = rig.ledger.entries().len();
    let state = rig.state();
    assert!(matches!(rig.apply(Fault::None), Err(ApplyError::Stale { what: "tracker", .. })));
    assert_eq!((rig.ledger.entries().len(), rig.state()), (entries, state));
}
