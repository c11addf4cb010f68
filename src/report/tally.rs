//! Numbers counted while the cases are read.

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
    /// Sum of the stated trials; `None` once a case does not state them.
    pub trials: Option<u64>,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self { trials: Some(0), ..Self::default() }
    }

    pub(super) fn add(&mut self, outcome: Outcome, required: bool, flaky: bool, trials: Option<u64>) {
        self.cases += 1;
        self.required += u64::from(required);
        self.outcomes[outcome as usize] += 1;
        self.required_outcomes[outcome as usize] += u64::from(required);
        self.flaky += u64::from(flaky);
        self.trials = self.trials.zip(trials).map(|(sum, more)| sum.saturating_add(more));
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
