//! Where the token of a remote tracker comes from: the environment, or a command. Never a file of the project, so that
//! none is ever committed; it is shown nowhere and handed to no child.

use std::ffi::OsString;
use std::time::Duration;

use super::context::Context;
use super::env;
use super::error::CliError;
use crate::process::{Cancel, Invocation, Limits, Pool, Program, Status};
use crate::tracker::Token;

/// How long a command may take: it may have to ask a key ring.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The token, and where it came from.
pub(super) fn find(context: &Context, command: Option<&str>) -> Result<(Token, String), CliError> {
    if let Some(command) = command {
        let token = Token::new(&run(context, command)?).ok_or_else(|| {
            CliError::usage("--token-command did not print a token")
                .hint("it must print the token, and nothing else, to standard output")
        })?;
        return Ok((token, "--token-command".to_owned()));
    }
    for (name, value) in env::tokens() {
        if let Some(token) = Token::new(&value) {
            return Ok((token, name.to_owned()));
        }
    }
    Err(CliError::usage("there is no token for GitHub")
        .hint("set GITHUB_TOKEN (or GH_TOKEN), or pass --token-command 'gh auth token'")
        .hint("it needs read and write access to the issues of the repository; see docs/github.md"))
}

fn run(context: &Context, command: &str) -> Result<String, CliError> {
    let failed = |error: &dyn std::error::Error| CliError::usage("--token-command cannot be run").caused_by(error);
    let invocation = Invocation {
        argv: ["sh", "-c", command].map(OsString::from).to_vec(),
        folder: context.root.clone(),
        env: env::without_tokens(),
        limits: Limits { timeout: TIMEOUT, head: 64 * 1024, tail: 0, ..Limits::default() },
    };
    let cancel = Cancel::new().map_err(|error| failed(&error))?;
    let pool = Pool::new(Program::this().map_err(|error| failed(&error))?);
    let exit = pool.run(&invocation, &cancel).map_err(|error| failed(&error))?;
    if exit.status != Status::Code(0) {
        // What it printed may hold a token, so it is not shown.
        return Err(CliError::usage("--token-command failed").hint("run it by hand to see why"));
    }
    Ok(String::from_utf8_lossy(&exit.stdout.head).into_owned())
}
