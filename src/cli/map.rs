//! `greenloop map`: check, draw and compare category maps.

mod check;
mod diff;
mod diff_text;
mod graph;

use std::path::Path;

pub(in crate::cli) use diff::MapDiffDocument;

use super::context::Context;
use super::error::CliError;
use crate::diag::Place;
use crate::ui::findings::RuleHelp;

/// Arguments of `greenloop map`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check maps against every rule and show all findings at once.
    Check(check::Args),
    /// Draw the categories of a map and what depends on what; a cycle is highlighted.
    Graph(graph::Args),
    /// Compare two versions of a map by meaning: what was added, retired, renamed, rewired.
    Diff(diff::Args),
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    match &args.command {
        Command::Check(args) => check::run(args, context),
        Command::Graph(args) => graph::run(args, context),
        Command::Diff(args) => diff::run(args, context),
    }
}

/// Reads a file whole; an error names the file.
fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path).map_err(|error| {
        let place = Place::file(path.to_string_lossy());
        CliError::input("the file cannot be read").at(place).caused_by(&error)
    })
}

/// The text of a file for excerpts: all of it, or the part before the first byte that is not UTF-8.
fn text_of(bytes: &[u8]) -> &str {
    let end = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    std::str::from_utf8(&bytes[..end]).unwrap_or_default()
}

/// The rules of maps as SARIF tells them.
fn rule_helps() -> Vec<RuleHelp> {
    let help = |rule: &crate::category_map::Rule| RuleHelp {
        code: rule.code,
        severity: rule.severity,
        what: rule.what,
        why: rule.why,
        mend: rule.mend,
    };
    crate::category_map::rules().iter().map(help).collect()
}
