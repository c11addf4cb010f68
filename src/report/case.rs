//! One case: which of its fields are read, and the form in which callers see it.

use super::decode::Decoder;
use super::error::ReportError;
use super::trial::{Evidence, Trial};
use super::walk::Walk;
use super::wire::{Object, Str, StrList};
use crate::model::Outcome;

/// Fields that are read.
const FIELDS: [&str; 15] = [
    "name",
    "outcome",
    "required",
    "flaky",
    "problems",
    "category",
    "category_id",
    "seams",
    "supports_claims",
    "risks",
    "passed_trials",
    "total_trials",
    "trials",
    "infra_blocked_trials",
    "argv",
];

/// Position of a field in [`FIELDS`]. A match on the bytes, because it is asked for every key of every case.
const fn field(key: &[u8]) -> Option<usize> {
    Some(match key {
        b"name" => 0,
        b"outcome" => 1,
        b"required" => 2,
        b"flaky" => 3,
        b"problems" => 4,
        b"category" => 5,
        b"category_id" => 6,
        b"seams" => 7,
        b"supports_claims" => 8,
        b"risks" => 9,
        b"passed_trials" => 10,
        b"total_trials" => 11,
        b"trials" => 12,
        b"infra_blocked_trials" => 13,
        b"argv" => 14,
        _ => return None,
    })
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
    trials: Option<&'a [u8]>,
    argv: Option<&'a [u8]>,
    decoder: Decoder<'a>,
}

impl<'a> Case<'a> {
    /// Reads case number `index`, which begins at the next byte.
    pub(super) fn read(walk: &mut Walk<'a>, decoder: Decoder<'a>, index: usize) -> Result<Self, ReportError> {
        let start = walk.at;
        let wrong = |what: &str| Err(decoder.error(start, format!("cases[{index}]{what}")));
        let slots = slots(walk, decoder, index)?;
        let [
            name,
            outcome,
            required,
            flaky,
            problems,
            category,
            category_id,
            seams,
            claims,
            risks,
            passed,
            total,
            trials,
            infra_blocked,
            argv,
        ] = slots.map(|slot| slot.filter(|slice| *slice != b"null"));
        let name = match name {
            Some(name) => decoder.text(name)?,
            None => return wrong(" has no `name`"),
        };
        if name.is_empty() {
            return wrong(" has an empty name");
        }
        if let Some(trials) = trials.filter(|trials| !trials.starts_with(b"[")) {
            return Err(decoder.error(decoder.offset(trials), format!("cases[{index}].trials is not a list")));
        }
        let text = |slice: Option<&'a [u8]>| slice.map(|slice| decoder.text(slice)).transpose();
        let texts = |slice: Option<&'a [u8]>| slice.map_or(Ok(StrList::default()), |slice| decoder.texts(slice));
        let count = |slice: Option<&'a [u8]>| slice.map_or(Ok(None), |slice| decoder.count(slice));
        let flag = |slice: Option<&'a [u8]>| slice.map_or(Ok(None), |slice| decoder.flag(slice));
        let stated = outcome.map_or(Ok(None), |slice| decoder.outcome(slice))?;
        let (passed_trials, total_trials) = (count(passed)?, count(total)?);
        let outcome = match stated.map_or_else(|| derive_outcome(passed_trials, total_trials), Ok) {
            Ok(outcome) => outcome,
            Err(what) => return wrong(what),
        };
        let blocked = count(infra_blocked)?.unwrap_or(0);
        // What the report says of itself never overrules its own numbers: trials that disagree are flaky.
        let disagree = matches!((passed_trials, total_trials),
            (Some(passed), Some(total)) if 0 < passed && passed.saturating_add(blocked) < total);
        Ok(Self {
            name,
            outcome,
            required: flag(required)?.unwrap_or(true),
            flaky: flag(flaky)?.unwrap_or(false) || disagree,
            category: text(category)?,
            category_id: text(category_id)?,
            seams: texts(seams)?.0,
            supports_claims: texts(claims)?.0,
            risks: texts(risks)?.0,
            states_outcome: stated.is_some(),
            passed_trials,
            total_trials,
            problems: texts(problems)?,
            trials,
            argv,
            decoder,
        })
    }

    /// Problems and output of the failing trials. Parses the trials, so it is asked only of cases that need it.
    ///
    /// # Errors
    /// When the trials are malformed.
    pub fn evidence(&self) -> Result<Evidence<'a>, ReportError> {
        let trials: Vec<Object<Trial<'a>>> = self.trials.map_or(Ok(Vec::new()), |slice| self.decoder.value(slice))?;
        Ok(Evidence::collect(&self.problems, trials.into_iter().map(|trial| trial.0).collect()))
    }

    /// The command of the case, word by word; empty if the report holds none.
    ///
    /// # Errors
    /// When it is not a list of texts.
    pub fn argv(&self) -> Result<Vec<Str<'a>>, ReportError> {
        self.argv.map_or(Ok(Vec::new()), |slice| Ok(self.decoder.texts(slice)?.0))
    }

    /// The first problem of the case itself, if it names one.
    pub fn first_problem(&self) -> Option<&str> {
        self.problems.0.first().map(|problem| &**problem)
    }
}

/// The bytes of each field that is read.
fn slots<'a>(
    walk: &mut Walk<'a>,
    decoder: Decoder<'a>,
    index: usize,
) -> Result<[Option<&'a [u8]>; FIELDS.len()], ReportError> {
    let start = walk.at;
    let fault = |fault| decoder.fault(fault);
    let mut slots = [None; FIELDS.len()];
    if walk.byte() != Some(b'{') {
        walk.value().map_err(fault)?;
        return Err(decoder
            .error(start, format!("cases[{index}] is not an object"))
            .hint("a case is an object with a `name` and an `outcome`"));
    }
    let mut more = walk.enter(b'}');
    while more {
        let at = walk.at;
        let key = walk.key().map_err(fault)?;
        let known = match field(key) {
            None if key.contains(&b'\\') => field(decoder.key(key)?.as_bytes()),
            known => known,
        };
        let value = walk.value().map_err(fault)?;
        if let Some(known) = known
            && slots[known].replace(value).is_some()
        {
            return Err(decoder.duplicate(at, FIELDS[known]));
        }
        more = walk.more(b'}').map_err(fault)?;
    }
    Ok(slots)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_match_and_the_list_agree() {
        for (at, name) in FIELDS.iter().enumerate() {
            assert_eq!(field(name.as_bytes()), Some(at));
        }
        assert_eq!(field(b"case_id"), None);
    }
}
