//! `greenloop import`: results of other tools as a report, one subcommand per foreign format.

use std::path::{Path, PathBuf};

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::exit_status;
use crate::diag::Diagnostic;
use crate::model::display_safe;
use crate::report::SaveError;
use crate::report::import::{ImportError, Imported, Summary, collect_inputs, import_junit};
use crate::ui;

/// Arguments of `greenloop import`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    format: ForeignFormat,
}

#[derive(Debug, clap::Subcommand)]
enum ForeignFormat {
    /// Import JUnit XML, as nearly every test runner can write it.
    #[command(after_long_help = JUNIT_HELP)]
    Junit(JunitArgs),
}

const JUNIT_HELP: &str = "\
A case is named `suite > classname > name`. The same case again becomes a further trial; if its trials disagree it \
is flaky and fails, except where the file itself says that a retry passed (flakyFailure). Skipped cases are \
NOT_TESTED and not required. Properties named seam, claim, risk and category of a case or a suite are taken over.

Status 0 says that the report was written, not that it is green. Nothing is written if any file cannot be read whole.

Examples:
  greenloop import junit 'target/**/TEST-*.xml' -o report.json --sha $(git rev-parse HEAD)
  pytest --junitxml=/dev/stdout -q | greenloop import junit - > report.json";

#[derive(Debug, clap::Args)]
struct JunitArgs {
    /// Files to merge into one report. Quoted patterns (`'target/**/TEST-*.xml'`) are expanded; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the report to this file, whole or not at all. Default: standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The commit that was tested, if you know it; JUnit XML does not say it. A campaign needs it.
    #[arg(long, value_name = "SHA", value_parser = sha)]
    sha: Option<String>,
    /// The branch or tag that was tested.
    #[arg(long = "ref", value_name = "REF")]
    reference: Option<String>,
}

/// A commit, as far as one can tell from its name.
pub(super) fn sha(text: &str) -> Result<String, String> {
    let hex = text.bytes().all(|b| b.is_ascii_hexdigit());
    if hex && matches!(text.len(), 7..=64) {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("expected 7 to 64 hexadecimal digits".to_owned())
    }
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    match &args.format {
        ForeignFormat::Junit(args) => junit(args),
    }
}

fn junit(args: &JunitArgs) -> Result<u8, CliError> {
    if let Some(output) = &args.output {
        super::output_file::refuse_own_input(output, &args.files)?;
    }
    let inputs = collect_inputs(&args.files, &mut std::io::stdin().lock())?;
    let imported = import_junit(&inputs, args.sha.clone(), args.reference.clone())?;
    finish(&imported, args.output.as_deref())
}

fn finish(imported: &Imported, output: Option<&Path>) -> Result<u8, CliError> {
    match output {
        Some(path) => imported.report.save(path)?,
        None => ui::data(&ui::harmless_json(&imported.report.to_json().map_err(SaveError::from)?))?,
    }
    for warning in &imported.warnings {
        ui::note(&warning_line(warning));
    }
    ui::note(&summary_line(&imported.summary));
    Ok(exit_status::HELD)
}

fn warning_line(warning: &Diagnostic) -> String {
    let place = warning.place.compact();
    format!(
        "{} {}: {} [{}]",
        ui::yellow("warning:"),
        display_safe(&place),
        display_safe(&warning.message),
        warning.code
    )
}

fn summary_line(summary: &Summary) -> String {
    let count = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    format!(
        "imported {}: {}, {} failing, {} flaky, {} skipped",
        count(summary.files, "file", "files"),
        count(summary.cases, "case", "cases"),
        summary.failing,
        summary.flaky,
        summary.skipped
    )
}

impl From<ImportError> for CliError {
    fn from(error: ImportError) -> Self {
        let mut shown = Self::input(error.message).at(error.place);
        shown.hints.extend(error.hint);
        match &error.source {
            Some(source) => shown.caused_by(source),
            None => shown,
        }
    }
}

impl From<SaveError> for CliError {
    fn from(error: SaveError) -> Self {
        match error {
            SaveError::NotAFile(_) => {
                Self::usage(error.to_string()).hint("leave out --output to write to standard output")
            }
            SaveError::Io { ref source, .. } => Self::input(error.to_string()).caused_by(source),
            SaveError::Json(_) => Self::new(exit_status::BUG, error.to_string()),
        }
    }
}
