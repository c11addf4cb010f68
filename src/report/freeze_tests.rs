//! Freezing: the same bytes, the same file; any other bytes, an error with both digests.

use std::fs;

use proptest::prelude::*;

use super::*;

fn entries(state: &Path) -> usize {
    fs::read_dir(state.join("frozen")).map_or(0, Iterator::count)
}

/// Root may write to read-only files, so the tests replace them.
fn replace(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn the_same_bytes_are_one_read_only_file_named_by_their_digest() {
    let state = tempfile::tempdir().unwrap();
    let source = state.path().join("report.json");
    fs::write(&source, b"{}").unwrap();
    let first = Frozen::store(state.path(), &source).unwrap();
    assert_eq!(first, Frozen::store_bytes(state.path(), b"{}").unwrap());
    assert_eq!(first, Frozen::open(state.path(), Digest::of(b"{}")).unwrap());
    assert_eq!((first.read().unwrap(), first.length()), (b"{}".to_vec(), 2));
    assert_eq!(first.path(), state.path().join("frozen").join(format!("{}.json", Digest::of(b"{}").hex())));
    assert_eq!(fs::metadata(first.path()).unwrap().permissions().mode() & 0o777, MODE);
    assert_eq!(entries(state.path()), 1);
}

#[test]
fn a_lost_mode_is_restored_when_the_same_bytes_come_again() {
    let state = tempfile::tempdir().unwrap();
    let frozen = Frozen::store_bytes(state.path(), b"x").unwrap();
    replace(frozen.path(), b"x");
    Frozen::store_bytes(state.path(), b"x").unwrap();
    assert_eq!(fs::metadata(frozen.path()).unwrap().permissions().mode() & 0o777, MODE);
}

#[test]
fn a_changed_byte_is_found_with_both_digests() {
    let state = tempfile::tempdir().unwrap();
    let frozen = Frozen::store_bytes(state.path(), b"good").unwrap();
    replace(frozen.path(), b"bad!");
    for error in [
        Frozen::open(state.path(), frozen.digest()).unwrap_err(),
        Frozen::store_bytes(state.path(), b"good").unwrap_err(),
        frozen.read().unwrap_err(),
        frozen.check(Digest::of(b"bad!")).unwrap_err(),
    ] {
        let message = error.to_string();
        assert!(message.contains(&Digest::of(b"good").to_string()), "{message}");
        assert!(message.contains(&Digest::of(b"bad!").to_string()), "{message}");
    }
    assert_eq!(fs::read(frozen.path()).unwrap(), b"bad!", "the evidence of the damage is kept");
    assert_eq!(entries(state.path()), 1);
}

#[test]
fn links_folders_and_pipes_are_refused() {
    let state = tempfile::tempdir().unwrap();
    let elsewhere = state.path().join("elsewhere");
    fs::write(&elsewhere, b"x").unwrap();
    let path = path_of(state.path(), Digest::of(b"x"));
    create_folder(path.parent().unwrap()).unwrap();
    let refusal = |state: &Path| {
        let storing = Frozen::store_bytes(state, b"x").unwrap_err().to_string();
        assert_eq!(storing, Frozen::open(state, Digest::of(b"x")).unwrap_err().to_string());
        storing
    };
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    assert!(refusal(state.path()).contains("is a symbolic link"));
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("nowhere", &path).unwrap();
    assert!(refusal(state.path()).contains("is a symbolic link"), "also when it leads nowhere");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(refusal(state.path()).contains("is a folder"));
    fs::remove_dir(&path).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o644.into(), 0).unwrap();
    assert!(refusal(state.path()).contains("is a special file"));
}

#[test]
fn what_is_missing_is_named() {
    let state = tempfile::tempdir().unwrap();
    let error = Frozen::open(state.path(), Digest::of(b"x")).unwrap_err();
    assert!(matches!(error, FreezeError::Missing { .. }) && error.hint().is_some());
    let error = Frozen::store(state.path(), &state.path().join("none.json")).unwrap_err().to_string();
    assert!(error.contains("none.json"), "{error}");
    assert_eq!(entries(state.path()), 0);
}

#[test]
fn a_failing_source_leaves_nothing_behind() {
    struct Failing(u32);
    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 => Err(io::ErrorKind::Interrupted.into()),
                2 => Ok(buffer.len()),
                _ => Err(io::Error::other("cable pulled")),
            }
        }
    }
    let state = tempfile::tempdir().unwrap();
    assert!(Frozen::store_from(state.path(), Failing(0), Path::new("source")).is_err());
    assert_eq!(entries(state.path()), 0);
}

#[test]
fn many_threads_freeze_the_same_bytes_at_once() {
    let state = tempfile::tempdir().unwrap();
    let bytes = vec![7; 3 * BUFFER + 5];
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(|| Frozen::store_bytes(state.path(), &bytes).unwrap())).collect();
        for one in all {
            assert_eq!(one.join().unwrap().digest(), Digest::of(&bytes));
        }
    });
    assert_eq!(entries(state.path()), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_is_frozen_is_what_is_read(bytes in prop::collection::vec(any::<u8>(), 0..2000), at in any::<prop::sample::Index>(), bit in 0..8u32) {
        let state = tempfile::tempdir().unwrap();
        let frozen = Frozen::store_bytes(state.path(), &bytes).unwrap();
        prop_assert_eq!(frozen.digest(), Digest::of(&bytes));
        prop_assert_eq!(&frozen.read().unwrap(), &bytes);
        if !bytes.is_empty() {
            let mut changed = bytes;
            let at = at.index(changed.len());
            changed[at] ^= 1u8 << bit;
            replace(frozen.path(), &changed);
            let changed_error = matches!(frozen.read(), Err(FreezeError::Changed { .. }));
            prop_assert!(changed_error);
        }
    }
}
