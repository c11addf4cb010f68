//! Is a report a complete run? Only a complete one may lead to tickets.

use super::header::Header;
use super::tally::Tally;
use crate::model::{Outcome, truncate_chars};

/// Characters shown of a text of the report.
const SHOWN: usize = 200;

/// Every reason why the report is not a complete run; empty when it is.
///
/// Reasons: no cases, stated counts that do not fit the cases, required cases that did not run, a focused or
/// partial run (also one that says READY), and whatever the runner itself says is missing.
pub fn incomplete_because(header: &Header, tally: &Tally) -> Vec<String> {
    let mut reasons: Vec<String> =
        header.incomplete_because.iter().map(|reason| truncate_chars(reason, SHOWN).into_owned()).collect();
    if tally.cases == 0 {
        reasons.push("it has no cases".to_owned());
    } else if tally.required == 0 {
        reasons.push("none of its cases is required: it proves nothing".to_owned());
    }
    let mut stated = |name: &str, stated: Option<u64>, counted: u64| {
        if let Some(stated) = stated.filter(|stated| *stated != counted) {
            reasons.push(format!("{name} says {stated}, but there are {counted}"));
        }
    };
    stated("case_count", header.case_count, tally.cases);
    stated("required_case_count", header.required_case_count, tally.required);
    if let Some(counts) = &header.outcome_counts {
        for outcome in [Outcome::Pass, Outcome::Fail, Outcome::Blocked, Outcome::NotTested] {
            let name = format!("outcome_counts.{}", outcome.as_str());
            stated(&name, Some(counts.get(&outcome).copied().unwrap_or(0)), tally.of(outcome));
        }
    }
    if let Some(counted) = tally.trials {
        stated("trial_count", header.trial_count, counted);
    }
    if tally.contradictory > 0 {
        reasons.push(format!("the trial counts of {} case(s) contradict their outcome", tally.contradictory));
    }
    let not_tested = tally.required_of(Outcome::NotTested);
    if not_tested > 0 {
        reasons.push(format!("{not_tested} required case(s) are NOT_TESTED"));
    }
    if !header.focused_cases.is_empty() {
        reasons.push(format!("it was focused on {} case(s)", header.focused_cases.len()));
    }
    // A closed vocabulary: what does not say that the run spans the manifest, does not.
    if let Some(coverage) = header.claims_coverage.as_deref().filter(|text| *text != "manifest-spanning") {
        reasons.push(format!("claims_coverage is \"{}\"", truncate_chars(coverage, SHOWN)));
    }
    reasons
}
