//! Commands below supervisors: real processes, looked for from outside by a marker in their environment or arguments.

mod hostile;
mod trees;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use greenloop::process::{Cancel, Exit, Invocation, Limits, Pool, Program, SpawnError};

/// A pool of the real program's supervisors.
pub(crate) fn pool() -> Pool {
    Pool::new(Program::at(PathBuf::from(env!("CARGO_BIN_EXE_greenloop"))))
}

/// Variables that every test command gets.
#[expect(clippy::disallowed_methods, reason = "a test may read its environment")]
pub(crate) fn environment() -> Vec<(OsString, OsString)> {
    ["PATH", "HOME"].into_iter().filter_map(|key| Some((key.into(), std::env::var_os(key)?))).collect()
}

pub(crate) fn command(argv: &[&str]) -> Invocation {
    let limits = Limits {
        timeout: Duration::from_secs(60),
        grace: Duration::from_millis(500),
        settle: Duration::from_millis(50),
        head: 4096,
        tail: 4096,
    };
    Invocation { argv: argv.iter().map(Into::into).collect(), folder: "/".into(), env: environment(), limits }
}

pub(crate) fn run(command: &Invocation) -> Result<Exit, SpawnError> {
    pool().run(command, &Cancel::new().unwrap())
}

/// A marker that no other process has, as an argument of what is looked for.
pub(crate) fn marker(name: &str) -> String {
    format!("greenloop-marker-{}-{name}", std::process::id())
}

/// Living processes whose command line holds `marker`, by reading `/proc`.
pub(crate) fn living(marker: &str) -> Vec<i32> {
    let pids = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let folder = Path::new("/proc").join(pid.to_string());
        let line = std::fs::read(folder.join("cmdline")).unwrap_or_default();
        let text = String::from_utf8_lossy(&line).into_owned();
        let stat = std::fs::read_to_string(folder.join("stat")).unwrap_or_default();
        text.contains(marker) && !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
    })
    .collect()
}

/// Waits until `holds`, at most ten seconds.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(10), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
