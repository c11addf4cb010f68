//! The file that `--output` names: refused before the work, not after it.

use std::path::{Path, PathBuf};

use super::error::CliError;

/// `import junit a.xml -o a.xml` would destroy the only copy of the results.
pub(super) fn refuse_own_input(output: &Path, files: &[PathBuf]) -> Result<(), CliError> {
    let Ok(target) = output.canonicalize() else { return Ok(()) };
    if files.iter().any(|file| file.canonicalize().is_ok_and(|file| file == target)) {
        let message = format!("{} is an input; it would be overwritten", output.display());
        return Err(CliError::usage(message).hint("pass another file to --output"));
    }
    Ok(())
}

/// A run of an hour must not end with a report that cannot be written.
pub(super) fn refuse_hopeless_output(output: &Path) -> Result<(), CliError> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    if output.is_dir() {
        return Err(CliError::usage(format!("{} is a folder", output.display())));
    }
    if !folder.is_dir() {
        let error = CliError::input(format!("{} cannot be written: there is no such folder", output.display()));
        return Err(error.hint(format!("make it first: mkdir -p {}", folder.display())));
    }
    let hopeless =
        |error: std::io::Error| CliError::input(format!("{} cannot be written: {}", output.display(), error.kind()));
    tempfile::Builder::new().prefix(".greenloop-").tempfile_in(folder).map_err(hopeless)?;
    Ok(())
}
