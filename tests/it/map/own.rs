//! The map of greenloop's own test suite: every test of this repository belongs to exactly one of its categories.

use std::path::Path;

use greenloop::category_map::{CaseGlob, CategoryMap, parse};

use super::{run_in, shown};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn map() -> CategoryMap {
    let bytes = std::fs::read(root().join("category_maps/greenloop-self.json")).unwrap();
    parse("greenloop-self.json", &bytes).map.unwrap()
}

#[test]
fn shipped_maps_have_no_finding() {
    let folder = root().join("category_maps");
    for name in super::names(&folder) {
        let output = run_in(&folder, &["map", "check", "--strict", &format!("{name}.json")]);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    }
}

/// Rust files below `folder`, as module paths such as `graph::draw::svg`.
fn modules(folder: &Path, prefix: &str, out: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let module = if prefix.is_empty() { stem.clone() } else { format!("{prefix}::{stem}") };
        if path.is_dir() {
            modules(&path, &module, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let module = if stem == "mod" { prefix.to_owned() } else { module };
            out.push((module, std::fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
fn every_test_of_this_repository_has_exactly_one_category() {
    let map = map();
    let compile = |glob: &String| CaseGlob::new(glob).unwrap();
    let globs: Vec<(String, Vec<CaseGlob>)> =
        map.categories.iter().map(|c| (c.id.to_string(), c.cases.iter().map(compile).collect())).collect();
    let mut cases = Vec::new();
    let mut sources = Vec::new();
    modules(&root().join("src"), "", &mut sources);
    for (module, source) in sources {
        if source.contains("#[test]") {
            cases.push(format!("greenloop > {module}::tests::it_holds"));
        }
    }
    let mut sources = Vec::new();
    modules(&root().join("tests/it"), "", &mut sources);
    for (module, source) in sources {
        if source.contains("#[test]") {
            cases.push(format!("greenloop::it > {module}::it_holds"));
        }
    }
    assert!(cases.len() > 50, "the tests were not found: {cases:?}");
    for case in cases {
        let matching = globs.iter().filter(|(_, globs)| globs.iter().any(|glob| glob.is_match(&case)));
        let owners: Vec<&str> = matching.map(|(id, _)| id.as_str()).collect();
        assert_eq!(owners.len(), 1, "{case}: {owners:?}");
    }
}
