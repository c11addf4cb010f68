//! Laws of the chain: any change is found, any cut is told from damage.

use proptest::prelude::*;
use serde_json::json;

use super::super::entry::NewEntry;
use super::*;
use crate::model::canonical_json;

fn sample(count: u64) -> Vec<u8> {
    let mut entries = Vec::new();
    let mut bytes = Vec::new();
    for n in 0..count {
        let data = json!({"n": n, "text": "häßlich \u{1f980}\n", "list": [null, true, {"deep": []}]});
        let new = NewEntry { kind: format!("kind-{n}"), data, at: "2026-01-02T03:04:05Z".into(), epoch: n };
        let entry = Entry::seal(new, "c1", head_of(&entries)).unwrap();
        entry.write_line(&mut bytes);
        entries.push(entry);
    }
    bytes
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
}

#[test]
fn a_whole_ledger_holds() {
    let summary = verify(&sample(5)).unwrap();
    assert_eq!((summary.entries.len(), summary.torn, summary.newest_version), (5, None, 1));
    assert_eq!(summary.whole_bytes, sample(5).len() as u64);
    assert!(summary.extends(&Head::genesis()) && summary.extends(&verify(&sample(3)).unwrap().head()));
    assert_eq!(verify(b"").unwrap().head(), Head::genesis());
}

/// Every bit of every byte, not a sample of them.
#[test]
fn every_flipped_bit_is_found() {
    let whole = sample(3);
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            assert!(verify(&bytes).is_err(), "bit {bit} of byte {at} ({:?})", char::from(whole[at]));
        }
    }
}

proptest! {
    #[test]
    fn every_replaced_byte_is_found(at in any::<prop::sample::Index>(), by in any::<u8>()) {
        let mut bytes = sample(4);
        let at = at.index(bytes.len());
        prop_assume!(bytes[at] != by);
        bytes[at] = by;
        prop_assert!(verify(&bytes).is_err());
    }

    #[test]
    fn every_inserted_or_removed_byte_is_found(at in any::<prop::sample::Index>(), by in any::<u8>()) {
        let whole = sample(3);
        let at = at.index(whole.len() - 1);
        let mut longer = whole.clone();
        longer.insert(at, by);
        prop_assert!(verify(&longer).is_err());
        let mut shorter = whole;
        shorter.remove(at);
        prop_assert!(verify(&shorter).is_err());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = verify(&bytes);
    }
}

/// A cut anywhere: all whole lines survive; the rest is torn, and never damage.
#[test]
fn every_cut_is_recoverable() {
    let whole = sample(3);
    let ends: Vec<usize> = whole.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).collect();
    for cut in 0..whole.len() {
        let summary = verify(&whole[..cut]).unwrap();
        let before = ends.iter().filter(|end| **end <= cut).count();
        let whole_bytes = if before == 0 { 0 } else { ends[before - 1] };
        assert_eq!(summary.whole_bytes, whole_bytes as u64);
        if ends.contains(&(cut + 1)) {
            assert_eq!((summary.torn, summary.entries.len()), (Some(TornTail::NoLineFeed), before + 1));
        } else if cut == whole_bytes {
            assert_eq!(summary.torn, None);
        } else {
            let bytes = (cut - whole_bytes) as u64;
            assert_eq!((summary.torn, summary.entries.len()), (Some(TornTail::Part { bytes }), before));
        }
        // Some file systems leave zero bytes where data never arrived.
        if !ends.contains(&(cut + 1)) {
            let mut zeroed = whole[..cut].to_vec();
            zeroed.extend([0; 40]);
            assert!(matches!(verify(&zeroed).unwrap().torn, Some(TornTail::Part { .. })), "cut {cut}");
        }
    }
}

#[test]
fn an_acknowledged_entry_is_never_taken_for_a_torn_one() {
    let mut whole = sample(2);
    whole.pop();
    for by in [b' ', b'\r', b'\t', 0, b'x', b'}', 0x8a] {
        let mut bytes = whole.clone();
        bytes.push(by);
        assert_eq!(verify(&bytes).unwrap_err().line, 2, "{by}");
    }
    whole.extend(b"}garbage");
    assert!(verify(&whole).is_err());
}

#[test]
fn lines_cannot_be_moved_removed_repeated_or_inserted() {
    let all = lines(&sample(4));
    let broken_at = |order: &[usize]| {
        let bytes: Vec<u8> = order.iter().flat_map(|at| all[*at].clone()).collect();
        verify(&bytes).map(|_| ()).map_err(|broken| broken.line)
    };
    assert_eq!(broken_at(&[0, 2, 3]), Err(2), "removed in the middle");
    assert_eq!(broken_at(&[1, 2, 3]), Err(1), "removed at the beginning");
    assert_eq!(broken_at(&[0, 2, 1, 3]), Err(2), "moved");
    assert_eq!(broken_at(&[0, 1, 1, 2, 3]), Err(3), "repeated");
    // Removal from the end is not in the chain; a pinned head shows it.
    assert_eq!(broken_at(&[0, 1]), Ok(()));
    let pinned = verify(&all.concat()).unwrap().head();
    assert!(!verify(&all[..2].concat()).unwrap().extends(&pinned));
}

#[test]
fn other_spellings_are_damage() {
    let text = String::from_utf8(sample(2)).unwrap();
    let mut respelled = vec![
        text.replace('\n', "\r\n"),
        text.replacen('\n', "\n\n", 1),
        text.replacen('\n', " \n", 1),
        text.replacen(r#"{"at""#, r#"{ "at""#, 1),
        text.replacen("ä", "\\u00e4", 1),
        text.replacen(r#""epoch":0"#, r#""epoch":0,"epoch":0"#, 1),
        text.replacen(r#""epoch":0"#, r#""epoch":-0"#, 1),
        text.replacen(r#""epoch":0"#, r#""epoch":0.0"#, 1),
        format!("\u{feff}{text}"),
        format!("{text}\n"),
        format!("{text}null\n"),
        "[".repeat(100_000) + "\n",
    ];
    respelled.push(text.replacen(r#""epoch":0"#, r#""epoch":1e400"#, 1));
    for bytes in respelled {
        let broken = verify(bytes.as_bytes()).unwrap_err();
        assert!(broken.line <= 3, "{broken}");
    }
}

#[test]
fn a_recomputed_chain_is_found_against_a_pinned_head() {
    let pinned = verify(&sample(3)).unwrap().head();
    let mut entries = Vec::new();
    for n in 0..5 {
        let new = NewEntry { kind: "forged".into(), data: json!(n), at: String::new(), epoch: 0 };
        entries.push(Entry::seal(new, "c1", head_of(&entries)).unwrap());
    }
    let mut bytes = Vec::new();
    for entry in &entries {
        entry.write_line(&mut bytes);
    }
    let forged = verify(&bytes).unwrap();
    assert!(!forged.extends(&pinned) && forged.extends(&forged.head()));
}

#[test]
fn members_of_newer_versions_are_hashed_and_read() {
    let mut value = json!({
        "schema": "greenloop.ledger_entry.v2", "seq": 0, "prev": Digest::zero(), "at": "t", "campaign": "c1",
        "epoch": 0, "kind": "k", "data": null, "extra": {"new": true},
    });
    let hash = Digest::in_domain("greenloop.ledger_entry.v2", &canonical_json(&value).unwrap());
    value["hash"] = json!(hash);
    let mut bytes = canonical_json(&value).unwrap();
    bytes.push(b'\n');
    assert_eq!(verify(&bytes).unwrap().newest_version, 2);
    let changed = String::from_utf8(bytes).unwrap().replace("true", "null");
    assert!(verify(changed.as_bytes()).unwrap_err().expected.starts_with("hash "));
}

#[test]
fn the_message_says_where_what_and_what_instead() {
    let text = String::from_utf8(sample(3)).unwrap().replacen("kind-1", "kind-x", 1);
    let message = verify(text.as_bytes()).unwrap_err().to_string();
    assert!(message.starts_with("the ledger is broken at line 2 (entry 1): expected hash blake3:"), "{message}");
}
