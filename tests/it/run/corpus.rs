//! Manifests that others wrote, run with programs of our own in place of theirs: every manifest is run or refused with all
//! reasons, and what runs has the outcome that follows from what its programs said. The snapshot holds no text of theirs.

use std::path::{Path, PathBuf};

use greenloop::diag::Severity;
use greenloop::runner::manifest::parse;
use serde_json::Value;

use super::{Ran, Stage};

#[expect(clippy::disallowed_methods, reason = "a test may read the environment")]
fn folder() -> Option<PathBuf> {
    let root = match std::env::var_os("GREENLOOP_CORPUS") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
    };
    let folder = root.join("manifests");
    folder.is_dir().then_some(folder)
}

/// Programs that the manifests start by name, and files that they start beside their folder.
const PROGRAMS: [&str; 5] = ["uv", "node", "npm", "cargo", "python3"];
const FILES: [&str; 4] = ["x/y/run.sh", "x/y/sanity.sh", "x/triage-error/run.sh", "x/y/evals/prod.sh"];

/// Puts the stand-ins in place. Each says this, and one of them writes the receipt that some cases read.
fn stand_in(stage: &Stage, says: &str, phase: &str) {
    stage.write("says", says);
    let script = format!("#!/bin/sh\ncat '{}'\n", stage.path("says").display());
    for program in PROGRAMS {
        stage.script(&format!("home/bin/{program}"), &script);
    }
    for file in FILES {
        stage.script(file, &script);
    }
    stage.script("x/y/evals/prod.sh", &format!("{script}printf '{{\"phase\": \"{phase}\"}}' > receipt.json\n"));
    // A login shell sets a search path of its own.
    let path = format!("PATH='{}':\"$PATH\"\n", stage.path("home/bin").display());
    stage.write("home/.bash_profile", &path);
    stage.write("home/.profile", &path);
}

/// Everything that any case of the manifest wants to read.
fn wanted(manifest: &Value) -> String {
    let cases = manifest["cases"].as_array().unwrap().iter();
    let needles = cases.flat_map(|case| case["expected"]["stdout_contains"].as_array().into_iter().flatten());
    needles.map(|needle| needle.as_str().unwrap()).collect::<Vec<_>>().join("\n") + "\n"
}

#[expect(clippy::disallowed_methods, reason = "a test may read its environment")]
fn run(stage: &Stage) -> (Ran, Option<Value>) {
    let _ = std::fs::remove_file(stage.path("report.json"));
    let path = format!("{}:{}", stage.path("home/bin").display(), std::env::var("PATH").unwrap());
    let args = ["run", "x/y/evals/fixture.json", "-o", "report.json", "--jobs", "2", "--timeout-seconds", "20"];
    let mut command = stage.program(&args);
    command.env("PATH", path).env("HOME", stage.path("home")).env("TMPDIR", stage.root());
    let ran = Ran::from(command.output().unwrap());
    let report = stage.path("report.json").is_file().then(|| stage.report());
    (ran, report)
}

#[test]
fn every_manifest_is_run_or_refused_with_all_reasons() {
    let Some(folder) = folder() else {
        eprintln!("SKIPPED: the corpus of manifests is not there");
        return;
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut all = String::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&file).unwrap();
        let loaded = parse(&name, &bytes);
        let manifest: Value = serde_json::from_slice(&bytes).unwrap();
        let stage = Stage::with("");
        stage.write("x/y/evals/fixture.json", &bytes);
        stand_in(&stage, &wanted(&manifest), "settled");
        let (ran, report) = run(&stage);
        if loaded.manifest.is_none() {
            let errors = loaded.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
            assert!(errors > 0 && report.is_none() && ran.status == Some(1), "{name}: {ran:?}");
            assert_eq!(ran.stderr.matches("error[").count(), errors, "{name}: {ran:?}");
            all.push_str(&format!("{name}: refused for {errors} reasons\n"));
            continue;
        }
        let Some(report) = report else {
            assert!(ran.status == Some(1) && ran.stderr.contains("the gate refuses"), "{name}: {ran:?}");
            all.push_str(&format!("{name}: refused by the gate\n"));
            continue;
        };
        let agreeing = letters(&report);
        assert_eq!(ran.status == Some(0), report["readiness"] == "READY", "{name}: {ran:?}");
        stand_in(&stage, "something else\n", "pending");
        let (ran, report) = run(&stage);
        let report = report.unwrap();
        let contrary = letters(&report);
        for (case, outcome) in manifest["cases"].as_array().unwrap().iter().zip(super::outcomes(&report)) {
            let needles = case["expected"]["stdout_contains"].as_array().is_some_and(|needles| !needles.is_empty());
            let reads = case["expected"]["artifacts"].as_array().is_some_and(|artifacts| !artifacts.is_empty());
            assert!(!(needles || reads) || outcome != "PASS", "{name}: an expectation that nothing met: {case}");
        }
        assert_eq!(ran.status == Some(0), report["readiness"] == "READY", "{name}: {ran:?}");
        all.push_str(&format!("{name}: as expected {agreeing}, something else {contrary}\n"));
    }
    insta::assert_snapshot!(all);
}

/// The first letter of each outcome: PASS, FAIL, BLOCKED, NOT_TESTED.
fn letters(report: &Value) -> String {
    super::outcomes(report).iter().map(|outcome| &outcome[..1]).collect()
}
