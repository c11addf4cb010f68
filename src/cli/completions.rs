//! `greenloop completions`: a script that teaches a shell the commands and options.

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::args::{Cli, Format};
use super::context::Context;
use super::error::CliError;
use super::exit_status;
use crate::ui;

/// Arguments of `greenloop completions`.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = "Examples:\n  greenloop completions bash > ~/.local/share/bash-completion/completions/greenloop\n  \
                             greenloop completions zsh > ~/.zfunc/_greenloop\n  \
                             greenloop completions fish > ~/.config/fish/completions/greenloop.fish"
)]
pub struct Args {
    /// The shell to write for. The script goes to standard output; put it where the shell looks for it.
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human])?;
    ui::data(&script(args.shell))?;
    Ok(exit_status::HELD)
}

/// The completion script for `shell`.
fn script(shell: Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "greenloop", &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_learns_every_command() {
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let script = script(shell);
            for command in Cli::command().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
        }
    }
}
