//! Much of everything, in bounded time and memory; and a disk that is full.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Ran, Stage, case, expects, sh};
use crate::small_disk::SmallDisk;

/// Runs a command and returns the most memory (KiB) that it or one of its supervisors had resident.
fn peak(command: &mut Command) -> (Ran, u64) {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut most = 0;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
                let supervisors = children.split_whitespace().map(str::to_owned);
                most = supervisors.chain([pid.to_string()]).map(|pid| high_water(&pid)).fold(most, u64::max);
                std::thread::sleep(Duration::from_millis(2));
            }
            most
        });
        let output = child.wait_with_output().unwrap();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        (output.into(), watcher.join().unwrap())
    })
}

/// The kernel's own high-water mark, so that nothing between two looks is lost.
fn high_water(pid: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse().unwrap_or(0)
}

#[test]
fn ten_thousand_cases() {
    let one = |n: usize| json!({"name": format!("case {n}"), "type": "positive", "command": ["true"], "expected": {"exit_code": 0}});
    let cases: Vec<Value> = (0..10_000).map(one).collect();
    let stage = Stage::new(&cases);
    let start = Instant::now();
    let (ran, most) = peak(&mut stage.program(&["run", "evals/fixture.json", "--check"]));
    eprintln!("10,000 cases, --check: {:?}, {most} KiB", start.elapsed());
    assert!(ran.status == Some(0) && most < 200_000, "{most} KiB");
    let start = Instant::now();
    let (ran, most) = peak(&mut stage.command(&["--jobs", "4"]));
    let spent = start.elapsed();
    eprintln!("10,000 cases, run: {spent:?}, {most} KiB");
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(most < 300_000, "{most} KiB");
    assert!(spent < Duration::from_secs(120), "{spent:?}");
    let report = stage.report();
    assert_eq!((report["case_count"].as_u64(), &report["outcome_counts"]["PASS"]), (Some(10_000), &json!(10_000)));
    assert!(ran.stdout.lines().count() < 100, "the summary is for people");
}

#[test]
fn output_without_measure() {
    let much = json!({"stdout_contains": ["START", "END"]});
    let stage = Stage::new(&[
        expects("a gigabyte", "printf START; head -c 1000000000 /dev/zero; printf END", &much),
        expects(
            "100 MB without a line end",
            "printf START; head -c 100000000 /dev/zero | tr '\\0' x; printf END",
            &much,
        ),
        expects(
            "on both streams at once",
            "printf START; head -c 50000000 /dev/zero >&2 & head -c 50000000 /dev/zero; wait; printf END",
            &much,
        ),
        sh("endless", "yes", &json!({"timeout_seconds": 0.5})),
    ]);
    let (ran, most) = peak(&mut stage.command(&[]));
    eprintln!("a gigabyte of output: {most} KiB");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(most < 64 * 1024, "{most} KiB");
    let report = stage.report();
    for name in ["a gigabyte", "100 MB without a line end", "on both streams at once"] {
        assert_eq!(case(&report, name)["outcome"], "PASS", "{name}");
    }
    assert_eq!(case(&report, "endless")["problems"], json!(["timed out after 0.5s"]));
    assert!(std::fs::metadata(stage.path("report.json")).unwrap().len() < 8_000_000);
    let gigabyte = case(&report, "a gigabyte")["trials"][0]["stdout"].as_str().unwrap();
    assert!(gigabyte.contains(" bytes left out ...]") && gigabyte.ends_with("END"));
}

/// Many failing trials with much output: what is kept of all of them is bounded.
#[test]
fn many_long_outputs_together() {
    let cases: Vec<Value> = (0..40)
        .map(|n| sh(&format!("case {n}"), "head -c 600000 /dev/zero | tr '\\0' x; exit 1", &json!({})))
        .collect();
    let stage = Stage::of(&cases, &json!({"trials": 2}));
    let (ran, most) = peak(&mut stage.command(&["--jobs", "2"]));
    eprintln!("80 trials of 600 kB: {most} KiB");
    assert_eq!(ran.status, Some(1));
    // Half a megabyte of each trial is kept, and the report is written as a whole.
    assert!(most < 400_000, "{most} KiB");
}

#[test]
fn a_full_disk_is_a_named_error() {
    let Some(disk) = SmallDisk::mount("1m") else { return };
    let stage = Stage::new(&[sh("loud", "head -c 300000 /dev/zero | tr '\\0' x; exit 1", &json!({}))]);
    let report = disk.path().join("report.json");
    std::fs::write(&report, "the report before").unwrap();
    disk.fill();
    disk.leave(100_000);
    let output = report.to_str().unwrap();
    let ran = stage.say(&["run", "evals/fixture.json", "-o", output]);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("No space left on device") && ran.stderr.contains("report.json"), "{ran:?}");
    assert_eq!(std::fs::read_to_string(&report).unwrap(), "the report before", "whole or not at all");
    let left: Vec<_> = std::fs::read_dir(disk.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "no half file: {left:?}");
    disk.free();
    assert_eq!(stage.say(&["run", "evals/fixture.json", "-o", output]).status, Some(1));
    disk.make_read_only();
    let ran = stage.say(&["run", "evals/fixture.json", "-o", output]);
    assert_eq!(ran.status, Some(3), "found before anything runs: {ran:?}");
    assert!(ran.stderr.contains("cannot be written: read-only filesystem"), "{ran:?}");
    disk.make_writable();
}

/// A trial's own disk is full: its file is short, and the trial fails, not the run.
#[test]
fn a_trial_without_space_fails_alone() {
    let Some(disk) = SmallDisk::mount("1m") else { return };
    let fixture = super::manifest(
        &[
            expects(
                "writes too much",
                "head -c 3000000 /dev/zero > a",
                &json!({"artifacts": [{"path": "a", "min_bytes": 3_000_000}]}),
            ),
            sh("after", "rm -f a; echo ok", &json!({})),
        ],
        &json!({}),
    );
    std::fs::write(disk.path().join("fixture.json"), fixture.to_string()).unwrap();
    let stage = Stage::new(&[]);
    let fixture = disk.path().join("fixture.json");
    let ran = stage.say(&["run", fixture.to_str().unwrap(), "-o", "report.json"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let report = stage.report();
    assert_eq!(super::outcomes(&report), ["FAIL", "PASS"]);
    assert!(case(&report, "writes too much")["trials"][0]["stderr"].as_str().unwrap().contains("No space left"));
}

/// Durations come from a clock that nobody can set; only the report's own time and the age of files are wall time.
#[test]
fn a_clock_that_jumps() {
    // Files whose time lies in the future or far in the past are judged by what changed, not by their age.
    let touch = |name: &str, time: &str| {
        let script = format!("printf x > {name}; touch -d '{time}' {name}");
        expects(name, &script, &json!({"artifacts": [{"path": name, "min_bytes": 1}]}))
    };
    let stage = Stage::of(&[touch("future", "2100-01-01"), touch("past", "1980-01-01")], &json!({"trials": 2}));
    let start = Instant::now();
    let report = stage.reported(&[]);
    assert!(start.elapsed() < Duration::from_secs(5), "nobody waits for the future");
    // The second trial writes the same bytes with the same time: by the rule that fails closed, that is stale.
    insta::assert_snapshot!(super::table(&report));
    eprintln!("SKIPPED: setting the system's clock needs a machine of one's own");
}
