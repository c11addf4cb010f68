//! Verdicts on claims, exemptions, and evidence as it counts.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::runner::evidence::qualify;
use crate::runner::manifest::Exemption;
use crate::runner::testing::{case, manifest};

const DAY: jiff::civil::Date = jiff::civil::date(2030, 6, 15);

fn claims(extra: Value) -> Vec<CapabilityClaim> {
    let mut claim = json!({"id": "c", "evidence_required": ["deterministic", "live_e2e"]});
    for (key, value) in extra.as_object().unwrap() {
        claim[key] = value.clone();
    }
    manifest(&[case("a", json!({}))], json!({"capability_claims": [claim]})).capability_claims
}

fn evidence(name: &str, outcome: Outcome, effective: EvidenceClass) -> CaseEvidence {
    CaseEvidence {
        name: name.to_owned(),
        supports_claims: vec!["c".to_owned()],
        outcome,
        effective,
        eligible: true,
        generation_id: "g".to_owned(),
        test_source_sha256: "sha256:t".to_owned(),
        oracle_sha256: "sha256:o".to_owned(),
    }
}

fn det(outcome: Outcome) -> CaseEvidence {
    evidence("det", outcome, EvidenceClass::Deterministic)
}

fn live(outcome: Outcome) -> CaseEvidence {
    evidence("live", outcome, EvidenceClass::LiveE2e)
}

fn judged(extra: Value, cases: &[CaseEvidence]) -> ClaimReport {
    judge_claim(&claims(extra)[0], cases, DAY)
}

#[test]
fn verdicts() {
    use Outcome::{Blocked, Fail, NotTested, Pass};
    use Verdict::{BlockedExternal, Failed, NotEstablished, PartiallyProven, Proven};
    let table: [(&[CaseEvidence], Verdict); 13] = [
        (&[], NotEstablished),
        (&[det(Pass)], PartiallyProven),
        (&[live(Pass)], PartiallyProven),
        (&[det(Pass), live(Pass)], Proven),
        (&[det(Pass), live(Fail)], Failed),
        (&[det(Pass), live(Pass), live(Fail)], Failed),
        (&[det(Pass), live(Pass), evidence("fuzz", Fail, EvidenceClass::PropertyOrFuzz)], Failed),
        (&[det(Pass), live(Blocked)], BlockedExternal),
        (&[live(Blocked)], BlockedExternal),
        (&[det(Blocked), live(Blocked)], BlockedExternal),
        (&[det(NotTested), live(NotTested)], NotEstablished),
        (&[det(Pass), live(NotTested)], PartiallyProven),
        (&[det(Pass), det(Pass), det(Pass)], PartiallyProven),
    ];
    let mut all = Vec::new();
    for (cases, verdict) in table {
        let report = judged(json!({}), cases);
        assert_eq!(report.verdict, verdict, "{cases:?}");
        assert_eq!(report.reasons.is_empty(), verdict == Proven);
        all.push(format!("{}: {}", verdict.as_str(), report.reasons.join("; ")));
    }
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn evidence_must_be_eligible_and_admitted() {
    let both = |change: fn(&mut CaseEvidence)| {
        let mut cases = [det(Outcome::Pass), live(Outcome::Pass)];
        cases.iter_mut().for_each(change);
        cases
    };
    assert_eq!(judged(json!({}), &both(|case| case.eligible = false)).verdict, Verdict::NotEstablished);
    let failing = [CaseEvidence { eligible: false, ..live(Outcome::Fail) }, det(Outcome::Pass)];
    assert_eq!(judged(json!({}), &failing).verdict, Verdict::Failed, "a failure speaks without being admitted");
    let admits = |record: Value| judged(json!({"admitted_evidence": [record]}), &both(|_| ())).verdict;
    assert_eq!(admits(json!({"generation_id": "g"})), Verdict::Proven);
    assert_eq!(admits(json!({"generation_id": "h"})), Verdict::NotEstablished);
    assert_eq!(admits(json!({"case": "live"})), Verdict::PartiallyProven);
    assert_eq!(
        admits(json!({"case": "live", "oracle_sha256": format!("sha256:{}", "0".repeat(64))})),
        Verdict::NotEstablished
    );
}

fn exemption(extra: Value) -> Value {
    let mut exemption = json!({"evidence_class": "live_e2e", "reason_code": "unsafe", "justification": "j", "owner": "o",
        "expires": "2030-06-15"});
    for (key, value) in extra.as_object().unwrap() {
        exemption[key] = value.clone();
    }
    json!({"exemptions": [exemption]})
}

#[test]
fn exemptions_prove_nothing_and_expire_at_the_end_of_their_day() {
    let with = |extra: Value| judged(exemption(extra), &[det(Outcome::Pass)]);
    let valid = with(json!({}));
    assert_eq!(valid.verdict, Verdict::PartiallyProven);
    assert_eq!(valid.per_class[&EvidenceClass::LiveE2e].status, "EXEMPT");
    assert_eq!(with(json!({"expires": "2030-06-15T00:00:00Z"})).per_class[&EvidenceClass::LiveE2e].status, "EXEMPT");
    let mut all = Vec::new();
    for extra in [
        json!({"expires": "2030-06-14"}),
        json!({"expires": "2030-06-14T23:59:59Z"}),
        json!({"expires": "soon"}),
        json!({"expires": "2030-6-16"}),
        json!({"expires": "2030-02-30"}),
        json!({"expires": "9999999999"}),
        json!({"expires": "日本語日本語日本"}),
        json!({"owner": " "}),
        json!({"owner": "", "justification": "", "reason_code": ""}),
    ] {
        let report = with(extra.clone());
        assert_eq!(report.per_class[&EvidenceClass::LiveE2e].status, "MISSING", "{extra}");
        all.push(report.exemptions[0].ignored_because.join(", "));
    }
    all.push(judge_exemption(&Exemption::default(), DAY).ignored_because.join(", "));
    insta::assert_snapshot!(all.join("\n"));
    let alone =
        judged(json!({"evidence_required": ["live_e2e"], "exemptions": exemption(json!({}))["exemptions"]}), &[]);
    assert_eq!(alone.verdict, Verdict::NotEstablished, "an exemption alone");
}

#[test]
fn readiness_of_claims() {
    use Criticality::{Critical, Important, Optional};
    let report =
        |criticality: Criticality, verdict: Verdict| ClaimReport { criticality, verdict, ..judged(json!({}), &[]) };
    let table = [
        (vec![(Critical, Verdict::Proven), (Optional, Verdict::Failed)], Readiness::Ready),
        (vec![(Critical, Verdict::Proven), (Important, Verdict::Failed)], Readiness::UsableWithGaps),
        (vec![(Critical, Verdict::PartiallyProven)], Readiness::UsableWithGaps),
        (vec![(Critical, Verdict::BlockedExternal)], Readiness::UsableWithGaps),
        (vec![(Critical, Verdict::Failed), (Critical, Verdict::Proven)], Readiness::NotReady),
        (vec![(Important, Verdict::NotEstablished)], Readiness::NotReady),
        (vec![(Optional, Verdict::Proven)], Readiness::Ready),
    ];
    for (claims, readiness) in table {
        let reports: Vec<ClaimReport> =
            claims.iter().map(|(criticality, verdict)| report(*criticality, *verdict)).collect();
        let judgement = of_claims(&reports).unwrap();
        assert_eq!(judgement.readiness, readiness, "{claims:?}");
        assert_eq!(judgement.reasons.is_empty(), readiness == Readiness::Ready, "{claims:?}");
    }
    assert_eq!(of_claims(&[]), None);
}

#[test]
fn the_worse_of_both_counts() {
    let says = |readiness: Readiness| Judgement { readiness, reasons: vec![readiness.as_str().to_owned()] };
    let all = [Readiness::Ready, Readiness::UsableWithGaps, Readiness::NotReady, Readiness::NotEstablished];
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            let both = crate::runner::readiness::worse(says(*a), Some(says(*b)));
            assert_eq!((both.readiness, both.reasons.len()), (all[i.max(j)], 2));
        }
    }
}

#[test]
fn live_evidence_qualifies_by_structure() {
    let claims = json!({"capability_claims": [
        {"id": "c", "evidence_required": ["live_e2e"]}, {"id": "d", "evidence_required": ["live_e2e"]}]});
    let artifact = |path: &str| json!({"path": path});
    let oracle = |artifacts: Value| json!({"exit_code": 0, "artifacts": artifacts});
    let fine = json!({"evidence_class": "live_e2e", "expected": oracle(json!([artifact("a")]))});
    let qualified = |extra: Value, top: Value| {
        let mut whole = fine.clone();
        for (key, value) in extra.as_object().unwrap() {
            whole[key] = value.clone();
        }
        let mut head = claims.clone();
        for (key, value) in top.as_object().unwrap() {
            head[key] = value.clone();
        }
        let manifest = manifest(&[case("a", whole)], head);
        qualify(&manifest, &manifest.cases[0])
    };
    for extra in [
        json!({}),
        json!({"expected": {"exit_code": 0}, "readback": true}),
        json!({"expected": {"exit_code": 0}, "readback": {"command": ["./look"]}}),
        json!({"expected": {"exit_code": 0, "stdout_excludes": ["x"]}}),
        json!({"supports_claims": ["c", "d"], "expected": oracle(json!([artifact("a"), artifact("b")]))}),
    ] {
        let found = qualified(extra.clone(), json!({}));
        assert!(found.live_qualified && found.effective == EvidenceClass::LiveE2e, "{extra}: {found:?}");
    }
    let mut all = Vec::new();
    for (extra, top) in [
        (json!({"command": ["./shop", "fixtures/a"]}), json!({})),
        (json!({"mocked": true}), json!({})),
        (json!({}), json!({"mocked": true})),
        (json!({"command": ["bash", "-c", "echo ok > a"]}), json!({})),
        (json!({"expected": {"exit_code": 0, "stdout_contains": ["ok"]}}), json!({})),
        (json!({"expected": {"exit_code": 0}, "readback": false}), json!({})),
        (json!({"expected": {"exit_code": 0}, "type": "adversarial"}), json!({})),
        (json!({"supports_claims": ["c", "d"]}), json!({})),
        (json!({"uses_stub": true, "command": ["true"], "expected": {"exit_code": 0}}), json!({})),
    ] {
        let found = qualified(extra, top);
        assert!(!found.live_qualified && !found.effective.is_live());
        all.push(format!("{}: {}", found.effective.as_str(), found.disqualifiers.join(" · ")));
    }
    insta::assert_snapshot!(all.join("\n"));
    let undeclared = manifest(&[case("a", json!({}))], json!({}));
    let found = qualify(&undeclared, &undeclared.cases[0]);
    assert_eq!((found.declared, found.effective), (EvidenceClass::LiveE2e, EvidenceClass::Deterministic));
    assert!(found.default_applied.is_some() && !found.disqualifiers.is_empty());
    let declared = qualified(json!({"evidence_class": "property_or_fuzz", "mocked": true}), json!({}));
    assert_eq!((declared.effective, declared.disqualifiers.len()), (EvidenceClass::PropertyOrFuzz, 0));
}

proptest! {
    #[test]
    fn claims_are_monotone(
        cases in prop::collection::vec((0..4usize, 0..3usize, any::<bool>(), any::<bool>()), 1..7),
        which in any::<prop::sample::Index>(),
        worse in 1..4usize,
        criticality in prop::sample::select(vec!["critical", "important", "optional"]),
    ) {
        let outcomes = [Outcome::Pass, Outcome::Fail, Outcome::Blocked, Outcome::NotTested];
        let classes = [EvidenceClass::Deterministic, EvidenceClass::LiveE2e, EvidenceClass::PropertyOrFuzz];
        let made = |cases: &[(usize, usize, bool, bool)]| -> Vec<CaseEvidence> {
            cases.iter().map(|(outcome, class, eligible, supports)| {
                let mut case = evidence("x", outcomes[*outcome], classes[*class]);
                case.eligible = *eligible;
                if !supports { case.supports_claims.clear(); }
                case
            }).collect()
        };
        let at = which.index(cases.len());
        let (mut before, mut after) = (cases.clone(), cases);
        before[at].0 = 0;
        after[at].0 = worse;
        let extra = json!({"criticality": criticality});
        let readiness = |cases: &[(usize, usize, bool, bool)]| {
            of_claims(&[judged(extra.clone(), &made(cases))]).unwrap().readiness
        };
        prop_assert!(readiness(&after) >= readiness(&before));
        let verdict = judged(extra.clone(), &made(&after)).verdict;
        if made(&after).iter().any(|case| case.outcome == Outcome::Fail && !case.supports_claims.is_empty()) {
            prop_assert_eq!(verdict, Verdict::Failed);
        }
    }
}
