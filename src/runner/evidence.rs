//! What class of evidence a case really is. A live class is qualified by structure, or downgraded with every reason.
//!
//! A class that is not declared counts as `live_e2e` and then has to qualify: the stricter of the two published defaults.

use std::collections::BTreeSet;

use super::entry::{Seen, stub_reason};
use super::manifest::{Case, CaseType, EvidenceClass, Manifest};

/// The evidence class of a case: as declared, and as it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Qualification {
    /// As declared, or the default.
    pub declared: EvidenceClass,
    /// The default that was applied because the case declares none, in words for the report.
    pub default_applied: Option<&'static str>,
    /// As it counts.
    pub effective: EvidenceClass,
    /// True if it counts as live.
    pub live_qualified: bool,
    /// Why it does not, each requirement that is not met.
    pub disqualifiers: Vec<String>,
}

/// What the report says about a case without a class.
const DEFAULT: &str = "live_e2e: no class is declared";

/// Qualifies one case.
pub fn qualify(manifest: &Manifest, case: &Case) -> Qualification {
    let declared = case.evidence_class.unwrap_or(EvidenceClass::LiveE2e);
    let default_applied = case.evidence_class.is_none().then_some(DEFAULT);
    if !declared.is_live() {
        return Qualification {
            declared,
            default_applied,
            effective: declared,
            live_qualified: false,
            disqualifiers: Vec::new(),
        };
    }
    let seen = Seen::of(&case.command);
    let stub = stub_reason(manifest, case, &seen);
    let enters = seen.reaches_entry_point();
    let mut disqualifiers = Vec::new();
    let is_fed = stub.is_some();
    disqualifiers.extend(stub.map(|why| format!("stub input: {why}")));
    if !enters {
        disqualifiers
            .push("no substantive entry point: the command starts nothing but constants and plumbing".to_owned());
    }
    if !reads_back(case) {
        disqualifiers.push(
            "no independent read-back: no artifact, no `readback` and no exclusion, only the exit code and the \
             command's own words"
                .to_owned(),
        );
    }
    let claims = case.supports_claims.iter().collect::<BTreeSet<_>>().len();
    let artifacts = artifacts(case);
    if claims > 1 && artifacts < claims {
        disqualifiers.push(format!(
            "{claims} claims and {artifacts} artifact{}: each claim needs an artifact of its own",
            if artifacts == 1 { "" } else { "s" }
        ));
    }
    let live_qualified = disqualifiers.is_empty();
    let effective = if live_qualified {
        declared
    } else if enters && !is_fed && case.case_type != CaseType::Positive {
        // A fault that is really put to the product is evidence about its mechanism, live or not.
        EvidenceClass::FaultInjectedDeterministic
    } else {
        EvidenceClass::Deterministic
    };
    Qualification { declared, default_applied, effective, live_qualified, disqualifiers }
}

/// The oracle can fail although the command says that all is well.
fn reads_back(case: &Case) -> bool {
    let described = case.readback.as_ref().is_some_and(|readback| match readback {
        serde_json::Value::Bool(value) => *value,
        serde_json::Value::String(text) => !text.trim().is_empty(),
        serde_json::Value::Object(members) => !members.is_empty(),
        serde_json::Value::Array(items) => !items.is_empty(),
        _ => false,
    });
    let expected = &case.expected;
    described || !expected.artifacts.is_empty() || !expected.stdout_excludes.is_empty()
}

/// Different files, or different values in them, that the case reads.
fn artifacts(case: &Case) -> usize {
    let read = case.expected.artifacts.iter().filter(|artifact| !artifact.absent);
    read.map(|artifact| (&artifact.path, artifact.json_pointer.as_deref().unwrap_or_default()))
        .collect::<BTreeSet<_>>()
        .len()
}
