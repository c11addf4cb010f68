//! `greenloop run` and `greenloop merge` through the real program: real fixtures, real child processes, and the reports
//! that come of them.

#![cfg(test)]

mod bad_input;
mod claims;
mod corpus;
mod expectations;
mod interrupt;
mod limits;
mod outcomes;
mod parts;
mod progress;
mod provenance;
mod secrets;
mod teardown;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// A folder with a fixture in `evals/fixture.json`.
pub(crate) struct Stage {
    dir: tempfile::TempDir,
}

/// What a run of the program said.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let ran = Self {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
        ran
    }
}

impl Stage {
    /// A stage with this text as its fixture.
    pub(crate) fn with(fixture: impl AsRef<[u8]>) -> Self {
        let stage = Self { dir: tempfile::tempdir().unwrap() };
        stage.write("evals/fixture.json", fixture);
        stage
    }

    /// A stage whose fixture has these cases, one trial each, and is exempt from the gate.
    pub(crate) fn new(cases: &[Value]) -> Self {
        Self::of(cases, &json!({}))
    }

    /// The same with more keys of the manifest.
    pub(crate) fn of(cases: &[Value], keys: &Value) -> Self {
        Self::with(serde_json::to_string_pretty(&manifest(cases, keys)).unwrap())
    }

    /// The folder around `evals`.
    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// A program that a case can run.
    pub(crate) fn script(&self, name: &str, text: &str) {
        self.write(name, text);
        std::fs::set_permissions(self.path(name), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// Lets everybody read and write here.
    pub(crate) fn open_to_all(&self) {
        for folder in [self.root().to_owned(), self.path("evals")] {
            std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        }
    }

    /// The program, in the root of the stage, without what a CI job or a user may have set.
    pub(crate) fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_greenloop"));
        command.args(args).current_dir(self.root()).stdin(Stdio::null());
        bare(&mut command);
        command
    }

    /// `greenloop run evals/fixture.json -o report.json` and more arguments.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut all = vec!["run", "evals/fixture.json", "-o", "report.json"];
        all.extend(args);
        self.program(&all)
    }

    /// Runs the fixture.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.command(args).output().unwrap().into()
    }

    /// Runs another command of the program.
    pub(crate) fn say(&self, args: &[&str]) -> Ran {
        self.program(args).output().unwrap().into()
    }

    /// Runs the fixture, and returns its report.
    pub(crate) fn reported(&self, args: &[&str]) -> Value {
        let ran = self.run(args);
        assert!(self.path("report.json").is_file(), "{ran:?}");
        self.report()
    }

    pub(crate) fn report(&self) -> Value {
        self.read("report.json")
    }

    pub(crate) fn read(&self, name: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.path(name)).unwrap()).unwrap()
    }
}

/// Takes away what decides how the program looks.
fn bare(command: &mut Command) {
    for name in ["CI", "GITHUB_ACTIONS", "NO_COLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
}

pub(crate) fn manifest(cases: &[Value], keys: &Value) -> Value {
    let mut manifest = json!({"version": 2, "trials": 1, "eval_kind": "runner_selftest", "cases": cases});
    merged(&mut manifest, keys);
    manifest
}

/// A case that runs this script of `sh`, with other keys; `expected` without an exit code expects 0.
pub(crate) fn sh(name: &str, script: &str, keys: &Value) -> Value {
    let mut case =
        json!({"name": name, "type": "positive", "command": ["sh", "-c", script], "expected": {"exit_code": 0}});
    merged(&mut case, keys);
    case
}

/// The same with this `expected`.
pub(crate) fn expects(name: &str, script: &str, expected: &Value) -> Value {
    let mut whole = json!({"exit_code": 0});
    merged(&mut whole, expected);
    sh(name, script, &json!({"expected": whole}))
}

fn merged(value: &mut Value, keys: &Value) {
    for (key, one) in keys.as_object().unwrap() {
        value[key] = one.clone();
    }
}

/// The case of a report.
pub(crate) fn case<'r>(report: &'r Value, name: &str) -> &'r Value {
    report["cases"].as_array().unwrap().iter().find(|case| case["name"] == name).unwrap()
}

/// Name, outcome and problems of every case, for snapshots. Process ids are numbers that change.
pub(crate) fn table(report: &Value) -> String {
    let mut text = String::new();
    for case in report["cases"].as_array().unwrap() {
        text.push_str(&format!("{}: {}\n", case["name"].as_str().unwrap(), case["outcome"].as_str().unwrap()));
        for problem in case["problems"].as_array().unwrap() {
            text.push_str(&format!("    {}\n", problem.as_str().unwrap().escape_debug()));
        }
    }
    text
}

/// The outcomes of all cases, in order.
pub(crate) fn outcomes(report: &Value) -> Vec<&str> {
    report["cases"].as_array().unwrap().iter().map(|case| case["outcome"].as_str().unwrap()).collect()
}

/// A copy of the program that everybody can run, for [`as_nobody`]; `None`, said aloud, without root or `setpriv`.
pub(crate) fn public_program(folder: &Path) -> Option<PathBuf> {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: another user needs root");
        return None;
    }
    if !Command::new("setpriv").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: no setpriv here");
        return None;
    }
    let program = folder.join("greenloop");
    std::fs::copy(env!("CARGO_BIN_EXE_greenloop"), &program).unwrap();
    std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    Some(program)
}

/// The program as the user nobody, in the root of the stage.
pub(crate) fn as_nobody(program: &Path, stage: &Stage, args: &[&str]) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"])
        .arg(program)
        .args(args)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", "/")
        .current_dir(stage.root())
        .stdin(Stdio::null());
    bare(&mut command);
    command
}

/// Name, outcome and problems of every case, as values.
pub(crate) fn endings(report: &Value) -> Vec<(&Value, &Value, &Value)> {
    report["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| (&case["name"], &case["outcome"], &case["problems"]))
        .collect()
}
