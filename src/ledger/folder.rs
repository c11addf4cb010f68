//! Folders: a new name in a folder is durable only when the folder itself is synced.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::file_error::FileError;

/// Makes the names in `folder` durable.
///
/// # Errors
/// When the folder cannot be opened or synced.
pub fn sync_folder(folder: &Path) -> Result<(), FileError> {
    let folder = or_current(folder);
    File::open(folder).and_then(|f| f.sync_all()).map_err(|error| FileError::new("sync the folder", folder, error))
}

/// Makes `folder` and every missing one above it, each synced into its parent. Nothing happens if it is there.
///
/// # Errors
/// When one cannot be made, or when something that is not a folder is in its place.
pub fn create_folder(folder: &Path) -> Result<(), FileError> {
    let folder = or_current(folder);
    if folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().unwrap_or(Path::new(""));
    create_folder(parent)?;
    match fs::create_dir(folder) {
        Ok(()) => sync_folder(parent),
        // Somebody else was faster: fine, if it is a folder.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(FileError::new("make the folder", folder, error)),
    }
}

/// `Path::parent` of a plain name is empty; the folder meant is the current one.
pub(super) fn or_current(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_folders_are_made_and_a_file_in_the_way_is_named() {
        let dir = tempfile::tempdir().unwrap();
        create_folder(&dir.path().join("a/b/c")).unwrap();
        assert!(dir.path().join("a/b/c").is_dir());
        create_folder(&dir.path().join("a/b/c")).unwrap();
        fs::write(dir.path().join("file"), b"").unwrap();
        let error = create_folder(&dir.path().join("file/x")).unwrap_err().to_string();
        assert!(error.contains("file"), "{error}");
        create_folder(Path::new("")).unwrap();
    }
}
