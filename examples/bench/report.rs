//! Goals 1 and 2: a report read, categorized with signatures, and fingerprinted.
//!
//! Every time is the best of several runs, the sides taken in turn, so that a busy moment hurts both.

use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use greenloop::categorize::{Watch, categorize};
use greenloop::category_map::{self, CategoryMap};
use greenloop::report::ReportSource;
use serde::de::IgnoredAny;

use super::{Result, data};

/// Cases of the usual report.
const CASES: usize = 100_000;
/// Cases of the large one.
const MANY: usize = 1_000_000;
/// Runs of each side.
const RUNS: usize = 7;

/// Prints goal 1, and with `large` also its part about growth.
pub(crate) fn run(large: bool) -> Result<()> {
    let path = data::report(CASES)?;
    let map_file = data::folder()?.join("map-7.json");
    std::fs::write(&map_file, data::map(7))?;
    let map = load(&data::map(7))?;
    let bytes = std::fs::read(&path)?;
    println!("report: {CASES} cases, {:.0} MB, 10 % failing, 7 categories", megabytes(bytes.len() as u64));
    let (mut ours, mut ignored) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        ours = ours.min(time(|| whole(&path, &map))?);
        ignored = ignored.min(time(|| {
            black_box(serde_json::from_slice::<IgnoredAny>(&bytes)?);
            Ok(())
        })?);
    }
    drop(bytes);
    println!("  read, categorize, sign, digest   {:>8.0} ms", ms(ours));
    println!(
        "  serde_json IgnoredAny            {:>8.0} ms   ratio {:.2} (goal: at most 1.5)",
        ms(ignored),
        ratio(ours, ignored)
    );
    match python(&path, &map_file) {
        Some(python) => println!(
            "  plain Python                     {:>8.0} ms   ratio {:.1} (goal: at least 15)",
            ms(python),
            ratio(python, ours)
        ),
        None => println!("  plain Python                     no python3: no comparison"),
    }
    let small = peak(&path, &map_file)?;
    println!("  peak memory                      {:>8.1} MB", megabytes(small));
    if large {
        growth(&map, &map_file, ours, small)?;
    } else {
        println!("  growth to {MANY} cases: run with --large (writes {:.1} GB into target/bench)", 4.36);
    }
    Ok(())
}

fn growth(map: &CategoryMap, map_file: &Path, small_time: Duration, small_peak: u64) -> Result<()> {
    let path = data::report(MANY)?;
    let mut best = Duration::MAX;
    for _ in 0..3 {
        best = best.min(time(|| whole(&path, map))?);
    }
    let peak = peak(&path, map_file)?;
    let more = (MANY - CASES) / 10;
    println!(
        "  {MANY} cases, {:.2} GB           {:>8.0} ms   ratio to {CASES}: {:.1} (goal: at most 11)",
        megabytes(std::fs::metadata(&path)?.len()) / 1e3,
        ms(best),
        ratio(best, small_time)
    );
    println!(
        "  peak memory                      {:>8.1} MB   {} bytes a failing case more (goal: at most 400; 64 MB in all)",
        megabytes(peak),
        peak.saturating_sub(small_peak) / more as u64
    );
    Ok(())
}

/// Prints goal 2.
pub(crate) fn run_categories() -> Result<()> {
    let path = data::report(CASES)?;
    let (few, many) = (load(&data::map(7))?, load(&data::map(500))?);
    let (mut seven, mut five_hundred) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        seven = seven.min(time(|| whole(&path, &few))?);
        five_hundred = five_hundred.min(time(|| whole(&path, &many))?);
    }
    println!("categories: the same {CASES} cases");
    println!("    7 categories                   {:>8.0} ms", ms(seven));
    println!(
        "  500 categories                   {:>8.0} ms   ratio {:.2} (goal: at most 1.5)",
        ms(five_hundred),
        ratio(five_hundred, seven)
    );
    Ok(())
}

/// What a child process does: categorizes once and says its peak memory, in KiB.
pub(crate) fn child(report: &Path, map: &Path) -> Result<()> {
    let map = load(&std::fs::read_to_string(map)?)?;
    whole(report, &map)?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("this system does not say VmHWM")?;
    println!("{}", peak.trim().trim_end_matches(" kB"));
    Ok(())
}

/// Peak memory of a process that categorizes once, in bytes.
fn peak(report: &Path, map: &Path) -> Result<u64> {
    let output = Command::new(std::env::current_exe()?).arg("--child").arg(report).arg(map).output()?;
    let text = String::from_utf8(output.stdout)?;
    Ok(text.trim().parse::<u64>()? * 1024)
}

fn python(report: &Path, map: &Path) -> Option<Duration> {
    File::open("examples/bench/baseline.py").ok()?;
    let output = Command::new("python3").arg("examples/bench/baseline.py").arg(report).arg(map).output().ok()?;
    let seconds: f64 = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(Duration::from_secs_f64(seconds))
}

pub(crate) fn load(map: &str) -> Result<CategoryMap> {
    let loaded = category_map::parse("map.json", map.as_bytes());
    loaded.map.ok_or_else(|| format!("the generated map is wrong: {:?}", loaded.findings.first()).into())
}

fn whole(path: &Path, map: &CategoryMap) -> Result<()> {
    let c = categorize(&ReportSource::open(path)?, map, &Watch::default())?;
    if !c.is_total() || !c.counts.add_up() || !c.report.incomplete_because.is_empty() || c.counts.assigned == 0 {
        return Err(format!("the generated report is not what it should be: {:?}", c.counts).into());
    }
    black_box(c);
    Ok(())
}

pub(crate) fn time(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

pub(crate) fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
