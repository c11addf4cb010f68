//! A whole run against its physical neighbour: the same commands, spawned bare on as many threads.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::time::Instant;

use greenloop::process::{Cancel, Limits, Pool, Program};
use greenloop::runner::manifest::{Manifest, parse};
use greenloop::runner::select::Selection;
use greenloop::runner::{Bench, Redactor, schedule};

use crate::trial;

/// Of the goal: 1,000 cases with three trials each.
const CASES: usize = 1_000;
const TRIALS: u32 = 3;
/// As many as the cores of the machine that the goals are for.
const JOBS: usize = 2;
/// Rounds of the two sides take turns, so that a busy machine slows both.
const ROUNDS: usize = 7;

/// Prints the second half of goal 4: a run of trivial cases against bare spawning.
///
/// # Errors
/// If nothing can be started here.
pub(crate) fn run() -> crate::Result<()> {
    let manifest = manifest()?;
    let selection = Selection::whole(&manifest);
    let bench = Bench {
        pool: Pool::new(Program::this()?),
        folder: "/".into(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        redactor: Redactor::new(&[]),
        limits: Limits::default(),
        timeout: None,
    };
    let cancel = Cancel::new()?;
    let all = CASES * TRIALS as usize;
    let (mut runs, mut bares, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let bare = trial::at_once(JOBS, all / JOBS, trial::bare_ok)?.as_secs_f64();
        let start = Instant::now();
        let ran = schedule::run_cases(&manifest, &selection, TRIALS, JOBS, &bench, &cancel, &|_| {});
        let run = start.elapsed().as_secs_f64();
        let passed = ran.iter().flat_map(|case| &case.trials).filter(|trial| trial.verdict.problems.is_empty()).count();
        if passed != all {
            return Err(format!("{passed} of {all} trials passed").into());
        }
        ratios.push(run / bare);
        runs.push(run);
        bares.push(bare);
    }
    let trials = f64::from(u32::try_from(all)?);
    let micros = |mut seconds: Vec<f64>| trial::median(&mut seconds) * 1e6 / trials;
    println!(
        "a run of {CASES} cases × {TRIALS} trials of /bin/true, {JOBS} at once, medians of {ROUNDS} interleaved rounds"
    );
    println!("  spawn + wait, same pipes  {:>8.1} µs a trial", micros(bares));
    println!(
        "  run_cases                 {:>8.1} µs a trial   ratio {:.3} (goal ≤ 1.3)",
        micros(runs),
        trial::median(&mut ratios)
    );
    Ok(())
}

/// The fixture, read as any other one is.
fn manifest() -> crate::Result<Manifest> {
    let case = |number: usize| {
        serde_json::json!({
            "name": format!("case-{number}"), "type": "positive", "command": ["/bin/true"], "expected": {"exit_code": 0},
        })
    };
    let cases: Vec<_> = (0..CASES).map(case).collect();
    let text = serde_json::json!({"version": 2, "trials": TRIALS, "cases": cases}).to_string();
    parse("bench.json", text.as_bytes()).manifest.ok_or_else(|| "the fixture of the benchmark is not valid".into())
}
