//! One iteration from a full run: check, freeze, categorize, draw, plan, apply, record, judge.
//!
//! Everything that can refuse the report comes before the first byte is written. From the first entry on, the
//! iteration can be interrupted anywhere; the next step finishes it from the frozen report before it records another.

use std::path::Path;

use super::error::CampaignError;
use super::events::{IterationFacts, IterationJudged, IterationStarted, VerdictRecord, kind};
use super::iteration::{self, Workbench};
use super::paths::CampaignPaths;
use super::state::{CampaignState, same_commit};
use crate::apply::Limits as ApplyLimits;
use crate::categorize::{Categorization, Watch, categorize};
use crate::category_map::{self, CategoryMap};
use crate::ledger::{Ledger, Recovery};
use crate::model::NodeState;
use crate::plan::{CampaignView, PlanRefusal};
use crate::report::{Frozen, ReportSource};
use crate::tracker::{Snapshot, TicketState, Tracker};

/// What a step works with.
pub struct StepInput<'a> {
    /// The campaign.
    pub paths: &'a CampaignPaths,
    /// The report of a full run.
    pub report: &'a Path,
    /// The integrated head it ran on; default: the report's own commit.
    pub head: Option<&'a str>,
    /// The tree of that head; default: the head.
    pub tree: Option<&'a str>,
    /// The tracker.
    pub tracker: &'a mut dyn Tracker,
    /// Raises the limits of apply for this step.
    pub create_cap: Option<usize>,
    /// Raises the circuit breaker for this step.
    pub circuit_breaker: Option<usize>,
    /// The time, RFC 3339.
    pub now: &'a dyn Fn() -> String,
    /// Seconds between two times that `now` gave.
    pub elapsed_s: &'a dyn Fn(&str, &str) -> u64,
    /// Says what is going on, for people.
    pub progress: &'a dyn Fn(&str),
}

/// What a step did.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// The iteration.
    pub judged: IterationJudged,
    /// False if this very report had been recorded before.
    pub recorded_now: bool,
    /// Number of an earlier, interrupted iteration that was finished first.
    pub finished_first: Option<u32>,
    /// What had to be repaired in the ledger.
    pub recovery: Recovery,
    /// What the plan noted for people.
    pub notes: Vec<crate::plan::Note>,
    /// Mutations applied.
    pub changes: usize,
}

/// Makes one step.
///
/// # Errors
/// See [`CampaignError`].
pub fn step(mut input: StepInput<'_>) -> Result<StepReport, CampaignError> {
    let paths = input.paths;
    if !paths.ledger().is_file() {
        return Err(CampaignError::NotStarted(paths.id().to_owned()));
    }
    let (mut ledger, recovery) = Ledger::open(&paths.ledger(), paths.id())?;
    let mut state = CampaignState::fold(ledger.entries())?;
    let map = frozen_map(paths, &state)?;

    let source = ReportSource::open(input.report)?;
    let given = read_report(&source, &map, &mut input, &state, ledger.entries())?;

    let mut finished_first = None;
    if let Some((started, plan)) = state.open.clone() {
        (input.progress)(&format!("finishing iteration {}, which was interrupted", started.iteration));
        let mut bench = workbench(&mut input, &mut ledger, &state, &map);
        let done = iteration::complete(&mut bench, &started, plan)?;
        if started.report_digest == given.categorization.report.digest {
            return Ok(StepReport { recovery, ..done.into() });
        }
        // The verdict is that of the interrupted report; it must not be taken for one on the report that was given.
        if done.judged.verdict != VerdictRecord::GoOn {
            return Err(CampaignError::Over(done.judged.verdict));
        }
        finished_first = Some(started.iteration);
        state = CampaignState::fold(ledger.entries())?;
    }
    if let Some(judged) = recorded_before(&ledger, &given) {
        if judged.verdict == VerdictRecord::GoOn {
            count_repetition(&mut ledger, &state, &judged, input.now)?;
        }
        return Ok(StepReport { judged, recorded_now: false, finished_first, recovery, notes: Vec::new(), changes: 0 });
    }
    if state.is_over() {
        return Err(CampaignError::Over(state.verdict.unwrap_or(VerdictRecord::Green)));
    }
    if let Some(iteration) = replayed(&state, &given) {
        return Err(CampaignError::Replayed(iteration));
    }
    check_fixture(&state, &given.categorization)?;
    iteration::dry_run(
        &mut workbench(&mut input, &mut ledger, &state, &map),
        &given.started(&state),
        &given.categorization,
    )?;

    // The bytes that were categorized, not a second look at the file: it may be a pipe.
    let frozen = Frozen::store_bytes(paths.state_dir(), source.bytes())?;
    if frozen.digest() != given.categorization.report.digest {
        return Err(CampaignError::ChangedWhileRead {
            read: given.categorization.report.digest,
            frozen: frozen.digest(),
        });
    }
    let started = given.started(&state);
    let data = serde_json::to_value(&started)?;
    ledger.append(kind::ITERATION_STARTED, data, &(input.now)(), u64::from(state.generation_number()))?;
    let done = iteration::complete(&mut workbench(&mut input, &mut ledger, &state, &map), &started, None)?;
    Ok(StepReport { recorded_now: true, finished_first, recovery, ..done.into() })
}

impl From<iteration::Done> for StepReport {
    fn from(done: iteration::Done) -> Self {
        Self {
            judged: done.judged,
            recorded_now: true,
            finished_first: None,
            recovery: Recovery::Nothing,
            notes: done.notes,
            changes: done.changes,
        }
    }
}

/// A loop around `campaign step` whose suite stopped writing reports would give the same one for ever, and get "go on"
/// for ever. Each repetition is recorded, and the one after the limit of STALLED is an error.
fn count_repetition(
    ledger: &mut Ledger,
    state: &CampaignState,
    judged: &IterationJudged,
    now: &dyn Fn() -> String,
) -> Result<(), CampaignError> {
    let repeated = ledger.entries().iter().rev().take_while(|entry| entry.kind == kind::REPORT_REPEATED).count();
    let limit = state.generation.as_ref().map_or(1, |generation| generation.limits.stalled);
    if repeated >= limit as usize {
        return Err(CampaignError::SameReport { iteration: judged.iteration, times: repeated });
    }
    let data = serde_json::json!({ "iteration": judged.iteration });
    ledger.append(kind::REPORT_REPEATED, data, &now(), u64::from(state.generation_number()))?;
    Ok(())
}

fn workbench<'w>(
    input: &'w mut StepInput<'_>,
    ledger: &'w mut Ledger,
    state: &'w CampaignState,
    map: &'w CategoryMap,
) -> Workbench<'w> {
    let limits = state.generation.as_ref().map(|generation| generation.limits).unwrap_or_default();
    Workbench {
        paths: input.paths,
        ledger,
        state,
        map,
        limits,
        apply_limits: ApplyLimits {
            create_cap: input.create_cap.unwrap_or(limits.create_cap),
            circuit_breaker: input.circuit_breaker.unwrap_or(limits.circuit_breaker),
        },
        tracker: &mut *input.tracker,
        now: input.now,
        elapsed_s: input.elapsed_s,
        progress: input.progress,
    }
}

/// The report as it was given, categorized, with the head it stands for.
struct Given {
    categorization: Categorization,
    head: String,
    tree: String,
}

impl Given {
    fn started(&self, state: &CampaignState) -> IterationStarted {
        IterationStarted {
            iteration: state.next_iteration(),
            report_digest: self.categorization.report.digest,
            head: self.head.clone(),
            tree: self.tree.clone(),
            fixture_sha256: self.categorization.report.fixture_sha256.clone(),
        }
    }
}

fn read_report(
    source: &ReportSource,
    map: &CategoryMap,
    input: &mut StepInput<'_>,
    state: &CampaignState,
    entries: &[crate::ledger::Entry],
) -> Result<Given, CampaignError> {
    (input.progress)("reading and categorizing the report");
    let known = crate::apply::journal::made(entries).tickets;
    input.tracker.expect(&known.into_values().flatten().collect());
    let snapshot = input.tracker.snapshot()?;
    let watch = watch(input.paths, &snapshot, input.head);
    let categorization = categorize(source, map, &watch)?;
    if categorization.report.repo_dirty == Some(true) {
        return Err(CampaignError::Dirty);
    }
    let head = match (input.head.map(str::trim), categorization.report.repo_sha.as_deref().map(str::trim)) {
        (Some(""), _) | (None, Some("") | None) => return Err(CampaignError::NoHead),
        (Some(given), Some(report)) if !same_commit(given, report) => {
            return Err(CampaignError::HeadsDiffer { report: report.to_owned(), given: given.to_owned() });
        }
        // The longer spelling says more.
        (Some(given), Some(report)) if report.len() > given.len() => report,
        (Some(head), _) | (None, Some(head)) => head,
    };
    let head = state.spelling_of(head);
    let tree = input.tree.map_or_else(|| head.clone(), str::to_owned);
    Ok(Given { categorization, head, tree })
}

/// What has to be known of a report beyond its failures: the cases of open tickets.
pub(super) fn watch(paths: &CampaignPaths, snapshot: &Snapshot, head: Option<&str>) -> Watch {
    Watch { campaign: Some(paths.id().to_owned()), evaluated_sha: head.map(str::to_owned), ..watch_open(snapshot) }
}

/// What decides whether open tickets may close: the cases recorded on them, and the guards of their categories.
pub fn watch_open(snapshot: &Snapshot) -> Watch {
    let open = || snapshot.tickets.iter().filter(|ticket| ticket.state == TicketState::Open);
    Watch {
        cases: open().flat_map(|ticket| &ticket.receipts).flat_map(|receipt| receipt.cases.iter().cloned()).collect(),
        guarded: open().map(|ticket| ticket.category_id.clone()).collect(),
        ..Watch::default()
    }
}

/// The frozen map of the current generation, re-hashed and checked.
pub(super) fn frozen_map(paths: &CampaignPaths, state: &CampaignState) -> Result<CategoryMap, CampaignError> {
    let Some(generation) = &state.generation else {
        return Err(CampaignError::NotStarted(paths.id().to_owned()));
    };
    let frozen = Frozen::open(paths.state_dir(), generation.map_digest)?;
    let bytes = frozen.read()?;
    let loaded = category_map::parse(&generation.map_file, &bytes);
    loaded.map.ok_or_else(|| CampaignError::Map {
        digest: generation.map_digest,
        reason: loaded.findings.first().map_or_else(|| "no finding".to_owned(), |finding| finding.message.clone()),
    })
}

/// The iteration of this generation that recorded this very report on this head, if it is the newest.
fn recorded_before(ledger: &Ledger, given: &Given) -> Option<IterationJudged> {
    let last = ledger
        .entries()
        .iter()
        .rev()
        .find(|e| matches!(e.kind.as_str(), kind::ITERATION_JUDGED | kind::GENERATION_STARTED))?;
    let judged: IterationJudged =
        (last.kind == kind::ITERATION_JUDGED).then(|| crate::apply::journal::parse(last))??;
    let same = judged.facts.report_digest == given.categorization.report.digest && judged.facts.head == given.head;
    same.then_some(judged)
}

/// The iteration of this generation that this very report on this very head was, before the newest one. Taken for a
/// new run, it would look as if the tree had come back.
fn replayed(state: &CampaignState, given: &Given) -> Option<u32> {
    let current = state.generation_number();
    let same =
        |facts: &IterationFacts| facts.report_digest == given.categorization.report.digest && facts.head == given.head;
    state
        .history
        .iter()
        .find(|(_, generation, facts)| *generation == current && same(facts))
        .map(|(iteration, _, _)| *iteration)
}

fn check_fixture(state: &CampaignState, c: &Categorization) -> Result<(), CampaignError> {
    let name = |fixture: &Option<String>| fixture.clone().unwrap_or_else(|| "none".to_owned());
    let first =
        state.current_history().is_empty() && state.generation.as_ref().is_some_and(|g| g.fixture_sha256.is_none());
    if first || state.fixture_sha256 == c.report.fixture_sha256 {
        return Ok(());
    }
    Err(CampaignError::FixtureMoved { frozen: name(&state.fixture_sha256), found: name(&c.report.fixture_sha256) })
}

/// Turns a refusal of the plan into the campaign's error, with the categorization for the list of what is missing.
pub(super) fn refused(refusal: PlanRefusal, c: &Categorization) -> CampaignError {
    CampaignError::Refused { refusal, categorization: Box::new(c.clone()) }
}

/// What the campaign knows, for a plan.
pub(super) fn view(bench: &Workbench<'_>, started: &IterationStarted) -> CampaignView {
    let made = crate::apply::journal::made(bench.ledger.entries());
    CampaignView {
        campaign: bench.paths.id().to_owned(),
        generation: bench.state.generation_number(),
        iteration: started.iteration,
        evaluated_sha: Some(started.head.clone()),
        on_integrated_head: true,
        heads: bench.state.history.iter().map(|(iteration, _, facts)| (facts.head.clone(), *iteration)).collect(),
        known_tickets: made.tickets,
        wired: made.wired,
        reopen_cap: bench.limits.reopen_cap,
        tracker: bench.state.generation.as_ref().map(|generation| generation.tracker.clone()).unwrap_or_default(),
        attempt: crate::apply::journal::compensations(bench.ledger.entries()),
        failed_on: bench.state.failed_on(),
        evaluated_tree: Some(started.tree.clone()),
    }
}

/// True for states in which a ticket can be dispatched.
pub(super) fn is_routable(state: Option<NodeState>) -> bool {
    state == Some(NodeState::Routable)
}
