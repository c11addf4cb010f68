//! Tests of outcomes and of readiness.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::Readiness;
use crate::runner::readiness::{JudgedCase, of_cases};
use crate::runner::testing::{alone, trial};

fn marked() -> Case {
    alone(json!({"blocked_when_stdout_contains": ["NO_NET"], "infra_blocked_when": ["503"],
        "expected": {"exit_code": 0, "stdout_contains": ["ok"]}}))
}

#[test]
fn outcomes_of_trials() {
    let case = marked();
    let judged = |code: i32, stdout: &str, stderr: &str| judge_trial(&case, &trial(code, stdout, stderr));
    assert_eq!(judged(0, "ok", "").outcome, Outcome::Pass);
    assert_eq!(judged(0, "ok 503", "503").outcome, Outcome::Pass, "infra markers count after a failed check only");
    assert_eq!(judged(1, "ok", "").problems, ["exit_code 1 != 0"]);
    let infra = judged(1, "ok", "got 503");
    assert_eq!((infra.outcome, infra.infra_blocked), (Outcome::Blocked, true));
    assert_eq!(infra.problems, ["external blocker: saw '503'", "exit_code 1 != 0"]);
    let unmet = judged(0, "ok", "NO_NET");
    assert_eq!(
        (unmet.outcome, &unmet.problems[..]),
        (Outcome::Blocked, &["precondition unmet: saw 'NO_NET'".to_owned()][..])
    );
    assert_eq!(judged(1, "NO_NET 503", "").problems[0], "precondition unmet: saw 'NO_NET'");
    let mut left = trial(0, "ok NO_NET 503", "");
    left.survivors = vec![5];
    assert_eq!(judge_trial(&case, &left).outcome, Outcome::Fail, "nothing excuses a process that is left over");
}

fn of(outcomes: &[Outcome]) -> Vec<TrialVerdict> {
    let verdict = |outcome: &Outcome| TrialVerdict {
        outcome: *outcome,
        problems: if *outcome == Outcome::Pass { Vec::new() } else { vec![format!("was {}", outcome.as_str())] },
        infra_blocked: *outcome == Outcome::Blocked,
    };
    outcomes.iter().map(verdict).collect()
}

#[test]
fn outcomes_of_cases() {
    use Outcome::{Blocked, Fail, NotTested, Pass};
    let table = [
        (&[Pass, Pass][..], 2, Pass, false),
        (&[Pass, Fail], 2, Fail, true),
        (&[Fail, Fail], 2, Fail, false),
        (&[Pass, Blocked], 2, Blocked, true),
        (&[Fail, Blocked], 2, Fail, true),
        (&[Blocked, Blocked], 2, Blocked, false),
        (&[Pass], 2, NotTested, false),
        (&[Fail], 2, Fail, false),
        (&[], 2, NotTested, false),
        (&[], 0, NotTested, false),
    ];
    for (trials, planned, outcome, flaky) in table {
        let verdict = judge_case(&of(trials), planned, &[]);
        assert_eq!((verdict.outcome, verdict.flaky), (outcome, flaky), "{trials:?} of {planned}");
        assert_eq!(verdict.problems.is_empty(), outcome == Pass, "{trials:?}: {:?}", verdict.problems);
    }
    let twice = judge_case(&of(&[Fail, Fail, Blocked]), 3, &[]);
    assert_eq!(twice.problems, ["was FAIL", "was BLOCKED"]);
    assert_eq!((twice.passed_trials, twice.total_trials, twice.infra_blocked_trials), (0, 3, 1));
}

#[test]
fn an_integrity_error_fails_what_passed() {
    let verdict = judge_case(&of(&[Outcome::Pass, Outcome::Pass]), 2, &["undeclared_oracle_mutation".to_owned()]);
    assert_eq!((verdict.outcome, verdict.observed_outcome), (Outcome::Fail, Outcome::Pass));
    assert_eq!(verdict.problems, ["evidence integrity: undeclared_oracle_mutation"]);
    let verdict = judge_case(&[], 2, &["undeclared_oracle_mutation".to_owned()]);
    assert_eq!(verdict.outcome, Outcome::NotTested, "what did not run did not fail");
}

fn judged<'c>(cases: &[(&'c str, bool, Outcome)]) -> Vec<JudgedCase<'c>> {
    let case = |(name, required, outcome): &(&'c str, bool, Outcome)| JudgedCase {
        name,
        required: *required,
        outcome: *outcome,
        flaky: false,
    };
    cases.iter().map(case).collect()
}

#[test]
fn readiness_is_the_documented_one() {
    use Outcome::{Blocked, Fail, NotTested, Pass};
    let table = [
        (&[("a", true, Pass), ("b", true, Pass)][..], Readiness::Ready),
        (&[("a", true, Pass), ("b", false, Fail)], Readiness::Ready),
        (&[("a", true, Pass), ("b", true, Fail)], Readiness::UsableWithGaps),
        (&[("a", true, Pass), ("b", true, Blocked)], Readiness::UsableWithGaps),
        (&[("a", true, Pass), ("b", true, NotTested)], Readiness::UsableWithGaps),
        (&[("a", true, Fail), ("b", true, NotTested)], Readiness::NotReady),
        (&[("a", true, Blocked), ("b", true, Blocked)], Readiness::NotReady),
        (&[("a", true, NotTested), ("b", false, Pass)], Readiness::NotEstablished),
        (&[("a", false, Pass)], Readiness::NotEstablished),
        (&[], Readiness::NotEstablished),
    ];
    let mut all = Vec::new();
    for (cases, readiness) in table {
        let judgement = of_cases(&judged(cases));
        assert_eq!(judgement.readiness, readiness, "{cases:?}");
        assert_eq!(judgement.reasons.is_empty(), readiness == Readiness::Ready, "{cases:?}");
        all.push(format!("{}: {}", readiness.as_str(), judgement.reasons.join("; ")));
    }
    insta::assert_snapshot!(all.join("\n"));
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    prop::sample::select(vec![Outcome::Pass, Outcome::Fail, Outcome::Blocked, Outcome::NotTested])
}

proptest! {
    #[test]
    fn readiness_is_monotone(
        cases in prop::collection::vec((any::<bool>(), any_outcome()), 1..8),
        which in any::<prop::sample::Index>(),
        worse in any_outcome(),
    ) {
        let with = |cases: &[(bool, Outcome)]| {
            let cases: Vec<_> = cases.iter().map(|(required, outcome)| ("c", *required, *outcome)).collect();
            of_cases(&judged(&cases)).readiness
        };
        let at = which.index(cases.len());
        let (mut before, mut after) = (cases.clone(), cases);
        before[at].1 = Outcome::Pass;
        after[at].1 = worse;
        prop_assert!(with(&after) >= with(&before), "READY is the least: {before:?} {after:?}");
    }

    #[test]
    fn a_case_is_monotone_in_its_trials(
        trials in prop::collection::vec(any_outcome(), 1..6),
        which in any::<prop::sample::Index>(),
        worse in any_outcome(),
    ) {
        let at = which.index(trials.len());
        let (mut before, mut after) = (trials.clone(), trials.clone());
        before[at] = Outcome::Pass;
        after[at] = if worse == Outcome::Pass { Outcome::Fail } else { worse };
        let before = judge_case(&of(&before), trials.len(), &[]);
        let after = judge_case(&of(&after), trials.len(), &[]);
        prop_assert!(after.outcome != Outcome::Pass, "one trial that did not pass is enough");
        prop_assert!(before.outcome != Outcome::Fail || after.outcome == Outcome::Fail);
    }
}
