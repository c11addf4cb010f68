//! The fences of the house, checked by reading the sources: who may use whom, what stays where, how long a file is,
//! and that no file is forgotten. Every fence has a negative control: a made-up source that must be found.

mod lexer;
mod rules;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rules::check;

#[test]
fn the_sources_keep_the_fences() {
    let mut findings = Vec::new();
    let files = sources(&root().join("src"));
    assert!(files.len() > 30, "the sources are read: {}", files.len());
    for (path, source) in &files {
        findings.extend(check(path, source));
    }
    assert!(findings.is_empty(), "{} finding(s):\n{}", findings.len(), findings.join("\n"));
}

/// (path below src/, source, the finding's code). Each must be found, so that silence means something.
const VIOLATIONS: [(&str, &str, &str); 31] = [
    ("model/x.rs", "use crate::cli::Cli;", "order"),
    ("report/x.rs", "fn f() { let _ = crate::categorize::all(); }", "order"),
    ("ledger/x.rs", "use crate::{diag::Sink, report::{self, Report}};", "order"),
    ("tracker/embedded/x.rs", "use crate :: { model, plan };", "order"),
    ("report/import/x.rs", "use super::super::super::plan::Plan;", "order"),
    ("model/mod.rs", "use super::diag::Sink;", "order"),
    ("ui/x.rs", "use crate::cli::Cli;", "order"),
    ("graph/x.rs", "use crate::category_map::CategoryMap;", "order"),
    ("diag/x.rs", "pub(crate) type T = greenloop::report::Report;", "order"),
    ("plan/x.rs", "#[cfg(test)] mod tests { use crate::apply::apply; }", "order"),
    ("helpers/x.rs", "fn f() {}", "order"),
    ("plan/x.rs", "use clap::Parser;", "clap"),
    ("ui/x.rs", "fn f(c: clap_complete::Shell) {}", "clap"),
    ("plan/x.rs", "use petgraph::Graph;", "graph-crates"),
    ("categorize/x.rs", "use layout::core::base::Orientation;", "graph-crates"),
    ("ledger/x.rs", "use rusqlite::Connection;", "sqlite"),
    ("tracker/x.rs", "use octocrab::Octocrab;", "octocrab"),
    ("cli/x.rs", "fn f() { println!(\"x\"); }", "printing"),
    ("apply/x.rs", "fn f() { std::io::stdout().flush(); }", "printing"),
    ("apply/x.rs", "use std::io::{stderr, Write}; fn f() { stderr().flush(); }", "printing"),
    ("runner/x.rs", "use std::process::Command;", "process"),
    ("runner/x.rs", "use std::process::{Child, Stdio};", "process"),
    ("cli/context.rs", "fn f() { std::env::var_os(\"HOME\"); }", "environment"),
    ("cli/context.rs", "use std::env::{self, var};", "environment"),
    ("report/x.rs", "fn f() { unsafe { g() } }", "unsafe"),
    ("cli/x.rs", "fn f() { std::process::exit(1) }", "exit"),
    ("plan/x.rs", "fn f() { std::fs::read(\"x\"); }", "pure"),
    ("categorize/x.rs", "fn f() { std::time::Instant::now(); }", "pure"),
    ("ledger/x.rs", "const Q: &str = \"SELECT seq FROM entry\";", "sql"),
    ("tracker/github/x.rs", "const Q: &str = r#\"INSERT INTO t VALUES (1)\"#;", "sql"),
    ("process/x.rs", "fn f() { spawn(\"git\", &[]); }", "git"),
];

#[test]
fn every_fence_finds_its_violation() {
    for (path, source, code) in VIOLATIONS {
        let findings = check(path, source);
        let wanted = format!(": {code}: ");
        assert!(findings.iter().any(|found| found.contains(&wanted)), "{path}: {source}\nfound: {findings:?}");
    }
    let long = "fn f() {}\n".repeat(601);
    assert!(check("plan/x.rs", &long)[0].contains("length"), "a file of 601 lines");
    assert!(check("cli/x.rs", &"\n".repeat(151))[0].contains("length"), "a command of 151 lines");
}

#[test]
fn what_is_allowed_is_not_found() {
    for (path, source) in [
        ("model/x.rs", "//! See `crate::cli`.\n/* use crate::cli; */\nconst S: &str = \"crate::cli println! unsafe\";"),
        ("model/x.rs", "#[cfg(test)]\nmod tests {\n    fn f() { println!(\"x\"); std::fs::read(\"y\"); }\n}"),
        ("ledger/chain_tests.rs", "use std::process::Command; const S: &str = \"SELECT a FROM b\";"),
        ("category_map/x.rs", "use crate::graph::order;"),
        ("category_map/x.rs", "use super::super::graph::order;"),
        ("tracker/embedded/x.rs", "use rusqlite::Connection; const Q: &str = \"SELECT a FROM b\";"),
        ("cli/x.rs", "use clap::Args; use crate::report::Report; fn f(o: &Output) { use_it(&o.stdout); }"),
        ("ui/x.rs", "fn f() { println!(); }"),
        ("dispatch/x.rs", "fn f() { spawn(\"git\", &[]); }"),
        ("report/mapped.rs", "fn f() { unsafe { g() } }"),
        ("graph/draw/tests/x.rs", "use std::process::Command; fn f() { eprintln!(\"x\"); }"),
        ("categorize/x.rs", "const KIND: &str = \"git\"; fn f() { name(\"git\"); }"),
        ("apply/x.rs", "const HINT: &str = \"select one from the list\"; #[expect(unsafe_code)] fn f() {}"),
    ] {
        let findings = check(path, source);
        assert!(findings.is_empty(), "{path}: {source}\nfound: {findings:?}");
    }
}

#[test]
fn no_integration_test_is_forgotten() {
    let folder = root().join("tests/it");
    let main = fs::read_to_string(folder.join("main.rs")).unwrap();
    let declared = declared(&lexer::lex(&main).code, &main);
    let mut files: BTreeSet<String> = BTreeSet::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let module = path.extension().is_some_and(|e| e == "rs") || path.join("mod.rs").is_file();
        if module && name != "main" {
            files.insert(name);
        }
    }
    let declared: BTreeSet<String> = declared.into_iter().map(|(name, _)| name).collect();
    assert_eq!(declared, files, "left: declared in tests/it/main.rs, right: files in tests/it");
}

#[test]
fn no_source_file_is_forgotten() {
    let src = root().join("src");
    let mut reached = BTreeSet::from([src.join("main.rs")]);
    let mut queue = vec![(src.join("lib.rs"), src.clone())];
    while let Some((file, folder)) = queue.pop() {
        let source = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for (name, path) in declared(&lexer::lex(&source).code, &source) {
            let beside = file.parent().unwrap();
            let candidates = match path {
                Some(path) => vec![(beside.join(&path), beside.to_owned())],
                None => vec![
                    (folder.join(format!("{name}.rs")), folder.join(&name)),
                    (folder.join(&name).join("mod.rs"), folder.join(&name)),
                ],
            };
            let found = candidates.into_iter().find(|(file, _)| file.is_file());
            queue.push(found.unwrap_or_else(|| panic!("{}: mod {name} has no file", file.display())));
        }
        reached.insert(file);
    }
    let all: BTreeSet<PathBuf> = sources(&src).into_iter().map(|(path, _)| src.join(path)).collect();
    let forgotten: Vec<_> = all.difference(&reached).collect();
    assert!(forgotten.is_empty(), "not declared by any `mod`: {forgotten:?}");
}

#[test]
fn a_declaration_is_read_with_its_path_and_not_from_comments() {
    let source = "// mod no;\npub mod a;\n#[cfg(test)]\n#[path = \"b_tests.rs\"]\nmod tests;\nmod c { }\n";
    let found = declared(&lexer::lex(source).code, source);
    assert_eq!(found, [("a".to_owned(), None), ("tests".to_owned(), Some("b_tests.rs".to_owned()))]);
}

/// The `mod name;` of a file, with the value of its `#[path]`.
fn declared(code: &str, source: &str) -> Vec<(String, Option<String>)> {
    // Attribute values are blanked in `code`; their text is read from `source` at the same offset.
    let declaration = regex::Regex::new(r"((?:#\[[^\]]*\]\s*)*)(?:pub(?:\([^)]*\))?\s+)?\bmod\s+(\w+)\s*;").unwrap();
    let path = regex::Regex::new(r#"#\[path\s*=\s*"([^"]*)"\s*\]"#).unwrap();
    declaration
        .captures_iter(code)
        .map(|found| {
            let attributes = found.get(1).map_or("", |group| &source[group.range()]);
            (found[2].to_owned(), path.captures(attributes).map(|path| path[1].to_owned()))
        })
        .collect()
}

/// Every `.rs` file below `folder`: path with forward slashes, and text.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut queue = vec![folder.to_owned()];
    while let Some(next) = queue.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                queue.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
