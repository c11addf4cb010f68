//! `campaign verify`: does everything that the ledger says still hold? The chain, the frozen files, the saved plans,
//! the recorded fingerprints (computed anew), and the tickets.

use super::events::{IterationStarted, PlanSaved, kind};
use super::paths::CampaignPaths;
use super::state::CampaignState;
use super::step::frozen_map;
use crate::apply::journal;
use crate::categorize::{Watch, categorize};
use crate::category_map::CategoryMap;
use crate::ledger::{Ledger, LedgerError};
use crate::plan::Plan;
use crate::report::{Frozen, ReportSource};
use crate::tracker::Snapshot;

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// What was checked, for example `iteration 2: report`.
    pub what: String,
    /// `null` if it holds; else what is wrong.
    pub wrong: Option<String>,
}

/// Checks a campaign. Reads only. Every check is listed, in order, whether it holds or not.
///
/// # Errors
/// When the ledger cannot be read; a broken chain is a finding of the caller's `ledger verify` and an error here.
pub fn verify(paths: &CampaignPaths, snapshot: &Snapshot) -> Result<Vec<Finding>, LedgerError> {
    let ledger = Ledger::read_only(&paths.ledger())?;
    let mut findings = vec![Finding { what: format!("ledger: {} entries", ledger.entries.len()), wrong: None }];
    let mut check = |what: String, outcome: Result<(), String>| findings.push(Finding { what, wrong: outcome.err() });

    let mut map: Option<CategoryMap> = None;
    let mut folded = Vec::new();
    for entry in &ledger.entries {
        folded.push(entry.clone());
        match entry.kind.as_str() {
            kind::GENERATION_STARTED => {
                let state = match CampaignState::fold(&folded) {
                    Ok(state) => state,
                    Err(error) => {
                        check(format!("entry {}", error.seq), Err(error.to_string()));
                        continue;
                    }
                };
                let loaded = frozen_map(paths, &state).map_err(|error| chain(&error));
                check(
                    format!("generation {}: map", state.generation_number()),
                    loaded.as_ref().map(|_| ()).map_err(Clone::clone),
                );
                map = loaded.ok();
            }
            kind::ITERATION_STARTED => {
                let Some(started) = journal::parse::<IterationStarted>(entry) else { continue };
                let opened = Frozen::open(paths.state_dir(), started.report_digest).map(|_| ());
                check(format!("iteration {}: report", started.iteration), opened.map_err(|error| chain(&error)));
            }
            kind::PLAN_SAVED => {
                let Some(saved) = journal::parse::<PlanSaved>(entry) else { continue };
                // A plan that was made anew replaces the file; only the last one of an iteration is there.
                let superseded = ledger.entries.iter().any(|other| {
                    other.seq > entry.seq
                        && other.kind == kind::PLAN_SAVED
                        && journal::parse::<PlanSaved>(other).is_some_and(|other| other.iteration == saved.iteration)
                });
                if !superseded {
                    check(format!("iteration {}: plan", saved.iteration), plan_holds(paths, &saved));
                }
            }
            kind::ITERATION_JUDGED => {
                let Some(judged) = journal::parse::<super::events::IterationJudged>(entry) else { continue };
                let what = format!("iteration {}: fingerprint", judged.iteration);
                let unchecked = || Err("it cannot be computed anew without the map".to_owned());
                check(what, map.as_ref().map_or_else(unchecked, |map| fingerprint_holds(paths, map, &judged.facts)));
            }
            _ => {}
        }
    }
    let made = journal::made(&ledger.entries);
    for (category, tickets) in &made.tickets {
        for ticket in tickets {
            let there = snapshot.ticket(ticket).is_some_and(|t| t.category_id == *category);
            let outcome = if there { Ok(()) } else { Err("the tracker does not list it".to_owned()) };
            check(format!("ticket {ticket} of {category}"), outcome);
        }
    }
    Ok(findings)
}

fn plan_holds(paths: &CampaignPaths, saved: &PlanSaved) -> Result<(), String> {
    let path = paths.iteration(saved.iteration).join("plan.json");
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let plan = Plan::from_bytes(&bytes).map_err(|error| error.to_string())?;
    let found = plan.digest();
    if found != saved.plan_digest {
        return Err(format!("the ledger names {}, the file is {found}", saved.plan_digest));
    }
    // The digest is that of what was understood; other bytes were not written by greenloop.
    if plan.to_bytes().ok().as_deref() == Some(bytes.as_slice()) {
        return Ok(());
    }
    Err("it says the same, but in other bytes: it was edited".to_owned())
}

fn fingerprint_holds(
    paths: &CampaignPaths,
    map: &CategoryMap,
    facts: &super::events::IterationFacts,
) -> Result<(), String> {
    let frozen = Frozen::open(paths.state_dir(), facts.report_digest).map_err(|error| chain(&error))?;
    let source = ReportSource::open(frozen.path()).map_err(|error| chain(&error))?;
    let c = categorize(&source, map, &Watch::default()).map_err(|error| chain(&error))?;
    if c.semantic_fingerprint == facts.semantic_fingerprint && c.counts.failing == facts.failures {
        return Ok(());
    }
    Err(format!("the ledger says {}, the report gives {}", facts.semantic_fingerprint, c.semantic_fingerprint))
}

/// An error with its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
