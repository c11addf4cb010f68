//! `docs/exit-status.md` and the constants say the same.

use greenloop::cli::exit_status::ALL;

#[test]
fn the_page_and_the_constants_agree() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/exit-status.md");
    let documented = table(&std::fs::read_to_string(page).unwrap());
    let constants: Vec<(u8, String)> = ALL.iter().map(|(number, name)| (*number, (*name).to_owned())).collect();
    assert_eq!(documented, constants, "left: docs/exit-status.md, right: src/cli/exit_status.rs");
    let mut numbers: Vec<u8> = documented.iter().map(|row| row.0).collect();
    numbers.dedup();
    assert_eq!(numbers.len(), ALL.len(), "a status has one meaning");
}

/// Every constant of the file is in `ALL`: a new one cannot be forgotten there.
#[test]
fn all_is_complete() {
    let source = include_str!("../../src/cli/exit_status.rs");
    let constants = source.lines().filter(|line| line.starts_with("pub const") && line.contains(": u8 =")).count();
    assert_eq!(constants, ALL.len());
}

/// Rows `| 10 | OSCILLATION | … |` with a meaning that is not empty.
fn table(page: &str) -> Vec<(u8, String)> {
    page.lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let number = cells.get(1)?.parse().ok()?;
            assert!(cells.get(3).is_some_and(|meaning| meaning.len() > 10), "no meaning: {line}");
            Some((number, cells.get(2)?.trim_matches('`').to_owned()))
        })
        .collect()
}
