//! A trial against its physical neighbour: the same program, spawned with the same pipes and waited for.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::io::Read as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use greenloop::process::{Cancel, Invocation, Limits, Pool, Program};

/// Trials per round. Rounds of the sides take turns, so that a busy machine slows all of them.
const PER_ROUND: usize = 100;
const ROUNDS: usize = 20;

/// Prints goal 4: a trial against a bare spawn, two at once against one, and the share of the sweep.
///
/// # Errors
/// If nothing can be started here.
pub(crate) fn run() -> crate::Result<()> {
    let pool = Pool::new(Program::this()?);
    let cancel = Cancel::new()?;
    let command = Invocation {
        argv: vec!["/bin/true".into()],
        folder: "/".into(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        limits: Limits::default(),
    };
    // Two supervisors are there before anything is measured.
    at_once(2, 1, || pool.run(&command, &cancel).is_ok())?;
    let (mut bare_times, mut trial_times, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let (mut gains, mut bare_gains) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let bare = time(|| (0..PER_ROUND).all(|_| bare().is_ok()))? / u32::try_from(PER_ROUND)?;
        let trial = time(|| (0..PER_ROUND).all(|_| pool.run(&command, &cancel).is_ok()))? / u32::try_from(PER_ROUND)?;
        ratios.push(trial.as_secs_f64() / bare.as_secs_f64());
        bare_times.push(bare);
        trial_times.push(trial);
        let two = at_once(2, PER_ROUND, || pool.run(&command, &cancel).is_ok())?;
        gains.push(2.0 * (trial.as_secs_f64() * 100.0) / two.as_secs_f64());
        let bare_two = at_once(2, PER_ROUND, bare_ok)?;
        bare_gains.push(2.0 * (bare.as_secs_f64() * 100.0) / bare_two.as_secs_f64());
    }
    bare_times.sort_unstable();
    trial_times.sort_unstable();
    let (bare, trial) = (bare_times[ROUNDS / 2], trial_times[ROUNDS / 2]);
    let sweep = sweep()?;
    println!("one trial of /bin/true, {} each, medians of interleaved rounds", ROUNDS * PER_ROUND);
    println!("  spawn + wait, same pipes  {:>8.1} µs", micros(bare));
    println!("  trial                     {:>8.1} µs   ratio {:.3} (goal ≤ 1.15)", micros(trial), median(&mut ratios));
    println!(
        "  two at once               {:>8.2} × one  (goal ≥ 1.8; bare {:.2})",
        median(&mut gains),
        median(&mut bare_gains)
    );
    println!(
        "  orphan sweep              {:>8.3} µs   {:.3} % of a trial (goal ≤ 2 %)",
        micros(sweep),
        100.0 * sweep.as_secs_f64() / trial.as_secs_f64()
    );
    Ok(())
}

pub(crate) fn bare_ok() -> bool {
    bare().is_ok()
}

/// What any program does that runs another one and keeps its output.
fn bare() -> std::io::Result<()> {
    let mut child = std::process::Command::new("/bin/true")
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut text = Vec::new();
    if let (Some(mut stdout), Some(mut stderr)) = (child.stdout.take(), child.stderr.take()) {
        stdout.read_to_end(&mut text)?;
        stderr.read_to_end(&mut text)?;
    }
    child.wait().map(drop)
}

/// The sweep of a clean trial: one wait that says that there is no child.
fn sweep() -> crate::Result<Duration> {
    const TIMES: u32 = 100_000;
    let options = rustix::process::WaitOptions::NOHANG;
    // A pool's supervisors are children of this process, so a group without members is asked for instead of all.
    let nobody = rustix::process::getpid();
    Ok(time(|| (0..TIMES).all(|_| rustix::process::waitpgid(nobody, options).is_err()))? / TIMES)
}

pub(crate) fn at_once(threads: usize, times: usize, work: impl Fn() -> bool + Sync) -> crate::Result<Duration> {
    time(|| {
        std::thread::scope(|scope| {
            let work = &work;
            let all: Vec<_> = (0..threads).map(|_| scope.spawn(move || (0..times).all(|_| work()))).collect();
            all.into_iter().all(|one| one.join().unwrap_or(false))
        })
    })
}

fn time(work: impl FnOnce() -> bool) -> crate::Result<Duration> {
    let start = Instant::now();
    if work() { Ok(start.elapsed()) } else { Err("a command could not be run".into()) }
}

pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
