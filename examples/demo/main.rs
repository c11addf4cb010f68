//! The demo: two recorded histories of a small shop (`examples/shop`) and a live one, driven through the real command
//! line.
//!
//! The first one goes from red to a proven green, with one category that comes back on the way. The second one goes
//! in circles, and greenloop stops it. In the third one greenloop runs the suite itself. Run it with `cargo run --example demo`, or name a folder to work in:
//! `cargo run --example demo -- /tmp/demo`.

mod live;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use greenloop::cli;
use greenloop::cli::exit_status::{HELD, NOT_HELD, OSCILLATION};
use greenloop::ui;

/// Marks a folder as made by this demo, so that it may be removed by the next run.
const MARKER: &str = "made-by-greenloop-demo";

/// What each run of the first history must say: four times "go on", then green.
const CAMPAIGN: [u8; 5] = [NOT_HELD, NOT_HELD, NOT_HELD, NOT_HELD, HELD];
/// The second history: the fourth run repeats the first one on another commit, a circle of three.
const CIRCLES: [u8; 4] = [NOT_HELD, NOT_HELD, NOT_HELD, OSCILLATION];

fn main() -> ExitCode {
    // Trials are watched by processes that are started from this program, as the real one does it.
    if greenloop::process::serves(std::env::args_os()) {
        return greenloop::process::serve();
    }
    match demo() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            ui::error_report("the demo could not run", None, &[error.to_string()], &[]);
            ExitCode::FAILURE
        }
    }
}

/// Runs all chapters. Returns whether every command ended as it should.
fn demo() -> io::Result<bool> {
    let home = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::args_os().nth(1).map_or_else(|| home.join("target/demo"), PathBuf::from);
    fresh(&folder)?;
    let mut shell = Shell { home, surprises: 0 };

    chapter("1. A red suite, five full runs, and the proof that it is green");
    say("The shop fails 17 of its 24 required cases. Each run is a full run on a new commit.\n");
    let green = folder.join("green");
    shell.history(&green, "demo", "campaign", &CAMPAIGN)?;
    say("\nOne ticket per root cause. The one that came back was reopened, not written twice:\n");
    shell.expect(HELD, &green, &["ticket", "list", "--state", "all"]);
    shell.expect(HELD, &green, &["campaign", "status", "--campaign", "demo"]);
    shell.pictures(&green, "demo", 4);

    chapter("2. A suite that goes in circles");
    say("Three people change one rounding rule, each for a good reason. Run 4 fails exactly as run 1 did.\n");
    let circles = folder.join("circles");
    shell.history(&circles, "circles", "oscillation", &CIRCLES)?;
    shell.expect(HELD, &circles, &["campaign", "status", "--campaign", "circles"]);

    live::chapter_live(&mut shell, &folder.join("live"))?;

    if shell.surprises == 0 {
        say(&format!("\n{} every command ended as it should.", ui::green("Done:")));
    } else {
        say(&format!("\n{} {} command(s) did not end as they should.", ui::red("Failed:"), shell.surprises));
    }
    Ok(shell.surprises == 0)
}

/// Runs commands as a person would type them, and compares their exit status.
struct Shell {
    home: PathBuf,
    surprises: usize,
}

impl Shell {
    /// Starts a campaign and gives it every recorded run of a history.
    fn history(&mut self, project: &Path, id: &str, runs: &str, statuses: &[u8]) -> io::Result<()> {
        fs::create_dir_all(project)?;
        let map = self.shown(&self.home.join("category_maps/shop.json"));
        self.expect(HELD, project, &["campaign", "start", "--id", id, "--map", &map]);
        for (at, status) in statuses.iter().enumerate() {
            let run = self.home.join(format!("examples/shop/runs/{runs}/run-{}.json", at + 1));
            let run = self.shown(&run);
            self.expect(*status, project, &["campaign", "step", &run, "--campaign", id]);
        }
        Ok(())
    }

    /// Runs one command on `project`. Another exit status than `status` is a surprise, and is said at once.
    fn expect(&mut self, status: u8, project: &Path, command: &[&str]) {
        say(&format!("\n{} {}", ui::dim("$"), ui::bold(&format!("greenloop {}", command.join(" ")))));
        let mut args: Vec<OsString> = vec!["greenloop".into(), "--project".into(), project.into()];
        args.extend(command.iter().map(OsString::from));
        let got = cli::run(args);
        if got == status {
            say(&ui::dim(&format!("exit status {got}")));
        } else {
            self.surprises += 1;
            say(&format!("{} exit status {got}, expected {status}", ui::red("surprise:")));
        }
    }

    /// Says where the pictures of the first `count` iterations are. A missing one is a surprise.
    fn pictures(&mut self, project: &Path, id: &str, count: usize) {
        say("\nThe root causes of every red run, drawn:\n");
        for iteration in 1..=count {
            let name = format!(".greenloop/campaigns/{id}/iter-{iteration:03}/category-dag.svg");
            let picture = project.join(name);
            if picture.is_file() {
                say(&format!("  {}", self.shown(&picture)));
            } else {
                self.surprises += 1;
                say(&format!("  {} {} is missing", ui::red("surprise:"), self.shown(&picture)));
            }
        }
    }

    /// `path` as short as it can be typed: without the project's folder when that is the working folder.
    fn shown(&self, path: &Path) -> String {
        let here = std::env::current_dir().is_ok_and(|here| here == self.home);
        let short = if here { path.strip_prefix(&self.home).unwrap_or(path) } else { path };
        short.display().to_string()
    }
}

/// Makes an empty folder. A folder with anything in it is removed only if this demo made it.
fn fresh(folder: &Path) -> io::Result<()> {
    if folder.join(MARKER).is_file() {
        fs::remove_dir_all(folder)?;
    } else if folder.exists() && fs::read_dir(folder)?.next().is_some() {
        return Err(io::Error::other(format!("{} is not empty; name another folder", folder.display())));
    }
    fs::create_dir_all(folder)?;
    fs::write(folder.join(MARKER), "This folder may be removed.\n")
}

fn chapter(title: &str) {
    say(&format!("\n{}\n{}\n", ui::bold(title), "=".repeat(title.len())));
}

/// One line of the demo's own. A closed standard output is noticed by the next command.
fn say(text: &str) {
    let _ = ui::data(&format!("{text}\n"));
}
