//! `greenloop run`: a fixture becomes trials, and trials a report.

mod bench;
mod fixture;
mod selection;

use std::path::PathBuf;

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::{env, exit_status, inputs};
use crate::model::Readiness;
use crate::report::OwnedReport;
use crate::runner::{assemble, case_findings, redact_commands, schedule};
use crate::ui::{self, findings};

pub(super) use bench::surroundings;
pub(super) use fixture::{Fixture, rule_helps};

/// Arguments of `greenloop run`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A trial runs the case's command without a shell, in the fixture's folder, with a scrubbed environment \
    (docs/environment.md).\nAfter every trial the whole tree of processes is dead; what was left over fails it.\n\n\
    Exit status: 0 READY, 1 not READY or the fixture is refused, 2 usage, 3 unreadable, 130 interrupted (the report says \
    what is known).\n\n\
    Examples:\n  \
    greenloop run evals/agentic_eval.json -o report.json\n  \
    greenloop run evals/agentic_eval.json --check --format github     lint the fixture in CI\n  \
    greenloop run evals/agentic_eval.json --shard 2/4 -o part-2.json  and later: greenloop merge\n  \
    greenloop run evals/agentic_eval.json --only-category shop:shop:tax-rate --map shop.json\n\n\
    The guide: docs/running-evals.md. Every code of a finding: docs/fixture-codes.md."
)]
pub struct Args {
    /// The fixture manifest (version 2): cases with their commands and what is expected of them.
    fixture: PathBuf,
    /// Write the report to this file, whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Cases that run at the same time. More than one only if they do not disturb each other: they share a folder.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Trials of each case, instead of the fixture's number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    trials: Option<u32>,
    /// Time limit of every trial in seconds, instead of those of the cases.
    #[arg(long, value_name = "S", value_parser = bench::seconds)]
    timeout_seconds: Option<std::time::Duration>,
    /// Let this variable of the caller's environment through to the trials. May be given several times.
    #[arg(long = "env", value_name = "NAME")]
    keep: Vec<String>,
    #[command(flatten)]
    selection: selection::SelectionArgs,
    /// A file that pins the environment; its digest goes into the report. May be given several times. Default: the lock
    /// files of the project.
    #[arg(long, value_name = "FILE")]
    environment_lock: Vec<PathBuf>,
    /// Write the report whatever it says: status 0 also if it is not READY, and no refusal by the gate (the report says
    /// what the gate found, and is not READY then).
    #[arg(long)]
    report_only: bool,
    /// Run nothing: check the fixture and the gate, and show all findings.
    #[arg(long, conflicts_with_all = ["output", "report_only"])]
    check: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    let fixture = Fixture::read(&args.fixture)?;
    let trials = |manifest: &crate::runner::manifest::Manifest| args.trials.unwrap_or(manifest.trials);
    if args.check {
        return fixture.check(trials, context.format);
    }
    let Some((manifest, gate)) = fixture.admit(trials, args.report_only, context.format)? else {
        return Ok(exit_status::NOT_HELD);
    };
    let trials = trials(&manifest);
    let selection = args.selection.select(&manifest)?;
    if let Some(output) = &args.output {
        inputs::refuse_own_input(output, std::slice::from_ref(&args.fixture))?;
        inputs::refuse_hopeless_output(output)?;
    }
    let stand = bench::Stand::set_up(args, &fixture)?;
    let mut around = stand.surroundings(args, &manifest)?;
    let progress = ui::RunProgress::begin(selection.cases.len(), trials, env::in_ci());
    let watch = |event: schedule::Event<'_>| progress.on(event);
    let jobs = usize::from(args.jobs);
    let ran = schedule::run_cases(&manifest, &selection, trials, jobs, &stand.bench, &stand.cancel, &watch);
    let spent = progress.end();
    let interrupted = stand.cancel.is_cancelled();
    if interrupted {
        let done: usize = ran.iter().map(|case| case.trials.len()).sum();
        let all = selection.cases.len() * trials as usize;
        around.incomplete_because.push(format!("interrupted after {done} of {all} trials"));
    }
    stand.after(&fixture, &manifest, &mut around);
    let mut report = assemble(&manifest, &selection, &ran, trials, &gate, around, inputs::today());
    redact_commands(&mut report, &stand.bench.redactor);
    finish(&report, args.output.as_deref(), Some(spent), &fixture, context)?;
    Ok(match (interrupted, report.readiness) {
        (true, _) => exit_status::INTERRUPTED,
        (false, Readiness::Ready) => exit_status::HELD,
        (false, _) if args.report_only => exit_status::HELD,
        (false, _) => exit_status::NOT_HELD,
    })
}

/// Saves the report and shows it.
pub(super) fn finish(
    report: &OwnedReport,
    output: Option<&std::path::Path>,
    spent: Option<std::time::Duration>,
    fixture: &Fixture,
    context: &Context,
) -> Result<(), CliError> {
    if let Some(path) = output {
        report.save(path)?;
    }
    let text = match context.format {
        Format::Human => ui::run_summary(report, output, spent),
        Format::Json => ui::harmless_json(&report.to_json().map_err(crate::report::SaveError::from)?),
        Format::Github => findings::github(&case_findings(&fixture.name, &fixture.bytes, report)),
        Format::Sarif => findings::sarif(&case_findings(&fixture.name, &fixture.bytes, report), &rule_helps()),
    };
    ui::data(&text)?;
    if context.format != Format::Human {
        ui::note(&ui::run_readiness(report, output, spent));
    }
    Ok(())
}
