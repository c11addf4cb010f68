//! The compliance tier: mostly hostile cases, and fresh samples of a stated size.

use super::{Looked, is_hostile};
use crate::diag::findings::quote;
use crate::runner::manifest::Case;
use crate::runner::shell::{Simple, Word};

/// Fewest samples of a sampling case (published contract of the tier).
const MIN_SAMPLES: u64 = 50;

pub(super) fn check(cases: &[Looked<'_>], add: &mut impl FnMut(&'static str, Option<&Case>, String)) {
    let hostile = cases.iter().filter(|looked| is_hostile(looked.case)).count();
    if hostile * 2 <= cases.len() {
        let message = format!(
            "{hostile} of {} cases are negative or adversarial; the compliance tier needs more than half",
            cases.len()
        );
        add("compliance-minority", None, message);
    }
    let sampling: Vec<(&Looked, Sampling)> =
        cases.iter().filter_map(|looked| Sampling::of(looked).map(|sampling| (looked, sampling))).collect();
    if !sampling.iter().any(|(looked, sampling)| sampling.afresh && looked.case.required) {
        let message = "no required case samples afresh (`--samples` without a fixed `--seed`, or `$RANDOM`); the same \
                       inputs every time find the same faults every time";
        add("compliance-no-sampling", None, message.to_owned());
    }
    for (looked, sampling) in sampling {
        let name = quote(looked.case.name.as_str());
        match sampling.size {
            Some(size) if size >= MIN_SAMPLES => {}
            Some(size) => {
                let message = format!("{name} takes {size} samples; the compliance tier needs at least {MIN_SAMPLES}");
                add("compliance-too-few-samples", Some(looked.case), message);
            }
            None => {
                let message =
                    format!("{name} samples without saying how often; write `--samples {MIN_SAMPLES}` or more");
                add("compliance-no-size", Some(looked.case), message);
            }
        }
    }
}

/// How a case samples.
struct Sampling {
    /// Other inputs in every run.
    afresh: bool,
    /// The smallest stated number of samples.
    size: Option<u64>,
}

impl Sampling {
    fn of(looked: &Looked<'_>) -> Option<Self> {
        let mut found: Option<Self> = None;
        for simple in looked.seen.working() {
            let samples = option(simple, "--samples");
            let seeds = option(simple, "--seed");
            let random = simple.words.iter().any(is_random);
            if samples.is_empty() && seeds.is_empty() && !random {
                continue;
            }
            let is_fixed = seeds.iter().any(|seed| seed.is_some_and(|seed| !seed.expands));
            // Without a number that stands there, the size is not stated; of two, the smaller one counts.
            let sizes: Option<Vec<u64>> = samples.iter().map(|value| size_in(*value)).collect();
            let size = sizes.and_then(|sizes| sizes.into_iter().min());
            let one = Self { afresh: random || !is_fixed, size };
            found = Some(match found {
                None => one,
                Some(other) => {
                    let size = one.size.zip(other.size).map(|(a, b)| a.min(b));
                    Self { afresh: one.afresh || other.afresh, size }
                }
            });
        }
        found
    }
}

fn is_random(word: &Word) -> bool {
    word.expands && (word.text.contains("$RANDOM") || word.text.contains("${RANDOM"))
}

/// The values of an option, `--name value` and `--name=value`; `None` for one without a value.
fn option<'s>(simple: &'s Simple, name: &str) -> Vec<Option<&'s Word>> {
    let words = simple.arguments();
    let mut values = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if word.text == name {
            values.push(words.get(at + 1).filter(|value| !value.text.starts_with("--")));
        } else if word.text.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')) {
            values.push(Some(word));
        }
    }
    values
}

fn size_in(value: Option<&Word>) -> Option<u64> {
    let text = value?.text.as_str();
    let digits = text.split_once('=').map_or(text, |(_, digits)| digits);
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}
