//! Tests of looking at files, with real files.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

fn after(folder: &Path, path: &str, act: impl FnOnce(&Path)) -> Artifact {
    let before = Before::look(folder, &[path]);
    act(&folder.join(path));
    before.read_after().remove(path).unwrap()
}

fn is_written(artifact: &Artifact, bytes: &[u8]) -> bool {
    matches!(artifact, Artifact::Written { size, content: Some(content), .. }
        if content == bytes && *size == bytes.len() as u64)
}

#[test]
fn a_file_counts_only_if_this_trial_wrote_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert_eq!(after(at, "a", |_| ()), Artifact::Missing);
    assert_eq!(after(at, "no/such/folder", |_| ()), Artifact::Missing);
    assert!(is_written(&after(at, "a", |path| fs::write(path, "1").unwrap()), b"1"), "new");
    assert_eq!(after(at, "a", |_| ()), Artifact::Stale);
    // Fifty times in a row: the coarse clock of the file system must not make a write look like none.
    for _ in 0..50 {
        assert!(is_written(&after(at, "a", |path| fs::write(path, "1").unwrap()), b"1"), "the same bytes again");
    }
    assert!(is_written(&after(at, "a", |path| fs::write(path, "2").unwrap()), b"2"), "other bytes");
    let replaced = after(at, "a", |path| {
        fs::write(path.with_extension("new"), "2").unwrap();
        fs::rename(path.with_extension("new"), path).unwrap();
    });
    assert!(is_written(&replaced, b"2"), "replaced by rename");
    let mode = |path: &Path| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    };
    assert_eq!(after(at, "a", mode), Artifact::Stale, "another mode is no other content");
    assert_eq!(after(at, "a", |path| fs::remove_file(path).unwrap()), Artifact::Missing);
}

#[test]
fn other_bytes_under_an_old_time_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "1").unwrap();
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let artifact = after(folder.path(), "a", |path| {
        fs::write(path, "2").unwrap();
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    });
    assert!(is_written(&artifact, b"2"));
}

#[test]
fn what_leaves_the_folder_or_is_no_file_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("evals");
    fs::create_dir_all(folder.join("inside")).unwrap();
    fs::write(root.path().join("secret"), "s").unwrap();
    fs::write(folder.join("inside/real"), "r").unwrap();
    symlink(root.path().join("secret"), folder.join("link")).unwrap();
    symlink(root.path(), folder.join("out")).unwrap();
    symlink("nowhere", folder.join("dangling")).unwrap();
    symlink("loop", folder.join("loop")).unwrap();
    symlink("inside/real", folder.join("fine")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, folder.join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let seen = |path: &str| {
        Before { folder: folder.clone(), stamps: [(path.to_owned(), None)].into() }.read_after().remove(path).unwrap()
    };
    for path in ["link", "out/secret", "out/new", "dangling", "loop", "pipe", "inside", "../secret"] {
        assert!(matches!(seen(path), Artifact::Refused(_)), "{path}: {:?}", seen(path));
    }
    assert!(is_written(&seen("fine"), b"r"), "a link that stays inside");
    let gone = Before { folder: folder.join("gone"), stamps: [("a".to_owned(), None)].into() }.read_after();
    assert!(matches!(gone["a"], Artifact::Refused(_)), "a folder that is not there");
}

#[test]
fn a_large_file_is_hashed_and_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let artifact = after(folder.path(), "big", |path| File::create(path).unwrap().set_len(MAX_CONTENT + 1).unwrap());
    assert!(matches!(artifact, Artifact::Written { content: None, size, .. } if size == MAX_CONTENT + 1));
    let artifact = after(folder.path(), "huge", |path| File::create(path).unwrap().set_len(MAX_READ + 1).unwrap());
    assert!(matches!(artifact, Artifact::Refused(_)), "nothing is read of it");
}
