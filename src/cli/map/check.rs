//! `greenloop map check`.

use std::path::PathBuf;

use super::{read, rule_helps, text_of};
use crate::category_map;
use crate::cli::args::Format;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::exit_status;
use crate::diag::Severity;
use crate::ui::{self, findings};

/// Arguments of `greenloop map check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Every rule with its reason is in docs/category-map-codes.md.\n\
                        Exit status: 0 no error, 1 at least one error, 3 a file cannot be read.")]
pub(super) struct Args {
    /// Category maps (agentic_evals.category_map.v1).
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Treat warnings as errors: for maps that a pipeline depends on.
    #[arg(long)]
    strict: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    let mut all = Vec::new();
    let mut files = Vec::new();
    let mut unreadable = None;
    for path in &args.files {
        match read(path) {
            Ok(bytes) => {
                let name = path.to_string_lossy().into_owned();
                let mut loaded = category_map::parse(&name, &bytes);
                if args.strict {
                    loaded.findings.iter_mut().for_each(|finding| finding.severity = Severity::Error);
                }
                all.append(&mut loaded.findings);
                files.push((name, bytes));
            }
            // The other files are still checked; the first error is what the command ends with.
            Err(error) => unreadable = unreadable.or(Some(error)),
        }
    }
    let sources: Vec<findings::Source<'_>> =
        files.iter().map(|(name, bytes)| findings::Source { file: name, text: text_of(bytes) }).collect();
    let text = match context.format {
        Format::Human => findings::human(&all, &sources) + &count_line(files.len(), &all),
        Format::Json => findings::json(&all),
        Format::Github => findings::github(&all),
        Format::Sarif => findings::sarif(&all, &rule_helps()),
    };
    ui::data(&text)?;
    if let Some(error) = unreadable {
        return Err(error);
    }
    let failed = all.iter().any(|finding| finding.severity == Severity::Error);
    Ok(if failed { exit_status::NOT_HELD } else { exit_status::HELD })
}

fn count_line(files: usize, all: &[crate::diag::Diagnostic]) -> String {
    let maps = if files == 1 { "1 map".to_owned() } else { format!("{files} maps") };
    format!("{maps} checked: {}\n", findings::count_line(all))
}
