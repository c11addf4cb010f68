//! The arguments that every command shares, and the list of commands.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Turns a red eval report into root-cause categories, a dependency graph, tickets, and a proven green.
#[derive(Debug, Parser)]
#[command(name = "greenloop", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 held, 1 did not hold, 2 usage, 3 input, 4 tracker, 10-17 a campaign stop. \
                        See docs/exit-status.md.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Output format of the command's data.
    #[arg(long, value_enum, global = true, default_value_t = Format::Human)]
    pub format: Format,
    /// Project root: the folder that holds .greenloop. Default: found upwards from here, else this folder.
    #[arg(long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
}

/// How data is written to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Human,
    /// One JSON document, described by `greenloop schema`.
    Json,
    /// GitHub workflow annotations (where a command has findings).
    Github,
    /// SARIF 2.1.0 (where a command has findings).
    Sarif,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the cases of a fixture and write a report: trials, evidence, claims, readiness.
    Run(super::run::Args),
    /// Join the reports of shards, and prove that they are the whole fixture.
    Merge(super::merge::Args),
    /// Check, draw and compare category maps.
    Map(super::map::Args),
    /// Give every failing case of a report exactly one root-cause category.
    Categorize(super::categorize::Args),
    /// Print the semantic and provenance fingerprints of a report.
    Fingerprint(super::fingerprint::Args),
    /// Draw the dependency graph of the failing categories.
    Dag(super::dag::Args),
    /// Show what would change in the tracker, and save it.
    Plan(super::plan::Args),
    /// Carry out a saved plan: all of it or nothing.
    Apply(super::apply::Args),
    /// Run a campaign: one step per full run, until green or a named blocker.
    Campaign(super::campaign::Args),
    /// List and show tickets.
    Ticket(super::ticket::Args),
    /// Check that the tracker can be used, and say what is missing.
    Doctor(super::doctor::Args),
    /// Show and verify the hash-chained ledger of a campaign.
    Ledger(super::ledger::Args),
    /// Turn results of other tools into a report.
    Import(super::import::Args),
    /// Show every setting with its value and where it came from.
    Config(super::config::Args),
    /// Print the JSON Schema of a document that greenloop writes.
    Schema(super::schema::Args),
    /// Print a completion script for a shell.
    Completions(super::completions::Args),
    /// Print the manual page.
    Man(super::man::Args),
}
