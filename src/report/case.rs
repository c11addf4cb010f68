//! One case: as it stands in the report, and as callers see it.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::ReportError;
use super::names::offset_in;
use super::trial::{Evidence, Trial};
use super::wire::{Object, Str, StrList};
use crate::model::Outcome;

/// A case as it stands in the report.
#[derive(Debug, Deserialize)]
pub(super) struct CaseWire<'a> {
    #[serde(borrow)]
    name: Str<'a>,
    #[serde(default)]
    outcome: Option<Outcome>,
    #[serde(default)]
    required: Option<bool>,
    #[serde(default)]
    flaky: Option<bool>,
    #[serde(borrow, default)]
    problems: StrList<'a>,
    #[serde(borrow, default)]
    category: Option<Str<'a>>,
    #[serde(borrow, default)]
    category_id: Option<Str<'a>>,
    #[serde(borrow, default)]
    seams: StrList<'a>,
    #[serde(borrow, default)]
    supports_claims: StrList<'a>,
    #[serde(borrow, default)]
    risks: StrList<'a>,
    #[serde(default)]
    passed_trials: Option<u64>,
    #[serde(default)]
    total_trials: Option<u64>,
    #[serde(borrow, default)]
    trials: Option<&'a RawValue>,
}

/// One case, valid during one call.
#[derive(Debug)]
pub struct Case<'a> {
    /// Its identity.
    pub name: Str<'a>,
    /// Stated, or derived from the trial counts (v1).
    pub outcome: Outcome,
    /// True unless the report says otherwise.
    pub required: bool,
    /// True if its trials disagree.
    pub flaky: bool,
    /// Explicit category: a key of the map or an id.
    pub category: Option<Str<'a>>,
    /// Explicit category id.
    pub category_id: Option<Str<'a>>,
    /// Declared seams.
    pub seams: Vec<Str<'a>>,
    /// Declared claims.
    pub supports_claims: Vec<Str<'a>>,
    /// Declared risks.
    pub risks: Vec<Str<'a>>,
    /// False if the outcome was derived from the trial counts.
    pub(super) states_outcome: bool,
    pub(super) passed_trials: Option<u64>,
    pub(super) total_trials: Option<u64>,
    problems: StrList<'a>,
    trials: Option<&'a RawValue>,
    file: &'a str,
    bytes: &'a [u8],
}

impl<'a> Case<'a> {
    /// Checks a case and gives it the form that callers see. The error is the end of a sentence that begins with the
    /// case.
    pub(super) fn new(wire: CaseWire<'a>, file: &'a str, bytes: &'a [u8]) -> Result<Self, &'static str> {
        if wire.name.is_empty() {
            return Err(" has an empty name");
        }
        if wire.trials.is_some_and(|raw| !raw.get().starts_with('[') && raw.get() != "null") {
            return Err(".trials is not a list");
        }
        let (passed, total) = (wire.passed_trials, wire.total_trials);
        let outcome = match wire.outcome {
            Some(outcome) => outcome,
            None => derive_outcome(passed, total)?,
        };
        let disagree = matches!((passed, total), (Some(passed), Some(total)) if 0 < passed && passed < total);
        Ok(Self {
            name: wire.name,
            outcome,
            required: wire.required.unwrap_or(true),
            flaky: wire.flaky.unwrap_or(disagree),
            category: wire.category,
            category_id: wire.category_id,
            seams: wire.seams.0,
            supports_claims: wire.supports_claims.0,
            risks: wire.risks.0,
            states_outcome: wire.outcome.is_some(),
            passed_trials: passed,
            total_trials: total,
            problems: wire.problems,
            trials: wire.trials,
            file,
            bytes,
        })
    }

    /// Problems and output of the failing trials. Parses the trials, so it is asked only of cases that need it.
    ///
    /// # Errors
    /// When the trials are malformed.
    pub fn evidence(&self) -> Result<Evidence<'a>, ReportError> {
        let trials: Vec<Object<Trial<'a>>> = match self.trials {
            Some(raw) if raw.get() != "null" => serde_json::from_str(raw.get())
                .map_err(|error| ReportError::json(self.file, self.bytes, offset_in(self.bytes, raw), &error))?,
            _ => Vec::new(),
        };
        Ok(Evidence::collect(&self.problems, trials.into_iter().map(|trial| trial.0).collect()))
    }

    /// The first problem of the case itself, if it names one.
    pub fn first_problem(&self) -> Option<&str> {
        self.problems.0.first().map(|problem| &**problem)
    }

    /// Where its trials begin: the reader has come at least this far.
    pub(super) fn offset_reached(&self) -> Option<usize> {
        self.trials.map(|raw| offset_in(self.bytes, raw))
    }
}

/// The outcome of a v1 case: all trials passed, none ran, or some did not pass.
const fn derive_outcome(passed: Option<u64>, total: Option<u64>) -> Result<Outcome, &'static str> {
    match (passed, total) {
        (Some(0), Some(0)) => Ok(Outcome::NotTested),
        (Some(passed), Some(total)) if passed == total => Ok(Outcome::Pass),
        (Some(passed), Some(total)) if passed < total => Ok(Outcome::Fail),
        (Some(_), Some(_)) => Err(" states more passed_trials than total_trials"),
        _ => Err(" states neither an outcome nor passed_trials and total_trials"),
    }
}
