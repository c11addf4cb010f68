//! Goal 6: a plan for 10,000 categories and 30,000 edges in at most half a second, and linear growth up to there.

use std::hint::black_box;
use std::time::Duration;

use greenloop::categorize::{Watch, categorize};
use greenloop::plan::{CampaignView, plan};
use greenloop::report::ReportSource;
use greenloop::tracker::Snapshot;

use super::report::{load, ms, ratio, time};
use super::{Result, data};

/// Numbers of categories, in turn.
const SIZES: [usize; 3] = [1_000, 3_000, 10_000];

/// Prints goal 6.
pub(crate) fn run() -> Result<()> {
    println!("plan: every category active, an empty tracker");
    let mut before: Option<(usize, Duration)> = None;
    for categories in SIZES {
        let (map, report) = data::graph(categories);
        let mut loading = Duration::MAX;
        for _ in 0..3 {
            loading = loading.min(time(|| load(&map).map(drop))?);
        }
        let map = load(&map)?;
        let edges: usize = map.categories.iter().map(|category| category.depends_on.len()).sum();
        let source = ReportSource::from_bytes("report.json", report.into_bytes());
        let c = categorize(&source, &map, &Watch::default())?;
        let (snapshot, view) = (Snapshot::empty("bench"), CampaignView::new("bench"));
        let mut best = Duration::MAX;
        let mut mutations = 0;
        for _ in 0..5 {
            best = best.min(time(|| {
                let plan = black_box(plan(&c, &map, &snapshot, &view))?;
                mutations = plan.mutations.len();
                Ok(())
            })?);
        }
        let growth = before.map_or_else(String::new, |(fewer, earlier)| {
            format!(
                "   ratio {:.1} for {:.1} times the categories",
                ratio(best, earlier),
                count(categories) / count(fewer)
            )
        });
        println!(
            "  {categories:>6} categories, {edges:>6} edges: {:>7.1} ms, {mutations} mutations (loading the map {:.0} ms){growth}",
            ms(best),
            ms(loading)
        );
        before = Some((categories, best));
    }
    println!("  (goal: at most 500 ms for the largest)");
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn count(n: usize) -> f64 {
    n as f64
}
