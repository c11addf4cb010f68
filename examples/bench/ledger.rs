//! Ledger append against its physical neighbour: the same bytes, written and synced without a chain.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::time::{Duration, Instant};

use greenloop::ledger::{Ledger, NewEntry};
use serde_json::json;

/// Entries per round. Rounds of the two sides take turns, so that a busy machine slows both.
const PER_ROUND: usize = 40;
const ROUNDS: usize = 25;
/// Entries per grouped append.
const GROUP: usize = 64;

/// Prints bare and chained appends side by side, and the ratio (goal: at most 1.1).
///
/// # Panics
/// When the working folder cannot be written: there is nothing to measure then.
pub(crate) fn run() -> Result<(), Box<dyn std::error::Error>> {
    // Beside the build, on the same disk as real ledgers; a temporary folder may be memory.
    let dir = tempfile::tempdir_in("target").or_else(|_| tempfile::tempdir())?;
    let (mut ledger, _) = Ledger::open(&dir.path().join("chained.jsonl"), "bench")?;
    let mut bare = OpenOptions::new().append(true).create(true).open(dir.path().join("bare.jsonl"))?;
    let (mut chained_times, mut bare_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for n in 0..PER_ROUND {
            let data = json!({"step": n, "ticket": 12, "op": "record", "category_id": "agentic-evals:shop:cart-total"});
            let before = std::fs::metadata(ledger.path())?.len();
            let start = Instant::now();
            ledger.append("apply-intent", data, "2026-01-02T03:04:05Z", 3)?;
            chained_times.push(start.elapsed());
            // The bare side writes as many bytes as the entry had.
            let length = std::fs::metadata(ledger.path())?.len() - before;
            bare_times.push(bare_append(&mut bare, usize::try_from(length)?)?);
        }
    }
    let mut grouped_times = Vec::new();
    for _ in 0..ROUNDS {
        let event =
            NewEntry { kind: "note".into(), data: json!({"n": 1}), at: "2026-01-02T03:04:05Z".into(), epoch: 3 };
        let events = vec![event; GROUP];
        let start = Instant::now();
        ledger.append_many(events)?;
        grouped_times.push(start.elapsed() / u32::try_from(GROUP)?);
    }
    let (chained, bare) = (median(&mut chained_times), median(&mut bare_times));
    println!("ledger append, {} entries each, medians, interleaved", ROUNDS * PER_ROUND);
    println!("  write + fdatasync   {:>9.1} µs", micros(bare));
    println!(
        "  ledger append       {:>9.1} µs   ratio {:.3} (goal ≤ 1.1)",
        micros(chained),
        micros(chained) / micros(bare)
    );
    println!("  grouped by {GROUP}       {:>9.1} µs an entry", micros(median(&mut grouped_times)));
    Ok(())
}

fn bare_append(file: &mut File, length: usize) -> std::io::Result<Duration> {
    let bytes = vec![b'x'; length];
    let start = Instant::now();
    file.write_all(&bytes)?;
    file.sync_data()?;
    Ok(start.elapsed())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
