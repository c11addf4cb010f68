//! What a work tree is: its commit, its branch, and whether it is really that commit.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::process::{Cancel, Exit, Invocation, Limits, Pool, Status};

/// How long one question may take; the answer for a very large work tree takes seconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// The state of a work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitHead {
    /// The commit that is checked out; `None` before the first commit.
    pub sha: Option<String>,
    /// The branch; `None` if none is checked out.
    pub branch: Option<String>,
    /// Paths that are not as in the commit: changed, removed, or not in it and not ignored. Relative to the top.
    pub changed: Vec<String>,
}

/// Reads the work tree around `folder`. `Ok(None)` if there is none. Paths below those of `aside` (absolute, or relative to
/// `folder`) do not count as changed. `env` is the environment of git; nothing of the user's configuration is needed.
///
/// # Errors
/// Why git cannot say, in words: it is not installed, or it refuses the repository.
pub fn read_head(
    folder: &Path,
    aside: &[&Path],
    env: &[(OsString, OsString)],
    pool: &Pool,
    cancel: &Cancel,
) -> Result<Option<GitHead>, String> {
    let ask = |args: &[OsString]| ask(folder, args, env, pool, cancel);
    let words = |text: &[&str]| -> Vec<OsString> { text.iter().map(OsString::from).collect() };
    let top = ask(&words(&["rev-parse", "--show-toplevel"]))?;
    if top.status != Status::Code(0) {
        let said = String::from_utf8_lossy(&top.stderr.head).into_owned();
        return if said.contains("not a git repository") { Ok(None) } else { Err(first_line(&said)) };
    }
    let sha = ask(&words(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]))?;
    let branch = ask(&words(&["symbolic-ref", "--quiet", "--short", "HEAD"]))?;
    // Of the whole work tree, wherever in it the folder is: all of it was evaluated.
    let status = ask(&words(&["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"]))?;
    if status.status != Status::Code(0) {
        return Err(first_line(&String::from_utf8_lossy(&status.stderr.head)));
    }
    let root = std::path::PathBuf::from(line(&top).unwrap_or_default());
    let aside: Vec<std::path::PathBuf> = aside.iter().filter_map(|path| resolved(&folder.join(path))).collect();
    let entries = String::from_utf8_lossy(&status.stdout.head).into_owned();
    let mut changed: Vec<String> = entries
        .split('\0')
        .filter_map(|entry| entry.get(3..))
        .filter(|path| {
            let place = root.join(path);
            !aside.iter().any(|aside| place.starts_with(aside))
        })
        .map(str::to_owned)
        .collect();
    if status.stdout.omitted > 0 {
        changed.push("and more".to_owned());
    }
    Ok(Some(GitHead { sha: line(&sha), branch: line(&branch), changed }))
}

/// The place itself may not be there; its folder is.
fn resolved(path: &Path) -> Option<std::path::PathBuf> {
    path.canonicalize().ok().or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
}

fn ask(
    folder: &Path,
    args: &[OsString],
    env: &[(OsString, OsString)],
    pool: &Pool,
    cancel: &Cancel,
) -> Result<Exit, String> {
    let mut command: Vec<OsString> =
        vec!["git".into(), "--no-optional-locks".into(), "-c".into(), "core.fsmonitor=false".into()];
    command.extend_from_slice(args);
    let mut env = env.to_vec();
    env.push(("LC_ALL".into(), "C".into()));
    env.push(("GIT_TERMINAL_PROMPT".into(), "0".into()));
    let limits = Limits { timeout: PATIENCE, ..Limits::default() };
    let exit = pool
        .run(&Invocation { argv: command, folder: folder.to_owned(), env, limits }, cancel)
        .map_err(|error| error.to_string())?;
    if exit.timed_out { Err("git did not answer in time".to_owned()) } else { Ok(exit) }
}

/// The one line of an answer, if there was one.
fn line(exit: &Exit) -> Option<String> {
    let text = String::from_utf8_lossy(&exit.stdout.head).trim_end_matches('\n').to_owned();
    (exit.status == Status::Code(0) && !text.is_empty()).then_some(text)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or("git failed without a word").to_owned()
}
