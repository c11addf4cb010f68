//! The command line: one file per command, arguments in, exit status out.

mod args;
mod context;
mod env;
mod error;
mod error_from;
pub mod exit_status;
mod inputs;
mod output_file;
// One file per command.
mod apply;
mod campaign;
mod categorize;
mod completions;
mod config;
mod dag;
mod doctor;
mod dry_run;
mod fingerprint;
mod import;
mod ledger;
mod man;
mod map;
mod merge;
mod plan;
mod remembered;
mod run;
mod schema;
mod ticket;
mod token;
mod tracker;

pub use args::Cli;
pub use error::CliError;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

use crate::ui;
use args::Command;
use context::Context;

/// Runs the program with the arguments of this process. A panic is a bug of greenloop: it is said, with status 70.
pub fn main() -> ExitCode {
    let status = std::panic::catch_unwind(|| run(std::env::args_os())).unwrap_or_else(|_| {
        ui::note("This is a bug in greenloop. Please report it with the lines above and the command.");
        exit_status::BUG
    });
    ExitCode::from(status)
}

/// Runs the program with `args` (the first one is the program's name) and returns its exit status.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    if let Some(step) = env::test_kill_at() {
        crate::ledger::checkpoint::arm(step);
    }
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are not errors: clap prints them to standard output and says status 0.
            let _ = error.print();
            return if error.use_stderr() { exit_status::USAGE } else { exit_status::HELD };
        }
    };
    let outcome = Context::new(&cli).and_then(|context| dispatch(cli.command, &context));
    match outcome {
        Ok(status) => status,
        Err(error) => {
            let place = error.place.as_ref().map(crate::diag::Place::compact);
            ui::error_report(&error.message, place.as_deref(), &error.causes, &error.hints);
            error.status
        }
    }
}

fn dispatch(command: Command, context: &Context) -> Result<u8, CliError> {
    match command {
        Command::Run(args) => run::run(&args, context),
        Command::Merge(args) => merge::run(&args, context),
        Command::Map(args) => map::run(&args, context),
        Command::Categorize(args) => categorize::run(&args, context),
        Command::Fingerprint(args) => fingerprint::run(&args, context),
        Command::Dag(args) => dag::run(&args, context),
        Command::Plan(args) => plan::run(&args, context),
        Command::Apply(args) => apply::run(&args, context),
        Command::Campaign(args) => campaign::run(&args, context),
        Command::Ticket(args) => ticket::run(&args, context),
        Command::Doctor(args) => doctor::run(&args, context),
        Command::Ledger(args) => ledger::run(&args, context),
        Command::Import(args) => import::run(&args, context),
        Command::Config(args) => config::run(&args, context),
        Command::Schema(args) => schema::run(&args, context),
        Command::Completions(args) => completions::run(&args, context),
        Command::Man(args) => man::run(&args, context),
    }
}
