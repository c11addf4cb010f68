//! Owned types for writing `agentic_evals.report.v2`: what an importer or a runner fills in. Reading has its own,
//! borrowed types, because a reader skips most of a report and a writer skips nothing.
//!
//! Keys stand in the order of the documentation. Optional keys are left out when nothing is known about them;
//! keys that readers rely on are always there. Cases can be read back, to join the reports of shards.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Outcome, Readiness};

/// The schema id of the reports that greenloop writes.
const SCHEMA: &str = "agentic_evals.report.v2";

/// A whole report.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct OwnedReport {
    /// Always `agentic_evals.report.v2`.
    pub schema: &'static str,
    /// What the report was made from: a manifest, or the imported files.
    pub source: String,
    /// Id of this run.
    pub run_id: String,
    /// Digest of the fixture manifest, `sha256:…`; `None` if there is no manifest.
    pub fixture_sha256: Option<String>,
    /// What was evaluated.
    pub repo: OwnedRepo,
    /// True if the run replaced parts of the system by stand-ins.
    pub mocked: bool,
    /// True if the run worked on recorded inputs.
    pub fixture_backed: bool,
    /// True if it is known that the run exercised the real system.
    pub live: bool,
    /// What the report can prove, in one sentence.
    pub proof_scope: String,
    /// What the report claims.
    pub claims: OwnedClaims,
    /// What ran.
    pub what_was_exercised: String,
    /// What nobody looked at.
    pub what_remains_unverified: String,
    /// Readiness of the whole.
    pub readiness: Readiness,
    /// Why it is not READY, in words; empty if it is or if nobody said. An addition of greenloop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readiness_reasons: Vec<String>,
    /// Readiness by the cases alone.
    pub case_readiness: Readiness,
    /// Readiness by the capability claims; `None` if there are none.
    pub capability_readiness: Option<Readiness>,
    /// `manifest-spanning`, or `partial: …`.
    pub claims_coverage: String,
    /// Names of the cases that the run was limited to; empty for a full run.
    pub focused_cases: Vec<String>,
    /// Why the report does not show the whole run; empty if nothing is known to be missing. A reader refuses to
    /// plan from a report with a reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub incomplete_because: Vec<String>,
    /// Which shard of a run it is, `{index, count}`; a reader refuses to plan from it. An addition of greenloop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Value>,
    /// The close slice that was run, with the reason for each case. An addition of greenloop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub close_slice: Option<Value>,
    /// The anti-slop gate: whether the fixture passes it, its violations, its exemption. An addition of greenloop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<Value>,
    /// The capability claims, judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capability_claims: Vec<Value>,
    /// The skill or program under test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The application under test, as the manifest has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application_identity: Option<Value>,
    /// Name and version of the runner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner_version: Option<String>,
    /// Digest of the files that pin the environment, `sha256:…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment_lock_digest: Option<String>,
    /// Trials that were planned for each case. An addition of greenloop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials_planned: Option<u32>,
    /// The time-out in seconds that replaced those of the cases. An addition of greenloop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_override_s: Option<String>,
    /// When the run was made, as its producer wrote it.
    pub generated_at: Option<String>,
    /// Number of cases.
    pub case_count: usize,
    /// Number of required cases.
    pub required_case_count: usize,
    /// Cases per outcome.
    pub outcome_counts: CountedOutcomes,
    /// Number of trials of all cases.
    pub trial_count: usize,
    /// The cases.
    pub cases: Vec<OwnedCase>,
}

/// What was evaluated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct OwnedRepo {
    /// Commit, if known.
    pub sha: Option<String>,
    /// Branch or tag, if known.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// True if the work tree was not the commit, so that nothing was proven about the commit. An addition of greenloop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
}

/// What a report claims, in words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct OwnedClaims {
    /// What the outcomes prove.
    pub proves: String,
    /// What they do not prove.
    pub does_not_prove: String,
}

/// Cases per outcome; all four keys are always written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct CountedOutcomes {
    /// Cases that passed.
    pub pass: usize,
    /// Cases that failed.
    pub fail: usize,
    /// Cases that could not be judged.
    pub blocked: usize,
    /// Cases that did not run.
    pub not_tested: usize,
}

impl CountedOutcomes {
    /// Counts one more case.
    pub const fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Pass => self.pass += 1,
            Outcome::Fail => self.fail += 1,
            Outcome::Blocked => self.blocked += 1,
            Outcome::NotTested => self.not_tested += 1,
        }
    }
}

/// One case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct OwnedCase {
    /// Identity across runs; unique in a report.
    pub name: String,
    /// `positive`, `negative` or `adversarial`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Identity inside this run.
    pub case_id: String,
    /// True if the report is not green without it.
    pub required: bool,
    /// The case's outcome.
    pub outcome: Outcome,
    /// The outcome before any rule of evidence changed it.
    pub observed_outcome: Outcome,
    /// Why it failed, was blocked or did not run.
    pub problems: Vec<String>,
    /// Command of the case; empty if it is not known.
    pub argv: Vec<String>,
    /// Trials that passed.
    pub passed_trials: usize,
    /// All trials.
    pub total_trials: usize,
    /// Passed trials per trial that ran, 0 to 1.
    pub pass_rate: f64,
    /// Mean duration of the trials that say one, in milliseconds; 0 if none does.
    pub avg_latency_ms: f64,
    /// True if the trials disagree.
    pub flaky: bool,
    /// Trials that the environment stopped.
    pub infra_blocked_trials: usize,
    /// Evidence class that the fixture declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared_evidence_class: Option<String>,
    /// The default that was applied because the fixture declares no class. An addition of greenloop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_class_default: Option<String>,
    /// Evidence class after downgrades.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_evidence_class: Option<String>,
    /// True if the evidence counts as live.
    pub live_qualified: bool,
    /// Why the evidence was downgraded.
    pub evidence_disqualifiers: Vec<String>,
    /// Claims that the case supports.
    pub supports_claims: Vec<String>,
    /// Seams that the case crosses.
    pub seams: Vec<String>,
    /// Risks that the case guards against. An addition of greenloop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<String>,
    /// Category that the case names itself: a key of the map or an id. An addition of greenloop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Category id that the case names itself. An addition of greenloop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category_id: Option<String>,
    /// `exploration`, `regression_replay` or `test_repair`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_mode: Option<String>,
    /// How and where the case ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_provenance: Option<Value>,
    /// Digest of the test's source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_source_sha256: Option<String>,
    /// Digest of what the case is judged by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oracle_sha256: Option<String>,
    /// Whether the case may serve as evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_eligibility: Option<OwnedEligibility>,
    /// The trials, in the order in which they ran.
    pub trials: Vec<OwnedTrial>,
}

/// Whether a case may serve as evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct OwnedEligibility {
    /// True if it may.
    pub eligible: bool,
    /// True if it may for claims that exist already.
    pub eligible_for_existing_claim: bool,
    /// True if it has to be qualified again first.
    pub requires_requalification: bool,
    /// Why.
    pub reason_codes: Vec<String>,
    /// What is wrong with the evidence itself.
    pub integrity_errors: Vec<String>,
}

/// One trial of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct OwnedTrial {
    /// Identity inside this run.
    pub trial_id: String,
    /// The trial's outcome.
    pub outcome: Outcome,
    /// Why it failed, was blocked or did not run.
    pub problems: Vec<String>,
    /// Exit code of the command; `None` if there was none or it is not known.
    pub exit_code: Option<i32>,
    /// What the trial wrote to standard output.
    pub stdout: String,
    /// What the trial wrote to standard error.
    pub stderr: String,
    /// Duration in milliseconds; 0 if it is not known.
    pub duration_ms: f64,
    /// True if the trial was stopped because it took too long.
    pub timed_out: bool,
    /// Processes that outlived the trial.
    pub orphan_pids_after_teardown: Vec<u32>,
    /// Digest per artifact.
    pub artifact_hashes: BTreeMap<String, String>,
    /// How and where the trial ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_provenance: Option<Value>,
}

impl Default for OwnedCase {
    /// A required positive case that did not run.
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: "positive".to_owned(),
            case_id: String::new(),
            required: true,
            outcome: Outcome::NotTested,
            observed_outcome: Outcome::NotTested,
            problems: Vec::new(),
            argv: Vec::new(),
            passed_trials: 0,
            total_trials: 0,
            pass_rate: 0.0,
            avg_latency_ms: 0.0,
            flaky: false,
            infra_blocked_trials: 0,
            declared_evidence_class: None,
            evidence_class_default: None,
            effective_evidence_class: None,
            live_qualified: false,
            evidence_disqualifiers: Vec::new(),
            supports_claims: Vec::new(),
            seams: Vec::new(),
            risks: Vec::new(),
            category: None,
            category_id: None,
            execution_mode: None,
            execution_provenance: None,
            test_source_sha256: None,
            oracle_sha256: None,
            evidence_eligibility: None,
            trials: Vec::new(),
        }
    }
}

impl Default for OwnedTrial {
    /// A trial that did not run.
    fn default() -> Self {
        Self {
            trial_id: String::new(),
            outcome: Outcome::NotTested,
            problems: Vec::new(),
            exit_code: None,
            stdout: String::new(),
            stderr: String::new(),
            duration_ms: 0.0,
            timed_out: false,
            orphan_pids_after_teardown: Vec::new(),
            artifact_hashes: BTreeMap::new(),
            execution_provenance: None,
        }
    }
}

impl Default for OwnedReport {
    fn default() -> Self {
        Self {
            schema: SCHEMA,
            source: String::new(),
            run_id: String::new(),
            fixture_sha256: None,
            repo: OwnedRepo::default(),
            mocked: false,
            fixture_backed: false,
            live: false,
            proof_scope: String::new(),
            claims: OwnedClaims::default(),
            what_was_exercised: String::new(),
            what_remains_unverified: String::new(),
            readiness: Readiness::NotEstablished,
            readiness_reasons: Vec::new(),
            case_readiness: Readiness::NotEstablished,
            capability_readiness: None,
            claims_coverage: "manifest-spanning".to_owned(),
            focused_cases: Vec::new(),
            incomplete_because: Vec::new(),
            shard: None,
            close_slice: None,
            gate: None,
            capability_claims: Vec::new(),
            skill: None,
            application_identity: None,
            runner_version: None,
            environment_lock_digest: None,
            trials_planned: None,
            timeout_override_s: None,
            generated_at: None,
            case_count: 0,
            required_case_count: 0,
            outcome_counts: CountedOutcomes::default(),
            trial_count: 0,
            cases: Vec::new(),
        }
    }
}

impl OwnedReport {
    /// Sets the counts from the cases, so that they always add up.
    pub fn count(&mut self) {
        self.case_count = self.cases.len();
        self.required_case_count = self.cases.iter().filter(|case| case.required).count();
        self.trial_count = self.cases.iter().map(|case| case.trials.len()).sum();
        self.outcome_counts = CountedOutcomes::default();
        for case in &self.cases {
            self.outcome_counts.add(case.outcome);
        }
    }
}
