//! Where the token of a remote tracker comes from: the environment, or a command. Never a file of the project, so that
//! none is ever committed; it is shown nowhere and handed to no child.

use std::ffi::OsString;
use std::time::Duration;

use super::context::Context;
use super::env;
use super::error::CliError;
use crate::config::Tracker;
use crate::process::{Cancel, Invocation, Limits, Pool, Program, Status};
use crate::tracker::Token;

/// How long a command may take: it may have to ask a key ring.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The token: of the command on the command line, else as the configuration says, else of the usual variables.
pub(super) fn find(context: &Context, command: Option<&str>, configured: &Tracker) -> Result<Token, CliError> {
    if let Some(command) = command {
        let argv = ["sh", "-c", command].map(str::to_owned);
        return printed(context, "--token-command", &argv, configured);
    }
    if let Some(argv) = &configured.token_command {
        return printed(context, "tracker.token_command", argv, configured);
    }
    if let Some(name) = &configured.token_env {
        let token = env::variable(name).and_then(|value| Token::new(&value));
        return token.ok_or_else(|| {
            CliError::usage(format!("there is no token for GitHub in the variable {name}"))
                .hint("tracker.token_env says that it is there: set it, or say otherwise")
        });
    }
    let mut usual = env::TOKENS.iter().filter_map(|name| env::variable(name));
    usual.find_map(|value| Token::new(&value)).ok_or_else(|| {
        CliError::usage("there is no token for GitHub")
            .hint("set GITHUB_TOKEN (or GH_TOKEN), or pass --token-command 'gh auth token'")
            .hint("it needs read and write access to the issues of the repository; see docs/github.md")
    })
}

/// What a command prints.
fn printed(context: &Context, who: &str, argv: &[String], configured: &Tracker) -> Result<Token, CliError> {
    let failed = |error: &dyn std::error::Error| CliError::usage(format!("{who} cannot be run")).caused_by(error);
    let invocation = Invocation {
        argv: argv.iter().map(OsString::from).collect(),
        folder: context.root.clone(),
        env: env::without_tokens(configured.token_env.as_deref()),
        limits: Limits { timeout: TIMEOUT, head: 64 * 1024, tail: 0, ..Limits::default() },
    };
    let cancel = Cancel::new().map_err(|error| failed(&error))?;
    let pool = Pool::new(Program::this().map_err(|error| failed(&error))?);
    let exit = pool.run(&invocation, &cancel).map_err(|error| failed(&error))?;
    if exit.status != Status::Code(0) {
        // What it printed may hold a token, so it is not shown.
        return Err(CliError::usage(format!("{who} failed")).hint("run it by hand to see why"));
    }
    Token::new(&String::from_utf8_lossy(&exit.stdout.head)).ok_or_else(|| {
        CliError::usage(format!("{who} did not print a token"))
            .hint("it must print the token, and nothing else, to standard output")
    })
}
