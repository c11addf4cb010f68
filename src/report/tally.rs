//! Numbers counted while the cases are read.

use super::case::Case;
use crate::model::Outcome;

/// What was really in the report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// All cases.
    pub cases: u64,
    /// Cases with `required` true.
    pub required: u64,
    /// Outcomes of all cases: PASS, FAIL, BLOCKED, NOT_TESTED.
    pub outcomes: [u64; 4],
    /// Outcomes of required cases, in the same order.
    pub required_outcomes: [u64; 4],
    /// Cases whose trials disagree.
    pub flaky: u64,
    /// Cases whose outcome contradicts their own trial counts: more passed than ran, or PASS although none passed.
    pub contradictory: u64,
    /// Sum of the stated trials; `None` once a case does not state them.
    pub trials: Option<u64>,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self { trials: Some(0), ..Self::default() }
    }

    pub(super) fn add(&mut self, case: &Case<'_>) {
        self.cases += 1;
        self.required += u64::from(case.required);
        self.outcomes[case.outcome as usize] += 1;
        self.required_outcomes[case.outcome as usize] += u64::from(case.required);
        self.flaky += u64::from(case.flaky);
        self.trials = self.trials.zip(case.total_trials).map(|(sum, more)| sum.saturating_add(more));
        if let (Some(passed), Some(total)) = (case.passed_trials, case.total_trials) {
            let none_passed = passed == 0 && case.outcome == Outcome::Pass;
            self.contradictory += u64::from(passed > total || none_passed);
        }
    }

    /// Number of cases with this outcome.
    pub const fn of(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome as usize]
    }

    /// Number of required cases with this outcome.
    pub const fn required_of(&self, outcome: Outcome) -> u64 {
        self.required_outcomes[outcome as usize]
    }
}
