//! `greenloop.categorization.v1`: the JSON form, streamed, so that a large result needs no second copy in memory.

use std::collections::BTreeMap;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::categorization::{Categorization, Counts, NotGreen};
use super::decide::DecidedBy;
use super::signature;
use crate::model::{CaseName, Digest};

/// The document. Keys are declared in sorted order.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(title = "greenloop.categorization.v1")]
pub struct CategorizationOutput<'a> {
    /// Ids of the active categories, sorted.
    #[schemars(with = "Vec<String>")]
    active_category_ids: Vec<&'a str>,
    /// Failing cases with several candidates.
    #[schemars(with = "Vec<AmbiguousOutput>")]
    ambiguous: Vec<AmbiguousOutput<'a>>,
    /// Failing cases with exactly one category, sorted by name.
    #[schemars(with = "Vec<AssignmentOutput>")]
    assignments: Assignments<'a>,
    /// Failing cases of each active category, sorted.
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    cases_by_category: CasesByCategory<'a>,
    /// Numbers; failing = assigned + unclassified + ambiguous.
    counts: Counts,
    /// Parents that repeat the crash of a child; each pair counts as one failure.
    folded: Vec<Folded<'a>>,
    /// The map.
    map: MapOutput<'a>,
    /// What keeps the report from being green although it is not a failing case.
    #[schemars(with = "Vec<NotGreen>")]
    not_green: &'a [NotGreen],
    /// Fingerprint of the state and of all its inputs.
    #[schemars(with = "String")]
    provenance_fingerprint: Digest,
    /// The report.
    report: ReportOutput<'a>,
    /// `greenloop.categorization.v1`.
    schema: &'static str,
    /// Fingerprint of the state.
    #[schemars(with = "String")]
    semantic_fingerprint: Digest,
    /// Version of the signature normalizer.
    signature_version: &'static str,
    /// Failing cases without a category.
    #[schemars(with = "Vec<UnclassifiedOutput>")]
    unclassified: Vec<UnclassifiedOutput<'a>>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct ReportOutput<'a> {
    complete: bool,
    #[schemars(with = "String")]
    digest: Digest,
    fixture_sha256: Option<&'a str>,
    incomplete_because: &'a [String],
    repo: RepoOutput<'a>,
    run_id: Option<&'a str>,
    schema: &'static str,
}

#[derive(Serialize, schemars::JsonSchema)]
struct RepoOutput<'a> {
    r#ref: Option<&'a str>,
    sha: Option<&'a str>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct MapOutput<'a> {
    #[schemars(with = "String")]
    digest: Digest,
    map_version: &'a str,
    repo: &'a str,
}

#[derive(Serialize, schemars::JsonSchema)]
struct AssignmentOutput<'a> {
    case: &'a str,
    category_id: &'a str,
    decided_by: DecidedBy,
    flaky: bool,
    rule: &'a str,
    #[schemars(with = "String")]
    signature: Digest,
}

#[derive(Serialize, schemars::JsonSchema)]
struct UnclassifiedOutput<'a> {
    case: &'a str,
    nearest: &'a str,
    problems: &'a [String],
    #[schemars(with = "String")]
    signature: Digest,
}

#[derive(Serialize, schemars::JsonSchema)]
struct AmbiguousOutput<'a> {
    candidates: Vec<Candidate<'a>>,
    case: &'a str,
    reason: &'a str,
    #[schemars(with = "String")]
    signature: Digest,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Candidate<'a> {
    category_id: &'a str,
    rule: &'a str,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Folded<'a> {
    into: &'a str,
    parent: &'a str,
}

struct Assignments<'a>(&'a Categorization);

impl Serialize for Assignments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ids: BTreeMap<u32, &str> = self.0.active.iter().map(|a| (a.category, a.category_id.as_str())).collect();
        let mut seq = serializer.serialize_seq(Some(self.0.assignments.len()))?;
        for a in &self.0.assignments {
            seq.serialize_element(&AssignmentOutput {
                case: a.case.as_str(),
                category_id: ids.get(&a.category).copied().unwrap_or_default(),
                decided_by: a.decided_by,
                flaky: a.flaky,
                rule: &a.rule,
                signature: a.signature,
            })?;
        }
        seq.end()
    }
}

struct CasesByCategory<'a>(&'a Categorization);

impl Serialize for CasesByCategory<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.active.len()))?;
        for active in &self.0.active {
            let cases: Vec<&CaseName> = self.0.cases_of(active).collect();
            map.serialize_entry(active.category_id.as_str(), &cases)?;
        }
        map.end()
    }
}

impl<'a> From<&'a Categorization> for CategorizationOutput<'a> {
    fn from(c: &'a Categorization) -> Self {
        Self {
            active_category_ids: c.active.iter().map(|a| a.category_id.as_str()).collect(),
            ambiguous: c
                .ambiguous
                .iter()
                .map(|a| AmbiguousOutput {
                    candidates: a
                        .candidates
                        .iter()
                        .map(|(id, rule)| Candidate { category_id: id.as_str(), rule })
                        .collect(),
                    case: a.case.as_str(),
                    reason: a.reason,
                    signature: a.signature,
                })
                .collect(),
            assignments: Assignments(c),
            cases_by_category: CasesByCategory(c),
            counts: c.counts,
            folded: c
                .folded
                .iter()
                .map(|(parent, child)| Folded { into: child.as_str(), parent: parent.as_str() })
                .collect(),
            map: MapOutput { digest: c.map.digest, map_version: &c.map.map_version, repo: &c.map.repo },
            not_green: &c.not_green,
            provenance_fingerprint: c.provenance_fingerprint,
            report: ReportOutput {
                complete: c.report.incomplete_because.is_empty(),
                digest: c.report.digest,
                fixture_sha256: c.report.fixture_sha256.as_deref(),
                incomplete_because: &c.report.incomplete_because,
                repo: RepoOutput { r#ref: c.report.repo_ref.as_deref(), sha: c.report.repo_sha.as_deref() },
                run_id: c.report.run_id.as_deref(),
                schema: c.report.schema,
            },
            schema: "greenloop.categorization.v1",
            semantic_fingerprint: c.semantic_fingerprint,
            signature_version: signature::VERSION,
            unclassified: c
                .unclassified
                .iter()
                .map(|u| UnclassifiedOutput {
                    case: u.case.as_str(),
                    nearest: &u.nearest,
                    problems: &u.problems,
                    signature: u.signature,
                })
                .collect(),
        }
    }
}
