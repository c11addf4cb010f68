//! Manifests that others wrote. The snapshot holds codes and places, not their texts.

use std::path::PathBuf;

use crate::runner::manifest::parse;

#[expect(clippy::disallowed_methods, reason = "a test may read the environment")]
fn folder() -> Option<PathBuf> {
    let root = match std::env::var_os("GREENLOOP_CORPUS") {
        Some(root) => PathBuf::from(root),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
    };
    let folder = root.join("manifests");
    folder.is_dir().then_some(folder)
}

#[test]
fn every_manifest_of_the_corpus_loads_or_is_refused_with_all_reasons() {
    let Some(folder) = folder() else {
        eprintln!("skipped: the corpus of manifests is not there");
        return;
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut all = String::new();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let loaded = parse(&name, &std::fs::read(&path).unwrap());
        match &loaded.manifest {
            Some(manifest) => {
                all.push_str(&format!("{name}: loads, {} cases × {} trials\n", manifest.cases.len(), manifest.trials));
            }
            None => all.push_str(&format!("{name}: refused\n")),
        }
        for finding in &loaded.findings {
            let (line, pointer) = (finding.place.line.unwrap(), finding.place.pointer.as_deref().unwrap_or("-"));
            all.push_str(&format!("    {} {pointer} line {line}\n", finding.code));
        }
    }
    insta::assert_snapshot!(all);
}
