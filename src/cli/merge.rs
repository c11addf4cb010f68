//! `greenloop merge`: reports of shards become the report of the whole, or say why they are not the whole.

use std::path::PathBuf;

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::run::{Fixture, finish, surroundings};
use super::{env, exit_status, inputs};
use crate::model::Readiness;
use crate::report::ReportSource;
use crate::runner::merge::{ShardReport, merge};
use crate::runner::{Redactor, redact_commands};

/// Arguments of `greenloop merge`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Every case of the fixture must be in exactly one shard, and all shards must have run the same fixture, \
    commit, runner, environment lock and number of trials. Otherwise the report is incomplete, says each reason, and no plan \
    is made from it. Claims and readiness are judged afresh.\n\n\
    Exit status: 0 READY, 1 not READY, 2 usage, 3 unreadable.\n\n\
    Example: greenloop merge evals/agentic_eval.json part-*.json -o report.json"
)]
pub struct Args {
    /// The fixture manifest that the shards ran.
    fixture: PathBuf,
    /// Reports of shards, in any order.
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,
    /// Write the report to this file, whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Status 0 also if it is not READY.
    #[arg(long)]
    report_only: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json, Format::Github, Format::Sarif])?;
    let fixture = Fixture::read(&args.fixture)?;
    let manifest = fixture.manifest()?;
    if let Some(output) = &args.output {
        inputs::refuse_own_input(output, &args.reports)?;
        inputs::refuse_own_input(output, std::slice::from_ref(&args.fixture))?;
        inputs::refuse_hopeless_output(output)?;
    }
    let mut parts = Vec::new();
    for path in &args.reports {
        let source = ReportSource::open(path)?;
        // The strict reader first: its errors have places.
        crate::report::read(&source, &mut |_| Ok(()))?;
        let name = path.to_string_lossy().into_owned();
        parts.push(ShardReport::parse(name.clone(), source.bytes()).map_err(|error| {
            CliError::input("the report of a shard cannot be used").at(crate::diag::Place::file(name)).caused_by(&error)
        })?);
    }
    let around = surroundings(args.fixture.to_string_lossy().into_owned());
    let mut report = merge(&manifest, parts, around, inputs::today());
    redact_commands(&mut report, &Redactor::new(&env::all()));
    finish(&report, args.output.as_deref(), None, &fixture, context)?;
    let held = report.readiness == Readiness::Ready || args.report_only;
    Ok(if held { exit_status::HELD } else { exit_status::NOT_HELD })
}
