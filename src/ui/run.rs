//! How a run looks: progress while it goes on, and what came of it.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::{bold, dim, green, note, red, yellow};
use crate::model::{Outcome, Readiness, display_safe, truncate_chars};
use crate::report::{OwnedCase, OwnedReport};
use crate::runner::schedule::Event;

/// Cases that are shown one by one.
const SHOWN: usize = 50;
/// Problems of a case that are shown.
const PROBLEMS: usize = 3;
/// Characters of a problem that are shown.
const WIDTH: usize = 160;
/// In CI a line says how far the run is, at most this often.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Tells on standard error how far a run is: a bar on a terminal, plain lines in CI, nothing when piped.
#[derive(Debug)]
pub struct RunProgress {
    bar: Option<ProgressBar>,
    lines: bool,
    cases: usize,
    done: AtomicUsize,
    failing: AtomicUsize,
    trials: AtomicUsize,
    all_trials: usize,
    begun: Instant,
    last_line: std::sync::Mutex<Instant>,
}

impl RunProgress {
    /// Begins a run of so many cases with so many trials each.
    pub fn begin(cases: usize, trials: u32, in_ci: bool) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let all_trials = cases * trials as usize;
        let bar = (is_terminal && !in_ci).then(|| {
            let bar = ProgressBar::with_draw_target(Some(all_trials as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:24} {pos}/{len} trials · {msg} · {eta} left");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─"));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        let begun = Instant::now();
        let (done, failing, trials) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let last_line = std::sync::Mutex::new(begun);
        let progress = Self { bar, lines: in_ci, cases, done, failing, trials, all_trials, begun, last_line };
        progress.show();
        progress
    }

    /// Hears what happens.
    pub fn on(&self, event: Event<'_>) {
        match event {
            Event::Started(_) => {}
            Event::Trial(..) => {
                self.trials.fetch_add(1, Ordering::Relaxed);
                if let Some(bar) = &self.bar {
                    bar.inc(1);
                }
            }
            Event::Done(case, trials) => {
                self.done.fetch_add(1, Ordering::Relaxed);
                let bad = trials.iter().find(|trial| trial.verdict.outcome != Outcome::Pass);
                if let Some(bad) = bad {
                    self.failing.fetch_add(1, Ordering::Relaxed);
                    let problem = bad.verdict.problems.first().map(String::as_str).unwrap_or_default();
                    let name = truncate_chars(case.name.as_str(), WIDTH);
                    let problem = truncate_chars(problem, WIDTH);
                    let outcome = paint(bad.verdict.outcome, bad.verdict.outcome.as_str());
                    self.line(&format!("{outcome} {}: {}", display_safe(&name), display_safe(&problem)));
                }
            }
        }
        self.show();
    }

    /// Takes the bar away.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn show(&self) {
        let (done, failing) = (self.done.load(Ordering::Relaxed), self.failing.load(Ordering::Relaxed));
        let text = format!("{done}/{} cases · {failing} not passing", self.cases);
        if let Some(bar) = &self.bar {
            bar.set_message(text);
        } else if self.lines {
            let mut last = self.last_line.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if last.elapsed() >= HEARTBEAT {
                *last = Instant::now();
                let (trials, spent) = (self.trials.load(Ordering::Relaxed), self.begun.elapsed().as_secs());
                note(&format!("{trials}/{} trials · {text} · {spent} s so far", self.all_trials));
            }
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None if self.lines => note(text),
            None => {}
        }
    }
}

/// What came of a run: every case that did not pass, the claims, and the readiness with its reasons.
pub fn run_summary(report: &OwnedReport, output: Option<&Path>) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let open: Vec<&OwnedCase> =
        report.cases.iter().filter(|case| case.outcome != Outcome::Pass || case.flaky).collect();
    for case in open.iter().take(SHOWN) {
        let name = truncate_chars(&case.name, WIDTH);
        let flaky = if case.flaky { " · flaky" } else { "" };
        let advisory = if case.required { "" } else { " · not required" };
        let _ = writeln!(
            text,
            "{} {}  {}",
            paint(case.outcome, &format!("{:<10}", case.outcome.as_str())),
            bold(&display_safe(&name)),
            dim(&format!("{} of {} trials passed{flaky}{advisory}", case.passed_trials, case.total_trials))
        );
        for problem in case.problems.iter().take(PROBLEMS) {
            let _ = writeln!(text, "           {}", display_safe(&truncate_chars(problem, WIDTH)));
        }
        if case.problems.len() > PROBLEMS {
            let _ = writeln!(text, "           {}", dim(&format!("and {} more", case.problems.len() - PROBLEMS)));
        }
    }
    if open.len() > SHOWN {
        let _ = writeln!(text, "{}", dim(&format!("… and {} more: see the report", open.len() - SHOWN)));
    }
    for claim in &report.capability_claims {
        let word = |key: &str| claim.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
        let verdict = word("verdict");
        let painted = if verdict == "PROVEN" { green(verdict) } else { yellow(verdict) };
        let _ = writeln!(text, "claim {} is {painted}", display_safe(&truncate_chars(word("id"), WIDTH)));
    }
    if let Some(slice) = &report.close_slice {
        text.push_str(&close_slice(slice));
    }
    text.push_str(&run_readiness(report, output));
    text.push('\n');
    text
}

/// Readiness, its reasons, the numbers, and where the report is.
pub fn run_readiness(report: &OwnedReport, output: Option<&Path>) -> String {
    let mut text = String::new();
    for reason in &report.readiness_reasons {
        let _ = writeln!(text, "{} {}", yellow("·"), display_safe(reason));
    }
    let readiness = report.readiness.as_str();
    let painted = if report.readiness == Readiness::Ready { green(readiness) } else { red(readiness) };
    let counts = report.outcome_counts;
    let partial = if report.claims_coverage == "manifest-spanning" { "" } else { " · a part of the fixture" };
    let _ = write!(
        text,
        "{painted}{partial} · {} cases: {} passed, {} failed, {} blocked, {} not tested · {} trials",
        report.case_count, counts.pass, counts.fail, counts.blocked, counts.not_tested, report.trial_count
    );
    let flaky = report.cases.iter().filter(|case| case.flaky).count();
    if flaky > 0 {
        let _ = write!(text, " · {flaky} flaky");
    }
    if let Some(path) = output {
        let _ = write!(text, "\nreport: {}", display_safe(&path.to_string_lossy()));
    }
    text
}

fn close_slice(slice: &serde_json::Value) -> String {
    let mut text = format!("close slice of {}\n", display_safe(slice["category_id"].as_str().unwrap_or_default()));
    if let Some(because) = slice["whole_fixture_because"].as_str() {
        let _ = writeln!(text, "  the whole fixture: {}", display_safe(because));
        return text;
    }
    for case in slice["cases"].as_array().into_iter().flatten() {
        let reasons: Vec<&str> =
            case["because"].as_array().into_iter().flatten().filter_map(|one| one.as_str()).collect();
        let name = display_safe(case["case"].as_str().unwrap_or_default());
        let _ = writeln!(text, "  {name}  {}", dim(&display_safe(&reasons.join(", "))));
    }
    text
}

fn paint(outcome: Outcome, text: &str) -> String {
    match outcome {
        Outcome::Pass => green(text),
        Outcome::Fail => red(text),
        Outcome::Blocked | Outcome::NotTested => yellow(text),
    }
}
