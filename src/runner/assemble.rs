//! From cases that ran to a report: judgements, evidence, claims, readiness. Pure: clock, repository and environment
//! come in as values.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::claims::{CaseEvidence, ClaimReport, judge_claim, of_claims};
use super::evidence::{Qualification, qualify};
use super::gate::GateVerdict;
use super::manifest::{Case, Criticality, Manifest};
use super::observation::Ended;
use super::outcome::judge_case;
use super::provenance::{Provenance, provenance};
use super::readiness::{JudgedCase, Judgement, of_cases, worse};
use super::redact::Redactor;
use super::schedule::{RanCase, RanTrial};
use super::select::{Part, Selection};
use crate::categorize::signature::redact_words;
use crate::model::Readiness;
use crate::report::{OwnedCase, OwnedClaims, OwnedEligibility, OwnedRepo, OwnedReport, OwnedTrial};

/// All that a report says beside what its cases did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The manifest, as its reader may call it.
    pub source: String,
    /// Id of the run.
    pub run_id: String,
    /// When it began, RFC 3339.
    pub generated_at: String,
    /// The commit, and whether the work tree was it.
    pub repo: OwnedRepo,
    /// Digest of the files that pin the environment.
    pub environment_lock_digest: Option<String>,
    /// The time-out that replaced those of the cases, in seconds.
    pub timeout_override: Option<String>,
    /// What else keeps the report from being a whole run: interrupted, changed while it ran.
    pub incomplete_because: Vec<String>,
}

/// Makes the report. `trials` is the number of trials that was planned for each case; `today` is the day (UTC) on which
/// exemptions are looked at.
pub fn assemble(
    manifest: &Manifest,
    selection: &Selection,
    ran: &[RanCase],
    trials: u32,
    gate: &GateVerdict,
    around: Surroundings,
    today: jiff::civil::Date,
) -> OwnedReport {
    let ran: BTreeMap<usize, &[RanTrial]> = ran.iter().map(|case| (case.place, case.trials.as_slice())).collect();
    let none: &[RanTrial] = &[];
    let cases = selection.cases.iter().map(|place| {
        let done = ran.get(place).copied().unwrap_or(none);
        owned_case(manifest, *place, done, trials, &around.run_id)
    });
    let mut report = OwnedReport {
        cases: cases.collect(),
        claims_coverage: selection.coverage(manifest),
        trials_planned: Some(trials),
        ..header(manifest, around)
    };
    match &selection.part {
        None => {}
        Some(Part::Named | Part::Slice { .. }) => {
            report.focused_cases = report.cases.iter().map(|case| case.name.clone()).collect();
        }
        Some(Part::Shard(shard)) => report.shard = Some(json!({"index": shard.index(), "count": shard.count()})),
    }
    if let Some(Part::Slice { category_id, slice }) = &selection.part {
        let cases = slice.cases.iter().map(|(name, reasons)| {
            let reasons: Vec<String> = reasons.iter().map(super::slice::Reason::describe).collect();
            json!({"case": name, "because": reasons})
        });
        report.close_slice = Some(json!({
            "category_id": category_id,
            "whole_fixture_because": slice.whole_because,
            "cases": cases.collect::<Vec<_>>(),
        }));
    }
    conclude(&mut report, manifest, gate, today);
    report
}

/// Takes secrets out of the command lines of a report: they come from the manifest as it is, which no trial redacts.
pub fn redact_commands(report: &mut OwnedReport, redactor: &Redactor) {
    for argument in report.cases.iter_mut().flat_map(|case| &mut case.argv) {
        if let std::borrow::Cow::Owned(redacted) = redactor.redact(argument) {
            *argument = redacted;
        }
    }
}

/// The report without its cases and without what is concluded from them.
pub(super) fn header(manifest: &Manifest, around: Surroundings) -> OwnedReport {
    let said = |key: &str| manifest.claims.as_ref().and_then(|claims| claims.get(key)?.as_str()).map(str::to_owned);
    let text = |text: &Option<String>, default: &str| text.clone().unwrap_or_else(|| default.to_owned());
    OwnedReport {
        source: around.source,
        run_id: around.run_id,
        fixture_sha256: Some(manifest.fixture_sha256.clone()),
        repo: around.repo,
        mocked: manifest.mocked.unwrap_or(false) || manifest.cases.iter().any(|case| case.mocked || case.uses_stub),
        fixture_backed: true,
        proof_scope: text(&manifest.proof_scope, "the cases of the fixture, run by greenloop"),
        claims: OwnedClaims {
            proves: said("proves").unwrap_or_else(|| "what the expectations of the passing cases check".to_owned()),
            does_not_prove: said("does_not_prove").unwrap_or_else(|| "anything that no case checks".to_owned()),
        },
        what_was_exercised: text(&manifest.what_was_exercised, "the commands of the cases"),
        what_remains_unverified: text(&manifest.what_remains_unverified, "whatever no case of the fixture checks"),
        generated_at: Some(around.generated_at),
        runner_version: Some(format!("greenloop {}", env!("CARGO_PKG_VERSION"))),
        environment_lock_digest: around.environment_lock_digest,
        timeout_override_s: around.timeout_override,
        incomplete_because: around.incomplete_because,
        skill: manifest.skill.clone(),
        application_identity: manifest.application_identity.clone(),
        ..OwnedReport::default()
    }
}

/// Everything that follows from the cases: counts, claims, readiness and its reasons. Claims are judged only if the
/// report spans the manifest.
pub(super) fn conclude(report: &mut OwnedReport, manifest: &Manifest, gate: &GateVerdict, today: jiff::civil::Date) {
    report.count();
    report.live = manifest.live.unwrap_or(true) && report.cases.iter().any(|case| case.live_qualified);
    let judged: Vec<JudgedCase<'_>> = report
        .cases
        .iter()
        .map(|case| JudgedCase { name: &case.name, required: case.required, outcome: case.outcome, flaky: case.flaky })
        .collect();
    let by_cases = of_cases(&judged);
    report.case_readiness = by_cases.readiness;
    let claims = judged_claims(report, manifest, today);
    let by_claims = of_claims(&claims);
    report.capability_readiness = by_claims.as_ref().map(|judgement| judgement.readiness);
    report.capability_claims = claims
        .iter()
        .zip(&manifest.capability_claims)
        .map(|(verdict, claim)| {
            let has_critical =
                manifest.capability_claims.iter().any(|claim| claim.criticality == Criticality::Critical);
            let required = claim.criticality != Criticality::Optional || !has_critical;
            claim_json(verdict, claim, required)
        })
        .collect();
    let mut whole = worse(by_cases, by_claims);
    if !gate.is_open() {
        whole = worse(Judgement { readiness: Readiness::NotEstablished, reasons: gate_reasons(gate) }, Some(whole));
    }
    if !report.incomplete_because.is_empty() {
        let reasons = report.incomplete_because.iter().map(|why| format!("incomplete: {why}")).collect();
        whole = worse(Judgement { readiness: Readiness::NotEstablished, reasons }, Some(whole));
    }
    report.readiness = whole.readiness;
    report.readiness_reasons = whole.reasons;
    report.gate = Some(gate_json(gate));
}

/// The claims, if the report has every case of the manifest. A part proves and disproves nothing about the whole.
fn judged_claims(report: &OwnedReport, manifest: &Manifest, today: jiff::civil::Date) -> Vec<ClaimReport> {
    if report.claims_coverage != "manifest-spanning" {
        return Vec::new();
    }
    // Such a report has the cases in the order of the manifest.
    let evidence: Vec<CaseEvidence> = report
        .cases
        .iter()
        .zip(&manifest.cases)
        .map(|(case, of)| {
            // Only the outcome is the run's: all else is the manifest's word.
            let origin = provenance(of);
            CaseEvidence {
                name: case.name.clone(),
                supports_claims: of.supports_claims.clone(),
                outcome: case.outcome,
                effective: qualify(manifest, of).effective,
                eligible: origin.eligibility.eligible,
                generation_id: origin.generation_id,
                test_source_sha256: origin.test_source_sha256,
                oracle_sha256: origin.oracle_sha256,
            }
        })
        .collect();
    manifest.capability_claims.iter().map(|claim| judge_claim(claim, &evidence, today)).collect()
}

fn gate_reasons(gate: &GateVerdict) -> Vec<String> {
    gate.violations.iter().map(|violation| format!("gate {}: {}", violation.code, violation.message)).collect()
}

fn gate_json(gate: &GateVerdict) -> Value {
    let violations = gate
        .violations
        .iter()
        .map(|violation| json!({"code": violation.code, "case": violation.case, "message": violation.message}));
    json!({
        "open": gate.is_open(),
        "exemption": gate.exemption(),
        "violations": violations.collect::<Vec<_>>(),
    })
}

fn claim_json(verdict: &ClaimReport, claim: &super::manifest::CapabilityClaim, required: bool) -> Value {
    let classes: serde_json::Map<String, Value> = verdict
        .per_class
        .iter()
        .map(|(class, status)| (class.as_str().to_owned(), json!({"status": status.status, "cases": status.cases})))
        .collect();
    let exemptions = verdict.exemptions.iter().map(|exemption| {
        json!({
            "evidence_class": exemption.class.map(super::manifest::EvidenceClass::as_str),
            "counts": exemption.counts(),
            "ignored_because": exemption.ignored_because,
        })
    });
    let not_counted = verdict.not_counted.iter().map(|(case, why)| json!({"case": case, "because": why}));
    json!({
        "id": verdict.id,
        "description": claim.description,
        "criticality": verdict.criticality.as_str(),
        "required": required,
        "verdict": verdict.verdict.as_str(),
        "evidence": classes,
        "exemptions": exemptions.collect::<Vec<_>>(),
        "not_counted": not_counted.collect::<Vec<_>>(),
        "reasons": verdict.reasons,
        "claim_semantics": claim.claim_semantics,
        "domain_profile": claim.domain_profile,
    })
}

fn owned_case(manifest: &Manifest, place: usize, ran: &[RanTrial], trials: u32, run_id: &str) -> OwnedCase {
    let case = &manifest.cases[place];
    let qualification = qualify(manifest, case);
    let origin = provenance(case);
    let verdicts: Vec<_> = ran.iter().map(|trial| trial.verdict.clone()).collect();
    let integrity: Vec<String> = origin.eligibility.integrity_errors.iter().map(|code| (*code).to_owned()).collect();
    let verdict = judge_case(&verdicts, trials as usize, &integrity);
    let case_id = format!("{run_id}-c{place:03}");
    let milliseconds: f64 = ran.iter().map(|trial| trial.duration.as_secs_f64() * 1000.0).sum();
    #[expect(clippy::cast_precision_loss, reason = "a number of trials is small")]
    let mean = |sum: f64| if ran.is_empty() { 0.0 } else { sum / ran.len() as f64 };
    #[expect(clippy::cast_precision_loss, reason = "a number of trials is small")]
    let passed = verdict.passed_trials as f64;
    OwnedCase {
        name: case.name.as_str().to_owned(),
        kind: case.case_type.as_str().to_owned(),
        required: case.required,
        outcome: verdict.outcome,
        observed_outcome: verdict.observed_outcome,
        problems: verdict.problems,
        argv: redact_words(&case.command),
        passed_trials: verdict.passed_trials,
        total_trials: verdict.total_trials,
        pass_rate: mean(passed),
        avg_latency_ms: rounded(mean(milliseconds)),
        flaky: verdict.flaky,
        infra_blocked_trials: verdict.infra_blocked_trials,
        supports_claims: case.supports_claims.clone(),
        seams: case.seams.clone(),
        risks: case.risks.clone(),
        category: case.category.clone(),
        category_id: case.category_id.clone(),
        trials: ran
            .iter()
            .enumerate()
            .map(|(number, trial)| owned_trial(trial, &format!("{case_id}-t{number}")))
            .collect(),
        case_id,
        ..evidence_fields(case, &qualification, &origin)
    }
}

/// The fields of a case that say what it is worth as evidence.
fn evidence_fields(case: &Case, qualification: &Qualification, origin: &Provenance) -> OwnedCase {
    let codes = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect();
    OwnedCase {
        declared_evidence_class: Some(qualification.declared.as_str().to_owned()),
        evidence_class_default: qualification.default_applied.map(str::to_owned),
        effective_evidence_class: Some(qualification.effective.as_str().to_owned()),
        live_qualified: qualification.live_qualified,
        evidence_disqualifiers: qualification.disqualifiers.clone(),
        execution_mode: Some(origin.execution_mode.as_str().to_owned()),
        execution_provenance: Some(json!({
            "generation_id": origin.generation_id,
            "mutation_flags": origin.mutation_flags,
            "lineage": case.lineage,
        })),
        test_source_sha256: Some(origin.test_source_sha256.clone()),
        oracle_sha256: Some(origin.oracle_sha256.clone()),
        evidence_eligibility: Some(OwnedEligibility {
            eligible: origin.eligibility.eligible,
            eligible_for_existing_claim: origin.eligibility.eligible_for_existing_claim,
            requires_requalification: origin.eligibility.requires_requalification,
            reason_codes: codes(&origin.eligibility.reason_codes),
            integrity_errors: codes(&origin.eligibility.integrity_errors),
        }),
        ..OwnedCase::default()
    }
}

fn owned_trial(trial: &RanTrial, trial_id: &str) -> OwnedTrial {
    OwnedTrial {
        trial_id: trial_id.to_owned(),
        outcome: trial.verdict.outcome,
        problems: trial.verdict.problems.clone(),
        exit_code: trial.ended.code(),
        stdout: trial.stdout.clone(),
        stderr: trial.stderr.clone(),
        duration_ms: rounded(trial.duration.as_secs_f64() * 1000.0),
        timed_out: matches!(trial.ended, Ended::TimedOut(_)),
        orphan_pids_after_teardown: trial.orphan_pids.clone(),
        artifact_hashes: trial.artifact_hashes.iter().cloned().collect(),
        execution_provenance: None,
    }
}

/// Milliseconds with three digits after the point: more is noise.
fn rounded(milliseconds: f64) -> f64 {
    (milliseconds * 1000.0).round() / 1000.0
}
