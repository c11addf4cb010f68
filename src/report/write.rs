//! Owned types for writing `agentic_evals.report.v2`: what an importer or a runner fills in. Reading has its own,
//! borrowed types, because a reader skips most of a report and a writer skips nothing.
//!
//! Keys stand in the order of the documentation. Optional keys are left out when nothing is known about them;
//! keys that readers rely on are always there.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::model::{Outcome, Readiness};

/// The schema id of the reports that greenloop writes.
const SCHEMA: &str = "agentic_evals.report.v2";

/// A whole report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnedReport {
    /// Always `agentic_evals.report.v2`.
    pub schema: &'static str,
    /// What the report was made from: a manifest, or the imported files.
    pub source: String,
    /// Id of this run.
    pub run_id: String,
    /// Digest of the fixture manifest, `sha256:…`; `None` if there is no manifest.
    pub fixture_sha256: Option<String>,
    /// What was evaluated.
    pub repo: OwnedRepo,
    /// True if the run replaced parts of the system by stand-ins.
    pub mocked: bool,
    /// True if the run worked on recorded inputs.
    pub fixture_backed: bool,
    /// True if it is known that the run exercised the real system.
    pub live: bool,
    /// What the report can prove, in one sentence.
    pub proof_scope: String,
    /// What the report claims.
    pub claims: OwnedClaims,
    /// What ran.
    pub what_was_exercised: String,
    /// What nobody looked at.
    pub what_remains_unverified: String,
    /// Readiness of the whole.
    pub readiness: Readiness,
    /// Readiness by the cases alone.
    pub case_readiness: Readiness,
    /// Readiness by the capability claims; `None` if there are none.
    pub capability_readiness: Option<Readiness>,
    /// `manifest-spanning`, or `partial: …`.
    pub claims_coverage: String,
    /// Names of the cases that the run was limited to; empty for a full run.
    pub focused_cases: Vec<String>,
    /// Why the report does not show the whole run; empty if nothing is known to be missing. A reader refuses to
    /// plan from a report with a reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub incomplete_because: Vec<String>,
    /// When the run was made, as its producer wrote it.
    pub generated_at: Option<String>,
    /// Number of cases.
    pub case_count: usize,
    /// Number of required cases.
    pub required_case_count: usize,
    /// Cases per outcome.
    pub outcome_counts: CountedOutcomes,
    /// Number of trials of all cases.
    pub trial_count: usize,
    /// The cases.
    pub cases: Vec<OwnedCase>,
}

/// What was evaluated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OwnedRepo {
    /// Commit, if known.
    pub sha: Option<String>,
    /// Branch or tag, if known.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
}

/// What a report claims, in words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OwnedClaims {
    /// What the outcomes prove.
    pub proves: String,
    /// What they do not prove.
    pub does_not_prove: String,
}

/// Cases per outcome; all four keys are always written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct CountedOutcomes {
    /// Cases that passed.
    pub pass: usize,
    /// Cases that failed.
    pub fail: usize,
    /// Cases that could not be judged.
    pub blocked: usize,
    /// Cases that did not run.
    pub not_tested: usize,
}

impl CountedOutcomes {
    /// Counts one more case.
    pub const fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Pass => self.pass += 1,
            Outcome::Fail => self.fail += 1,
            Outcome::Blocked => self.blocked += 1,
            Outcome::NotTested => self.not_tested += 1,
        }
    }
}

/// One case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnedCase {
    /// Identity across runs; unique in a report.
    pub name: String,
    /// `positive`, `negative` or `adversarial`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Identity inside this run.
    pub case_id: String,
    /// True if the report is not green without it.
    pub required: bool,
    /// The case's outcome.
    pub outcome: Outcome,
    /// The outcome before any rule of evidence changed it.
    pub observed_outcome: Outcome,
    /// Why it failed, was blocked or did not run.
    pub problems: Vec<String>,
    /// Command of the case; empty if it is not known.
    pub argv: Vec<String>,
    /// Trials that passed.
    pub passed_trials: usize,
    /// All trials.
    pub total_trials: usize,
    /// Passed trials per trial that ran, 0 to 1.
    pub pass_rate: f64,
    /// Mean duration of the trials that say one, in milliseconds; 0 if none does.
    pub avg_latency_ms: f64,
    /// True if the trials disagree.
    pub flaky: bool,
    /// Trials that the environment stopped.
    pub infra_blocked_trials: usize,
    /// Evidence class that the fixture declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared_evidence_class: Option<String>,
    /// Evidence class after downgrades.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_evidence_class: Option<String>,
    /// True if the evidence counts as live.
    pub live_qualified: bool,
    /// Why the evidence was downgraded.
    pub evidence_disqualifiers: Vec<String>,
    /// Claims that the case supports.
    pub supports_claims: Vec<String>,
    /// Seams that the case crosses.
    pub seams: Vec<String>,
    /// Risks that the case guards against. An addition of greenloop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<String>,
    /// Category that the case names itself: a key of the map or an id. An addition of greenloop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Category id that the case names itself. An addition of greenloop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category_id: Option<String>,
    /// `exploration`, `regression_replay` or `test_repair`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_mode: Option<String>,
    /// How and where the case ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_provenance: Option<serde_json::Value>,
    /// Digest of the test's source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_source_sha256: Option<String>,
    /// Digest of what the case is judged by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oracle_sha256: Option<String>,
    /// Whether the case may serve as evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_eligibility: Option<OwnedEligibility>,
    /// The trials, in the order in which they ran.
    pub trials: Vec<OwnedTrial>,
}

/// Whether a case may serve as evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OwnedEligibility {
    /// True if it may.
    pub eligible: bool,
    /// True if it may for claims that exist already.
    pub eligible_for_existing_claim: bool,
    /// True if it has to be qualified again first.
    pub requires_requalification: bool,
    /// Why.
    pub reason_codes: Vec<String>,
    /// What is wrong with the evidence itself.
    pub integrity_errors: Vec<String>,
}

/// One trial of a case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnedTrial {
    /// Identity inside this run.
    pub trial_id: String,
    /// The trial's outcome.
    pub outcome: Outcome,
    /// Why it failed, was blocked or did not run.
    pub problems: Vec<String>,
    /// Exit code of the command; `None` if there was none or it is not known.
    pub exit_code: Option<i32>,
    /// What the trial wrote to standard output.
    pub stdout: String,
    /// What the trial wrote to standard error.
    pub stderr: String,
    /// Duration in milliseconds; 0 if it is not known.
    pub duration_ms: f64,
    /// True if the trial was stopped because it took too long.
    pub timed_out: bool,
    /// Processes that outlived the trial.
    pub orphan_pids_after_teardown: Vec<u32>,
    /// Digest per artifact.
    pub artifact_hashes: BTreeMap<String, String>,
    /// How and where the trial ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_provenance: Option<serde_json::Value>,
}

impl Default for OwnedReport {
    fn default() -> Self {
        Self {
            schema: SCHEMA,
            source: String::new(),
            run_id: String::new(),
            fixture_sha256: None,
            repo: OwnedRepo::default(),
            mocked: false,
            fixture_backed: false,
            live: false,
            proof_scope: String::new(),
            claims: OwnedClaims::default(),
            what_was_exercised: String::new(),
            what_remains_unverified: String::new(),
            readiness: Readiness::NotEstablished,
            case_readiness: Readiness::NotEstablished,
            capability_readiness: None,
            claims_coverage: "manifest-spanning".to_owned(),
            focused_cases: Vec::new(),
            incomplete_because: Vec::new(),
            generated_at: None,
            case_count: 0,
            required_case_count: 0,
            outcome_counts: CountedOutcomes::default(),
            trial_count: 0,
            cases: Vec::new(),
        }
    }
}

impl OwnedReport {
    /// Sets the counts from the cases, so that they always add up.
    pub fn count(&mut self) {
        self.case_count = self.cases.len();
        self.required_case_count = self.cases.iter().filter(|case| case.required).count();
        self.trial_count = self.cases.iter().map(|case| case.trials.len()).sum();
        self.outcome_counts = CountedOutcomes::default();
        for case in &self.cases {
            self.outcome_counts.add(case.outcome);
        }
    }

    /// The report as indented JSON with a final line break.
    ///
    /// # Errors
    /// Only if a value has no JSON form.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }

    /// Writes the report to `path`: beside it first, synced, then renamed, so that a reader sees all of it or
    /// nothing. A symbolic link keeps pointing where it points.
    ///
    /// # Errors
    /// If the target is not a plain file, or cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), SaveError> {
        let target = match std::fs::metadata(path) {
            Ok(found) if !found.is_file() => return Err(SaveError::NotAFile(path.to_owned())),
            Ok(_) => std::fs::canonicalize(path).map_err(|source| SaveError::io(path, source))?,
            Err(_) => path.to_owned(),
        };
        let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
        self.write_beside(folder, &target).map_err(|source| SaveError::io(path, source))
    }

    fn write_beside(&self, folder: &Path, target: &Path) -> std::io::Result<()> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".greenloop-report-");
        // Temporary files are private by default; a report is an ordinary file, so the umask decides.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder)?;
        // Straight into the file: the text of a large report would double what is in memory.
        let mut out = std::io::BufWriter::new(file);
        serde_json::to_writer_pretty(&mut out, self)?;
        out.write_all(b"\n")?;
        let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(target).map_err(|error| error.error)?;
        // The rename itself is durable once the folder is synced. Not every file system allows that; the report is
        // complete either way.
        if let Ok(folder) = std::fs::File::open(folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// A report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The target is a folder or a device.
    #[error("{} is not a plain file", .0.display())]
    NotAFile(PathBuf),
    /// The system refused.
    #[error("cannot write {}", path.display())]
    Io {
        /// The target.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A value has no JSON form.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl SaveError {
    fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saving_replaces_whole_files_and_leaves_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report.json");
        std::fs::write(&path, "old").unwrap();
        OwnedReport::default().save(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("incomplete_because"), "nothing is missing");
        assert!(text.starts_with("{\n  \"schema\": \"agentic_evals.report.v2\"") && text.ends_with("}\n"));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(matches!(OwnedReport::default().save(dir.path()), Err(SaveError::NotAFile(_))));
        assert!(matches!(OwnedReport::default().save(&dir.path().join("no/x.json")), Err(SaveError::Io { .. })));
    }

    /// The keys of the documentation (plus the three that greenloop adds to a case), in its order.
    #[test]
    fn every_documented_key_can_be_written() {
        let text = || Some("x".to_owned());
        let some = || vec!["x".to_owned()];
        let value = || Some(serde_json::json!({}));
        let trial = OwnedTrial {
            trial_id: String::new(),
            outcome: Outcome::Pass,
            problems: Vec::new(),
            exit_code: Some(0),
            stdout: String::new(),
            stderr: String::new(),
            duration_ms: 1.5,
            timed_out: false,
            orphan_pids_after_teardown: Vec::new(),
            artifact_hashes: BTreeMap::new(),
            execution_provenance: value(),
        };
        let case = OwnedCase {
            name: String::new(),
            kind: String::new(),
            case_id: String::new(),
            required: true,
            outcome: Outcome::Pass,
            observed_outcome: Outcome::Pass,
            problems: Vec::new(),
            argv: Vec::new(),
            passed_trials: 1,
            total_trials: 1,
            pass_rate: 1.0,
            avg_latency_ms: 1.5,
            flaky: false,
            infra_blocked_trials: 0,
            declared_evidence_class: text(),
            effective_evidence_class: text(),
            live_qualified: false,
            evidence_disqualifiers: Vec::new(),
            supports_claims: some(),
            seams: some(),
            risks: some(),
            category: text(),
            category_id: text(),
            execution_mode: text(),
            execution_provenance: value(),
            test_source_sha256: text(),
            oracle_sha256: text(),
            evidence_eligibility: Some(OwnedEligibility::default()),
            trials: vec![trial],
        };
        let mut report = OwnedReport { cases: vec![case], incomplete_because: some(), ..OwnedReport::default() };
        report.count();
        let json = report.to_json().unwrap();
        let keys_at = |indent: usize| -> Vec<&str> {
            let start = format!("{}\"", " ".repeat(indent));
            json.lines()
                .filter_map(|line| line.strip_prefix(start.as_str())?.split_once("\":"))
                .map(|(k, _)| k)
                .collect()
        };
        let documented = |words: &str| words.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            keys_at(2),
            documented(
                "schema source run_id fixture_sha256 repo mocked fixture_backed live proof_scope claims
                 what_was_exercised what_remains_unverified readiness case_readiness capability_readiness
                 claims_coverage focused_cases incomplete_because generated_at case_count required_case_count outcome_counts
                 trial_count cases"
            )
        );
        assert_eq!(
            keys_at(6),
            documented(
                "name type case_id required outcome observed_outcome problems argv passed_trials total_trials
                 pass_rate avg_latency_ms flaky infra_blocked_trials declared_evidence_class
                 effective_evidence_class live_qualified evidence_disqualifiers supports_claims seams risks
                 category category_id execution_mode execution_provenance test_source_sha256 oracle_sha256
                 evidence_eligibility trials"
            )
        );
        assert_eq!(
            keys_at(10),
            documented(
                "trial_id outcome problems exit_code stdout stderr duration_ms timed_out
                 orphan_pids_after_teardown artifact_hashes execution_provenance"
            )
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_keeps_pointing_at_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("real.json"), dir.path().join("link.json"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        OwnedReport::default().save(&link).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(std::fs::read_to_string(&file).unwrap().contains("report.v2"));
    }
}
