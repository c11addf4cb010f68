//! Real reports of others. Skipped, and said so, where the corpus is not there.
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::{Path, PathBuf};

use greenloop::categorize::{Categorization, Watch, categorize};
use greenloop::category_map::{self, CategoryMap};
use greenloop::model::Outcome;
use greenloop::report::import::{Input, import_junit};
use greenloop::report::{ReportSource, incomplete_because, read};

#[expect(clippy::disallowed_methods, reason = "a test may read the environment")]
fn corpus(part: &str) -> Option<Vec<PathBuf>> {
    let folder = std::env::var_os("GREENLOOP_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"), PathBuf::from)
        .join(part);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skip: there is no {}", folder.display());
        return None;
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    Some(files)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn load(map: &str) -> CategoryMap {
    let loaded = category_map::parse("map.json", map.as_bytes());
    loaded.map.unwrap_or_else(|| panic!("{:?}", loaded.findings))
}

#[test]
fn each_report_is_complete_or_says_why_not() {
    let Some(files) = corpus("reports") else { return };
    let mut text = String::new();
    for path in files {
        let source = ReportSource::from_bytes(name(&path), std::fs::read(&path).unwrap());
        let verdict = match read(&source, &mut |case| case.evidence().map(drop)) {
            Ok((header, tally, _)) => match incomplete_because(&header, &tally).as_slice() {
                [] => format!("complete: {} cases, {} failing", tally.cases, tally.of(Outcome::Fail)),
                reasons => reasons.join("; "),
            },
            Err(error) => format!("{}: {}", error.place.compact(), error.message),
        };
        text += &format!("{}: {verdict}\n", name(&path));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn the_failure_of_a_real_campaign_is_found_and_gone() {
    let Some(files) = corpus("reports") else { return };
    let map = load(include_str!("../fixtures/maps/valid/chatterbox.json"));
    let of = |run: &str| -> Option<Categorization> {
        let path = files.iter().find(|path| name(path) == format!("chatterbox-{run}.json"))?;
        Some(categorize(&ReportSource::open(path).unwrap(), &map, &Watch::default()).unwrap())
    };
    let (Some(baseline), Some(last)) = (of("baseline"), of("final")) else { return };
    assert!(baseline.is_total());
    let failing: Vec<(&str, &str)> = baseline.assignments.iter().map(|a| (a.case.as_str(), &*a.rule)).collect();
    assert_eq!(failing, [("tone-alone-separation", "case *-separation, signature inert")]);
    assert!(!baseline.is_green() && last.is_green());
    assert_ne!(baseline.semantic_fingerprint, last.semantic_fingerprint);
}

#[test]
fn no_failure_of_a_junit_file_is_lost_on_the_way() {
    let Some(files) = corpus("junit") else { return };
    let map = load(
        r#"{"schema": "agentic_evals.category_map.v1", "repo": "a/b", "map_version": "1", "categories": {"all":
            {"category_id": "evals:b:all", "label": "all", "defect": "d", "expected": "e", "cases": ["*"]}}}"#,
    );
    let (mut imported, mut failing) = (0, 0);
    for path in files {
        let input = Input { name: name(&path), bytes: std::fs::read(&path).unwrap() };
        let Ok(report) = import_junit(&[input], None, None) else { continue };
        imported += 1;
        let expected = report.report.cases.iter().filter(|case| case.required && case.outcome == Outcome::Fail).count();
        let source = ReportSource::from_bytes(name(&path), serde_json::to_vec(&report.report).unwrap());
        let c = categorize(&source, &map, &Watch::default()).unwrap_or_else(|error| panic!("{}: {error}", name(&path)));
        let mut placed: Vec<&str> = c.assignments.iter().map(|a| a.case.as_str()).collect();
        placed.dedup();
        assert_eq!(placed.len(), expected, "{}", name(&path));
        assert!(c.is_total(), "{}: {:?}", name(&path), c.unclassified);
        failing += expected;
    }
    assert!(imported > 40 && failing > 50, "{imported} files, {failing} failures");
}
