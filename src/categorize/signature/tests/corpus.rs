//! Real files: what the scanner finds around triggers is what a walk over every word finds.

use std::fs;
use std::path::{Path, PathBuf};

use crate::categorize::signature::normalize;
use crate::categorize::signature::scanner::normalize_everywhere;

/// Larger files are read up to here.
const MAX_BYTES: usize = 1 << 20;

#[expect(clippy::disallowed_methods, reason = "a test may read where the corpus is")]
fn corpus() -> PathBuf {
    std::env::var_os("GREENLOOP_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"), PathBuf::from)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn nothing_is_missed_in_real_files() {
    let mut paths = Vec::new();
    files(&corpus(), &mut paths);
    if paths.is_empty() {
        eprintln!("skipped: no corpus at {}", corpus().display());
    }
    for path in paths {
        let bytes = fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_BYTES)]);
        assert!(normalize(&text) == normalize_everywhere(&text), "{} differs", path.display());
    }
}
