//! What every command knows: the output format and the project's folders.

use std::path::{Path, PathBuf};

use super::args::{Cli, Format};
use super::error::CliError;

/// Format and places.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) format: Format,
    /// The project root; `.greenloop` is or will be in it.
    pub(super) root: PathBuf,
}

impl Context {
    pub(super) fn new(cli: &Cli) -> Result<Self, CliError> {
        let root = match &cli.project {
            Some(root) => root.clone(),
            None => find_root(&std::env::current_dir().map_err(|error| {
                CliError::usage("the working folder cannot be read").caused_by(&error).hint("pass --project DIR")
            })?),
        };
        Ok(Self { format: cli.format, root })
    }

    /// `.greenloop` of the project.
    pub(super) fn state_dir(&self) -> PathBuf {
        self.root.join(".greenloop")
    }

    /// A path as people want to read it: relative to the working folder where that is shorter.
    pub(super) fn shown(path: &Path) -> String {
        let here = std::env::current_dir().unwrap_or_default();
        path.strip_prefix(&here).unwrap_or(path).display().to_string()
    }

    /// The file of the embedded tracker.
    pub(super) fn tracker_path(&self) -> PathBuf {
        self.state_dir().join("tracker.db")
    }

    /// Refuses a format that the command does not have.
    pub(super) fn only(&self, allowed: &[Format]) -> Result<(), CliError> {
        if allowed.contains(&self.format) {
            return Ok(());
        }
        let names: Vec<String> = allowed.iter().map(|f| format!("{f:?}").to_lowercase()).collect();
        Err(CliError::usage(format!("this command has no --format {}", format!("{:?}", self.format).to_lowercase()))
            .hint(format!("it writes: {}", names.join(", "))))
    }
}

/// The nearest folder upwards that holds `greenloop.toml` or `.greenloop`; else `start` itself.
fn find_root(start: &Path) -> PathBuf {
    start
        .ancestors()
        .find(|dir| dir.join("greenloop.toml").is_file() || dir.join(".greenloop").is_dir())
        .unwrap_or(start)
        .to_owned()
}
