//! Maps that others wrote. They are not part of the repository; without them the test says so and passes.

use std::path::{Path, PathBuf};

use super::{names, run_in, shown};

#[expect(clippy::disallowed_methods, reason = "tests may say where the corpus is")]
fn corpus() -> PathBuf {
    std::env::var_os("GREENLOOP_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"), PathBuf::from)
}

#[test]
fn check_of_every_map_of_the_corpus() {
    let folder = corpus().join("category_maps");
    if !folder.is_dir() {
        eprintln!("skipped: there is no corpus at {}", folder.display());
        return;
    }
    for name in names(&folder) {
        let output = run_in(&folder, &["map", "check", &format!("{name}.json")]);
        insta::assert_snapshot!(format!("corpus__{name}"), shown(&output));
    }
}
