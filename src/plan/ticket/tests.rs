//! The law of the words over whole tickets, their limits, and one ticket to look at.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Subject, body, title};
use crate::categorize::{Categorization, Watch, categorize};
use crate::category_map::{self, CategoryMap};
use crate::model::CategoryId;
use crate::report::ReportSource;
use crate::tracker::words::{BODY_UNITS, TITLE_CHARS, gfm, units};
use crate::tracker::{Marker, Receipt, parse_marker};

/// The texts of one ticket, one for each slot.
#[derive(Debug, Clone)]
struct Slots {
    defect: String,
    expected: String,
    rationale: String,
    name: String,
    problems: Vec<String>,
    output: String,
    argv: Vec<String>,
    sha: String,
    seam: String,
    map_version: String,
    campaign: String,
}

impl Slots {
    fn harmless(problems: usize) -> Self {
        let word = || "word".to_owned();
        Self {
            defect: word(),
            expected: word(),
            rationale: word(),
            name: word(),
            problems: (0..problems).map(|at| format!("problem {at}")).collect(),
            output: "wrote".to_owned(),
            argv: vec!["run".to_owned()],
            sha: word(),
            seam: "seam".to_owned(),
            map_version: word(),
            campaign: word(),
        }
    }
}

fn id(name: &str) -> CategoryId {
    format!("evals:shop:{name}").parse().unwrap()
}

fn map_of(categories: Value, version: &str) -> CategoryMap {
    let text = json!({"schema": "agentic_evals.category_map.v1", "repo": "acme/shop", "map_version": version,
        "categories": categories});
    let loaded = category_map::parse("map.json", text.to_string().as_bytes());
    loaded.map.unwrap_or_else(|| panic!("{:?}", loaded.findings))
}

fn categorized(map: &CategoryMap, report: &Value) -> Categorization {
    let source = ReportSource::from_bytes("r.json", report.to_string().into_bytes());
    categorize(&source, map, &Watch::default()).unwrap()
}

fn drawn(map: &CategoryMap, c: &Categorization, category: &CategoryId, campaign: &str) -> (String, String) {
    let category = map.categories.iter().find(|other| other.id == *category).unwrap();
    let active = c.active(&category.id).unwrap();
    let receipt = Receipt {
        report_digest: c.report.digest,
        head: c.report.repo_sha.clone(),
        iteration: 1,
        category_fingerprint: active.fingerprint,
        provenance_fingerprint: c.provenance_fingerprint,
        cases: c.cases_of(active).cloned().collect(),
    };
    (title(category), body(&Subject { category, active, c, map, campaign, receipt: &receipt }))
}

/// A ticket with every section, made from `slots`.
fn ticket(slots: &Slots) -> (String, String) {
    // A map refuses an empty text; no harm can come from one.
    let text = |text: &str| if text.trim().is_empty() { "x".to_owned() } else { text.to_owned() };
    let map = map_of(
        json!({
            "tax": {"category_id": "evals:shop:tax", "defect": text(&slots.defect), "expected": text(&slots.expected),
                "seams": [text(&slots.seam)],
                "depends_on": [{"category_id": "evals:shop:money", "rationale": text(&slots.rationale)},
                    {"category_id": "evals:shop:idle", "rationale": text(&slots.rationale)}]},
            "money": {"category_id": "evals:shop:money", "defect": "d", "expected": "e", "seams": ["other-seam"]},
            "idle": {"category_id": "evals:shop:idle", "defect": "d", "expected": "e", "seams": ["idle-seam"]},
        }),
        &text(&slots.map_version),
    );
    let name = |end: &str| format!("{}{end}", slots.name);
    let case = |name: String| {
        json!({"name": name, "outcome": "FAIL", "category": "tax", "problems": slots.problems, "argv": slots.argv,
        "trials": [{"outcome": "FAIL", "problems": slots.problems, "stderr": slots.output}]})
    };
    let mut cases: Vec<Value> = vec![case(name("")), case(name("2"))];
    cases.retain(|case| case["name"] != "");
    cases.push(json!({"name": "z other", "outcome": "FAIL", "category": "money", "problems": ["p"], "argv": ["true"]}));
    let report = json!({"schema": "agentic_evals.report.v2", "repo": {"sha": slots.sha}, "cases": cases});
    let c = categorized(&map, &report);
    drawn(&map, &c, &id("tax"), &slots.campaign)
}

/// Slots of hostile texts, in number and emptiness like harmless ones.
fn hostile() -> impl Strategy<Value = Slots> {
    let texts = proptest::collection::vec(gfm::hostile(), 9);
    let problems = proptest::collection::vec(gfm::hostile(), 1..4);
    let argv = proptest::collection::vec(gfm::hostile(), 1..4);
    (texts, problems, argv).prop_map(|(texts, problems, argv)| {
        let [defect, expected, rationale, name, sha, seam, map_version, campaign, output]: [String; 9] =
            texts.try_into().unwrap();
        // Distinct, so that none is folded into another; and never empty.
        let problems = problems.iter().enumerate().map(|(at, text)| format!("{at}{text}")).collect();
        Slots {
            name: format!("n{name}"),
            defect,
            expected,
            rationale,
            problems,
            output,
            argv,
            sha,
            seam,
            map_version,
            campaign,
        }
    })
}

proptest! {
    /// Whatever stands in the slots, the drawn ticket is built like a harmless one, and nothing in it acts.
    #[test]
    fn no_data_changes_a_ticket(slots in hostile()) {
        let (title, body) = ticket(&slots);
        let (_, harmless) = ticket(&Slots::harmless(slots.problems.len()));
        let (seen, wanted) = (gfm::draw(&body), gfm::draw(&harmless));
        prop_assert_eq!(seen.without_comments(), wanted.without_comments(), "{}", body);
        prop_assert_eq!(seen.acting, Vec::<String>::new(), "{}", body);
        prop_assert_eq!(gfm::acting(&title), None, "{}", title);
        prop_assert_eq!(body.matches("<!--").count(), 1, "{}", body);
        let marker = parse_marker(&body).unwrap().unwrap();
        prop_assert_eq!(marker, Marker { category_id: id("tax"), campaign: slots.campaign, key: None });
        prop_assert!(!body.chars().any(|c| c != '\n' && crate::model::is_unsafe_for_display(c)), "{:?}", body);
    }
}

/// The longest texts that come to mind, in every slot at once.
#[test]
fn a_ticket_fits_whatever_is_in_it() {
    const CATEGORIES: usize = 40;
    for piece in ["x", "🦀", "`", "` ", "` `` ", "a #1 ", "\u{e0041}", "|", "\n", "<!--", "'", "\\"] {
        let long = piece.repeat(1_000_000 / piece.len());
        let prose = piece.repeat(3_000);
        let some = piece.repeat(60);
        let many: Vec<Value> = (0..300)
            .map(|at| {
                json!({"name": format!("{at:03} {}", piece.repeat(700)), "outcome": "FAIL", "category": format!("c{:03}", at % CATEGORIES),
                    "problems": [if at == 0 { long.clone() } else { piece.repeat(500) }, some, "p"],
                    "argv": ["bash", "-c", piece.repeat(3_000 / piece.len())]})
            })
            .collect();
        let categories: serde_json::Map<String, Value> = (0..CATEGORIES)
            .map(|at| {
                let depends: Vec<Value> = (0..at)
                    .map(|up| json!({"category_id": format!("evals:shop:c{up:03}{}", "n".repeat(180)), "rationale": format!("r{some}")}))
                    .collect();
                let entry = json!({"category_id": format!("evals:shop:c{at:03}{}", "n".repeat(180)), "defect": format!("d{prose}"),
                    "expected": format!("e{prose}"), "depends_on": depends,
                    "seams": (0..40).map(|n| format!("s{at} {n} {some}")).collect::<Vec<_>>(),
                    "supports_claims": (0..40).map(|n| format!("k{at} {n} {some}")).collect::<Vec<_>>()});
                (format!("c{at:03}"), entry)
            })
            .collect();
        let map = map_of(Value::Object(categories), &format!("v{some}"));
        let report = json!({"schema": "agentic_evals.report.v2", "repo": {"sha": long}, "cases": many});
        let c = categorized(&map, &report);
        let campaign = "é".repeat(120);
        for active in [&c.active[0], &c.active[CATEGORIES / 2], &c.active[CATEGORIES - 1]] {
            let (title, body) = drawn(&map, &c, &active.category_id, &campaign);
            assert!(title.chars().count() <= TITLE_CHARS);
            let stamped = Marker::with_key(&body, &"k".repeat(200)).unwrap();
            assert!(units(&stamped) <= BODY_UNITS, "{piece:?}: {}", units(&stamped));
            assert_eq!(gfm::draw(&body).acting, Vec::<String>::new());
        }
    }
}

#[test]
fn secrets_are_gone() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let slots = Slots {
        defect: format!("uses {secret}"),
        problems: vec![format!("{}{secret}", " ".repeat(290)), format!("401 for {secret}")],
        output: format!("sent {secret}\nlast {secret}"),
        argv: vec!["curl".to_owned(), "-H".to_owned(), format!("Authorization: Bearer {secret}")],
        name: format!("case {secret}"),
        ..Slots::harmless(1)
    };
    let (title, body) = ticket(&slots);
    assert!(!title.contains("ghp_") && !body.contains("ghp_"), "{body}");
    assert!(body.contains("A secret was taken out of a command"), "{body}");
}

/// A ticket as it is filed, next to the page that GitHub would draw.
#[test]
fn what_people_see() {
    let map = map_of(
        json!({
            "money": {"category_id": "evals:shop:money-rounding", "defect": "Amounts are rounded down in shop/money.py",
                "expected": "Amounts are rounded half to even, once, at the end", "seams": ["money.round"],
                "supports_claims": ["totals-are-exact"]},
            "tax": {"category_id": "evals:shop:tax-per-line", "defect": "Tax is taken per line, see #12 (@octocat)",
                "expected": "Tax is taken on the total, at 7% or 19%", "seams": ["tax.total"],
                "supports_claims": ["totals-are-exact"], "depends_on": [
                    {"category_id": "evals:shop:money-rounding", "rationale": "Tax adds rounded amounts, so a wrong money.round shows here, too"},
                    {"category_id": "evals:shop:rates", "rationale": "The rates are read first"}]},
            "receipt": {"category_id": "evals:shop:receipt", "defect": "The receipt cuts the amount", "expected": "It is whole",
                "cases": ["receipt *"], "depends_on": [
                    {"category_id": "evals:shop:tax-per-line", "rationale": "It prints the tax"}]},
            "rates": {"category_id": "evals:shop:rates", "defect": "d", "expected": "e", "cases": ["rates *"]},
        }),
        "2026.12",
    );
    let case = |name: &str, key: &str, problems: &[&str]| {
        json!({"name": name, "outcome": "FAIL", "category": key, "problems": problems,
            "argv": ["python3", "checks.py", "--case", name]})
    };
    let report = json!({"schema": "agentic_evals.report.v2", "repo": {"sha": "3f2a9c0d1e4b5a6978877665544332211aabbccd"}, "cases": [
        case("money rounds 0.005", "money", &["stdout misses '0.00'"]),
        case("receipt shows the amount", "receipt", &["exit_code 1 != 0"]),
        case("tax of an empty cart", "tax", &["exit_code 1 != 0"]),
        case("tax of three lines", "tax", &["exit_code 1 != 0", "stderr:\nTraceback\n  ```\nAssertionError: 0.21 != 0.20, fixes #3"]),
    ]});
    let c = categorized(&map, &report);
    let (title, body) = drawn(&map, &c, &id("tax-per-line"), "demo");
    insta::assert_snapshot!("ticket", format!("{title}\n\n{body}"));
    insta::assert_snapshot!("page", comrak::markdown_to_html(&body, &gfm::options()));
}
