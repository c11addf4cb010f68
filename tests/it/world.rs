//! A project folder with a map and whole reports, from a compact description; and the real program run in it.
//!
//! Cases are written as `name`, a mark, and perhaps more: `a1-` fails, `a1+` passes, `a1?` is BLOCKED, `a1.` is
//! NOT_TESTED, `a1~` fails in one of two trials, `a1^` passes although one trial failed. A `*` after the mark makes it
//! not required, and `=text` after that adds a problem. The letters of the name are its seam: `a1` belongs to `a`.
//!
//! Maps are written as `a b<a c<a,b`: category `b` depends on `a`, and `c` on both.

#![cfg(test)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use greenloop::model::Digest;
use greenloop::tracker::{EmbeddedTracker, Tracker as _};
use serde_json::{Value, json};

/// The fixture that reports name unless they say otherwise.
pub(crate) const FIXTURE: &str = "sha256:1111111111111111111111111111111111111111111111111111111111111111";

/// What makes every report a run of its own.
static RUNS: AtomicU64 = AtomicU64::new(1);

/// A commit id made from a short name.
pub(crate) fn sha(name: &str) -> String {
    Digest::of(name.as_bytes()).hex()[..40].to_owned()
}

/// The id of category `name`.
pub(crate) fn id(name: &str) -> String {
    format!("evals:demo:{name}")
}

/// What a run of the program said.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Standard error holds every one of these texts.
    #[track_caller]
    pub(crate) fn says(self, texts: &[&str]) -> Self {
        // The report of an error is wrapped to a width; compare words, not lines.
        let words = self.stderr.split_whitespace().filter(|word| !matches!(*word, "│" | "|")).collect::<Vec<_>>();
        let said = words.join(" ");
        for text in texts {
            assert!(said.contains(text), "{text:?} is not in:\n{}", self.stderr);
        }
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A project. Its inputs (maps, reports, plans) lie beside it, so that the project alone can be copied and compared.
pub(crate) struct World {
    _dir: Option<tempfile::TempDir>,
    root: PathBuf,
    inputs: PathBuf,
}

impl World {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (root, inputs) = (dir.path().join("project"), dir.path().join("inputs"));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&inputs).unwrap();
        Self { _dir: Some(dir), root, inputs }
    }

    /// A world with map and campaign `c` started.
    pub(crate) fn started(map: &str, options: &[&str]) -> Self {
        let world = Self::new();
        world.start(map, options);
        world
    }

    pub(crate) fn start(&self, map: &str, options: &[&str]) {
        let map = self.map("map", &category_map(map));
        let mut arguments = vec!["campaign", "start", "--id", "c", "--map", &map];
        arguments.extend(options);
        self.run(&arguments).exits(0);
    }

    /// The same project again, with everything in it, and the same inputs.
    pub(crate) fn copy(&self) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("project");
        Self { _dir: Some(dir), ..self.copy_to(&root) }
    }

    /// The same project in a folder of the caller's.
    pub(crate) fn copy_to(&self, root: &Path) -> Self {
        copy_folder(&self.root, root);
        Self { _dir: None, root: root.to_owned(), inputs: self.inputs.clone() }
    }

    pub(crate) fn state_dir(&self) -> PathBuf {
        self.root.join(".greenloop")
    }

    pub(crate) fn campaign_dir(&self) -> PathBuf {
        self.state_dir().join("campaigns/c")
    }

    pub(crate) fn ledger_file(&self) -> PathBuf {
        self.campaign_dir().join("ledger.jsonl")
    }

    pub(crate) fn tracker_file(&self) -> PathBuf {
        self.state_dir().join("tracker.db")
    }

    /// The database, as a person with `sqlite3` has it.
    pub(crate) fn sql(&self, sql: &str) {
        let person = rusqlite::Connection::open(self.tracker_file()).unwrap();
        person.execute_batch(sql).unwrap();
    }

    pub(crate) fn input(&self, name: &str) -> String {
        self.inputs.join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, value: &Value) -> String {
        let path = self.input(name);
        std::fs::write(&path, serde_json::to_vec_pretty(value).unwrap()).unwrap();
        path
    }

    /// Writes a map; its path.
    pub(crate) fn map(&self, name: &str, map: &Value) -> String {
        self.write(&format!("{name}.map.json"), map)
    }

    /// Writes a report; its path. Every call is another run.
    pub(crate) fn report(&self, head: &str, cases: &str) -> String {
        self.report_with(head, cases, |_| {})
    }

    /// Writes a report after changing something in it.
    pub(crate) fn report_with(&self, head: &str, cases: &str, change: impl FnOnce(&mut Value)) -> String {
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        let mut report = report(run, head, cases);
        change(&mut report);
        self.write(&format!("run-{run}.json"), &report)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_greenloop"));
        command.args(arguments).arg("--project").arg(&self.root).stdin(Stdio::null()).env("NO_COLOR", "1");
        command.env_remove("GREENLOOP_TEST_KILL_AT");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Done {
        done(&mut self.command(arguments))
    }

    /// Runs and is killed at the `step`-th durable step; true if it ran to its end instead.
    pub(crate) fn survives_kill_at(&self, step: u64, arguments: &[&str]) -> bool {
        use std::os::unix::process::ExitStatusExt as _;
        let mut command = self.command(arguments);
        command.env("GREENLOOP_TEST_KILL_AT", step.to_string()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().unwrap();
        assert!(matches!(status.signal(), None | Some(9)), "{status}");
        status.signal().is_none()
    }

    /// One step of campaign `c` from a new run.
    pub(crate) fn step(&self, head: &str, cases: &str) -> Done {
        let report = self.report(head, cases);
        self.run(&["campaign", "step", &report])
    }

    pub(crate) fn step_with_tree(&self, head: &str, tree: &str, cases: &str) -> Done {
        let report = self.report(head, cases);
        self.run(&["campaign", "step", &report, "--tree", &sha(tree)])
    }

    pub(crate) fn status(&self) -> Value {
        self.run(&["campaign", "status", "--format", "json"]).exits(0).json()
    }

    /// All tickets by name of their category. There is never more than one of each.
    #[track_caller]
    pub(crate) fn tickets(&self) -> BTreeMap<String, Value> {
        let document = self.run(&["ticket", "list", "--state", "all", "--format", "json"]).exits(0).json();
        let mut tickets = BTreeMap::new();
        for ticket in document["tickets"].as_array().unwrap() {
            let name = ticket["category_id"].as_str().unwrap().rsplit(':').next().unwrap().to_owned();
            assert_eq!(tickets.insert(name.clone(), ticket.clone()), None, "two tickets of {name}");
        }
        tickets
    }

    /// Names of the categories whose tickets can be worked on.
    pub(crate) fn ready(&self) -> Vec<String> {
        let document = self.run(&["ticket", "ready", "--format", "json"]).exits(0).json();
        let names = document["tickets"].as_array().unwrap().iter();
        names.map(|t| t["category_id"].as_str().unwrap().rsplit(':').next().unwrap().to_owned()).collect()
    }

    /// The notes of the saved plan of an iteration: (kind, category, text).
    pub(crate) fn notes(&self, iteration: u32) -> Vec<(String, String, String)> {
        let plan = self.campaign_dir().join(format!("iter-{iteration:03}/plan.json"));
        notes_of(&serde_json::from_slice(&std::fs::read(plan).unwrap()).unwrap())
    }

    /// Both checks hold.
    #[track_caller]
    pub(crate) fn verifies(&self) {
        self.run(&["campaign", "verify"]).exits(0);
        self.run(&["ledger", "verify"]).exits(0);
    }

    /// Every file below the project with a digest of its content, and every folder.
    pub(crate) fn listing(&self) -> BTreeMap<PathBuf, String> {
        let mut listing = BTreeMap::new();
        list(&self.root, &self.root, &mut listing);
        // What SQLite keeps beside a database while somebody reads it; an empty log holds nothing.
        let empty = Digest::of(b"").to_string();
        listing.retain(|path, digest| match path.extension().and_then(|extension| extension.to_str()) {
            Some("db-shm") => false,
            Some("db-wal") => *digest != empty,
            _ => true,
        });
        listing
    }

    /// The state that a campaign has come to, without what may differ between two ways there: the times and hashes of
    /// the ledger, leftovers of killed writers, and whether a step was done or found done.
    pub(crate) fn end_state(&self) -> Value {
        let mut files = BTreeMap::new();
        let mut all = self.listing();
        all.retain(|path, _| path.to_str().unwrap().contains("/iter-"));
        for path in all.keys().filter(|path| !path.file_name().unwrap().to_str().unwrap().starts_with('.')) {
            let full = self.root.join(path);
            if full.is_file() {
                let text = std::fs::read_to_string(full).unwrap();
                files.insert(path.to_str().unwrap().to_owned(), text.replace("\"adopted\"", "\"done\""));
            }
        }
        // Read by the library and not by one process for each ticket: the kill matrix asks often.
        let mut tickets = Vec::new();
        if let Some(mut tracker) = EmbeddedTracker::open_existing(&self.tracker_file()).unwrap() {
            for ticket in tracker.snapshot().unwrap().tickets {
                let number = ticket.ticket.number;
                let (history, body) = (tracker.history(number).unwrap(), tracker.body(number).unwrap());
                tickets.push(json!({ "ticket": ticket, "history": history, "body": body }));
            }
        }
        json!({ "tickets": tickets, "files": files })
    }
}

pub(crate) fn done(command: &mut Command) -> Done {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Done { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

pub(crate) fn notes_of(plan: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let notes = plan["notes"].as_array().unwrap().iter();
    notes
        .map(|note| {
            let category = text(&note["category_id"]);
            (text(&note["kind"]), category.rsplit(':').next().unwrap().to_owned(), text(&note["text"]))
        })
        .collect()
}

fn list(root: &Path, folder: &Path, listing: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let relative = path.strip_prefix(root).unwrap().to_owned();
        if path.is_dir() {
            listing.insert(relative, "folder".to_owned());
            list(root, &path, listing);
        } else {
            listing.insert(relative, Digest::of(&std::fs::read(&path).unwrap()).to_string());
        }
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The map that `description` stands for.
pub(crate) fn category_map(description: &str) -> Value {
    let mut categories = serde_json::Map::new();
    for token in description.split_whitespace() {
        let (name, upstream) = token.split_once('<').unwrap_or((token, ""));
        let depends_on: Vec<Value> = upstream
            .split(',')
            .filter(|upstream| !upstream.is_empty())
            .map(|upstream| {
                json!({ "category_id": id(upstream), "rationale": format!("{name} is computed from {upstream}") })
            })
            .collect();
        let category = json!({
            "category_id": id(name), "label": format!("eval-cat-{name}"), "defect": format!("{name} is wrong"),
            "expected": format!("{name} is right"), "supports_claims": [], "seams": [name], "depends_on": depends_on,
        });
        categories.insert(name.to_owned(), category);
    }
    json!({
        "schema": "agentic_evals.category_map.v1", "repo": "owner/demo", "map_version": "1", "categories": categories,
    })
}

/// The whole report of run number `run`.
pub(crate) fn report(run: u64, head: &str, description: &str) -> Value {
    let run_id = Digest::of(&run.to_le_bytes()).hex()[..12].to_owned();
    let cases: Vec<Value> =
        description.split_whitespace().enumerate().map(|(at, token)| case(token, at, run, &run_id)).collect();
    let count = |outcome: &str| cases.iter().filter(|case| case["outcome"] == outcome).count();
    let required = || cases.iter().filter(|case| case["required"] == true);
    let ready = required().all(|case| case["outcome"] == "PASS");
    let readiness = if ready { "READY" } else { "NOT_READY" };
    json!({
        "schema": "agentic_evals.report.v2", "source": "eval.json", "run_id": run_id, "fixture_sha256": FIXTURE,
        "repo": { "sha": sha(head), "ref": "main" }, "mocked": false, "fixture_backed": true, "live": false,
        "proof_scope": "one process", "claims": { "proves": "what ran", "does_not_prove": "what did not run" },
        "what_was_exercised": "all", "what_remains_unverified": "nothing",
        "readiness": readiness, "case_readiness": readiness, "capability_readiness": null,
        "claims_coverage": "manifest-spanning", "focused_cases": [],
        "generated_at": format!("2026-01-02T03:{:02}:{:02}+00:00", run / 60 % 60, run % 60),
        "case_count": cases.len(), "required_case_count": required().count(),
        "outcome_counts": {
            "PASS": count("PASS"), "FAIL": count("FAIL"), "BLOCKED": count("BLOCKED"), "NOT_TESTED": count("NOT_TESTED"),
        },
        "trial_count": cases.iter().map(|case| case["total_trials"].as_u64().unwrap()).sum::<u64>(),
        "cases": cases,
    })
}

fn case(token: &str, at: usize, run: u64, run_id: &str) -> Value {
    let (token, extra) = token.split_once('=').unwrap_or((token, ""));
    let (token, required) = token.strip_suffix('*').map_or((token, true), |token| (token, false));
    let (name, mark) = token.split_at(token.len() - 1);
    let seam = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let (outcome, trials): (&str, &[&str]) = match mark {
        "-" => ("FAIL", &["FAIL", "FAIL"]),
        "+" => ("PASS", &["PASS", "PASS"]),
        "?" => ("BLOCKED", &["BLOCKED", "BLOCKED"]),
        "." => ("NOT_TESTED", &[]),
        "~" => ("FAIL", &["FAIL", "PASS"]),
        "^" => ("PASS", &["PASS", "FAIL"]),
        other => panic!("unknown mark {other:?} in {token:?}"),
    };
    let problems = |outcome: &str| -> Vec<String> {
        match outcome {
            "FAIL" => {
                let mut problems = vec!["exit_code 1 != 0".to_owned(), format!("stdout missing '{name} holds'")];
                problems.extend((!extra.is_empty()).then(|| format!("AssertionError: {extra}")));
                problems
            }
            "BLOCKED" => vec!["external blocker: saw 'service unavailable'".to_owned()],
            _ => Vec::new(),
        }
    };
    let duration = |trial: usize| {
        let eighths = (run * 31 + at as u64 * 7 + trial as u64 * 3) % 97;
        10.0 + f64::from(u32::try_from(eighths).unwrap()) / 8.0
    };
    let passed = trials.iter().filter(|outcome| **outcome == "PASS").count();
    let pass_rate = match (passed, trials.len()) {
        (0, _) => 0.0,
        (passed, all) if passed == all => 1.0,
        _ => 0.5,
    };
    let shown: Vec<Value> = trials
        .iter()
        .enumerate()
        .map(|(trial, outcome)| {
            json!({
                "trial_id": format!("{run_id}-c{at:03}-t{trial}"), "outcome": outcome, "problems": problems(outcome),
                "exit_code": i32::from(*outcome != "PASS"), "stdout": format!("took {} ms\n", duration(trial)),
                "stderr": format!("pid {} in /tmp/run-{run_id}\n", 4000 + run * 100 + at as u64),
                "duration_ms": duration(trial), "timed_out": false, "orphan_pids_after_teardown": [],
                "artifact_hashes": {}, "execution_provenance": null,
            })
        })
        .collect();
    json!({
        "name": name, "type": "positive", "case_id": format!("{run_id}-c{at:03}"), "required": required,
        "outcome": outcome, "observed_outcome": outcome, "problems": problems(outcome),
        "argv": ["check", name], "passed_trials": passed, "total_trials": trials.len(),
        "pass_rate": pass_rate, "avg_latency_ms": duration(0),
        "flaky": passed > 0 && passed < trials.len(),
        "infra_blocked_trials": trials.iter().filter(|outcome| **outcome == "BLOCKED").count(),
        "declared_evidence_class": "deterministic", "effective_evidence_class": "deterministic",
        "live_qualified": false, "evidence_disqualifiers": [], "supports_claims": [], "seams": [seam],
        "execution_mode": "exploration", "execution_provenance": null,
        "test_source_sha256": FIXTURE, "oracle_sha256": FIXTURE,
        "evidence_eligibility": {
            "eligible": true, "eligible_for_existing_claim": true, "requires_requalification": false,
            "reason_codes": [], "integrity_errors": [],
        },
        "trials": shown,
    })
}
