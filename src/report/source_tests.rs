//! Mapped and read files give the same; what is no file is refused.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::report::{Header, Tally, read};

/// Maps every file, and hands every case to the digest thread.
const ALWAYS: Limits = Limits { map_from: 0, stride: 1 };

fn file(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.json");
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

type Read = Result<(String, Tally, Digest, Vec<String>), ReportError>;

fn read_all(source: &ReportSource) -> Read {
    let mut cases = Vec::new();
    let (header, tally, digest): (Header, _, _) = read(source, &mut |case| {
        cases.push(format!("{} {:?}", &*case.name, case.evidence()?));
        Ok(())
    })?;
    Ok((format!("{header:?}"), tally, digest, cases))
}

/// What both ways give, checked to be the same.
fn both(bytes: &[u8]) -> Read {
    let (_folder, path) = file(bytes);
    let mapped = ReportSource::open_with(&path, ALWAYS).unwrap();
    assert!(matches!(mapped.bytes, Bytes::Mapped(..)));
    let owned = ReportSource::open_with(&path, Limits { map_from: u64::MAX, stride: 1 }).unwrap();
    assert!(matches!(owned.bytes, Bytes::Owned(_)));
    let (mapped, owned) = (read_all(&mapped), read_all(&owned));
    assert_eq!(mapped, owned);
    owned
}

/// A report whose cases have about `size` bytes each.
fn report(cases: usize, size: usize) -> String {
    let text = "x".repeat(size);
    let cases: Vec<String> = (0..cases)
        .map(|n| {
            format!(
                "{{\"name\": \"c{n}\", \"outcome\": \"FAIL\", \"trials\": [{{\"stdout\": \"ä{text}\"}}], \"z\": \"€\"}}"
            )
        })
        .collect();
    format!("{{\"schema\": \"agentic_evals.report.v2\",\n\"cases\": [{}]}}\n", cases.join(",\n"))
}

#[test]
fn both_ways_give_the_same() {
    for bytes in ["", " ", "{", "{}", "\u{feff}{\"schema\": 1}", &report(0, 0), &report(1, 0), &report(20, 5_000)] {
        let _ = both(bytes.as_bytes());
    }
    assert_eq!(both(report(20, 5_000).as_bytes()).unwrap().3.len(), 20);
}

#[test]
fn invalid_utf8_is_found_at_every_boundary_of_a_stretch() {
    let whole = report(3, 20);
    for at in 0..whole.len() {
        let mut bytes = whole.clone().into_bytes();
        if bytes[at] == 0xe2 {
            continue; // it is the first byte of a character already
        }
        bytes[at] = 0xe2;
        let error = both(&bytes).unwrap_err();
        assert_eq!(error.message, "the report is not valid UTF-8", "{at}");
    }
}

/// The usual sizes: a file of more than two strides, wrong on both sides of a 4 MiB boundary.
#[test]
fn a_large_file_is_mapped_and_wrong_bytes_are_found_across_strides() {
    let whole = report(9, 1 << 20);
    let (_folder, path) = file(whole.as_bytes());
    let source = ReportSource::open(&path).unwrap();
    assert!(matches!(source.bytes, Bytes::Mapped(..)));
    let (.., digest, cases) = read_all(&source).unwrap();
    assert_eq!((digest, cases.len()), (Digest::of(whole.as_bytes()), 9));
    for at in [STRIDE - 1, STRIDE, STRIDE + 1, 2 * STRIDE, whole.len() - 20] {
        let mut bytes = whole.clone().into_bytes();
        bytes[at] = 0xff;
        fs::write(&path, &bytes).unwrap();
        let error = read_all(&ReportSource::open(&path).unwrap()).unwrap_err();
        assert_eq!(error.message, "the report is not valid UTF-8", "{at}");
        let before = &bytes[..at];
        assert_eq!(error.place.line, Some(memchr::memchr_iter(b'\n', before).count() + 1));
    }
}

#[test]
fn a_folder_and_a_missing_file_are_refused() {
    let (folder, path) = file(b"");
    assert_eq!(ReportSource::open(folder.path()).unwrap_err().message, "this is a folder, not a report");
    fs::remove_file(&path).unwrap();
    let error = ReportSource::open(&path).unwrap_err();
    assert_eq!(
        (error.message.as_str(), error.place.file.as_str()),
        ("the file does not exist", &*path.to_string_lossy())
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read() {
    let (folder, _) = file(b"");
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, report(2, 10)).unwrap()
    });
    let source = ReportSource::open_with(&pipe, ALWAYS).unwrap();
    writer.join().unwrap();
    assert_eq!(read_all(&source).unwrap().3.len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn both_ways_give_the_same_for_damaged_reports(cases in 0usize..4, size in 0usize..40, damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..3), end in any::<proptest::sample::Index>(), cut in any::<bool>()) {
        let mut bytes = report(cases, size).into_bytes();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if cut {
            bytes.truncate(end.index(bytes.len()));
        }
        let _ = both(&bytes);
    }
}
