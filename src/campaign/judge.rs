//! Termination (loop.md §13): is the campaign green, may it go on, or must it stop, and why. Pure: the history of
//! iterations and the limits in, a verdict out.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::events::{IterationFacts, Limits};
use crate::model::{CaseName, CategoryId, Digest};

/// Why a campaign stops without being green.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum BlockerKind {
    /// The same tree gave different states, or more cases are flaky than allowed.
    Nondeterminism,
    /// Only external blockers remain.
    BlockedExternal,
    /// The state repeats the previous one on another tree.
    Repeat,
    /// The state repeats an earlier one.
    Oscillation,
    /// The tree repeats: patches cancel each other.
    PatchesCancel,
    /// A category came back more often than allowed.
    ReopenCap,
    /// Failures remain and nothing can be dispatched.
    Starved,
    /// The head does not move.
    Stalled,
    /// No new best in K integrations.
    NoProgress,
    /// Iterations or wall time used up.
    Budget,
}

impl BlockerKind {
    /// The spelling used in documents and messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nondeterminism => "NONDETERMINISM",
            Self::BlockedExternal => "BLOCKED_EXTERNAL",
            Self::Repeat => "REPEAT",
            Self::Oscillation => "OSCILLATION",
            Self::PatchesCancel => "PATCHES_CANCEL",
            Self::ReopenCap => "REOPEN_CAP",
            Self::Starved => "STARVED",
            Self::Stalled => "STALLED",
            Self::NoProgress => "NO_PROGRESS",
            Self::Budget => "BUDGET",
        }
    }
}

/// A stop that is not green, with everything involved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Blocker {
    /// Which rule stopped it.
    pub kind: BlockerKind,
    /// In words.
    pub detail: String,
    /// Categories involved, sorted.
    #[schemars(with = "Vec<String>")]
    pub categories: Vec<CategoryId>,
    /// Heads involved, in order.
    pub commits: Vec<String>,
    /// Semantic fingerprints involved, in order.
    #[schemars(with = "Vec<String>")]
    pub fingerprints: Vec<Digest>,
    /// Provenance fingerprints (what receipts carry) of the iterations involved, in order.
    #[schemars(with = "Vec<String>")]
    pub receipts: Vec<Digest>,
}

/// The verdict on the newest iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// All categories gone, nothing blocked, claims proven.
    Green,
    /// Recorded; go on.
    GoOn,
    /// Stop.
    Stop(Blocker),
}

/// Judges the newest iteration. `earlier` are the iterations of this generation before it, oldest first, all full
/// runs on integrated heads. `elapsed_s` is the time since the generation started, in seconds.
///
/// Rules are asked in this order, and the first that speaks decides: nondeterminism (a tree that failed before proves
/// nothing by passing now), green, too many flaky cases, blocked externally, a
/// repeated tree, a repeated state, the reopen cap, starvation, a head that does not move, no progress, budget. So a
/// state that repeats is named as such even when the budget runs out at the same time.
pub fn judge(earlier: &[IterationFacts], now: &IterationFacts, limits: &Limits, elapsed_s: u64) -> Verdict {
    let history = History { earlier, now, limits };
    if let Some(blocker) = nondeterminism(&history) {
        return Verdict::Stop(blocker);
    }
    if now.failures == 0 && now.not_green.is_empty() && now.missing == 0 && now.unproven.is_empty() {
        return Verdict::Green;
    }
    let rules = [too_flaky, blocked_external, patches_cancel, state_repeats, reopen_cap, starved, stalled];
    let stop = rules
        .iter()
        .find_map(|rule| rule(&history))
        .or_else(|| no_progress(&history))
        .or_else(|| budget(&history, elapsed_s));
    stop.map_or(Verdict::GoOn, Verdict::Stop)
}

struct History<'a> {
    earlier: &'a [IterationFacts],
    now: &'a IterationFacts,
    limits: &'a Limits,
}

impl<'a> History<'a> {
    /// A blocker that involves these earlier iterations and the newest one.
    fn stop<'i>(
        &self,
        kind: BlockerKind,
        detail: String,
        involved: impl IntoIterator<Item = &'i IterationFacts>,
    ) -> Blocker
    where
        'a: 'i,
    {
        let mut all: Vec<&IterationFacts> = involved.into_iter().collect();
        all.push(self.now);
        let categories: BTreeSet<&CategoryId> = self.now.categories.keys().chain(&self.now.unproven).collect();
        Blocker {
            kind,
            detail,
            categories: categories.into_iter().cloned().collect(),
            commits: all.iter().map(|facts| facts.head.clone()).collect(),
            fingerprints: all.iter().map(|facts| facts.semantic_fingerprint).collect(),
            receipts: all.iter().map(|facts| facts.provenance_fingerprint).collect(),
        }
    }

    /// The history without runs that repeated the head before them: each entry is a movement of the head.
    fn integrations(&self) -> Vec<&'a IterationFacts> {
        let mut moves: Vec<&IterationFacts> = Vec::new();
        for facts in self.earlier.iter().chain([self.now]) {
            if moves.last().is_none_or(|last| last.tree != facts.tree || last.head != facts.head) {
                moves.push(facts);
            }
        }
        moves
    }
}

/// The same tree, another state: not a defect that a patch can mend, and not oscillation.
fn nondeterminism(h: &History<'_>) -> Option<Blocker> {
    let other = h
        .earlier
        .iter()
        .rev()
        .find(|facts| facts.tree == h.now.tree && facts.semantic_fingerprint != h.now.semantic_fingerprint)?;
    Some(h.stop(BlockerKind::Nondeterminism, format!("the tree {} gave two different states", h.now.tree), [other]))
}

fn too_flaky(h: &History<'_>) -> Option<Blocker> {
    let (flaky, required) = (h.now.flaky, h.now.required);
    if flaky == 0 || flaky * 1000 <= required * u64::from(h.limits.flaky_max_permille) {
        return None;
    }
    let detail = format!(
        "{flaky} of {required} required cases are flaky; at most {} per mille are allowed",
        h.limits.flaky_max_permille
    );
    Some(h.stop(BlockerKind::Nondeterminism, detail, []))
}

/// No failure remains, and nothing but blocked cases keeps it from being green.
fn blocked_external(h: &History<'_>) -> Option<Blocker> {
    let only_blocked = h.now.failures == 0 && h.now.blocked > 0 && h.now.missing == 0 && h.now.unproven.is_empty();
    only_blocked.then(|| {
        let detail = format!("nothing fails any more, but {} required case(s) are BLOCKED from outside", h.now.blocked);
        h.stop(BlockerKind::BlockedExternal, detail, [])
    })
}

/// The tree was there before, on an earlier head: what was done in between cancels itself.
fn patches_cancel(h: &History<'_>) -> Option<Blocker> {
    let last = h.earlier.last()?;
    if last.tree == h.now.tree && last.head == h.now.head {
        return None;
    }
    let at = h.earlier.iter().rposition(|facts| facts.tree == h.now.tree)?;
    let detail = format!(
        "the tree {} is back after {} iteration(s): the patches in between cancel each other",
        h.now.tree,
        h.earlier.len() - at
    );
    Some(h.stop(BlockerKind::PatchesCancel, detail, &h.earlier[at..]))
}

/// The state was there before, on another tree. The first recurrence stops.
fn state_repeats(h: &History<'_>) -> Option<Blocker> {
    let moves = h.integrations();
    let (now, before) = moves.split_last()?;
    if now.tree != h.now.tree || now.head != h.now.head {
        return None;
    }
    let at = before
        .iter()
        .rposition(|facts| facts.semantic_fingerprint == now.semantic_fingerprint && facts.tree != now.tree)?;
    let period = before.len() - at;
    let (kind, detail) = if period == 1 {
        (
            BlockerKind::Repeat,
            "the failures are exactly those of the previous head: the last fix changed nothing".to_owned(),
        )
    } else {
        (
            BlockerKind::Oscillation,
            format!(
                "the failures are exactly those of {period} heads ago: the campaign oscillates with period {period}"
            ),
        )
    };
    Some(h.stop(kind, detail, before[at..].iter().copied()))
}

fn reopen_cap(h: &History<'_>) -> Option<Blocker> {
    if h.now.over_reopen_cap.is_empty() {
        return None;
    }
    let detail = format!(
        "{} came back after being reopened {} time(s)",
        h.now.over_reopen_cap.iter().map(CategoryId::as_str).collect::<Vec<_>>().join(", "),
        h.limits.reopen_cap
    );
    let mut blocker = h.stop(BlockerKind::ReopenCap, detail, []);
    blocker.categories.clone_from(&h.now.over_reopen_cap);
    Some(blocker)
}

/// Nothing can be dispatched, and yet the campaign is not green: either failures remain that nobody may work on, or
/// nothing fails only because the cases that would are no longer there.
fn starved(h: &History<'_>) -> Option<Blocker> {
    if h.now.failures == 0 && (h.now.missing > 0 || !h.now.unproven.is_empty()) {
        let examples: Vec<&str> = h.now.missing_examples.iter().map(CaseName::as_str).collect();
        let detail = format!(
            "nothing fails, but {} required case(s) of earlier runs are gone or not required any more ({}), and {} open \
             ticket(s) cannot be proven gone",
            h.now.missing,
            if examples.is_empty() { "none".to_owned() } else { examples.join(", ") },
            h.now.unproven.len()
        );
        return Some(h.stop(BlockerKind::Starved, detail, []));
    }
    let hungry = h.now.failures > 0 && h.now.routable.is_empty();
    hungry.then(|| {
        let detail = format!("{} failure(s) remain, and no ticket can be dispatched", h.now.failures);
        h.stop(BlockerKind::Starved, detail, [])
    })
}

fn stalled(h: &History<'_>) -> Option<Blocker> {
    let same = h.earlier.iter().rev().take_while(|facts| facts.head == h.now.head).count();
    (same >= h.limits.stalled as usize).then(|| {
        let detail = format!("the head {} did not move in {same} further run(s)", h.now.head);
        h.stop(BlockerKind::Stalled, detail, h.earlier.last())
    })
}

/// No new best of (failures, categories) in the last K movements of the head.
fn no_progress(h: &History<'_>) -> Option<Blocker> {
    let moves = h.integrations();
    let score = |facts: &IterationFacts| (facts.failures, facts.categories.len());
    let mut best = score(moves.first()?);
    let mut since = 0;
    for facts in &moves[1..] {
        if score(facts) < best {
            (best, since) = (score(facts), 0);
        } else {
            since += 1;
        }
    }
    (since >= h.limits.no_progress as usize).then(|| {
        let detail = format!(
            "no new best in {since} integrations: still {} failure(s) in {} categories at best, now {} in {}",
            best.0,
            best.1,
            h.now.failures,
            h.now.categories.len()
        );
        let start = moves.len() - 1 - since;
        h.stop(BlockerKind::NoProgress, detail, moves[start..moves.len() - 1].iter().copied())
    })
}

fn budget(h: &History<'_>, elapsed_s: u64) -> Option<Blocker> {
    let iterations = h.earlier.len() + 1;
    let detail = if iterations >= h.limits.iterations as usize {
        format!("{iterations} of {} iterations are used up", h.limits.iterations)
    } else if h.limits.wall_s > 0 && elapsed_s >= h.limits.wall_s {
        format!("{elapsed_s} s of {} s are used up", h.limits.wall_s)
    } else {
        return None;
    };
    Some(h.stop(BlockerKind::Budget, detail, []))
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
