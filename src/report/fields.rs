//! The top-level fields of a report that are read; everything else is skipped.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{Error as _, MapAccess};

use super::header::{ClaimVerdict, Header, SchemaVersion};
use super::wire::{Object, Str};
use crate::model::{Outcome, truncate_chars};

/// Names of the fields.
pub(super) const KNOWN: [&str; 20] = [
    "schema",
    "run_id",
    "fixture_sha256",
    "repo",
    "readiness",
    "case_readiness",
    "capability_readiness",
    "claims_coverage",
    "focused_cases",
    "generated_at",
    "case_count",
    "required_case_count",
    "outcome_counts",
    "trial_count",
    "capability_claims",
    "incomplete_because",
    "runner_version",
    "environment_lock_digest",
    "cases",
    "shard",
];

/// Characters of a schema id that an error quotes.
const QUOTED: usize = 100;

#[derive(Deserialize, Default)]
struct Repo {
    #[serde(default)]
    sha: Option<String>,
    #[serde(default, rename = "ref")]
    reference: Option<String>,
}

/// Reads the value of `key`, one of [`KNOWN`] but not `cases`.
pub(super) fn read<'s, A: MapAccess<'s>>(header: &mut Header, key: &str, map: &mut A) -> Result<(), A::Error> {
    match key {
        "schema" => {
            let id: Str = map.next_value()?;
            header.schema = Some(SchemaVersion::parse(&id).ok_or_else(|| {
                A::Error::custom(format!(
                    "schema {:?} is not supported (known: {}, {})",
                    truncate_chars(&id, QUOTED),
                    SchemaVersion::V1.id(),
                    SchemaVersion::V2.id()
                ))
            })?);
        }
        "run_id" => header.run_id = map.next_value()?,
        "fixture_sha256" => header.fixture_sha256 = map.next_value()?,
        "repo" => {
            let repo = map.next_value::<Option<Object<Repo>>>()?.map(|repo| repo.0).unwrap_or_default();
            (header.repo_sha, header.repo_ref) = (repo.sha, repo.reference);
        }
        "readiness" => header.readiness = map.next_value()?,
        "case_readiness" => header.case_readiness = map.next_value()?,
        "capability_readiness" => header.capability_readiness = map.next_value()?,
        "claims_coverage" => header.claims_coverage = map.next_value()?,
        "focused_cases" => header.focused_cases = list(map)?,
        "generated_at" => header.generated_at = map.next_value()?,
        "case_count" => header.case_count = map.next_value()?,
        "required_case_count" => header.required_case_count = map.next_value()?,
        "outcome_counts" => header.outcome_counts = outcome_counts(map)?,
        "trial_count" => header.trial_count = map.next_value()?,
        "capability_claims" => {
            let claims: Vec<Object<ClaimVerdict>> = list(map)?;
            header.capability_claims = claims.into_iter().map(|claim| claim.0).collect();
        }
        "incomplete_because" => header.incomplete_because.extend(list::<String, A>(map)?),
        "runner_version" => header.runner_version = map.next_value()?,
        "environment_lock_digest" => header.environment_lock_digest = map.next_value()?,
        // A shard is a part of a run, whatever else it says. The last of `KNOWN`: a new field needs an arm of its own.
        _ => {
            if let Some(shard) = map.next_value::<Option<serde_json::Value>>()? {
                header.incomplete_because.push(format!("it is one shard of a run: {shard}"));
            }
        }
    }
    Ok(())
}

/// A list; `null` is an empty one, as older writers had it.
fn list<'s, T: Deserialize<'s>, A: MapAccess<'s>>(map: &mut A) -> Result<Vec<T>, A::Error> {
    Ok(map.next_value::<Option<Vec<T>>>()?.unwrap_or_default())
}

fn outcome_counts<'s, A: MapAccess<'s>>(map: &mut A) -> Result<Option<BTreeMap<Outcome, u64>>, A::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE", deny_unknown_fields)]
    struct Counts {
        pass: Option<u64>,
        fail: Option<u64>,
        blocked: Option<u64>,
        not_tested: Option<u64>,
    }
    let Some(Object(counts)) = map.next_value::<Option<Object<Counts>>>()? else { return Ok(None) };
    let stated = [
        (Outcome::Pass, counts.pass),
        (Outcome::Fail, counts.fail),
        (Outcome::Blocked, counts.blocked),
        (Outcome::NotTested, counts.not_tested),
    ];
    Ok(Some(stated.into_iter().filter_map(|(outcome, n)| Some((outcome, n?))).collect()))
}
