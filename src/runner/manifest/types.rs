//! A loaded and valid fixture manifest (contracts.md "Fixture manifest, version 2").

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::CaseName;
use crate::runner::exact::Exact;

/// A manifest in which every rule of loading holds.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// SHA-256 of the file's bytes, as `sha256:…`: the fixture's identity in reports.
    pub fixture_sha256: String,
    /// The skill or program under test.
    pub skill: Option<String>,
    /// Trials per case (default 3).
    pub trials: u32,
    /// What the whole fixture proves.
    pub proof_scope: Option<String>,
    /// `claims` of the file (proves, does_not_prove), carried into the report as it is.
    pub claims: Option<Value>,
    /// Capability claims, in file order.
    pub capability_claims: Vec<CapabilityClaim>,
    /// Seams, in file order.
    pub seams: Vec<Seam>,
    /// Exemption from the anti-slop gate, if any.
    pub eval_kind: Option<EvalKind>,
    /// A stricter tier, if any.
    pub eval_tier: Option<EvalTier>,
    /// `live` of the file.
    pub live: Option<bool>,
    /// `mocked` of the file.
    pub mocked: Option<bool>,
    /// Carried into the report.
    pub what_was_exercised: Option<String>,
    /// Carried into the report.
    pub what_remains_unverified: Option<String>,
    /// Carried into the report as it is.
    pub application_identity: Option<Value>,
    /// The cases, in file order; names are unique.
    pub cases: Vec<Case>,
}

/// Kinds of fixtures that are exempt from the anti-slop gate; the report says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvalKind {
    /// The runner tests itself.
    RunnerSelftest,
    /// A first draft that proves nothing yet.
    Scaffold,
}

/// Stricter tiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvalTier {
    /// Mostly adversarial, with fresh samples of a stated size.
    Compliance,
}

/// What a case is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseType {
    /// It should work.
    Positive,
    /// It should be refused.
    Negative,
    /// Somebody tries to break it.
    Adversarial,
}

/// Classes of evidence, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceClass {
    /// The same every time.
    Deterministic,
    /// Generated inputs.
    PropertyOrFuzz,
    /// Faults injected on purpose, reproducibly.
    FaultInjectedDeterministic,
    /// The real system, end to end.
    #[serde(rename = "live_e2e")]
    LiveE2e,
    /// The real system, under attack.
    #[serde(rename = "adversarial_live_e2e")]
    AdversarialLiveE2e,
    /// A person judged it.
    HumanEvaluation,
}

/// Why a case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionMode {
    /// To find out.
    Exploration,
    /// To guard a known fault.
    RegressionReplay,
    /// A repaired test runs again: it does not satisfy the original claim until it is requalified.
    TestRepair,
}

/// One case.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "they are the keys of the file")]
pub struct Case {
    /// Its identity.
    pub name: CaseName,
    /// What it is for.
    pub case_type: CaseType,
    /// argv; not empty; run with the manifest's folder as working folder.
    pub command: Vec<String>,
    /// The oracle.
    pub expected: Expected,
    /// It exercises a live path.
    pub real_world: bool,
    /// Time limit of one trial (default 30 s, at least 0.1 s).
    pub timeout: Duration,
    /// Evidence class as declared; `None` = not declared.
    pub evidence_class: Option<EvidenceClass>,
    /// Claims it supports; each exists in `capability_claims`.
    pub supports_claims: Vec<String>,
    /// Seams it touches.
    pub seams: Vec<String>,
    /// Risks it covers (greenloop reads them).
    pub risks: Vec<String>,
    /// Whether readiness needs it (default true).
    pub required: bool,
    /// An independent read-back, as declared.
    pub readback: Option<Value>,
    /// Texts on either stream that mean BLOCKED.
    pub blocked_when_stdout_contains: Vec<String>,
    /// Texts that, after a failed check, mean that the infrastructure is to blame.
    pub infra_blocked_when: Vec<String>,
    /// Names (files, commands) that the command must really exercise.
    pub must_exercise: Vec<String>,
    /// Why it runs.
    pub execution_mode: Option<ExecutionMode>,
    /// Explicit category, carried into the report.
    pub category: Option<String>,
    /// Explicit category id, carried into the report.
    pub category_id: Option<String>,
    /// It runs against a stand-in.
    pub mocked: bool,
    /// It feeds itself a stub.
    pub uses_stub: bool,
    /// Fields about how the case came to be, as they are: `generated_test_lineage`, `generated_test`, `provenance`,
    /// `repair`, `mutation_provenance`, `external_result`, `provider_result`, `application_identity`. Mutation flags
    /// and hashes in them were checked when they were loaded.
    pub lineage: std::collections::BTreeMap<String, Value>,
    /// For people.
    pub description: Option<String>,
    /// The whole case as it stands in the file, unknown keys included: what test and oracle hashes are made of.
    pub source: Value,
}

/// The oracle of a case. Every known key is checked; an unknown key was an error when it was loaded.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// The exit code.
    pub exit_code: i64,
    /// Texts that standard output must hold.
    pub stdout_contains: Vec<String>,
    /// Texts that standard error must hold.
    pub stderr_contains: Vec<String>,
    /// Texts that standard output must not hold.
    pub stdout_excludes: Vec<String>,
    /// Texts that standard error must not hold.
    pub stderr_excludes: Vec<String>,
    /// Files that the trial must write.
    pub artifacts: Vec<ArtifactExpectation>,
}

/// One check of one file.
#[derive(Debug, Clone, Default)]
pub struct ArtifactExpectation {
    /// Path as it stands in the file; relative to the manifest's folder.
    pub path: String,
    /// RFC 6901 pointer into the file's JSON.
    pub json_pointer: Option<String>,
    /// The value there, with JSON types kept apart; `Some(Value::Null)` asks for `null`. Without a pointer: the whole file.
    pub equals: Option<Exact>,
    /// Size at least, in bytes.
    pub min_bytes: Option<u64>,
    /// It must not be there after the trial.
    pub absent: bool,
    /// SHA-256 of the file, 64 hexadecimal digits in lower case, without a prefix.
    pub sha256: Option<String>,
    /// Another artifact whose value must be equal.
    pub equals_artifact: Option<EqualsArtifact>,
}

/// The other side of a cross-artifact check.
#[derive(Debug, Clone)]
pub struct EqualsArtifact {
    /// Its path.
    pub path: String,
    /// RFC 6901 pointer.
    pub json_pointer: Option<String>,
}

/// How much a claim matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criticality {
    /// Nothing is ready without it (the default).
    Critical,
    /// A gap if it is missing.
    Important,
    /// Nice to have.
    Optional,
}

/// Something that the fixture claims to prove.
#[derive(Debug, Clone)]
pub struct CapabilityClaim {
    /// Its id; unique.
    pub id: String,
    /// For people.
    pub description: Option<String>,
    /// How much it matters.
    pub criticality: Criticality,
    /// Evidence classes it needs; not empty.
    pub evidence_required: Vec<EvidenceClass>,
    /// Carried into the report.
    pub claim_semantics: Option<Value>,
    /// Carried into the report.
    pub domain_profile: Option<Value>,
    /// Exemptions as declared; judged when the report is made.
    pub exemptions: Vec<Exemption>,
    /// The only evidence that counts for this claim, if it was frozen; empty = any.
    pub admitted_evidence: Vec<Admission>,
}

/// Evidence that a claim admits: every part that is there must be that of the case. At least one part is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Admission {
    /// Name of the case.
    pub case: Option<String>,
    /// Generation of a generated test.
    pub generation_id: Option<String>,
    /// Hash of the test, `sha256:…`.
    pub test_source_sha256: Option<String>,
    /// Hash of the oracle, `sha256:…`.
    pub oracle_sha256: Option<String>,
}

/// An exemption from one evidence class. Fields may be missing: an incomplete exemption is ignored and named.
#[derive(Debug, Clone, Default)]
pub struct Exemption {
    /// The class that is not needed.
    pub evidence_class: Option<EvidenceClass>,
    /// Machine-readable reason.
    pub reason_code: Option<String>,
    /// In words.
    pub justification: Option<String>,
    /// Who answers for it.
    pub owner: Option<String>,
    /// Last day on which it holds, `YYYY-MM-DD`, to the end of that day in UTC.
    pub expires: Option<String>,
}

/// A seam of the application.
#[derive(Debug, Clone)]
pub struct Seam {
    /// Its id; unique.
    pub seam_id: String,
    /// The claim it belongs to.
    pub claim_id: Option<String>,
    /// Its kind; not a closed list.
    pub seam_type: Option<String>,
    /// How much it matters.
    pub criticality: Option<Criticality>,
    /// Evidence classes it needs.
    pub required_evidence: Vec<EvidenceClass>,
    /// What can go wrong.
    pub failure_modes: Vec<String>,
}
