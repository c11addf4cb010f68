//! Opening, repairing, appending.

use std::fs;

use serde_json::json;

use super::*;

const AT: &str = "2026-01-02T03:04:05Z";

fn with_entries(path: &Path, count: u64) {
    let (mut ledger, _) = Ledger::open(path, "c1").unwrap();
    for n in 0..count {
        ledger.append("note", json!({ "n": n }), AT, 1).unwrap();
    }
}

#[test]
fn entries_survive_reopening_and_the_chain_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("campaigns/c1/ledger.jsonl");
    with_entries(&path, 2);
    let (mut ledger, recovery) = Ledger::open(&path, "c1").unwrap();
    assert_eq!(recovery, Recovery::Nothing);
    let pinned = ledger.head();
    let new = |kind: &str| NewEntry { kind: kind.into(), data: json!(null), at: AT.into(), epoch: 2 };
    let added = ledger.append_many(vec![new("a"), new("b")]).unwrap();
    assert_eq!(added.iter().map(|e| e.seq).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(ledger.append_many(Vec::new()).unwrap(), []);
    ledger.append("c", json!([]), AT, 2).unwrap();
    assert!(ledger.extends(&pinned) && ledger.extends(&ledger.head()));
    let read = Ledger::read_only(&path).unwrap();
    assert_eq!(read.entries, ledger.entries());
    assert_eq!((read.head(), read.torn), (ledger.head(), None));
}

#[test]
fn a_torn_line_is_cut_off_and_said() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.jsonl");
    with_entries(&path, 3);
    let whole = fs::read(&path).unwrap();
    let second_end = whole.iter().enumerate().filter(|(_, b)| **b == b'\n').nth(1).unwrap().0 + 1;
    for cut in second_end + 1..whole.len() - 1 {
        fs::write(&path, &whole[..cut]).unwrap();
        assert!(Ledger::read_only(&path).is_ok());
        assert_eq!(fs::read(&path).unwrap(), &whole[..cut], "reading repairs nothing");
        let (mut ledger, recovery) = Ledger::open(&path, "c1").unwrap();
        assert_eq!(recovery, Recovery::TornTail { bytes: (cut - second_end) as u64 });
        assert_eq!(ledger.append("note", json!({"n": 2}), AT, 1).unwrap().seq, 2);
        assert_eq!(fs::read(&path).unwrap(), whole, "the same events give the same bytes");
    }
}

#[test]
fn an_entry_that_lacks_only_its_line_feed_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.jsonl");
    with_entries(&path, 2);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let (mut ledger, recovery) = Ledger::open(&path, "c1").unwrap();
    assert_eq!(recovery, Recovery::LineFeedAdded { seq: 1 });
    assert_eq!(fs::read(&path).unwrap(), whole);
    assert_eq!(ledger.append("note", json!(0), AT, 1).unwrap().seq, 2);
    drop(ledger);
    assert_eq!(Ledger::open(&path, "c1").unwrap().1, Recovery::Nothing);
}

#[test]
fn damage_is_an_error_and_nothing_is_changed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.jsonl");
    with_entries(&path, 3);
    let text = fs::read_to_string(&path).unwrap().replacen("\"n\":1", "\"n\":9", 1);
    fs::write(&path, &text).unwrap();
    let error = Ledger::open(&path, "c1").unwrap_err();
    assert!(matches!(&error, LedgerError::Broken { broken, .. } if (broken.line, broken.seq) == (2, 1)), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn one_writer_one_campaign_one_format() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.jsonl");
    with_entries(&path, 1);
    let error = Ledger::open(&path, "c2").unwrap_err();
    assert!(error.to_string().contains("campaign `c1`, not of `c2`"), "{error}");

    let newer = fs::read_to_string(&path).unwrap().replace("entry.v1", "entry.v2");
    let mut value: Value = serde_json::from_str(&newer).unwrap();
    value.as_object_mut().unwrap().remove("hash");
    let hash = crate::model::Digest::in_domain("greenloop.ledger_entry.v2", &serde_json::to_vec(&value).unwrap());
    value["hash"] = json!(hash);
    fs::write(&path, format!("{value}\n")).unwrap();
    assert!(matches!(Ledger::open(&path, "c1").unwrap_err(), LedgerError::NewerFormat { found: 2, .. }));
    assert_eq!(Ledger::read_only(&path).unwrap().entries.len(), 1);
}

#[test]
fn a_second_writer_waits_then_gives_up() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.jsonl");
    let (first, _) = Ledger::open(&path, "c1").unwrap();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| Ledger::open(&path, "c1").map(|_| ()));
        assert!(matches!(second.join().unwrap(), Err(LedgerError::InUse { .. })));
    });
    drop(first);
    Ledger::open(&path, "c1").unwrap();
}

#[test]
fn a_change_behind_its_back_is_noticed_before_writing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.jsonl");
    let (mut ledger, _) = Ledger::open(&path, "c1").unwrap();
    ledger.append("note", json!(1), AT, 1).unwrap();
    OpenOptions::new().append(true).open(&path).unwrap().write_all(b"x").unwrap();
    let error = ledger.append("note", json!(2), AT, 1).unwrap_err();
    assert!(matches!(error, LedgerError::Changed { .. }), "{error}");
    assert_eq!(ledger.entries().len(), 1);
}

#[test]
fn unfit_data_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.jsonl");
    let (mut ledger, _) = Ledger::open(&path, "c1").unwrap();
    let good = NewEntry { kind: "k".into(), data: json!(1), at: AT.into(), epoch: 0 };
    let bad = NewEntry { data: json!(1.5), ..good.clone() };
    assert!(matches!(ledger.append_many(vec![good, bad]), Err(LedgerError::Unfit(_))));
    assert_eq!(fs::metadata(&path).unwrap().len(), 0);
    assert_eq!(ledger.append("k", json!(1), AT, 0).unwrap().seq, 0);
}

#[test]
fn a_file_in_the_place_of_the_folder_and_a_folder_in_the_place_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), b"").unwrap();
    fs::create_dir(dir.path().join("folder")).unwrap();
    for path in ["file/ledger.jsonl", "folder"] {
        let error = Ledger::open(&dir.path().join(path), "c1").unwrap_err();
        assert!(error.to_string().contains(path.split('/').next().unwrap()), "{error}");
    }
    assert!(matches!(Ledger::read_only(&dir.path().join("none")), Err(LedgerError::File(_))));
}
