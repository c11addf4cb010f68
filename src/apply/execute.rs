//! Carries out a plan: all of it, or nothing, whatever happens in between.
//!
//! Order of events: intent into the journal (synced) → effect in the tracker → result into the journal (synced). A
//! tracker with transactions does all effects in one; another one does them step by step, in the three phases of the
//! plan, and is brought back by compensation when a step of the first two phases is refused.
//!
//! Taken up again on a tracker without transactions: steps whose result is in the journal are not looked at again (a
//! person may have changed since what they did), a step whose intent alone is there is brought to its end by
//! [`Tracker::finish`], and a refusal that is there is compensated further. Undoing is journalled like doing.

use std::collections::BTreeSet;

use super::error::ApplyError;
use super::journal::{self, Compensated, Finished, PlanProgress, Started, StepDone, StepStarted, kind};
use super::receipt::{ApplyReceipt, ReceiptStep, StepOutcome};
use super::resolve::{Tickets, upstream_of};
use crate::ledger::{Ledger, NewEntry};
use crate::model::{Digest, TicketRef};
use crate::plan::{Action, Mutation, Phase, Plan};
use crate::tracker::{Operation, OperationOutcome, Snapshot, Tracker, TrackerError};

/// How much one apply may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Tickets created at most.
    pub create_cap: usize,
    /// Tickets touched at most.
    pub circuit_breaker: usize,
}

impl Default for Limits {
    /// 25 creations and 100 tickets: the defaults of the design (loop.md §8).
    fn default() -> Self {
        Self { create_cap: 25, circuit_breaker: 100 }
    }
}

/// Applies `plan` to `tracker`, with `ledger` as its journal. `now` gives the time of each entry (RFC 3339).
///
/// Applying a plan that was applied before changes nothing and returns its receipt. Applying one that was interrupted
/// takes up where it stopped.
///
/// # Errors
/// See [`ApplyError`]. Unless it says otherwise, nothing was changed.
pub fn apply(
    plan: &Plan,
    tracker: &mut dyn Tracker,
    ledger: &mut Ledger,
    now: &dyn Fn() -> String,
    limits: Limits,
) -> Result<ApplyReceipt, ApplyError> {
    let digest = plan.digest();
    let progress = journal::progress(ledger.entries(), digest);
    match &progress {
        PlanProgress::Finished(receipt) => return Ok((**receipt).clone()),
        PlanProgress::Compensated(reason) => return Err(ApplyError::CompensatedBefore(reason.clone())),
        PlanProgress::Unknown => check_limits(plan, limits)?,
        // What was begun under other limits is brought to its end.
        PlanProgress::Started => {}
    }
    let known = journal::made(ledger.entries()).tickets;
    tracker.expect(&known.into_values().flatten().collect());
    tracker.begin().map_err(ApplyError::Tracker)?;
    let mut run = Run { plan, digest, tracker, ledger, now, steps: Vec::new() };
    let outcome = run.all(progress == PlanProgress::Started);
    if outcome.is_err() {
        run.tracker.abort();
    }
    outcome
}

/// Goes through a plan without a journal, for a tracker that only rehearses or is asked to forget: what each step would
/// do. The tracker is given up at the end.
///
/// # Errors
/// See [`ApplyError`]; nothing was changed.
pub fn rehearse(plan: &Plan, tracker: &mut dyn Tracker) -> Result<ApplyReceipt, ApplyError> {
    tracker.begin().map_err(ApplyError::Tracker)?;
    let result = rehearsed(plan, tracker);
    tracker.abort();
    result
}

fn rehearsed(plan: &Plan, tracker: &mut dyn Tracker) -> Result<ApplyReceipt, ApplyError> {
    let digest = plan.digest();
    let snapshot = tracker.snapshot().map_err(ApplyError::Tracker)?;
    let (planned, found) = (plan.basis.tracker_digest, snapshot.digest());
    if planned != found {
        return Err(ApplyError::Stale { what: "tracker", planned: planned.to_string(), found: found.to_string() });
    }
    let mut tickets = Tickets::of(&snapshot);
    let mut steps = Vec::with_capacity(plan.mutations.len());
    for (at, mutation) in plan.mutations.iter().enumerate() {
        let operation = resolve(&tickets, at, mutation)?;
        match tracker.execute(&key(digest, at), &operation) {
            Ok(outcome) => steps.push(taken(&mut tickets, mutation, &operation, &outcome)),
            Err(TrackerError::Refused(reason)) => {
                return Err(ApplyError::Refused { step: at + 1, op: mutation.action.name(), reason });
            }
            Err(source) => return Err(ApplyError::Tracker(source)),
        }
    }
    if !tracker.is_transactional() {
        tracker.commit().map_err(ApplyError::Tracker)?;
    }
    Ok(ApplyReceipt::new(digest, steps, true))
}

/// Holds a plan against the limits, before anything is written.
///
/// # Errors
/// [`ApplyError::CreateCap`] and [`ApplyError::CircuitBreaker`].
pub fn check_limits(plan: &Plan, limits: Limits) -> Result<(), ApplyError> {
    let created = plan.creations().count();
    if created > limits.create_cap {
        return Err(ApplyError::CreateCap { planned: created, cap: limits.create_cap });
    }
    let touched: BTreeSet<_> = plan.mutations.iter().map(|mutation| &mutation.category_id).collect();
    if touched.len() > limits.circuit_breaker {
        return Err(ApplyError::CircuitBreaker { planned: touched.len(), limit: limits.circuit_breaker });
    }
    Ok(())
}

/// The idempotency key of a step: made from the plan alone, so that it is the same after any crash.
fn key(plan: Digest, step: usize) -> String {
    Digest::in_domain("greenloop.apply_step.v1", format!("{plan} {step}").as_bytes()).hex()
}

struct Run<'a> {
    plan: &'a Plan,
    digest: Digest,
    tracker: &'a mut dyn Tracker,
    ledger: &'a mut Ledger,
    now: &'a dyn Fn() -> String,
    steps: Vec<ReceiptStep>,
}

impl Run<'_> {
    fn all(&mut self, started_before: bool) -> Result<ApplyReceipt, ApplyError> {
        let snapshot = self.tracker.snapshot().map_err(ApplyError::Tracker)?;
        self.check_fresh(&snapshot, started_before)?;
        let tickets = Tickets::of(&snapshot);
        if !started_before {
            let started =
                Started { plan_digest: self.digest, tracker: snapshot.tracker, steps: self.plan.mutations.len() };
            self.append(kind::STARTED, &started)?;
        }
        if self.tracker.is_transactional() {
            self.at_once(tickets)?;
        } else {
            self.step_by_step(tickets)?;
        }
        let receipt = ApplyReceipt::new(self.digest, std::mem::take(&mut self.steps), true);
        self.append(kind::FINISHED, &Finished { receipt: receipt.clone() })?;
        Ok(receipt)
    }

    /// The tracker is as the plan knew it, or as an interrupted run of this very plan left it.
    fn check_fresh(&mut self, snapshot: &Snapshot, started_before: bool) -> Result<(), ApplyError> {
        let planned = self.plan.basis.tracker_digest;
        let found = snapshot.digest();
        if found == planned {
            return Ok(());
        }
        if started_before && !self.plan.mutations.is_empty() {
            let first_done = self.tracker.find_done(&key(self.digest, 0)).map_err(ApplyError::Tracker)?;
            if first_done.is_some() || !self.tracker.is_transactional() {
                return Ok(());
            }
        }
        Err(ApplyError::Stale { what: "tracker", planned: planned.to_string(), found: found.to_string() })
    }

    /// All steps in one transaction. Results reach the journal after the commit: before it, nothing has happened.
    fn at_once(&mut self, mut tickets: Tickets) -> Result<(), ApplyError> {
        for (at, mutation) in self.plan.mutations.iter().enumerate() {
            let operation = resolve(&tickets, at, mutation)?;
            match self.tracker.execute(&key(self.digest, at), &operation) {
                Ok(outcome) => self.took(&mut tickets, mutation, &operation, &outcome),
                Err(TrackerError::Refused(reason)) => {
                    self.tracker.abort();
                    self.steps.clear();
                    self.steps.push(refused(mutation, &reason));
                    self.record_compensation(&reason)?;
                    return Err(ApplyError::Refused { step: at + 1, op: mutation.action.name(), reason });
                }
                Err(source) => {
                    return Err(ApplyError::Interrupted { step: at + 1, steps: self.plan.mutations.len(), source });
                }
            }
        }
        self.tracker.commit().map_err(ApplyError::Tracker)?;
        let at = (self.now)();
        let results = self.steps.iter().enumerate().map(|(step, done)| {
            let done = StepDone { plan_digest: self.digest, step, done: done.clone() };
            NewEntry {
                kind: kind::STEP_DONE.to_owned(),
                data: journal::data(&done),
                at: at.clone(),
                epoch: self.epoch(),
            }
        });
        let results: Vec<NewEntry> = results.collect();
        self.ledger.append_many(results)?;
        Ok(())
    }

    /// Each step by itself, journalled before and after.
    fn step_by_step(&mut self, mut tickets: Tickets) -> Result<(), ApplyError> {
        let mut so_far = journal::steps_so_far(self.ledger.entries(), self.digest);
        if let Some((at, step)) = so_far.refused() {
            let (at, reason) = (at, step.detail.clone());
            self.steps = (0..at).filter_map(|before| so_far.done.remove(&before)).collect();
            return Err(self.undo(at, &reason, &so_far.begun)?);
        }
        for (at, mutation) in self.plan.mutations.iter().enumerate() {
            if let Some(done) = so_far.done.remove(&at) {
                if let (Action::Create { .. }, Some(ticket)) = (&mutation.action, &done.ticket) {
                    tickets.learn(&mutation.category_id, ticket);
                }
                self.steps.push(ReceiptStep { outcome: StepOutcome::Adopted, ..done });
                continue;
            }
            let operation = resolve(&tickets, at, mutation)?;
            let key = key(self.digest, at);
            match self.journalled(at, &key, &operation, so_far.begun.contains(&key))? {
                Ok(outcome) => {
                    self.took(&mut tickets, mutation, &operation, &outcome);
                    self.append_done(at)?;
                }
                Err(TrackerError::Refused(reason)) if mutation.action.phase() < Phase::Publish => {
                    // Recorded first: whoever takes this up after a crash must undo and not go on.
                    self.steps.push(refused(mutation, &reason));
                    self.append_done(at)?;
                    self.steps.pop();
                    return Err(self.undo(at, &reason, &so_far.begun)?);
                }
                Err(source) => {
                    return Err(ApplyError::Interrupted { step: at + 1, steps: self.plan.mutations.len(), source });
                }
            }
        }
        self.tracker.commit().map_err(ApplyError::Tracker)
    }

    /// One operation with its intent; brought to its end if it was begun before.
    fn journalled(
        &mut self,
        step: usize,
        key: &str,
        operation: &Operation,
        begun: bool,
    ) -> Result<Result<OperationOutcome, TrackerError>, ApplyError> {
        if begun {
            return Ok(self.tracker.finish(key, operation));
        }
        self.append(kind::STEP_STARTED, &StepStarted { plan_digest: self.digest, step, key: key.to_owned() })?;
        Ok(self.tracker.execute(key, operation))
    }

    /// Undoes what came before the refused step, and records it; the error that says so.
    fn undo(&mut self, at: usize, reason: &str, begun: &BTreeSet<String>) -> Result<ApplyError, ApplyError> {
        let mutation = &self.plan.mutations[at];
        let left = self.compensate(reason, begun)?;
        self.tracker.commit().map_err(ApplyError::Tracker)?;
        self.steps.push(refused(mutation, reason));
        self.record_compensation(reason)?;
        let (step, op, reason) = (at + 1, mutation.action.name(), reason.to_owned());
        Ok(match left {
            0 => ApplyError::Refused { step, op, reason },
            left => ApplyError::RefusedAndLeft { step, op, reason, left },
        })
    }

    fn took(&mut self, tickets: &mut Tickets, mutation: &Mutation, operation: &Operation, outcome: &OperationOutcome) {
        self.steps.push(taken(tickets, mutation, operation, outcome));
    }

    /// Undoes, newest first, what can be undone: links are unwired, staged tickets closed as not planned. Evidence
    /// that was recorded stays: it is true. What a person changed meanwhile stays, too. Returns how many steps could not
    /// be undone.
    fn compensate(&mut self, reason: &str, begun: &BTreeSet<String>) -> Result<usize, ApplyError> {
        let now = self.tracker.snapshot().map_err(ApplyError::Tracker)?;
        let is_changed = |ticket: &TicketRef| now.ticket(ticket).is_some_and(|now| !now.person_changed.is_empty());
        let mut left = 0;
        for at in (0..self.steps.len()).rev() {
            let step = self.steps[at].clone();
            if step.outcome == StepOutcome::Compensated {
                continue;
            }
            let key = format!("{}-undo", key(self.digest, at));
            let undo = match (step.op.as_str(), step.ticket.clone(), step.upstream.clone()) {
                ("link", Some(ticket), Some(upstream)) => Operation::Unlink { ticket, upstream },
                // An undoing that was begun may itself have changed the state.
                ("create", Some(ticket), _) if is_changed(&ticket) && !begun.contains(&key) => {
                    left += 1;
                    continue;
                }
                ("create", Some(ticket), _) => {
                    let note = format!("the plan that staged it was refused: {reason}");
                    Operation::Supersede { ticket, successors: Vec::new(), note }
                }
                _ => continue,
            };
            match self.journalled(at, &key, &undo, begun.contains(&key))? {
                Ok(_) => {
                    self.steps[at].outcome = StepOutcome::Compensated;
                    self.append_done(at)?;
                }
                Err(TrackerError::Refused(_)) => left += 1,
                // Not undone yet, and not given up: the next apply goes on here.
                Err(source) => {
                    return Err(ApplyError::Interrupted { step: at + 1, steps: self.plan.mutations.len(), source });
                }
            }
        }
        Ok(left)
    }

    fn record_compensation(&mut self, reason: &str) -> Result<(), ApplyError> {
        let receipt = ApplyReceipt::new(self.digest, self.steps.clone(), false);
        self.append(kind::COMPENSATED, &Compensated { reason: reason.to_owned(), receipt })
    }

    fn append_done(&mut self, step: usize) -> Result<(), ApplyError> {
        let done = StepDone { plan_digest: self.digest, step, done: self.steps[step].clone() };
        self.append(kind::STEP_DONE, &done)
    }

    fn append<T: serde::Serialize>(&mut self, kind: &str, value: &T) -> Result<(), ApplyError> {
        self.ledger.append(kind, journal::data(value), &(self.now)(), self.epoch())?;
        Ok(())
    }

    /// The epoch of the plan's generation: a later generation never takes up an earlier one's plan.
    fn epoch(&self) -> u64 {
        u64::from(self.plan.basis.generation)
    }
}

/// The step of an operation that was done; its new ticket is known from now on.
fn taken(tickets: &mut Tickets, mutation: &Mutation, operation: &Operation, outcome: &OperationOutcome) -> ReceiptStep {
    if matches!(mutation.action, Action::Create { .. }) {
        tickets.learn(&mutation.category_id, &outcome.ticket);
    }
    ReceiptStep {
        category_id: mutation.category_id.clone(),
        detail: mutation.reason.clone(),
        op: mutation.action.name().to_owned(),
        outcome: if outcome.adopted { StepOutcome::Adopted } else { StepOutcome::Done },
        ticket: Some(outcome.ticket.clone()),
        upstream: upstream_of(operation),
    }
}

fn refused(mutation: &Mutation, reason: &str) -> ReceiptStep {
    ReceiptStep {
        category_id: mutation.category_id.clone(),
        detail: reason.to_owned(),
        op: mutation.action.name().to_owned(),
        outcome: StepOutcome::Refused,
        ticket: mutation.ticket.clone(),
        upstream: None,
    }
}

fn resolve(tickets: &Tickets, at: usize, mutation: &Mutation) -> Result<Operation, ApplyError> {
    tickets.operation(mutation).map_err(|reason| ApplyError::Unresolvable { step: at + 1, reason })
}
