//! `greenloop man`: manual pages, made from the definitions of the commands.

use std::path::PathBuf;

use clap::CommandFactory as _;

use super::args::{Cli, Format};
use super::context::Context;
use super::error::CliError;
use super::exit_status;
use crate::ui;

/// Arguments of `greenloop man`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "Examples:\n  greenloop man | man -l -\n  greenloop man --all ~/.local/share/man/man1")]
pub struct Args {
    /// Write one page per command into this folder, which is made if it is missing. Pages of the same name are
    /// replaced. Without it, the main page goes to standard output.
    #[arg(long, value_name = "DIR")]
    all: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human])?;
    match &args.all {
        None => ui::data(&page()?)?,
        Some(folder) => {
            let failed = |error: std::io::Error| {
                CliError::input(format!("cannot write manual pages to {}", folder.display()))
                    .caused_by(&error)
                    .hint("name a folder that you may write to")
            };
            std::fs::create_dir_all(folder).map_err(failed)?;
            clap_mangen::generate_to(Cli::command(), folder).map_err(failed)?;
            ui::note(&format!("wrote the manual pages to {}", crate::model::display_safe(&folder.to_string_lossy())));
        }
    }
    Ok(exit_status::HELD)
}

/// The main page, in roff.
fn page() -> Result<String, CliError> {
    let mut bytes = Vec::new();
    // As `generate_to` does it: `help` is no command of its own in a manual.
    clap_mangen::Man::new(Cli::command().disable_help_subcommand(true))
        .render(&mut bytes)
        .map_err(|error| CliError::new(exit_status::BUG, "the manual page cannot be made").caused_by(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_every_command() {
        let page = page().unwrap();
        assert!(page.contains(".TH greenloop 1"), "{page}");
        for command in Cli::command().get_subcommands() {
            let name = command.get_name().replace('-', "\\-");
            assert!(page.contains(&format!("greenloop\\-{name}(1)")), "{name}");
        }
    }
}
