//! How many requests a large plan costs.

use std::fmt::Write as _;

use super::Site;
use crate::world::category_map;

/// 200 categories, 600 dependencies.
#[test]
fn two_hundred_categories_and_six_hundred_edges() {
    let Some(site) = Site::new().map(Site::patient) else { return };
    let (mut map, mut cases, mut edges) = (String::new(), String::new(), 0);
    // Names of letters only: digits at the end of a case's name are not part of its seam.
    let name =
        |n: u64| -> String { [n / 26, n % 26].iter().map(|d| char::from(b'a' + u8::try_from(*d).unwrap())).collect() };
    for n in 0..200u64 {
        let upstream: Vec<String> =
            [1, 7, 31, 50].iter().filter(|d| **d <= n && (edges < 600)).map(|d| name(n - d)).collect();
        let upstream: Vec<String> = upstream.into_iter().take(600 - edges).collect();
        edges += upstream.len();
        let _ = write!(map, "{}<{} ", name(n), upstream.join(","));
        let _ = write!(cases, "{}1- ", name(n));
    }
    assert_eq!(edges, 600);
    let map = site.world.map("map", &category_map(&map));
    let plan = site.world.input("plan.json");
    site.run(&["plan", &site.world.report("h1", &cases), "--map", &map, "-o", &plan]).exits(0);
    site.rig.forget_exchanges();
    site.run(&["apply", &plan, "--create-cap", "200", "--circuit-breaker", "200"]).exits(0);
    let exchanges = site.rig.exchanges();
    let writes = exchanges.iter().filter(|one| one.method != "GET").count();
    let reads = exchanges.len() - writes;
    // 2 labels; 200 tickets, 600 links, 200 records, 200 publications. Reads: who, issues, 2 labels, dependencies once.
    assert_eq!(writes, 2 + 200 + 600 + 200 + 200);
    assert!(reads <= 8, "{reads} reads");

    site.rig.forget_exchanges();
    let tickets = site.tickets();
    assert_eq!(tickets.values().map(|ticket| ticket["blocked_by"].as_array().unwrap().len()).sum::<usize>(), 600);
    let reads = site.rig.exchanges().len();
    let dependent = tickets.values().filter(|ticket| !ticket["blocked_by"].as_array().unwrap().is_empty()).count();
    // Who; 3 pages of issues; 2 of comments; one for each ticket that waits for something.
    assert_eq!(reads, 1 + 3 + 2 + dependent);
}
