//! Writing a report: whole or not at all.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::owned::OwnedReport;

impl OwnedReport {
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
    use crate::report::{OwnedCase, OwnedEligibility, OwnedTrial};

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

    /// The keys of the documentation (plus those that greenloop adds), in its order.
    #[test]
    fn every_documented_key_can_be_written() {
        let text = || Some("x".to_owned());
        let some = || vec!["x".to_owned()];
        let value = || Some(serde_json::json!({}));
        let trial = OwnedTrial { execution_provenance: value(), ..OwnedTrial::default() };
        let case = OwnedCase {
            declared_evidence_class: text(),
            evidence_class_default: text(),
            effective_evidence_class: text(),
            risks: some(),
            category: text(),
            category_id: text(),
            execution_mode: text(),
            execution_provenance: value(),
            test_source_sha256: text(),
            oracle_sha256: text(),
            evidence_eligibility: Some(OwnedEligibility::default()),
            trials: vec![trial],
            ..OwnedCase::default()
        };
        let mut report = OwnedReport {
            cases: vec![case],
            readiness_reasons: some(),
            incomplete_because: some(),
            shard: value(),
            close_slice: value(),
            gate: value(),
            capability_claims: value().into_iter().collect(),
            skill: text(),
            application_identity: value(),
            runner_version: text(),
            environment_lock_digest: text(),
            trials_planned: Some(3),
            timeout_override_s: text(),
            ..OwnedReport::default()
        };
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
                 what_was_exercised what_remains_unverified readiness readiness_reasons case_readiness capability_readiness
                 claims_coverage focused_cases incomplete_because shard close_slice gate capability_claims skill
                 application_identity runner_version environment_lock_digest trials_planned timeout_override_s generated_at case_count required_case_count outcome_counts
                 trial_count cases"
            )
        );
        assert_eq!(
            keys_at(6),
            documented(
                "name type case_id required outcome observed_outcome problems argv passed_trials total_trials
                 pass_rate avg_latency_ms flaky infra_blocked_trials declared_evidence_class evidence_class_default
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
