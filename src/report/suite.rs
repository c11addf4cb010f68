//! The set of required cases of a report, and which of them another report lacks.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::error::ReportError;
use super::read::read;
use super::source::ReportSource;
use crate::model::CaseName;

/// Names shown of missing cases.
const EXAMPLES: usize = 5;

/// The required cases of one report, as 64-bit hashes of their names: eight bytes a case, so that suites of millions
/// can be compared. Two names with one hash would hide a missing case with a chance of one in 2^64 per pair.
#[derive(Debug, Clone, Default)]
pub struct RequiredCases(HashSet<u64>);

/// Required cases that an earlier report had and this one does not have, or does not require any more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingCases {
    /// How many.
    pub count: u64,
    /// The first few, in the order of the earlier report.
    pub examples: Vec<CaseName>,
}

impl RequiredCases {
    /// Reads the required cases of a report.
    ///
    /// # Errors
    /// As [`read`].
    pub fn of(source: &ReportSource) -> Result<Self, ReportError> {
        let mut names = HashSet::new();
        read(source, &mut |case| {
            if case.required {
                names.insert(hash(&case.name));
            }
            Ok(())
        })?;
        Ok(Self(names))
    }

    /// Adds to `missing` what `earlier` requires and this report does not. A case counts once, however many earlier
    /// reports have it: `self` learns it.
    ///
    /// # Errors
    /// As [`read`].
    pub fn missing_from(&mut self, earlier: &ReportSource, missing: &mut MissingCases) -> Result<(), ReportError> {
        read(earlier, &mut |case| {
            if case.required && self.0.insert(hash(&case.name)) {
                missing.count += 1;
                if missing.examples.len() < EXAMPLES {
                    missing.examples.push(CaseName::from(&*case.name));
                }
            }
            Ok(())
        })?;
        Ok(())
    }
}

fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(cases: &[(&str, bool)]) -> ReportSource {
        let cases: Vec<_> = cases
            .iter()
            .map(|(name, required)| serde_json::json!({"name": name, "outcome": "PASS", "required": required}))
            .collect();
        let text = serde_json::json!({"schema": "agentic_evals.report.v2", "cases": cases}).to_string();
        ReportSource::from_bytes("r.json", text.into_bytes())
    }

    #[test]
    fn removed_renamed_and_demoted_cases_are_missing_once() {
        let now = report(&[("a", true), ("b", false), ("new", true)]);
        let mut required = RequiredCases::of(&now).unwrap();
        let mut missing = MissingCases::default();
        required.missing_from(&report(&[("a", true), ("b", true), ("c", true), ("d", false)]), &mut missing).unwrap();
        required.missing_from(&report(&[("c", true)]), &mut missing).unwrap();
        assert_eq!(missing, MissingCases { count: 2, examples: vec!["b".into(), "c".into()] });
    }
}
