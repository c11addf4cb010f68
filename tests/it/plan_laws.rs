//! Laws of plan and apply over random maps, reports and histories, on the real embedded tracker: the plan is a pure
//! function, planning after applying finds nothing to do, and every series of runs leaves one ticket per category.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use greenloop::apply::{self, Limits};
use greenloop::categorize::{Categorization, categorize};
use greenloop::category_map::{self, CategoryMap};
use greenloop::ledger::Ledger;
use greenloop::plan::{CampaignView, Phase, Plan, plan};
use greenloop::report::ReportSource;
use greenloop::tracker::{EmbeddedTracker, Snapshot, TicketState, Tracker};
use proptest::prelude::*;

/// A map of `n` categories, each with one seam; edges run from larger to smaller numbers.
pub(crate) fn map(n: usize, edges: &BTreeSet<(usize, usize)>) -> CategoryMap {
    let mut categories = serde_json::Map::new();
    for i in 0..n {
        let depends_on: Vec<_> = edges
            .iter()
            .filter(|(from, _)| *from == i)
            .map(|(_, to)| serde_json::json!({"category_id": format!("t:r:c{to}"), "rationale": format!("{i} after {to}")}))
            .collect();
        categories.insert(
            format!("c{i}"),
            serde_json::json!({"category_id": format!("t:r:c{i}"), "label": format!("l{i}"), "defect": format!("d{i}"),
                "expected": "e", "seams": [format!("s{i}")], "depends_on": depends_on}),
        );
    }
    let text = serde_json::json!({"schema": "agentic_evals.category_map.v1", "repo": "o/r", "map_version": "1", "categories": categories});
    let loaded = category_map::parse("map.json", text.to_string().as_bytes());
    loaded.map.unwrap_or_else(|| panic!("{:?}", loaded.findings))
}

/// A complete report of two cases a category; `failing` are (category, case) pairs with a problem each.
pub(crate) fn report(n: usize, failing: &BTreeMap<(usize, usize), u32>, sha: &str) -> Vec<u8> {
    let mut cases = String::new();
    for i in 0..n {
        for k in 0..2 {
            let outcome = if failing.contains_key(&(i, k)) { "FAIL" } else { "PASS" };
            let problem = failing.get(&(i, k)).map(|p| format!("\"exit_code {p} != 0\"")).unwrap_or_default();
            let comma = if cases.is_empty() { "" } else { "," };
            write!(cases, r#"{comma}{{"name":"case {i}.{k}","outcome":"{outcome}","required":true,"seams":["s{i}"],"problems":[{problem}]}}"#).unwrap();
        }
    }
    format!(
        r#"{{"schema":"agentic_evals.report.v2","repo":{{"sha":"{sha}"}},"case_count":{},"cases":[{cases}]}}"#,
        n * 2
    )
    .into_bytes()
}

pub(crate) fn categorized(bytes: Vec<u8>, map: &CategoryMap, snapshot: &Snapshot) -> Categorization {
    let watch = greenloop::campaign::watch_open(snapshot);
    categorize(&ReportSource::from_bytes("r.json", bytes), map, &watch).unwrap()
}

pub(crate) fn view(sha: &str, iteration: u32) -> CampaignView {
    let mut view = CampaignView::new("laws");
    view.evaluated_sha = Some(sha.to_owned());
    view.on_integrated_head = true;
    view.iteration = iteration;
    view.reopen_cap = 100;
    view
}

const LIMITS: Limits = Limits { create_cap: 1000, circuit_breaker: 1000 };

/// (number of categories, edges, a series of runs with their failing cases).
type World = (usize, BTreeSet<(usize, usize)>, Vec<BTreeMap<(usize, usize), u32>>);

fn worlds() -> impl Strategy<Value = World> {
    (1usize..7).prop_flat_map(|n| {
        let edges = prop::collection::btree_set((0..n, 0..n), 0..n * 2)
            .prop_map(|set| set.into_iter().filter(|(from, to)| from > to).collect());
        let run = prop::collection::btree_map((0..n, 0usize..2), 1u32..4, 0..n * 2);
        (Just(n), edges, prop::collection::vec(run, 1..4))
    })
}

/// Upstream comes first in every phase, and the phases follow each other.
fn assert_ordered(plan: &Plan, map: &CategoryMap) {
    let phases: Vec<Phase> = plan.mutations.iter().map(|m| m.action.phase()).collect();
    assert!(phases.is_sorted(), "{phases:?}");
    for op in ["create", "publish", "close"] {
        let order: Vec<_> = plan.mutations.iter().filter(|m| m.action.name() == op).map(|m| &m.category_id).collect();
        for (at, id) in order.iter().enumerate() {
            let category = map.categories.iter().find(|category| category.id == **id).unwrap();
            for dependency in &category.depends_on {
                let upstream = order.iter().position(|other| **other == dependency.category_id);
                assert!(upstream.is_none_or(|upstream| upstream < at), "{op}: {id} before its upstream");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plan_after_apply_is_empty_and_every_category_has_one_ticket((n, edges, runs) in worlds()) {
        let map = map(n, &edges);
        let folder = tempfile::tempdir().unwrap();
        let mut tracker = EmbeddedTracker::open_or_create(&folder.path().join("tracker.db")).unwrap();
        let (mut ledger, _) = Ledger::open(&folder.path().join("ledger.jsonl"), "laws").unwrap();
        for (at, failing) in (1u32..).zip(&runs) {
            let sha = format!("{at:040x}");
            let mut view = view(&sha, at);
            view.known_tickets = apply::journal::made(ledger.entries()).tickets;
            let before = tracker.snapshot().unwrap();
            let c = categorized(report(n, failing, &sha), &map, &before);
            let first = plan(&c, &map, &before, &view).unwrap();
            prop_assert_eq!(&first, &plan(&c, &map, &before, &view).unwrap(), "a plan is a function of its inputs");
            prop_assert_eq!(&first, &Plan::from_bytes(&first.to_bytes().unwrap()).unwrap(), "a saved plan reads back");
            assert_ordered(&first, &map);

            let receipt = apply::apply(&first, &mut tracker, &mut ledger, &|| "t".to_owned(), LIMITS).unwrap();
            prop_assert!(receipt.complete);
            prop_assert_eq!(receipt.steps.len(), first.changes);
            let after = tracker.snapshot().unwrap();
            let again = apply::apply(&first, &mut tracker, &mut ledger, &|| "t".to_owned(), LIMITS).unwrap();
            prop_assert_eq!(&again, &receipt, "applying again changes nothing and says the same");
            prop_assert_eq!(&after, &tracker.snapshot().unwrap());

            let c = categorized(report(n, failing, &sha), &map, &after);
            view.known_tickets = apply::journal::made(ledger.entries()).tickets;
            let second = plan(&c, &map, &after, &view).unwrap();
            prop_assert_eq!(&second.mutations, &Vec::new(), "plan after apply finds nothing to do");

            for active in &c.active {
                let live: Vec<_> = after.tickets.iter().filter(|t| t.category_id == active.category_id && t.state == TicketState::Open).collect();
                prop_assert_eq!(live.len(), 1, "one live ticket for {}", active.category_id);
            }
            let categories: BTreeSet<_> = after.tickets.iter().map(|t| &t.category_id).collect();
            prop_assert_eq!(categories.len(), after.tickets.len(), "no category ever gets a second ticket");
            for ticket in after.tickets.iter().filter(|t| t.state == TicketState::Closed) {
                prop_assert!(c.active(&ticket.category_id).is_none(), "{} is closed and fails", ticket.category_id);
                prop_assert!(ticket.closure.is_some());
            }
        }
    }

    #[test]
    fn order_of_cases_in_the_report_does_not_matter((n, edges, runs) in worlds(), seed in any::<u64>()) {
        let map = map(n, &edges);
        let empty = Snapshot { tracker: "embedded".into(), tickets: Vec::new() };
        let bytes = report(n, &runs[0], "a");
        let mut value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let cases = value["cases"].as_array_mut().unwrap();
        let len = cases.len();
        for i in 0..len {
            cases.swap(i, usize::try_from(seed.rotate_left(u32::try_from(i).unwrap()) % len as u64).unwrap());
        }
        let a = categorized(bytes, &map, &empty);
        let b = categorized(value.to_string().into_bytes(), &map, &empty);
        prop_assert_eq!(a.semantic_fingerprint, b.semantic_fingerprint);
        prop_assert_eq!(a.counts, b.counts);
        let (a, b) = (plan(&a, &map, &empty, &view("a", 1)).unwrap(), plan(&b, &map, &empty, &view("a", 1)).unwrap());
        let steps = |plan: &Plan| plan.mutations.iter().map(|m| (m.category_id.clone(), m.action.name())).collect::<Vec<_>>();
        prop_assert_eq!(steps(&a), steps(&b));
    }
}
