//! Whole files: written beside, synced, renamed, folder synced. A reader sees the old file or the new one, never a
//! part, whatever happens when.

use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::NamedTempFile;

use super::checkpoint;
use super::file_error::FileError;
use super::folder::{create_folder, or_current, sync_folder};

/// Writes `bytes` to `path` so that the file is there whole or not changed at all, and durable when this returns.
/// Missing folders are made.
///
/// A symbolic link is followed, so that it stays one. A device or a pipe (`/dev/stdout`, `/dev/null`) cannot be replaced
/// and must not be: it is written to as it is.
///
/// On an error nothing is left behind. Only a kill can leave a temporary file (`.<name>.<random>.tmp`), which no
/// reader ever looks at.
///
/// # Errors
/// Names the path; [`FileError::DiskFull`] when that is why.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |error| FileError::new("write", path, error);
    let target = match std::fs::metadata(path) {
        Ok(found) if found.is_file() => std::fs::canonicalize(path).map_err(failed)?,
        Ok(found) if found.is_dir() => return Err(failed(std::io::ErrorKind::IsADirectory.into())),
        Ok(_) => {
            let mut stream = std::fs::OpenOptions::new().write(true).open(path).map_err(failed)?;
            return stream.write_all(bytes).and_then(|()| stream.flush()).map_err(failed);
        }
        Err(_) => path.to_owned(),
    };
    let mut file = temporary_beside(&target, 0o666)?;
    file.write_all(bytes).map_err(failed)?;
    place(file, &target)
}

/// An unnamed-to-others file in the folder of `path`, removed when dropped. `mode` is subject to the umask.
pub(crate) fn temporary_beside(path: &Path, mode: u32) -> Result<NamedTempFile, FileError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    create_folder(folder)?;
    let prefix = format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy());
    tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".tmp")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(or_current(folder))
        .map_err(|error| FileError::new("write", path, unwrapped(error)))
}

/// Syncs the temporary file and gives it its name.
pub(crate) fn place(file: NamedTempFile, path: &Path) -> Result<(), FileError> {
    file.as_file().sync_all().map_err(|error| FileError::new("write", path, error))?;
    checkpoint::reached("atomic-rename");
    file.persist(path).map_err(|error| FileError::new("write", path, error.error))?;
    checkpoint::reached("atomic-rename");
    sync_folder(path.parent().unwrap_or(Path::new("")))
}

/// `tempfile` wraps the system's error and hides its code; the kind survives, so it is taken out again.
fn unwrapped(error: std::io::Error) -> std::io::Error {
    if error.raw_os_error().is_none() { std::io::Error::new(error.kind(), error.kind().to_string()) } else { error }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn replaces_the_whole_file_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/plan.json");
        write_atomic(&path, b"a long first version").unwrap();
        write_atomic(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    /// As root, a rename would replace `/dev/null` by a plain file for the whole machine.
    #[test]
    fn devices_and_links_stay_what_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link, fifo) = (dir.path().join("file"), dir.path().join("link"), dir.path().join("fifo"));
        fs::write(&file, b"old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_atomic(&link, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());

        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let reader = std::thread::spawn({
            let fifo = fifo.clone();
            move || fs::read(fifo).unwrap()
        });
        write_atomic(&fifo, b"through the pipe").unwrap();
        assert_eq!(reader.join().unwrap(), b"through the pipe");
        assert!(!fs::symlink_metadata(&fifo).unwrap().is_file());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3, "nothing is left beside");
    }

    #[test]
    fn a_folder_in_the_place_of_the_file_is_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plan.json");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), b"").unwrap();
        let error = write_atomic(&path, b"x").unwrap_err();
        assert!(error.to_string().contains("plan.json"), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
    }
}
