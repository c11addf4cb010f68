//! Reads claims, their exemptions and admissions, and seams.

use crate::diag::findings::quote;
use crate::diag::json::Value;

use super::lineage;
use super::reader::{At, Reader};
use super::rule::{BAD_TYPE, EMPTY, MISSING, UNKNOWN_WORD};
use super::types::{Admission, CapabilityClaim, Criticality, EvidenceClass, Exemption, Seam};

const CLAIM: [&str; 9] = [
    "id",
    "description",
    "criticality",
    "evidence_required",
    "claim_semantics",
    "domain_profile",
    "exemptions",
    "admitted_evidence",
    "admitted_generations",
];
const SEAM: [&str; 6] = ["seam_id", "claim_id", "seam_type", "criticality", "required_evidence", "failure_modes"];
const EMPTY_ID: &str = "nothing is known by an empty name";

/// Reads one claim; the second part is where its id stands.
pub(super) fn claim(reader: &mut Reader, at: &At<'_>) -> Option<CapabilityClaim> {
    if !reader.is_object(at, "every item of `capability_claims`") {
        return None;
    }
    reader.suspect_typos(at, &CLAIM);
    let id = reader.needed_text(at, "id", "a claim");
    let whose = id.as_ref().map_or_else(|| "a claim".to_owned(), |id| format!("the claim {}", quote(id)));
    let evidence_required = match reader.needed(at, "evidence_required", &whose) {
        Some(required) => evidence(reader, &required, &whose),
        None => Vec::new(),
    };
    let exemptions = reader.items(at, "exemptions");
    let key = if at.get("admitted_evidence").is_some() { "admitted_evidence" } else { "admitted_generations" };
    let admitted = reader.items(at, key);
    Some(CapabilityClaim {
        description: reader.text(at, "description"),
        criticality: reader.word(at, "criticality", &Criticality::WORDS).unwrap_or(Criticality::Critical),
        evidence_required,
        claim_semantics: reader.any(at, "claim_semantics"),
        domain_profile: reader.any(at, "domain_profile"),
        exemptions: exemptions.iter().filter_map(|item| exemption(reader, item)).collect(),
        admitted_evidence: admitted.iter().filter_map(|item| admission(reader, item, key)).collect(),
        id: id?,
    })
}

/// `["live_e2e"]`, or `{"live_e2e": true}`. Sorted, each class once.
fn evidence(reader: &mut Reader, at: &At<'_>, whose: &str) -> Vec<EvidenceClass> {
    let mut classes = Vec::new();
    let mut sound = true;
    match &at.node.value {
        Value::List(_) => {
            for item in reader.items_of(at, "`evidence_required`") {
                let class = reader.as_word(&item, "an evidence class", &EvidenceClass::WORDS);
                sound &= class.is_some();
                classes.extend(class);
            }
        }
        Value::Object(members) => {
            for member in members {
                let item = at.of(member);
                let class = EvidenceClass::WORDS.iter().find(|(word, _)| *word == member.key);
                let Some((_, class)) = class else {
                    sound = false;
                    let all: Vec<&str> = EvidenceClass::WORDS.iter().map(|(word, _)| *word).collect();
                    let message = format!("an evidence class cannot be {}", quote(&member.key));
                    reader.add(&UNKNOWN_WORD, &item.spot(), message, format!("one of {}", all.join(", ")));
                    continue;
                };
                match item.node.value {
                    Value::Bool(true) => classes.push(*class),
                    Value::Bool(false) => {}
                    _ => {
                        sound = false;
                        reader.wrong_type(&item, &format!("`{}`", class.as_str()), "true or false");
                    }
                }
            }
        }
        _ => {
            sound = false;
            let message = format!("`evidence_required` must be a list or an object, not {}", at.node.kind());
            reader.add(&BAD_TYPE, &at.spot(), message, "for example [\"deterministic\", \"live_e2e\"]");
        }
    }
    if sound && classes.is_empty() {
        let message = format!("{whose} requires no evidence");
        reader.add(&EMPTY, &at.spot(), message, "such a claim would be proven by nothing");
    }
    classes.sort_unstable();
    classes.dedup();
    classes
}

/// Missing parts are no error here: an incomplete exemption is ignored and named when the claim is judged.
fn exemption(reader: &mut Reader, at: &At<'_>) -> Option<Exemption> {
    reader.is_object(at, "every item of `exemptions`").then(|| Exemption {
        evidence_class: reader.word(at, "evidence_class", &EvidenceClass::WORDS),
        reason_code: reader.text(at, "reason_code"),
        justification: reader.text(at, "justification"),
        owner: reader.text(at, "owner"),
        expires: reader.text(at, "expires"),
    })
}

fn admission(reader: &mut Reader, at: &At<'_>, key: &str) -> Option<Admission> {
    if !reader.is_object(at, &format!("every item of `{key}`")) {
        return None;
    }
    let admission = Admission {
        case: reader.text(at, "case"),
        generation_id: reader.text(at, "generation_id"),
        test_source_sha256: lineage::hash(reader, at, "test_source_sha256"),
        oracle_sha256: lineage::hash(reader, at, "oracle_sha256"),
    };
    let keys = ["case", "generation_id", "test_source_sha256", "oracle_sha256"];
    if keys.iter().all(|key| at.get(key).is_none()) {
        let message = format!("an item of `{key}` names no evidence");
        reader.add(&MISSING, &at.start(), message, format!("it needs at least one of {}", keys.join(", ")));
    }
    Some(admission)
}

/// Reads one seam.
pub(super) fn seam(reader: &mut Reader, at: &At<'_>) -> Option<Seam> {
    if !reader.is_object(at, "every item of `seams`") {
        return None;
    }
    reader.suspect_typos(at, &SEAM);
    let seam_id = reader.needed_text(at, "seam_id", "a seam");
    let required = reader.items(at, "required_evidence");
    let classes = |reader: &mut Reader, item| reader.as_word(item, "an evidence class", &EvidenceClass::WORDS);
    Some(Seam {
        claim_id: reader.text(at, "claim_id"),
        seam_type: reader.text(at, "seam_type"),
        criticality: reader.word(at, "criticality", &Criticality::WORDS),
        required_evidence: required.iter().filter_map(|item| classes(reader, item)).collect(),
        failure_modes: reader.texts(at, "failure_modes", EMPTY_ID),
        seam_id: seam_id?,
    })
}
