//! Where a campaign keeps its files.

use std::path::{Path, PathBuf};

/// Why a text is not a campaign id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a campaign id: use 1 to 64 of a-z, A-Z, 0-9, `-`, `_`, `.`, and begin with a letter or digit")]
pub struct CampaignIdError(pub String);

/// The folder of one campaign: `.greenloop/campaigns/<id>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignPaths {
    state_dir: PathBuf,
    id: String,
}

impl CampaignPaths {
    /// Paths of campaign `id` below `state_dir` (`.greenloop`).
    ///
    /// # Errors
    /// When the id could not be a folder's name on every system.
    pub fn new(state_dir: &Path, id: &str) -> Result<Self, CampaignIdError> {
        let plain = id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
        if !plain || id.len() > 64 || !id.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return Err(CampaignIdError(id.to_owned()));
        }
        Ok(Self { state_dir: state_dir.to_owned(), id: id.to_owned() })
    }

    /// The campaign's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// `.greenloop`.
    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    /// The campaign's folder.
    pub fn dir(&self) -> PathBuf {
        self.state_dir.join("campaigns").join(&self.id)
    }

    /// The ledger.
    pub fn ledger(&self) -> PathBuf {
        self.dir().join("ledger.jsonl")
    }

    /// The folder of an iteration: `iter-001`.
    pub fn iteration(&self, number: u32) -> PathBuf {
        self.dir().join(format!("iter-{number:03}"))
    }

    /// Ids of all campaigns below `state_dir` that have a ledger, sorted.
    ///
    /// # Errors
    /// When the folder is there and cannot be listed.
    pub fn all(state_dir: &Path) -> std::io::Result<Vec<String>> {
        let entries = match std::fs::read_dir(state_dir.join("campaigns")) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut ids = Vec::new();
        for entry in entries {
            let entry = entry?;
            if entry.path().join("ledger.jsonl").is_file() {
                ids.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        ids.sort();
        Ok(ids)
    }
}
