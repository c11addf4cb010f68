//! The top-level fields of a report that are read; everything else is skipped.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::decode::Decoder;
use super::error::ReportError;
use super::header::{ClaimVerdict, Header, SchemaVersion};
use super::wire::Object;
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

/// Characters of a text that an error or a reason quotes.
const QUOTED: usize = 100;

#[derive(Deserialize, Default)]
struct Repo {
    #[serde(default)]
    sha: Option<String>,
    #[serde(default, rename = "ref")]
    reference: Option<String>,
    #[serde(default)]
    dirty: Option<bool>,
}

/// Reads the value of `key`, one of [`KNOWN`] but not `cases`.
pub(super) fn read<'s>(
    header: &mut Header,
    key: &str,
    decoder: Decoder<'s>,
    value: &'s [u8],
) -> Result<(), ReportError> {
    match key {
        "schema" => {
            let id = decoder.text(value)?;
            let unsupported = || {
                let known = [SchemaVersion::V1.id(), SchemaVersion::V2.id()].join(", ");
                let message = format!("schema {:?} is not supported (known: {known})", truncate_chars(&id, QUOTED));
                decoder
                    .error(decoder.offset(value), message)
                    .hint("is this a report? One of a newer version needs a newer greenloop")
            };
            header.schema = Some(SchemaVersion::parse(&id).ok_or_else(unsupported)?);
        }
        "run_id" => header.run_id = decoder.value(value)?,
        "fixture_sha256" => header.fixture_sha256 = decoder.value(value)?,
        "repo" => {
            let repo: Repo = object(decoder, value)?.unwrap_or_default();
            (header.repo_sha, header.repo_ref, header.repo_dirty) = (repo.sha, repo.reference, repo.dirty);
        }
        "readiness" => header.readiness = decoder.value(value)?,
        "case_readiness" => header.case_readiness = decoder.value(value)?,
        "capability_readiness" => header.capability_readiness = decoder.value(value)?,
        "claims_coverage" => header.claims_coverage = decoder.value(value)?,
        "focused_cases" => header.focused_cases = list(decoder, value)?,
        "generated_at" => header.generated_at = decoder.value(value)?,
        "case_count" => header.case_count = decoder.value(value)?,
        "required_case_count" => header.required_case_count = decoder.value(value)?,
        "outcome_counts" => header.outcome_counts = outcome_counts(decoder, value)?,
        "trial_count" => header.trial_count = decoder.value(value)?,
        "capability_claims" => {
            let claims: Vec<Object<ClaimVerdict>> = list(decoder, value)?;
            header.capability_claims = claims.into_iter().map(|claim| claim.0).collect();
        }
        "incomplete_because" => header.incomplete_because.extend(list::<String>(decoder, value)?),
        "runner_version" => header.runner_version = decoder.value(value)?,
        "environment_lock_digest" => header.environment_lock_digest = decoder.value(value)?,
        // A shard is a part of a run, whatever else it says. The last of `KNOWN`: a new field needs an arm of its own.
        _ => {
            if value != b"null" {
                // On one line, however the file is laid out; what is too deep or too large for that, as it stands.
                let compact = serde_json::from_slice(value).map(|shard: serde_json::Value| shard.to_string());
                let shard = compact.unwrap_or_else(|_| String::from_utf8_lossy(value).into_owned());
                header.incomplete_because.push(format!("it is one shard of a run: {}", truncate_chars(&shard, QUOTED)));
            }
        }
    }
    Ok(())
}

/// A list; `null` is an empty one, as older writers had it.
fn list<'s, T: Deserialize<'s>>(decoder: Decoder<'s>, value: &'s [u8]) -> Result<Vec<T>, ReportError> {
    Ok(decoder.value::<Option<Vec<T>>>(value)?.unwrap_or_default())
}

fn object<'s, T: Deserialize<'s>>(decoder: Decoder<'s>, value: &'s [u8]) -> Result<Option<T>, ReportError> {
    Ok(decoder.value::<Option<Object<T>>>(value)?.map(|object| object.0))
}

fn outcome_counts<'s>(decoder: Decoder<'s>, value: &'s [u8]) -> Result<Option<BTreeMap<Outcome, u64>>, ReportError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE", deny_unknown_fields)]
    struct Counts {
        pass: Option<u64>,
        fail: Option<u64>,
        blocked: Option<u64>,
        not_tested: Option<u64>,
    }
    let Some(counts) = object::<Counts>(decoder, value)? else { return Ok(None) };
    let stated = [
        (Outcome::Pass, counts.pass),
        (Outcome::Fail, counts.fail),
        (Outcome::Blocked, counts.blocked),
        (Outcome::NotTested, counts.not_tested),
    ];
    Ok(Some(stated.into_iter().filter_map(|(outcome, n)| Some((outcome, n?))).collect()))
}
