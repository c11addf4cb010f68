//! Verdicts on capability claims, from cases that support them.
//!
//! Each class of evidence that a claim requires needs a passing case of that class *as it counts*, eligible and admitted.
//! A case that fails speaks against every claim that it supports, also beside another one that passes, and whatever its
//! class: the claim is FAILED. An exemption is shown, and proves nothing.

mod exemption;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use exemption::{ExemptionVerdict, judge_exemption};

use super::manifest::{CapabilityClaim, Criticality, EvidenceClass};
use super::readiness::Judgement;
use crate::model::{Outcome, Readiness, display_safe};

/// What a case brings to the claims that it supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseEvidence {
    /// The case.
    pub name: String,
    /// Claims that it supports.
    pub supports_claims: Vec<String>,
    /// Its outcome.
    pub outcome: Outcome,
    /// Its class as it counts.
    pub effective: EvidenceClass,
    /// False if its provenance keeps it from being evidence.
    pub eligible: bool,
    /// Its generation, as provenance has it.
    pub generation_id: String,
    /// Hash of the test.
    pub test_source_sha256: String,
    /// Hash of the oracle.
    pub oracle_sha256: String,
}

/// The verdict on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Every required class has a passing case, and nothing failed.
    Proven,
    /// Some required classes do, others have nothing.
    PartiallyProven,
    /// What is not proven was blocked.
    BlockedExternal,
    /// There is nothing.
    NotEstablished,
    /// A supporting case failed.
    Failed,
}

impl Verdict {
    /// The spelling of the report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proven => "PROVEN",
            Self::PartiallyProven => "PARTIALLY_PROVEN",
            Self::BlockedExternal => "BLOCKED_EXTERNAL",
            Self::NotEstablished => "NOT_ESTABLISHED",
            Self::Failed => "FAILED",
        }
    }
}

/// What there is of one required class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassStatus {
    /// PROVEN, FAILED, BLOCKED, EXEMPT or MISSING.
    pub status: &'static str,
    /// The cases that made it so, in the order of the manifest.
    pub cases: Vec<String>,
}

/// One claim, judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimReport {
    /// The claim.
    pub id: String,
    /// How much it matters.
    pub criticality: Criticality,
    /// The verdict.
    pub verdict: Verdict,
    /// Every required class.
    pub per_class: BTreeMap<EvidenceClass, ClassStatus>,
    /// Exemptions as they were judged, in the order of the manifest.
    pub exemptions: Vec<ExemptionVerdict>,
    /// Supporting cases that passed and did not count, and why.
    pub not_counted: Vec<(String, String)>,
    /// Why it is not PROVEN; empty exactly if it is.
    pub reasons: Vec<String>,
}

/// Judges a claim. `today` is the day on which exemptions are looked at, `YYYY-MM-DD` in UTC.
pub fn judge_claim(claim: &CapabilityClaim, cases: &[CaseEvidence], today: jiff::civil::Date) -> ClaimReport {
    let exemptions: Vec<ExemptionVerdict> =
        claim.exemptions.iter().map(|exemption| judge_exemption(exemption, today)).collect();
    let supporting: Vec<&CaseEvidence> = cases.iter().filter(|case| case.supports_claims.contains(&claim.id)).collect();
    let mut not_counted = Vec::new();
    for case in supporting.iter().filter(|case| case.outcome == Outcome::Pass) {
        if !case.eligible {
            not_counted.push((case.name.clone(), "its provenance does not allow it as evidence".to_owned()));
        } else if !is_admitted(claim, case) {
            not_counted.push((case.name.clone(), "the claim admits other evidence only".to_owned()));
        } else if !claim.evidence_required.contains(&case.effective) {
            not_counted
                .push((case.name.clone(), format!("it counts as {}, which is not required", case.effective.as_str())));
        }
    }
    let status = |class: EvidenceClass| {
        let of_class: Vec<&&CaseEvidence> = supporting.iter().filter(|case| case.effective == class).collect();
        let with = |outcome: Outcome| -> Vec<String> {
            let counts = |case: &CaseEvidence| outcome != Outcome::Pass || (case.eligible && is_admitted(claim, case));
            let found = of_class.iter().filter(|case| case.outcome == outcome && counts(case));
            found.map(|case| case.name.clone()).collect()
        };
        let is_exempt = exemptions.iter().any(|exemption| exemption.counts() && exemption.class == Some(class));
        for (status, outcome) in [("FAILED", Outcome::Fail), ("PROVEN", Outcome::Pass), ("BLOCKED", Outcome::Blocked)] {
            let cases = with(outcome);
            if !cases.is_empty() {
                return ClassStatus { status, cases };
            }
        }
        ClassStatus { status: if is_exempt { "EXEMPT" } else { "MISSING" }, cases: Vec::new() }
    };
    let per_class: BTreeMap<EvidenceClass, ClassStatus> =
        claim.evidence_required.iter().map(|class| (*class, status(*class))).collect();
    let any = |wanted: &str| per_class.values().any(|class| class.status == wanted);
    let failed: Vec<&str> =
        supporting.iter().filter(|case| case.outcome == Outcome::Fail).map(|case| case.name.as_str()).collect();
    let verdict = if !failed.is_empty() {
        Verdict::Failed
    } else if !per_class.is_empty() && per_class.values().all(|class| class.status == "PROVEN") {
        Verdict::Proven
    } else if any("PROVEN") && (any("MISSING") || any("EXEMPT")) {
        Verdict::PartiallyProven
    } else if any("BLOCKED") {
        Verdict::BlockedExternal
    } else {
        Verdict::NotEstablished
    };
    let mut reasons = Vec::new();
    if verdict != Verdict::Proven {
        if !failed.is_empty() {
            reasons.push(format!("failed: {}", display_safe(&failed.join(", "))));
        }
        for (class, status) in &per_class {
            match status.status {
                "MISSING" => reasons.push(format!("no evidence of {}", class.as_str())),
                "EXEMPT" => reasons.push(format!("{} is exempt, which proves nothing", class.as_str())),
                "BLOCKED" => {
                    reasons.push(format!("{} is blocked: {}", class.as_str(), display_safe(&status.cases.join(", "))));
                }
                _ => {}
            }
        }
        for exemption in exemptions.iter().filter(|exemption| !exemption.counts()) {
            reasons.push(format!("an exemption is ignored: {}", exemption.ignored_because.join(", ")));
        }
        for (case, why) in &not_counted {
            reasons.push(format!("{} does not count: {why}", display_safe(case)));
        }
    }
    ClaimReport {
        id: claim.id.clone(),
        criticality: claim.criticality,
        verdict,
        per_class,
        exemptions,
        not_counted,
        reasons,
    }
}

fn is_admitted(claim: &CapabilityClaim, case: &CaseEvidence) -> bool {
    let fits = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|wanted| wanted == is);
    claim.admitted_evidence.is_empty()
        || claim.admitted_evidence.iter().any(|admission| {
            fits(&admission.case, &case.name)
                && fits(&admission.generation_id, &case.generation_id)
                && fits(&admission.test_source_sha256, &case.test_source_sha256)
                && fits(&admission.oracle_sha256, &case.oracle_sha256)
        })
}

/// Readiness by the claims; `None` if there are none.
///
/// READY: every critical and important claim is PROVEN. NOT_READY: a critical claim FAILED, or no claim is critical and
/// one is not PROVEN. USABLE_WITH_GAPS: everything between. An optional claim never decides beside a critical one.
pub fn of_claims(claims: &[ClaimReport]) -> Option<Judgement> {
    if claims.is_empty() {
        return None;
    }
    let has_critical = claims.iter().any(|claim| claim.criticality == Criticality::Critical);
    let level = |claim: &ClaimReport| match (claim.verdict, claim.criticality) {
        (Verdict::Proven, _) => Readiness::Ready,
        (_, _) if !has_critical => Readiness::NotReady,
        (Verdict::Failed, Criticality::Critical) => Readiness::NotReady,
        (_, Criticality::Critical | Criticality::Important) => Readiness::UsableWithGaps,
        (_, Criticality::Optional) => Readiness::Ready,
    };
    let readiness = claims.iter().map(level).max()?;
    let counts = claims.iter().filter(|claim| level(claim) != Readiness::Ready);
    let reason = |claim: &ClaimReport| {
        let (id, verdict) = (display_safe(&claim.id), claim.verdict.as_str());
        format!("the {} claim {id} is {verdict}: {}", claim.criticality.as_str(), claim.reasons.join("; "))
    };
    Some(Judgement { readiness, reasons: counts.map(reason).collect() })
}
