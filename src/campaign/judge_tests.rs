//! Laws of the verdict, and the rules that no series of reports can reach in the time of a test.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// The iteration on `tree` in which the cases of `failing` fail, one category for every four.
fn facts(tree: u32, failing: &BTreeSet<u8>) -> IterationFacts {
    let mut categories = BTreeMap::new();
    for case in failing {
        *categories.entry(format!("evals:demo:c{}", case / 4).parse().unwrap()).or_insert(0) += 1;
    }
    let state: Vec<u8> = failing.iter().copied().collect();
    IterationFacts {
        head: format!("head {tree}"),
        tree: format!("tree {tree}"),
        report_digest: Digest::of(&tree.to_le_bytes()),
        semantic_fingerprint: Digest::of(&state),
        provenance_fingerprint: Digest::of(&[state.as_slice(), &tree.to_le_bytes()].concat()),
        failures: failing.len() as u64,
        routable: categories.keys().cloned().collect(),
        categories,
        required: 32,
        flaky: 0,
        blocked: 0,
        not_green: BTreeMap::new(),
        missing: 0,
        missing_examples: Vec::new(),
        unproven: Vec::new(),
        over_reopen_cap: Vec::new(),
    }
}

fn limits() -> Limits {
    Limits { iterations: 1000, no_progress: 1000, stalled: 1000, ..Limits::default() }
}

fn kind(verdict: &Verdict) -> Option<BlockerKind> {
    if let Verdict::Stop(blocker) = verdict { Some(blocker.kind) } else { None }
}

/// Judges one iteration after the other until one does not say "go on"; how many were judged, and the last verdict.
fn run(series: &[IterationFacts], limits: &Limits) -> (usize, Verdict) {
    for (at, now) in series.iter().enumerate() {
        let verdict = judge(&series[..at], now, limits, 0);
        if verdict != Verdict::GoOn {
            return (at + 1, verdict);
        }
    }
    (series.len(), Verdict::GoOn)
}

fn cases() -> impl Strategy<Value = BTreeSet<u8>> {
    proptest::collection::btree_set(0_u8..32, 0..32)
}

proptest! {
    /// A series in which every head fixes something and breaks nothing goes on to green, under the strictest limits.
    #[test]
    fn a_shrinking_series_is_never_stopped(mut failing in cases(), order in proptest::collection::vec(any::<u8>(), 32)) {
        let mut series = vec![facts(0, &failing)];
        for (tree, pick) in (1..).zip(order) {
            let fixed = failing.iter().nth(usize::from(pick) % failing.len().max(1)).copied();
            let Some(fixed) = fixed else { break };
            failing.remove(&fixed);
            series.push(facts(tree, &failing));
        }
        let strict = Limits { no_progress: 1, stalled: 1, iterations: 1000, ..Limits::default() };
        let (judged, verdict) = run(&series, &strict);
        prop_assert_eq!(judged, series.len());
        prop_assert_eq!(verdict, if failing.is_empty() { Verdict::Green } else { Verdict::GoOn });
    }

    /// A walk over finitely many states ends by a recurrence alone, at the latest one step after all were seen, and
    /// exactly at the first recurrence.
    #[test]
    fn a_walk_over_few_states_stops_at_the_first_recurrence(
        states in proptest::collection::vec(proptest::collection::btree_set(0_u8..32, 1..6), 1..6),
        walk in proptest::collection::vec(any::<proptest::sample::Index>(), 8),
    ) {
        let series: Vec<IterationFacts> =
            (0..).zip(&walk).map(|(tree, pick)| facts(tree, pick.get(&states))).collect();
        let (judged, verdict) = run(&series, &limits());
        prop_assert!(judged <= states.len() + 1, "{}", judged);
        let fingerprint = |at: usize| series[at].semantic_fingerprint;
        let first = (1..series.len()).find(|at| (0..*at).any(|before| fingerprint(before) == fingerprint(*at))).unwrap();
        prop_assert_eq!(judged, first + 1);
        let before = (0..first).rfind(|before| fingerprint(*before) == fingerprint(first)).unwrap();
        let Verdict::Stop(blocker) = verdict else { return Err(TestCaseError::fail("it goes on")) };
        let wanted = if first - before == 1 { BlockerKind::Repeat } else { BlockerKind::Oscillation };
        prop_assert_eq!(blocker.kind, wanted);
        let commits: Vec<String> = series[before..=first].iter().map(|facts| facts.head.clone()).collect();
        prop_assert_eq!(blocker.commits, commits);
        if wanted == BlockerKind::Oscillation {
            let period = format!("period {}", first - before);
            prop_assert!(blocker.detail.contains(&period), "{}", blocker.detail);
        }
    }

    /// Whatever the series, it ends within the budget, and under any limits the verdict depends on nothing else.
    #[test]
    fn every_series_ends_and_the_verdict_is_a_function(
        walk in proptest::collection::vec((0_u32..40, cases()), 12),
        no_progress in 1_u32..20, stalled in 1_u32..20, iterations in 1_u32..=12,
    ) {
        let series: Vec<IterationFacts> = walk.iter().map(|(tree, failing)| facts(*tree, failing)).collect();
        let limits = Limits { iterations, no_progress, stalled, ..Limits::default() };
        let (judged, verdict) = run(&series, &limits);
        prop_assert!(judged <= iterations as usize);
        prop_assert_ne!(&verdict, &Verdict::GoOn);
        prop_assert_eq!(run(&series, &limits), (judged, verdict));
    }

    /// Green is decided by the newest report alone, and by all of it.
    #[test]
    fn green_iff_nothing_fails_and_nothing_else_is_not_green(
        earlier in proptest::collection::vec((0_u32..9, cases()), 0..6),
        failing in prop_oneof![Just(BTreeSet::new()), cases()],
        other in 0_u64..2, unproven in 0_usize..2, elapsed in any::<u64>(),
    ) {
        let earlier: Vec<IterationFacts> = earlier.iter().map(|(tree, failing)| facts(*tree, failing)).collect();
        let mut now = facts(99, &failing);
        now.blocked = other;
        now.not_green.extend((other > 0).then(|| ("blocked".to_owned(), other)));
        now.unproven.extend((unproven > 0).then(|| "evals:demo:gone".parse::<CategoryId>().unwrap()));
        let green = judge(&earlier, &now, &Limits::default(), elapsed) == Verdict::Green;
        prop_assert_eq!(green, failing.is_empty() && other == 0 && unproven == 0);
    }

    /// The same tree with another state is never called a repetition of anything.
    #[test]
    fn one_tree_with_two_states_is_nondeterminism(
        earlier in proptest::collection::btree_set(0_u32..9, 1..6), a in cases(), b in cases(),
    ) {
        prop_assume!(a != b && !b.is_empty());
        let mut series: Vec<IterationFacts> = earlier.iter().map(|tree| facts(*tree, &a)).collect();
        let tree = *earlier.first().unwrap();
        series.push(facts(tree, &b));
        let (now, before) = series.split_last().unwrap();
        prop_assert_eq!(kind(&judge(before, now, &limits(), 0)), Some(BlockerKind::Nondeterminism));
    }
}

fn failing(cases: impl IntoIterator<Item = u8>) -> BTreeSet<u8> {
    cases.into_iter().collect()
}

#[test]
fn the_wall_time_ends_a_campaign_exactly_when_it_is_used_up() {
    let limits = Limits { wall_s: 3600, ..Limits::default() };
    let now = facts(1, &failing([1]));
    assert_eq!(judge(&[], &now, &limits, 3599), Verdict::GoOn);
    let verdict = judge(&[], &now, &limits, 3600);
    assert_eq!(kind(&verdict), Some(BlockerKind::Budget));
    assert_eq!(judge(&[], &now, &Limits { wall_s: 0, ..limits }, u64::MAX), Verdict::GoOn, "0 is no limit");
    assert_eq!(judge(&[], &facts(2, &failing([])), &limits, 3600), Verdict::Green, "green in the last second is green");
}

#[test]
fn the_series_of_the_design_stops_and_its_neighbours_do_not() {
    let limits = Limits::default();
    let series = |lengths: &[u8]| -> Vec<IterationFacts> {
        // Every state is another one: the first case of each is its own.
        (20..).zip(lengths).map(|(own, n)| facts(u32::from(own), &(0..n - 1).chain([own]).collect())).collect()
    };
    let (judged, verdict) = run(&series(&[10, 3, 5, 6, 6]), &limits);
    assert_eq!((judged, kind(&verdict)), (5, Some(BlockerKind::NoProgress)));
    assert_eq!(run(&series(&[10, 3, 5, 6, 2, 6, 6]), &limits).1, Verdict::GoOn);
    assert_eq!(run(&series(&[10, 3, 5, 6]), &limits).1, Verdict::GoOn);
}

#[test]
fn runs_on_one_head_are_no_integrations() {
    let limits = Limits { no_progress: 2, stalled: 9, ..Limits::default() };
    let one = facts(1, &failing([1]));
    let series = vec![one.clone(); 5];
    assert_eq!(run(&series, &limits).1, Verdict::GoOn);
    let stalled = Limits { stalled: 4, ..limits };
    let (judged, verdict) = run(&series, &stalled);
    assert_eq!((judged, kind(&verdict)), (5, Some(BlockerKind::Stalled)));
}

#[test]
fn fewer_categories_at_the_same_number_of_failures_is_progress() {
    let limits = Limits { no_progress: 1, ..Limits::default() };
    let two = facts(1, &failing([0, 4]));
    let one = facts(2, &failing([0, 1]));
    assert_eq!(judge(std::slice::from_ref(&two), &one, &limits, 0), Verdict::GoOn);
    assert_eq!(kind(&judge(&[one], &two, &limits, 0)), Some(BlockerKind::NoProgress));
}

#[test]
fn the_share_of_flaky_cases_may_be_reached_and_not_exceeded() {
    let limits = Limits { flaky_max_permille: 125, ..Limits::default() };
    let mut now = facts(1, &failing([1]));
    now.flaky = 4;
    assert_eq!(judge(&[], &now, &limits, 0), Verdict::GoOn);
    now.flaky = 5;
    assert_eq!(kind(&judge(&[], &now, &limits, 0)), Some(BlockerKind::Nondeterminism));
}

/// Earlier rules are named although later ones hold, too.
#[test]
fn the_more_telling_rule_is_named() {
    let limits = Limits { iterations: 2, no_progress: 1, stalled: 1, ..Limits::default() };
    let state = failing([1]);
    let verdict = judge(&[facts(1, &state)], &facts(2, &state), &limits, 0);
    assert_eq!(kind(&verdict), Some(BlockerKind::Repeat));
    let verdict = judge(&[facts(1, &state)], &facts(1, &state), &limits, 0);
    assert_eq!(kind(&verdict), Some(BlockerKind::Stalled));
}
