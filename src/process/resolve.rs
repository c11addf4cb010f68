//! Finding the program and checking the folder before anything is started, so that each failure has its own name.
//!
//! The lookup is done here because the standard library would otherwise fork instead of using `posix_spawn`, and
//! because the `PATH` that counts is the command's own.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::command::{Invocation, SpawnError};

/// The file to execute for `command`.
pub(super) fn program(command: &Invocation) -> Result<PathBuf, SpawnError> {
    let name = command.argv.first().filter(|name| !name.is_empty()).ok_or(SpawnError::Empty)?;
    check_folder(&command.folder)?;
    if name.as_bytes().contains(&b'/') {
        let path = command.folder.join(name);
        return match executable(&path) {
            Some(true) => Ok(path),
            Some(false) => Err(SpawnError::NotExecutable(shown(name))),
            None => Err(SpawnError::NotFound(shown(name))),
        };
    }
    let search = command.env.iter().find(|(key, _)| key == "PATH").map_or(OsStr::new(""), |(_, value)| value);
    let mut found_one = false;
    for folder in search.as_bytes().split(|byte| *byte == b':') {
        // An empty entry is the working folder, as shells have it.
        let path = command.folder.join(OsStr::from_bytes(folder)).join(name);
        match executable(&path) {
            Some(true) => return Ok(path),
            Some(false) => found_one = true,
            None => {}
        }
    }
    Err(if found_one { SpawnError::NotExecutable(shown(name)) } else { SpawnError::NotFound(shown(name)) })
}

fn check_folder(folder: &Path) -> Result<(), SpawnError> {
    let refused = |reason: String| SpawnError::Folder { folder: folder.display().to_string(), reason };
    let found = std::fs::metadata(folder).map_err(|error| refused(plain(&error)))?;
    if !found.is_dir() {
        return Err(refused("not a folder".to_owned()));
    }
    access(folder, Access::EXEC_OK).map_err(|error| refused(plain(&error.into())))
}

/// Whether a plain file is at `path`, and whether it may be executed.
fn executable(path: &Path) -> Option<bool> {
    let found = match std::fs::metadata(path) {
        Ok(found) => found,
        Err(error) => return (error.kind() == io::ErrorKind::PermissionDenied).then_some(false),
    };
    found.is_file().then(|| access(path, Access::EXEC_OK).is_ok())
}

/// The error of starting `program` after all checks held.
pub(super) fn start_error(name: &OsString, program: &Path, error: &io::Error) -> SpawnError {
    let reason = match error.kind() {
        io::ErrorKind::NotFound if program.is_file() => "the interpreter named in its first line is missing".to_owned(),
        io::ErrorKind::InvalidInput => "an argument or a variable holds a NUL byte".to_owned(),
        _ => plain(error),
    };
    SpawnError::System { program: shown(name), reason }
}

fn shown(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

/// The system's words without the number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::process::Limits;

    fn command(folder: &Path, name: &str, path: &str) -> Invocation {
        Invocation {
            argv: vec![name.into()],
            folder: folder.to_owned(),
            env: vec![("PATH".into(), path.into())],
            limits: Limits::default(),
        }
    }

    #[test]
    fn each_failure_has_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let here = dir.path();
        for (name, mode) in [("run", 0o755), ("text", 0o644)] {
            std::fs::write(here.join(name), "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(here.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        std::fs::create_dir(here.join("sub")).unwrap();
        let path = here.to_str().unwrap();
        let found = |name, path| program(&command(here, name, path));
        assert_eq!(found("run", path), Ok(here.join("run")));
        assert_eq!(found("./run", ""), Ok(here.join("./run")));
        assert_eq!(found("run", ":/nowhere"), Ok(here.join("run")), "an empty entry is the working folder");
        assert_eq!(found("run", "/nowhere"), Err(SpawnError::NotFound("run".into())));
        assert_eq!(found("text", path), Err(SpawnError::NotExecutable("text".into())));
        assert_eq!(found("./text", path), Err(SpawnError::NotExecutable("./text".into())));
        assert_eq!(found("sub", path), Err(SpawnError::NotFound("sub".into())), "a folder is no program");
        assert_eq!(found("./none", path), Err(SpawnError::NotFound("./none".into())));
        assert_eq!(found("", path), Err(SpawnError::Empty));
        let missing = program(&command(&here.join("none"), "run", path)).unwrap_err().to_string();
        assert!(missing.ends_with("none: No such file or directory"), "{missing}");
        let file = program(&command(&here.join("run"), "run", path)).unwrap_err().to_string();
        assert!(file.ends_with("run: not a folder"), "{file}");
    }
}
