//! Readiness of the required cases, and of the whole.
//!
//! | readiness | required cases |
//! |---|---|
//! | `READY` | there is one, and all passed every trial |
//! | `USABLE_WITH_GAPS` | at least one passed, and at least one did not |
//! | `NOT_READY` | at least one ran, and none passed |
//! | `NOT_ESTABLISHED` | none ran, or there is none |
//!
//! The published table says of the second row that one *trial* passed, which contradicts its third row for a case with
//! one passing trial of three. The stricter reading holds here: a case passed only if all of its trials did.

use crate::model::{Outcome, Readiness, display_safe};

/// Most names in one reason.
const NAMED: usize = 10;

/// What readiness is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedCase<'c> {
    /// Its name.
    pub name: &'c str,
    /// True if readiness needs it.
    pub required: bool,
    /// Its outcome.
    pub outcome: Outcome,
    /// True if its trials disagree.
    pub flaky: bool,
}

/// A readiness, and why it is not READY.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// How ready.
    pub readiness: Readiness,
    /// Reasons in words; empty exactly if it is READY.
    pub reasons: Vec<String>,
}

/// Readiness by the cases alone.
pub fn of_cases(cases: &[JudgedCase<'_>]) -> Judgement {
    let required: Vec<&JudgedCase> = cases.iter().filter(|case| case.required).collect();
    let with = |outcome: Outcome| -> Vec<&JudgedCase> {
        required.iter().filter(|case| case.outcome == outcome).copied().collect()
    };
    let (passed, untested) = (with(Outcome::Pass).len(), with(Outcome::NotTested).len());
    let readiness = if untested == required.len() {
        Readiness::NotEstablished
    } else if passed == required.len() {
        Readiness::Ready
    } else if passed > 0 {
        Readiness::UsableWithGaps
    } else {
        Readiness::NotReady
    };
    let mut reasons = Vec::new();
    if required.is_empty() {
        reasons.push("no case is required, so nothing can be established".to_owned());
    }
    for (outcome, word) in
        [(Outcome::Fail, "failed"), (Outcome::Blocked, "blocked"), (Outcome::NotTested, "not tested")]
    {
        let found = with(outcome);
        if !found.is_empty() {
            reasons.push(format!("{} of {} required cases {word}: {}", found.len(), required.len(), names(&found)));
        }
    }
    let flaky: Vec<&JudgedCase> = required.iter().filter(|case| case.flaky).copied().collect();
    if !flaky.is_empty() {
        reasons.push(format!("{} of them flaky, their trials disagree: {}", flaky.len(), names(&flaky)));
    }
    Judgement { readiness, reasons }
}

/// The worse of cases and claims; the reasons of both. `NOT_ESTABLISHED` is the worst.
pub fn worse(cases: Judgement, claims: Option<Judgement>) -> Judgement {
    let Some(claims) = claims else { return cases };
    let mut reasons = cases.reasons;
    reasons.extend(claims.reasons);
    Judgement { readiness: cases.readiness.max(claims.readiness), reasons }
}

fn names(cases: &[&JudgedCase<'_>]) -> String {
    let mut names: Vec<String> = cases.iter().take(NAMED).map(|case| display_safe(case.name).into_owned()).collect();
    if cases.len() > NAMED {
        names.push(format!("and {} more", cases.len() - NAMED));
    }
    names.join(", ")
}
