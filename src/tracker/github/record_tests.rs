use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

fn receipt(iteration: u32, cases: &[&str]) -> Receipt {
    Receipt {
        report_digest: Digest::of(&iteration.to_be_bytes()),
        head: Some("f".repeat(40)),
        iteration,
        category_fingerprint: Digest::of(b"c"),
        provenance_fingerprint: Digest::of(b"p"),
        cases: cases.iter().map(|case| CaseName::from(*case)).collect(),
    }
}

fn record(receipts: Vec<Receipt>) -> Record {
    Record {
        revision: 3,
        id: 1_000_007,
        category_id: "e:shop:cart".parse().unwrap(),
        title: "Title -->".into(),
        labels: BTreeSet::from(["eval-cat".to_owned()]),
        open: true,
        reason: None,
        reopened: 0,
        candidate: false,
        closure: None,
        receipts,
        links: BTreeMap::from([(4, OwnLink { id: 1_000_004, why: "because @you".into() })]),
        done: Vec::new(),
        farewell: None,
    }
}

fn closure(receipts: usize, slice: &[&str]) -> Closure {
    Closure {
        report_digest: Digest::of(b"green"),
        proven_head: "a".repeat(40),
        iteration: 2,
        provenance_fingerprint: Digest::of(b"p"),
        slice: slice.iter().map(|case| CaseName::from(*case)).collect(),
        manner: "direct".into(),
        receipts,
    }
}

/// What closing decides on: see `cases_to_prove` and `failed_here` of the plan.
fn decisive(record: &Record) -> (BTreeSet<String>, Option<String>, Option<Digest>) {
    let answered = record.closure.as_ref().map_or(0, |closure| closure.receipts);
    let open = || record.receipts.iter().skip(answered);
    let cases = open().flat_map(|r| r.cases.iter().map(|c| c.as_str().to_owned())).collect();
    let failed = record.receipts.iter().rev().find(|r| r.category_fingerprint != Digest::zero());
    (cases, failed.and_then(|r| r.head.clone()), open().next_back().map(|r| r.category_fingerprint))
}

#[test]
fn a_comment_comes_back_as_it_was_and_nothing_in_it_takes_effect() {
    let mut first = record(vec![receipt(1, &["b --> c", "a", "@x"]), receipt(2, &["a", "b --> c"])]);
    first.closure = Some(closure(1, &["a"]));
    first.farewell = Some(words::superseded_note("split", &[]));
    let comment = first.fit_comment().unwrap();
    assert!(Record::is_comment(&comment.replace('\n', "\r\n")));
    assert_eq!(Record::from_comment(&comment.replace('\n', "\r\n")).unwrap(), first);
    assert_eq!(comment.matches("-->").count(), 1, "only our own comment is closed");
    let data = words::receipts_block(&comment).unwrap().unwrap();
    assert!(!data.contains('@') && !data.contains('#'));
    insta::assert_snapshot!(comment.replace(data, "…"));
    // Of another life of the same ticket, each time with what matters then.
    first.farewell = None;
    for (open, candidate, reopened, says) in [
        (false, false, 0, "**Closed: proven gone.**"),
        (true, true, 0, "**Its cases pass**"),
        (true, false, 1, "**Reopened: it fails again.**"),
    ] {
        (first.open, first.candidate, first.reopened) = (open, candidate, reopened);
        let comment = first.fit_comment().unwrap();
        assert_eq!(comment.matches("\n**").count(), 1, "{comment}");
        assert!(comment.contains(says), "{comment}");
    }
}

#[test]
fn damage_and_newer_formats_are_told_apart() {
    let comment = record(vec![receipt(1, &["a"])]).fit_comment().unwrap();
    assert!(matches!(Record::from_comment(&comment.replace("\"v\":1", "\"v\":2")), Err(RecordError::Newer(2))));
    for damaged in [
        comment.replace("\"set\":0", "\"set\":9"),
        comment.replace("\"rev\"", "\"x\""),
        "<!-- greenloop-receipts:v1".to_owned(),
    ] {
        assert!(matches!(Record::from_comment(&damaged), Err(RecordError::Damaged(_))), "{damaged}");
    }
}

#[test]
fn many_receipts_are_folded_without_losing_a_decision() {
    let names: Vec<String> = (0..900).map(|n| format!("suite > some module > case number {n}")).collect();
    let mut full = record(Vec::new());
    for iteration in 0..400u32 {
        let at = iteration as usize * 2;
        full.receipts.push(receipt(iteration, &[&names[at], &names[at + 1]]));
    }
    full.closure = Some(closure(150, &[&names[0]]));
    full.receipts[399].category_fingerprint = Digest::zero();
    let before = decisive(&full);
    let comment = full.fit_comment().unwrap();
    assert!(words::units(&comment) <= words::BODY_UNITS);
    let read = Record::from_comment(&comment).unwrap();
    assert_eq!(read, full, "the folded record is the one that is kept");
    assert!(read.receipts.len() < 400);
    assert_eq!(decisive(&read), before);
}

#[test]
fn a_record_that_cannot_fit_is_refused() {
    let names: Vec<String> =
        (0..4000).map(|n| format!("{} and then", Digest::of(&u64::to_be_bytes(n)).hex())).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let why = record(vec![receipt(1, &names)]).fit_comment().unwrap_err();
    assert!(why.contains("4000 case names"), "{why}");
}

proptest! {
    #[test]
    fn any_names_come_back(names in proptest::collection::vec(".{0,12}", 0..12), split in 0usize..12) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (left, right) = names.split_at(split.min(names.len()));
        let mut record = record(vec![receipt(1, left), receipt(2, right), receipt(3, &names)]);
        let comment = record.fit_comment().unwrap();
        prop_assert_eq!(Record::from_comment(&comment).unwrap(), record);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(?s).{0,200}") {
        let _ = Record::from_comment(&format!("<!-- greenloop-receipts:v1\n{text}\n-->"));
        let _ = Record::from_json(&text);
    }
}
