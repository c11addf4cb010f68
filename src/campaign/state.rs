//! The state of a campaign: a fold over its ledger.

use std::collections::{BTreeMap, BTreeSet};

use super::closure::ClosureState;
use super::events::{
    GenerationStarted, IterationFacts, IterationJudged, IterationStarted, PlanSaved, VerdictRecord, kind,
};
use crate::apply::journal::{self, UnreadableEntry};
use crate::ledger::Entry;
use crate::model::{CategoryId, Digest};

/// What the ledger says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CampaignState {
    /// The current generation; `None` before the first.
    pub generation: Option<GenerationStarted>,
    /// When it started (RFC 3339).
    pub started_at: Option<String>,
    /// Iterations of all generations: number, generation and facts, oldest first.
    pub history: Vec<(u32, u32, IterationFacts)>,
    /// The last verdict of the current generation.
    pub verdict: Option<VerdictRecord>,
    /// An iteration that was started and not judged: it was interrupted.
    pub open: Option<(IterationStarted, Option<Digest>)>,
    /// Number of the newest iteration that a new generation left unfinished; 0 = none.
    pub abandoned: u32,
    /// Closure state of each category.
    pub closure: BTreeMap<CategoryId, ClosureState>,
    /// Fixture of the generation: stated at its start, or by its first report.
    pub fixture_sha256: Option<String>,
}

impl CampaignState {
    /// Folds the entries of a ledger. Entries of unknown kinds are passed over: newer versions may add some.
    ///
    /// # Errors
    /// An entry of a known kind that cannot be read: what it says would be forgotten, a stop perhaps.
    pub fn fold(entries: &[Entry]) -> Result<Self, UnreadableEntry> {
        journal::check(entries)?;
        let mut state = Self::default();
        for entry in entries {
            match entry.kind.as_str() {
                kind::GENERATION_STARTED => journal::readable::<GenerationStarted>(entry)?,
                kind::ITERATION_STARTED => journal::readable::<IterationStarted>(entry)?,
                kind::PLAN_SAVED => journal::readable::<PlanSaved>(entry)?,
                kind::ITERATION_JUDGED => journal::readable::<IterationJudged>(entry)?,
                _ => {}
            }
            state.take(entry);
        }
        Ok(state)
    }

    fn take(&mut self, entry: &Entry) {
        match entry.kind.as_str() {
            kind::GENERATION_STARTED => {
                let Some(started) = journal::parse::<GenerationStarted>(entry) else { return };
                self.fixture_sha256.clone_from(&started.fixture_sha256);
                self.generation = Some(started);
                self.started_at = Some(entry.at.clone());
                self.verdict = None;
                if let Some((left, _)) = self.open.take() {
                    self.abandoned = left.iteration;
                }
            }
            kind::ITERATION_STARTED => {
                let Some(started) = journal::parse::<IterationStarted>(entry) else { return };
                if self.fixture_sha256.is_none() {
                    self.fixture_sha256.clone_from(&started.fixture_sha256);
                }
                self.open = Some((started, None));
            }
            kind::PLAN_SAVED => {
                let Some(saved) = journal::parse::<PlanSaved>(entry) else { return };
                if let Some((started, plan)) = &mut self.open
                    && started.iteration == saved.iteration
                {
                    *plan = Some(saved.plan_digest);
                }
            }
            kind::ITERATION_JUDGED => {
                let Some(judged) = journal::parse::<IterationJudged>(entry) else { return };
                let generation = self.generation.as_ref().map_or(0, |generation| generation.generation);
                self.history.push((judged.iteration, generation, judged.facts));
                for transition in judged.transitions {
                    self.closure.insert(transition.category_id, transition.to);
                }
                self.verdict = Some(judged.verdict);
                self.open = None;
            }
            _ => {}
        }
    }

    /// Number of the current generation; 0 before the first.
    pub fn generation_number(&self) -> u32 {
        self.generation.as_ref().map_or(0, |generation| generation.generation)
    }

    /// The iterations of the current generation, oldest first.
    pub fn current_history(&self) -> Vec<IterationFacts> {
        let current = self.generation_number();
        self.history
            .iter()
            .filter(|(_, generation, _)| *generation == current)
            .map(|(_, _, facts)| facts.clone())
            .collect()
    }

    /// Heads and trees on which each category failed, in all generations.
    pub fn failed_on(&self) -> BTreeMap<CategoryId, BTreeSet<String>> {
        let mut failed: BTreeMap<CategoryId, BTreeSet<String>> = BTreeMap::new();
        for (_, _, facts) in &self.history {
            for category in facts.categories.keys() {
                failed.entry(category.clone()).or_default().extend([facts.head.clone(), facts.tree.clone()]);
            }
        }
        failed
    }

    /// `head` as it was spelled when it was first evaluated here, so that one commit never counts as two; else as given,
    /// in lower case if it is hexadecimal.
    pub fn spelling_of(&self, head: &str) -> String {
        let known = self.history.iter().map(|(_, _, facts)| &facts.head).find(|known| same_commit(known, head));
        known.cloned().unwrap_or_else(|| if is_hex(head) { head.to_ascii_lowercase() } else { head.to_owned() })
    }

    /// Number of the next iteration. A number is never used twice, also not that of an unfinished one.
    pub fn next_iteration(&self) -> u32 {
        self.history.last().map_or(0, |(iteration, _, _)| *iteration).max(self.abandoned) + 1
    }

    /// True once the generation is green or stopped.
    pub fn is_over(&self) -> bool {
        matches!(self.verdict, Some(VerdictRecord::Green | VerdictRecord::Stop { .. }))
    }
}

/// True if two spellings name one commit: equal, or one the abbreviation (of at least 7 digits, as git makes them) of
/// the other, in whatever case.
pub(super) fn same_commit(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    short == long
        || (short.len() >= 7 && is_hex(short) && is_hex(long) && long[..short.len()].eq_ignore_ascii_case(short))
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_commit_has_many_spellings() {
        assert!(same_commit("ABCDEF1", "abcdef1234567890"));
        assert!(same_commit("v1", "v1"));
        assert!(!same_commit("abcdef", "abcdef1234567890"), "too short to be sure");
        assert!(!same_commit("abcdef1", "abcdee1234567890"));
        assert!(!same_commit("v1.2.3-é", "v1.2.3-éa"));
    }
}
