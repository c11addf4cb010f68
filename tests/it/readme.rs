//! The tour of README.md is real: every `console` block is run, in order, in one fresh folder, and shows what the
//! program really says.

use std::path::Path;
use std::process::Command;

/// Set this variable to write the output into README.md anew instead of comparing it.
const UPDATE: &str = "GREENLOOP_UPDATE";
const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");

/// README.md with the output of every command of its `console` blocks taken from real runs in `folder`.
fn replayed(readme: &str, folder: &Path) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in readme.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ => {}
        }
        if inside && !line.starts_with("$ ") && line != "```console" {
            continue; // old output
        }
        out.push_str(line);
        out.push('\n');
        if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            out.push_str(&run(command, folder));
        }
    }
    out
}

/// What a terminal shows: both streams in one, without colour.
fn run(command: &str, folder: &Path) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_greenloop")).parent().unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env_clear()
        .env("PATH", path)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The text without how long something took.
fn steady(text: &str) -> String {
    text.lines()
        .map(|line| line.split_once(" trials in ").map_or(line, |(before, _)| before).to_owned() + "\n")
        .collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may read the environment")]
fn the_tour_shows_real_output() {
    for needed in ["python3", "git"] {
        if !Command::new(needed).arg("--version").output().is_ok_and(|output| output.status.success()) {
            eprintln!("skip: the tour runs the shop, which needs {needed}");
            return;
        }
    }
    let folder = tempfile::tempdir().unwrap();
    for name in ["examples", "category_maps"] {
        std::os::unix::fs::symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join(name), folder.path().join(name)).unwrap();
    }
    let found = std::fs::read_to_string(README).unwrap();
    let wanted = replayed(&found, folder.path());
    assert!(wanted.matches("\n$ greenloop ").count() >= 8, "the tour has commands");
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(README, &wanted).unwrap();
    } else {
        assert!(
            steady(&found) == steady(&wanted),
            "README.md is out of date: run `{UPDATE}=1 cargo test --test it readme`"
        );
    }
}

/// The check can fail: a changed output is replaced by the real one.
#[test]
fn an_untrue_output_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let text = "```console\n$ greenloop --version\nsomething else\n```\n";
    assert_eq!(
        replayed(text, folder.path()),
        concat!("```console\n$ greenloop --version\ngreenloop ", env!("CARGO_PKG_VERSION"), "\n```\n")
    );
    assert_eq!(steady("READY · 50 trials in 3.1 s\n"), steady("READY · 50 trials in 4 s\n"));
    assert_ne!(steady("READY · 50 trials in 3.1 s\n"), steady("READY · 49 trials in 3.1 s\n"));
}
