//! The third chapter: nothing is recorded. A copy of the shop in a git repository of its own, two commits, and
//! `greenloop run` on each.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use greenloop::cli::exit_status::{HELD, NOT_HELD};

use crate::{Shell, chapter, say};

/// What is wrong with the copy at first: two faults of one root cause.
const FAULTS: [&str; 2] = ["orders-keep-the-stock", "orders-ask-forever"];
/// Programs that this chapter needs.
const NEEDED: [&str; 2] = ["git", "python3"];

/// Runs the chapter in `folder`, or says what it would need.
pub(crate) fn chapter_live(shell: &mut Shell, folder: &Path) -> io::Result<()> {
    chapter("3. Live: run, fix, run again");
    let missing: Vec<&str> = NEEDED.into_iter().filter(|program| !answers(program)).collect();
    if !missing.is_empty() {
        say(&format!("Left out: this chapter needs {}, not found here.", missing.join(" and ")));
        return Ok(());
    }
    say("A copy of the shop, committed with two faults. `greenloop run` makes the report; the rest is as before.\n");
    let sources = shell.home.join("examples/shop");
    let (repo, project) = (folder.join("shop"), folder.join("project"));
    copy(&sources, &repo)?;
    fs::create_dir_all(&project)?;
    git(&repo, &["init", "--quiet", "--initial-branch=main"])?;
    for fault in FAULTS {
        git(&repo, &["apply", &patch(&sources, fault)])?;
    }
    commit(&repo, "Open the shop")?;

    let (fixture, map) =
        (shell.shown(&repo.join("eval.json")), shell.shown(&shell.home.join("category_maps/shop.json")));
    let [red, green] = ["red.json", "green.json"].map(|name| shell.shown(&folder.join(name)));
    shell.expect(NOT_HELD, &project, &["run", &fixture, "--jobs", "2", "-o", &red]);
    shell.expect(HELD, &project, &["categorize", &red, "--map", &map]);
    shell.expect(HELD, &project, &["plan", &red, "--map", &map]);
    shell.expect(HELD, &project, &["campaign", "start", "--id", "live", "--map", &map]);
    shell.expect(NOT_HELD, &project, &["campaign", "step", &red, "--campaign", "live"]);

    say("\nNow both faults are mended, in a commit.");
    for fault in FAULTS {
        git(&repo, &["apply", "--reverse", &patch(&sources, fault)])?;
    }
    commit(&repo, "Let a declined order leave nothing behind")?;
    shell.expect(HELD, &project, &["run", &fixture, "--jobs", "2", "-o", &green]);
    shell.expect(HELD, &project, &["campaign", "step", &green, "--campaign", "live"]);
    Ok(())
}

/// Copies what belongs to the shop, and neither recordings nor caches.
fn copy(sources: &Path, repo: &Path) -> io::Result<()> {
    fs::create_dir_all(repo.join("shop"))?;
    for name in [".gitignore", "checks.py", "eval.json"] {
        fs::copy(sources.join(name), repo.join(name))?;
    }
    for entry in fs::read_dir(sources.join("shop"))? {
        let path = entry?.path();
        if let Some(name) = path.file_name().filter(|_| path.extension().is_some_and(|extension| extension == "py")) {
            fs::copy(&path, repo.join("shop").join(name))?;
        }
    }
    Ok(())
}

fn patch(sources: &Path, fault: &str) -> String {
    let path: PathBuf = sources.join("faults").join(fault);
    format!("{}.patch", path.display())
}

fn commit(repo: &Path, message: &str) -> io::Result<()> {
    git(repo, &["add", "--all"])?;
    git(repo, &["commit", "--quiet", "--message", message])
}

/// Runs git without anybody's configuration.
fn git(repo: &Path, args: &[&str]) -> io::Result<()> {
    let done = Command::new("git")
        .args(args)
        .current_dir(repo)
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
        .envs([("GIT_AUTHOR_NAME", "shop"), ("GIT_AUTHOR_EMAIL", "shop@example.invalid")])
        .envs([("GIT_COMMITTER_NAME", "shop"), ("GIT_COMMITTER_EMAIL", "shop@example.invalid")])
        .stdin(Stdio::null())
        .output()?;
    if done.status.success() {
        return Ok(());
    }
    Err(io::Error::other(format!("git {}: {}", args.join(" "), String::from_utf8_lossy(&done.stderr).trim())))
}

fn answers(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
