//! The files that pin an environment, as one digest: a report made with other dependencies is another experiment.

use std::path::{Path, PathBuf};

use super::sha256;

/// Names of lock files that are looked for.
const NAMES: [&str; 14] = [
    "Cargo.lock",
    "Gemfile.lock",
    "Pipfile.lock",
    "bun.lock",
    "composer.lock",
    "flake.lock",
    "go.sum",
    "mix.lock",
    "package-lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "requirements.txt",
    "uv.lock",
    "yarn.lock",
];

/// Lock files that apply to a folder: in it and in the folders above, up to the nearest one that holds `.git`.
pub fn lock_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(folder) = folder.canonicalize() else { return found };
    let mut inside = Vec::new();
    let mut has_top = false;
    for above in folder.ancestors() {
        inside.push(above);
        if above.join(".git").exists() {
            has_top = true;
            break;
        }
    }
    if !has_top {
        // Without a repository nobody knows how far the project reaches.
        inside.truncate(1);
    }
    for folder in inside {
        found.extend(NAMES.iter().map(|name| folder.join(name)).filter(|path| path.is_file()));
    }
    found
}

/// SHA-256 over name and content of each file, `sha256:…`; `None` if there is none.
///
/// # Errors
/// If one cannot be read.
pub fn lock_digest(files: &[PathBuf]) -> std::io::Result<Option<String>> {
    let mut lines = Vec::new();
    for file in files {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        lines.push(format!("{name} {}\n", sha256::prefixed(std::fs::read(file)?)));
    }
    lines.sort();
    Ok(if lines.is_empty() { None } else { Some(sha256::prefixed(lines.concat())) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_are_those_of_the_project() {
        let dir = tempfile::tempdir().unwrap();
        let evals = dir.path().join("project/evals");
        std::fs::create_dir_all(&evals).unwrap();
        std::fs::write(dir.path().join("go.sum"), "not ours").unwrap();
        std::fs::write(dir.path().join("project/Cargo.lock"), "a").unwrap();
        std::fs::write(evals.join("uv.lock"), "b").unwrap();
        assert_eq!(lock_files(&evals).len(), 1, "without a repository only the folder itself");
        std::fs::create_dir(dir.path().join("project/.git")).unwrap();
        let files = lock_files(&evals);
        assert_eq!(files.len(), 2, "{files:?}");
        let before = lock_digest(&files).unwrap().unwrap();
        let swapped: Vec<PathBuf> = files.iter().rev().cloned().collect();
        assert_eq!(lock_digest(&swapped).unwrap().unwrap(), before, "order says nothing");
        std::fs::write(dir.path().join("project/Cargo.lock"), "c").unwrap();
        assert_ne!(lock_digest(&files).unwrap().unwrap(), before);
        assert_eq!(lock_digest(&[]).unwrap(), None);
        assert!(lock_digest(&[dir.path().join("gone")]).is_err());
    }
}
