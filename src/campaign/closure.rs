//! Closure states (loop.md §9): a category goes through all of them, each transition names its evidence, and any
//! failure after CATEGORY_GREEN makes it active again.

use serde::{Deserialize, Serialize};

use crate::model::CategoryId;

/// Where a category is on its way to being closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ClosureState {
    /// It fails in a categorized report.
    Observed,
    /// A ticket stands for it.
    Ticketed,
    /// A fix can be dispatched.
    Routable,
    /// Something upstream is live.
    Blocked,
    /// A fix exists.
    PatchCandidate,
    /// The fix may be reviewed, and nothing vetoed it.
    ReviewAdmissible,
    /// The category's slice passes.
    CategoryGreen,
    /// The fix is on the integrated head.
    Integrated,
    /// A full run on that head shows no failure of it.
    FullRunReconciled,
    /// Closed with a receipt.
    Closed,
}

/// One step of one category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Transition {
    /// The category.
    #[schemars(with = "String")]
    pub category_id: CategoryId,
    /// Where it was; `null` = never seen.
    pub from: Option<ClosureState>,
    /// Where it is now.
    pub to: ClosureState,
    /// What shows it.
    pub evidence: String,
}

/// What an iteration shows of one category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// It fails.
    Failing {
        /// Its ticket, for people; `None` when none may be made.
        ticket: Option<String>,
        /// It can be dispatched.
        routable: bool,
        /// The report.
        report: String,
    },
    /// Its ticket was closed with a proof.
    Proven {
        /// The integrated head of the proof.
        head: String,
        /// The head on which it last failed.
        failed_on: String,
        /// The report.
        report: String,
        /// Number of cases of its slice.
        slice: usize,
        /// How it came to be.
        manner: String,
    },
}

/// The transitions from `state` that `seen` stands for. No state is skipped.
pub fn transitions(category_id: &CategoryId, state: Option<ClosureState>, seen: &Seen) -> Vec<Transition> {
    let mut path = Path { category_id, state, steps: Vec::new() };
    match seen {
        Seen::Failing { ticket, routable, report } => {
            use ClosureState::{Blocked, Observed, Routable, Ticketed};
            if path.state.is_none_or(|state| state > Blocked) {
                path.go(Observed, format!("fails in report {report}"));
            }
            let Some(ticket) = ticket else { return path.steps };
            if path.state == Some(Observed) {
                path.go(Ticketed, format!("ticket {ticket}"));
            }
            let to = if *routable { Routable } else { Blocked };
            if path.state != Some(to) {
                let why = if *routable {
                    "nothing upstream is live"
                } else {
                    "an upstream category is live, or a person holds it"
                };
                path.go(to, why.to_owned());
            }
        }
        Seen::Proven { head, failed_on, report, slice, manner } => {
            use ClosureState::{
                CategoryGreen, Closed, FullRunReconciled, Integrated, PatchCandidate, ReviewAdmissible,
            };
            for (to, evidence) in [
                (PatchCandidate, format!("the head moved from {failed_on} to {head}")),
                (ReviewAdmissible, "no reviewer: the campaign is driven by reports".to_owned()),
                (CategoryGreen, format!("all {slice} case(s) of its slice pass in report {report}")),
                (Integrated, format!("the fix is part of the integrated head {head}")),
                (FullRunReconciled, format!("absent from the full run {report} on {head}")),
                (Closed, format!("closed with a receipt, {manner}")),
            ] {
                path.go(to, evidence);
            }
        }
    }
    path.steps
}

struct Path<'a> {
    category_id: &'a CategoryId,
    state: Option<ClosureState>,
    steps: Vec<Transition>,
}

impl Path<'_> {
    fn go(&mut self, to: ClosureState, evidence: String) {
        self.steps.push(Transition { category_id: self.category_id.clone(), from: self.state, to, evidence });
        self.state = Some(to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(steps: &[Transition]) -> Vec<ClosureState> {
        steps.iter().map(|step| step.to).collect()
    }

    #[test]
    fn a_category_passes_through_every_state_and_comes_back_as_observed() {
        use ClosureState::{
            Blocked, CategoryGreen, Closed, FullRunReconciled, Integrated, Observed, PatchCandidate, ReviewAdmissible,
            Routable, Ticketed,
        };
        let id: CategoryId = "a:b:c".parse().unwrap();
        let failing = |routable| Seen::Failing { ticket: Some("#1".into()), routable, report: "r".into() };
        let first = transitions(&id, None, &failing(false));
        assert_eq!(path(&first), [Observed, Ticketed, Blocked]);
        let second = transitions(&id, Some(Blocked), &failing(true));
        assert_eq!(path(&second), [Routable]);
        assert_eq!(transitions(&id, Some(Routable), &failing(true)), []);
        let proven = Seen::Proven {
            head: "h2".into(),
            failed_on: "h1".into(),
            report: "r2".into(),
            slice: 2,
            manner: "direct".into(),
        };
        let third = transitions(&id, Some(Routable), &proven);
        assert_eq!(
            path(&third),
            [PatchCandidate, ReviewAdmissible, CategoryGreen, Integrated, FullRunReconciled, Closed]
        );
        let fourth = transitions(&id, Some(Closed), &failing(true));
        assert_eq!(path(&fourth), [Observed, Ticketed, Routable]);
        assert!(third.iter().all(|step| !step.evidence.is_empty()));
    }
}
