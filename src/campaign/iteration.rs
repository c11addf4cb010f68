//! The part of a step that writes. Everything here can be run again from the ledger and the frozen report.

use std::collections::{BTreeMap, BTreeSet};

use super::closure::{self, ClosureState, Seen};
use super::error::CampaignError;
use super::events::{IterationFacts, IterationJudged, IterationStarted, Limits, PlanSaved, VerdictRecord, kind};
use super::judge::{Verdict, judge};
use super::paths::CampaignPaths;
use super::picture::active_picture;
use super::state::CampaignState;
use super::step::{is_routable, refused, view, watch};
use crate::apply::{self, ApplyError, Limits as ApplyLimits};
use crate::categorize::{Categorization, CategorizationOutput, categorize};
use crate::category_map::CategoryMap;
use crate::graph::draw;
use crate::ledger::{Ledger, create_folder, write_atomic};
use crate::model::{CategoryId, Digest, TicketRef};
use crate::plan::{Action, CategoryState, Note, NoteKind, Plan, category_states, plan};
use crate::report::{Frozen, MissingCases, ReportSource, RequiredCases};
use crate::tracker::{Snapshot, TicketState, Tracker};

/// How often a plan is made again when the tracker moved between planning and applying.
const REPLANS: usize = 3;

/// Everything an iteration works with.
pub(super) struct Workbench<'w> {
    pub(super) paths: &'w CampaignPaths,
    pub(super) ledger: &'w mut Ledger,
    pub(super) state: &'w CampaignState,
    pub(super) map: &'w CategoryMap,
    pub(super) limits: Limits,
    pub(super) apply_limits: ApplyLimits,
    pub(super) tracker: &'w mut dyn Tracker,
    pub(super) now: &'w dyn Fn() -> String,
    pub(super) elapsed_s: &'w dyn Fn(&str, &str) -> u64,
    pub(super) progress: &'w dyn Fn(&str),
}

/// A finished iteration.
pub(super) struct Done {
    pub(super) judged: IterationJudged,
    pub(super) notes: Vec<Note>,
    pub(super) changes: usize,
}

/// Makes the plan, draws the picture and checks the limits without writing anything: whatever would refuse the
/// report, refuses it here.
pub(super) fn dry_run(
    bench: &mut Workbench<'_>,
    started: &IterationStarted,
    c: &Categorization,
) -> Result<(), CampaignError> {
    let plan = make_plan(bench, started, c)?;
    apply::check_limits(&plan, bench.apply_limits)?;
    Ok(())
}

/// Brings an iteration whose first entry is written to its end. `saved` is the digest of its plan, if one was saved.
pub(super) fn complete(
    bench: &mut Workbench<'_>,
    started: &IterationStarted,
    saved: Option<Digest>,
) -> Result<Done, CampaignError> {
    let frozen = Frozen::open(bench.paths.state_dir(), started.report_digest)?;
    let snapshot = bench.tracker.snapshot()?;
    let source = ReportSource::open(frozen.path())?;
    let c = categorize(&source, bench.map, &watch(bench.paths, &snapshot, Some(&started.head)))?;
    frozen.check(c.report.digest)?;
    let folder = bench.paths.iteration(started.iteration);
    create_folder(&folder)?;
    let mut categorization = serde_json::to_vec_pretty(&CategorizationOutput::from(&c))?;
    categorization.push(b'\n');
    write_atomic(&folder.join("categorization.json"), &categorization)?;
    // The picture comes before any mutation: what cannot be drawn is not acted upon.
    draw_all(bench, started, &c, &snapshot)?;

    (bench.progress)("planning and applying");
    let (plan, receipt) = plan_and_apply(bench, started, &c, saved)?;
    let mut receipt_bytes = serde_json::to_vec_pretty(&serde_json::to_value(&receipt)?)?;
    receipt_bytes.push(b'\n');
    write_atomic(&folder.join("receipt.json"), &receipt_bytes)?;

    let snapshot = bench.tracker.snapshot()?;
    let states = draw_all(bench, started, &c, &snapshot)?;
    let mut facts = facts(started, &c, &states, &plan);
    let missing = missing_cases(bench, &source)?;
    (facts.missing, facts.missing_examples) = (missing.count, missing.examples);
    let made = apply::journal::made(bench.ledger.entries());
    facts.unproven = unproven(&c, bench.map, &made.tickets, &snapshot);
    let transitions = transitions(bench.state, &c, &states, &plan);
    let at = (bench.now)();
    let elapsed_s = bench.state.started_at.as_deref().map_or(0, |from| (bench.elapsed_s)(from, &at));
    let verdict = match judge(&bench.state.current_history(), &facts, &bench.limits, elapsed_s) {
        Verdict::Green => VerdictRecord::Green,
        Verdict::GoOn => VerdictRecord::GoOn,
        Verdict::Stop(blocker) => VerdictRecord::Stop { blocker },
    };
    let judged = IterationJudged { iteration: started.iteration, facts, transitions, verdict };
    bench.ledger.append(kind::ITERATION_JUDGED, serde_json::to_value(&judged)?, &at, epoch(bench))?;
    Ok(Done { judged, notes: plan.notes, changes: plan.changes })
}

/// The saved plan of an interrupted iteration, or a new one, applied.
fn plan_and_apply(
    bench: &mut Workbench<'_>,
    started: &IterationStarted,
    c: &Categorization,
    saved: Option<Digest>,
) -> Result<(Plan, apply::ApplyReceipt), CampaignError> {
    let mut plan = match saved {
        Some(digest) => read_plan(bench, started, digest)?,
        None => save_plan(bench, started, c)?,
    };
    for _ in 0..REPLANS {
        let receipt = apply::apply(&plan, &mut *bench.tracker, &mut *bench.ledger, bench.now, bench.apply_limits);
        match receipt {
            // Somebody else wrote to the tracker in between; the report is the same, so plan anew.
            // A plan that was refused and undone is history; the tracker may take a new one now.
            Err(ApplyError::Stale { .. } | ApplyError::CompensatedBefore(_)) => plan = save_plan(bench, started, c)?,
            other => return Ok((plan, other?)),
        }
    }
    let receipt = apply::apply(&plan, &mut *bench.tracker, &mut *bench.ledger, bench.now, bench.apply_limits)?;
    Ok((plan, receipt))
}

fn plan_path(bench: &Workbench<'_>, started: &IterationStarted) -> std::path::PathBuf {
    bench.paths.iteration(started.iteration).join("plan.json")
}

fn make_plan(bench: &mut Workbench<'_>, started: &IterationStarted, c: &Categorization) -> Result<Plan, CampaignError> {
    let snapshot = bench.tracker.snapshot()?;
    plan(c, bench.map, &snapshot, &view(bench, started)).map_err(|refusal| refused(refusal, c))
}

fn save_plan(bench: &mut Workbench<'_>, started: &IterationStarted, c: &Categorization) -> Result<Plan, CampaignError> {
    let plan = make_plan(bench, started, c)?;
    write_atomic(&plan_path(bench, started), &plan.to_bytes()?)?;
    let saved = PlanSaved { iteration: started.iteration, plan_digest: plan.digest() };
    bench.ledger.append(kind::PLAN_SAVED, serde_json::to_value(&saved)?, &(bench.now)(), epoch(bench))?;
    Ok(plan)
}

fn read_plan(bench: &Workbench<'_>, started: &IterationStarted, expected: Digest) -> Result<Plan, CampaignError> {
    let path = plan_path(bench, started);
    let wrong =
        |reason: String| CampaignError::SavedPlan { path: path.to_string_lossy().into_owned(), expected, reason };
    let bytes = std::fs::read(&path).map_err(|error| wrong(error.to_string()))?;
    let plan = Plan::from_bytes(&bytes).map_err(|error| wrong(error.to_string()))?;
    if plan.digest() != expected {
        return Err(wrong(format!("its digest is {}", plan.digest())));
    }
    Ok(plan)
}

fn epoch(bench: &Workbench<'_>) -> u64 {
    u64::from(bench.state.generation_number())
}

/// Writes category-dag.{svg,txt,dot} and returns the states it shows.
fn draw_all(
    bench: &Workbench<'_>,
    started: &IterationStarted,
    c: &Categorization,
    snapshot: &Snapshot,
) -> Result<BTreeMap<CategoryId, CategoryState>, CampaignError> {
    let states = category_states(c, bench.map, snapshot);
    let title = format!("Campaign {} · iteration {}", bench.paths.id(), started.iteration);
    let picture = active_picture(title, c, bench.map, &states, previous_cases(bench, started).as_ref());
    let folder = bench.paths.iteration(started.iteration);
    for (name, text) in [
        ("category-dag.svg", draw::svg(&picture)),
        ("category-dag.txt", draw::text(&picture)),
        ("category-dag.dot", draw::dot(&picture)),
    ] {
        write_atomic(&folder.join(name), text.as_bytes())?;
    }
    Ok(states)
}

/// Failing cases of the iteration before, by category, from its categorization; `None` if there is none to read.
fn previous_cases(bench: &Workbench<'_>, started: &IterationStarted) -> Option<BTreeMap<String, BTreeSet<String>>> {
    #[derive(serde::Deserialize)]
    struct Document {
        cases_by_category: BTreeMap<String, BTreeSet<String>>,
    }
    let before = started.iteration.checked_sub(1).filter(|number| *number > 0)?;
    let bytes = std::fs::read(bench.paths.iteration(before).join("categorization.json")).ok()?;
    serde_json::from_slice::<Document>(&bytes).ok().map(|document| document.cases_by_category)
}

fn facts(
    started: &IterationStarted,
    c: &Categorization,
    states: &BTreeMap<CategoryId, CategoryState>,
    plan: &Plan,
) -> IterationFacts {
    let mut not_green = BTreeMap::new();
    for reason in &c.not_green {
        *not_green.entry(reason.kind.clone()).or_insert(0) += 1;
    }
    IterationFacts {
        head: started.head.clone(),
        tree: started.tree.clone(),
        report_digest: started.report_digest,
        semantic_fingerprint: c.semantic_fingerprint,
        provenance_fingerprint: c.provenance_fingerprint,
        failures: c.counts.failing,
        categories: c.active.iter().map(|active| (active.category_id.clone(), active.failures as u64)).collect(),
        required: c.counts.required,
        missing: 0,
        missing_examples: Vec::new(),
        unproven: Vec::new(),
        flaky: c.counts.flaky_required,
        blocked: c.counts.blocked,
        not_green,
        routable: c
            .active
            .iter()
            .filter(|active| states.get(&active.category_id).is_some_and(|state| is_routable(state.state)))
            .map(|active| active.category_id.clone())
            .collect(),
        over_reopen_cap: plan
            .notes
            .iter()
            .filter(|note| note.kind == NoteKind::ReopenCap)
            .map(|note| note.category_id.clone())
            .collect(),
    }
}

/// Required cases that earlier runs of this generation had and this one lacks: a suite that shrinks proves nothing
/// about what it no longer asks.
fn missing_cases(bench: &Workbench<'_>, source: &ReportSource) -> Result<MissingCases, CampaignError> {
    let mut required = RequiredCases::of(source)?;
    let mut missing = MissingCases::default();
    for facts in bench.state.current_history() {
        let frozen = Frozen::open(bench.paths.state_dir(), facts.report_digest)?;
        required.missing_from(&ReportSource::open(frozen.path())?, &mut missing)?;
    }
    Ok(missing)
}

/// Categories that do not fail and whose ticket is open all the same: the case is no longer looked for, it passes on the
/// commit on which it failed, or the map does not know the category any more. Counted are the categories of the map,
/// whichever campaign made the ticket, and every ticket that this campaign's journal knows.
fn unproven(
    c: &Categorization,
    map: &CategoryMap,
    made: &BTreeMap<CategoryId, BTreeSet<TicketRef>>,
    snapshot: &Snapshot,
) -> Vec<CategoryId> {
    let of_the_map = |id: &CategoryId| map.categories.binary_search_by(|category| category.id.cmp(id)).is_ok();
    let unproven: BTreeSet<&CategoryId> = snapshot
        .tickets
        .iter()
        .filter(|ticket| ticket.state == TicketState::Open)
        .map(|ticket| &ticket.category_id)
        .filter(|id| c.active(id).is_none() && (of_the_map(id) || made.contains_key(*id)))
        .collect();
    unproven.into_iter().cloned().collect()
}

/// How the closure states move: failing categories, and those that the plan closed.
fn transitions(
    state: &CampaignState,
    c: &Categorization,
    states: &BTreeMap<CategoryId, CategoryState>,
    plan: &Plan,
) -> Vec<closure::Transition> {
    let report = c.report.digest.short();
    let mut seen: BTreeMap<CategoryId, Seen> = BTreeMap::new();
    for active in &c.active {
        let shown = states.get(&active.category_id);
        seen.insert(
            active.category_id.clone(),
            Seen::Failing {
                ticket: shown.and_then(|shown| shown.ticket.as_ref()).map(ToString::to_string),
                routable: shown.is_some_and(|shown| is_routable(shown.state)),
                report: report.clone(),
            },
        );
    }
    for mutation in &plan.mutations {
        let Action::Close { closure } = &mutation.action else { continue };
        let failed_on =
            last_failing_head(state, &mutation.category_id).unwrap_or_else(|| "an unknown commit".to_owned());
        seen.insert(
            mutation.category_id.clone(),
            Seen::Proven {
                head: closure.proven_head.clone(),
                failed_on,
                report: report.clone(),
                slice: closure.slice.len(),
                manner: closure.manner.clone(),
            },
        );
    }
    seen.iter()
        .flat_map(|(id, seen)| closure::transitions(id, state.closure.get(id).copied() as Option<ClosureState>, seen))
        .collect()
}

fn last_failing_head(state: &CampaignState, category: &CategoryId) -> Option<String> {
    state
        .history
        .iter()
        .rev()
        .find(|(_, _, facts)| facts.categories.contains_key(category))
        .map(|(_, _, facts)| facts.head.clone())
}
