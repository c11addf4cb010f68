//! Files that a trial had to write: looked at before it, and read after it when its processes are dead.
//!
//! A trial *wrote* a file if the file was not there before, or if its device, inode, size, time of modification or
//! content is another than before. The time of modification alone counts, because most programs write the same bytes
//! again; a change of mode or owner does not. A program that replaces a file in place by equal bytes and then sets the
//! old time back is not believed: fails closed. Files are never moved or deleted: they may be somebody's.
//!
//! The kernel's clock for files is coarse. If a file was modified a moment ago (by the trial before), [`Before::look`]
//! waits that moment, so that the next trial's write has another time. Trials that write the same file must not run at
//! the same time; that is for the one who starts them.

use std::collections::BTreeMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

use super::manifest::Case;
use super::observation::Artifact;
use super::sha256::hex;

/// Largest content that is kept in memory, in bytes: values are looked up in no larger file.
const MAX_CONTENT: u64 = 16 * 1024 * 1024;
/// Largest file that is read at all, in bytes.
const MAX_READ: u64 = 4 * 1024 * 1024 * 1024;
/// The kernel's clock for files moves at least this often (10 ms where HZ is 100), with some room.
const CLOCK_STEP: Duration = Duration::from_millis(15);

/// The files of a case as they were before a trial.
#[derive(Debug)]
pub struct Before {
    folder: PathBuf,
    stamps: BTreeMap<String, Option<Stamp>>,
}

/// What tells one state of a file from another.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    /// Digest of the content of a file that is small enough to be read twice.
    content: Option<[u8; 32]>,
}

/// Every path that the case's expectations name.
pub fn paths_of(case: &Case) -> Vec<&str> {
    let artifacts = case.expected.artifacts.iter();
    let mut paths: Vec<&str> = artifacts
        .flat_map(|artifact| {
            let other = artifact.equals_artifact.as_ref().map(|other| other.path.as_str());
            std::iter::once(artifact.path.as_str()).chain(other)
        })
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

impl Before {
    /// Looks at the files in the manifest's folder. May sleep for some milliseconds, see above.
    pub fn look(folder: &Path, paths: &[&str]) -> Self {
        let mut youngest: Option<SystemTime> = None;
        let mut stamps = BTreeMap::new();
        for path in paths {
            let stamp = match open(folder, path) {
                Ok(Some((mut file, metadata))) => {
                    youngest = youngest.max(metadata.modified().ok());
                    Some(Stamp::of(&mut file, &metadata))
                }
                // What cannot be read before and can be read afterwards was written by the trial, or is refused again.
                Ok(None) | Err(_) => None,
            };
            stamps.insert((*path).to_owned(), stamp);
        }
        if let Some(youngest) = youngest {
            // A time in the future, after the clock was set back, is as good as now.
            let age = SystemTime::now().duration_since(youngest).unwrap_or_default();
            std::thread::sleep(CLOCK_STEP.saturating_sub(age));
        }
        Self { folder: folder.to_owned(), stamps }
    }

    /// Reads the files after the trial.
    pub fn read_after(&self) -> BTreeMap<String, Artifact> {
        self.stamps.iter().map(|(path, before)| (path.clone(), read(&self.folder, path, before.as_ref()))).collect()
    }
}

impl Stamp {
    fn of(file: &mut File, metadata: &Metadata) -> Self {
        let content = if metadata.len() <= MAX_CONTENT { digest(file).ok().map(|(digest, _, _)| digest) } else { None };
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            content,
        }
    }
}

fn read(folder: &Path, path: &str, before: Option<&Stamp>) -> Artifact {
    let (mut file, metadata) = match open(folder, path) {
        Ok(Some(opened)) => opened,
        Ok(None) => return Artifact::Missing,
        Err(why) => return Artifact::Refused(why),
    };
    if metadata.len() > MAX_READ {
        return Artifact::Refused(format!("has {} bytes, more than the {MAX_READ} that are read", metadata.len()));
    }
    let (digest, size, content) = match digest(&mut file) {
        Ok(read) => read,
        Err(error) => return Artifact::Refused(format!("cannot be read: {error}")),
    };
    let now = Stamp {
        device: metadata.dev(),
        inode: metadata.ino(),
        size: metadata.len(),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        content: if metadata.len() <= MAX_CONTENT { Some(digest) } else { None },
    };
    if before == Some(&now) {
        return Artifact::Stale;
    }
    Artifact::Written { size, sha256: hex(&digest), content }
}

/// SHA-256, size, and content if it is small.
fn digest(file: &mut File) -> std::io::Result<([u8; 32], u64, Option<Vec<u8>>)> {
    let mut hasher = Sha256::new();
    let (mut size, mut content) = (0u64, Some(Vec::new()));
    let mut buffer = vec![0u8; 64 * 1024];
    // One byte more than allowed is enough to see that there is more.
    let mut file = file.take(MAX_READ + 1);
    loop {
        let count = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&buffer[..count]);
        size += count as u64;
        if size > MAX_CONTENT {
            content = None;
        }
        if let Some(content) = &mut content {
            content.extend_from_slice(&buffer[..count]);
        }
    }
    Ok((hasher.finalize().into(), size, content))
}

/// Opens a regular file inside the folder. `Ok(None)`: it is not there. `Err`: why it must not or cannot be read, in
/// words that follow its path.
fn open(folder: &Path, path: &str) -> Result<Option<(File, Metadata)>, String> {
    let folder = folder.canonicalize().map_err(|error| format!("cannot be looked for in its folder: {error}"))?;
    let wanted = folder.join(path);
    let outside = || "leaves the manifest's folder through a symbolic link".to_owned();
    let real = match wanted.canonicalize() {
        Ok(real) => real,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            // A link to nothing is there, and a file that is not there may still not be there somewhere else.
            if wanted.symlink_metadata().is_ok() {
                return Err("is a symbolic link to nothing".to_owned());
            }
            let nearest = wanted.ancestors().skip(1).find_map(|parent| parent.canonicalize().ok());
            return if nearest.is_some_and(|parent| parent.starts_with(&folder)) { Ok(None) } else { Err(outside()) };
        }
        Err(error) => return Err(format!("cannot be looked for: {error}")),
    };
    if !real.starts_with(&folder) {
        return Err(outside());
    }
    // Opening a pipe would wait for a writer, and a link that appears now must not be followed.
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
    let flags = i32::try_from(flags).map_err(|_| "cannot be opened here".to_owned())?;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(&real);
    let file = file.map_err(|error| format!("cannot be read: {error}"))?;
    let metadata = file.metadata().map_err(|error| format!("cannot be read: {error}"))?;
    if metadata.is_dir() {
        return Err("is a folder".to_owned());
    }
    if !metadata.is_file() {
        return Err("is not a regular file".to_owned());
    }
    Ok(Some((file, metadata)))
}

#[cfg(test)]
#[path = "artifacts_tests.rs"]
mod tests;
