//! The one comment that carries a ticket's receipts: a part for people and a part for the program. Later iterations
//! edit it; they add no further comments.

use super::BODY_UNITS;
use super::line::{code, plain, units};
use super::notes::{SHA_CHARS, count, iteration, short_sha};
use crate::model::Digest;
use crate::tracker::{Closure, MarkerError, Receipt};

/// What the machine-readable part begins with. Not `greenloop:`, so that it is never taken for a ticket's marker.
const BEGIN: &str = "<!-- greenloop-receipts:v1";
const END: &str = "-->";
/// Units for everything but the table and the machine-readable part: the first note always fits into it.
const FRAME_UNITS: usize = 6_000;
/// Length of the machine-readable part at most, in UTF-16 units.
pub const MACHINE_UNITS: usize = BODY_UNITS - FRAME_UNITS;
/// Of these units, what the frame takes beside the notes.
const FOLD_UNITS: usize = 500;
/// Units of the table: more of it nobody reads.
const TABLE_UNITS: usize = 20_000;
const HEADING: &str = "| Iteration | Report | Commit | Failing cases | Verdict |\n|---:|---|---|---:|---|\n";

/// The machine-readable part leaves no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the machine-readable receipts take {units} characters; {MACHINE_UNITS} fit into a comment")]
pub struct CommentTooLong {
    /// What they take, in UTF-16 units.
    pub units: usize,
}

/// The comment: the latest verdict, `notes` (made by this module, the most important first), the table of all receipts
/// folded away, and `machine`, a JSON document that [`receipts_block`] gives back. At most [`BODY_UNITS`] long; notes
/// beyond the first and the oldest rows are left out where there is no room.
///
/// # Errors
/// When `machine` is longer than [`MACHINE_UNITS`].
pub fn receipts_comment(receipts: &[Receipt], notes: &[String], machine: &str) -> Result<String, CommentTooLong> {
    // `<` and `>` stand in JSON only inside of strings, where an escape means the same. So no text ends the comment.
    let machine = machine.trim().replace('<', "\\u003c").replace('>', "\\u003e");
    let taken = units(&machine);
    if taken > MACHINE_UNITS {
        return Err(CommentTooLong { units: taken });
    }
    let room = BODY_UNITS - taken - FOLD_UNITS;
    let mut text = match receipts.last() {
        Some(latest) => {
            let head = latest.head.as_deref().map_or("an unnamed commit".to_owned(), short_sha);
            format!(
                "**Latest:** it {} at {head}{}: {}.\n",
                verdict(receipts, receipts.len() - 1),
                iteration(latest.iteration),
                count(latest.cases.len())
            )
        }
        None => "Nothing is recorded yet.\n".to_owned(),
    };
    for note in notes {
        let note = format!("\n{}\n", note.trim_end());
        if units(&text) + units(&note) + units(HEADING) <= room {
            text.push_str(&note);
        }
    }
    if !receipts.is_empty() {
        let (table, left_out) = receipts_table(receipts, (room - units(&text)).min(TABLE_UNITS));
        let count = receipts.len();
        text.push_str(&format!(
            "\n<details>\n<summary>{count} receipt{}, the latest first</summary>\n\n{table}",
            if count == 1 { "" } else { "s" }
        ));
        if left_out > 0 {
            text.push_str(&format!("\n… and {left_out} older: see the campaign's ledger.\n"));
        }
        text.push_str("\n</details>\n");
    }
    text.push_str(&format!(
        "\ngreenloop edits this comment in place; please leave it as it is.\n\n{BEGIN}\n{machine}\n{END}\n"
    ));
    Ok(text)
}

/// The JSON document in a comment of [`receipts_comment`], however people moved it; `None` if there is none.
///
/// # Errors
/// When it has no end, or there are two that differ.
pub fn receipts_block(comment: &str) -> Result<Option<&str>, MarkerError> {
    let mut found: Option<&str> = None;
    let mut rest = comment;
    while let Some((_, after)) = rest.split_once(BEGIN) {
        let (block, next) = after
            .split_once(END)
            .ok_or_else(|| MarkerError::Malformed { marker: BEGIN.to_owned(), why: "it has no end" })?;
        let block = block.trim();
        if found.is_some_and(|first| first != block) {
            let first = "a block of receipts".to_owned();
            return Err(MarkerError::Several { first, second: "another one".to_owned() });
        }
        found = Some(block);
        rest = next;
    }
    Ok(found)
}

/// The receipts as a table, the latest first, at most `max` units long, and how many did not fit.
pub fn receipts_table(receipts: &[Receipt], max: usize) -> (String, usize) {
    let mut table = HEADING.to_owned();
    let mut used = units(&table);
    for (at, receipt) in receipts.iter().enumerate().rev() {
        let number = if receipt.iteration == 0 { "–".to_owned() } else { receipt.iteration.to_string() };
        let failing = if fails(receipt) { receipt.cases.len() } else { 0 };
        let row = format!(
            "| {number} | {} | {} | {failing} | {} |\n",
            code(&receipt.report_digest.short(), SHA_CHARS),
            receipt.head.as_deref().map_or("–".to_owned(), short_sha),
            verdict(receipts, at),
        );
        used += units(&row);
        if used > max {
            return (table, at + 1);
        }
        table.push_str(&row);
    }
    (table, 0)
}

/// A receipt of passing cases has no fingerprint of failures.
fn fails(receipt: &Receipt) -> bool {
    receipt.category_fingerprint != Digest::zero()
}

/// What one receipt says, also next to the one before it.
fn verdict(receipts: &[Receipt], at: usize) -> &'static str {
    let receipt = &receipts[at];
    match at.checked_sub(1).map(|before| &receipts[before]) {
        _ if !fails(receipt) => "passes",
        Some(before) if before.category_fingerprint == receipt.category_fingerprint => "fails as before",
        Some(before) if !fails(before) => "fails again",
        Some(_) => "fails differently",
        None => "fails",
    }
}

/// How a ticket was proven gone, if not directly.
pub(super) fn manner(closure: &Closure) -> String {
    if closure.manner == "direct" {
        String::new()
    } else {
        let why = closure.manner.strip_prefix("indirect: ").unwrap_or(&closure.manner);
        format!("\n\nNot directly: {}.", plain(why, 300))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::CaseName;
    use crate::tracker::words::{closing_note, gfm};

    fn receipt(iteration: u32, head: &str, fingerprint: &[u8], cases: &[&str]) -> Receipt {
        Receipt {
            report_digest: Digest::of(format!("report {iteration}").as_bytes()),
            head: Some(head.to_owned()),
            iteration,
            category_fingerprint: if fingerprint.is_empty() { Digest::zero() } else { Digest::of(fingerprint) },
            provenance_fingerprint: Digest::of(b"p"),
            cases: cases.iter().map(|case| CaseName::from(*case)).collect(),
        }
    }

    fn closure(head: &str, manner: &str, slice: &[&str]) -> Closure {
        Closure {
            report_digest: Digest::of(b"report 4"),
            proven_head: head.to_owned(),
            iteration: 4,
            provenance_fingerprint: Digest::of(b"p"),
            slice: slice.iter().map(|case| CaseName::from(*case)).collect(),
            manner: manner.to_owned(),
            receipts: 4,
        }
    }

    #[test]
    fn what_people_see() {
        let receipts = [
            receipt(1, "0123456789abcdef0123", b"a", &["total", "tax"]),
            receipt(2, "1123456789abcdef0123", b"a", &["total", "tax"]),
            receipt(3, "2123456789abcdef0123", b"b", &["tax"]),
            receipt(4, "3123456789abcdef0123", b"", &["total", "tax"]),
        ];
        let closure = closure("3123456789abcdef0123", "direct", &["tax", "total"]);
        let comment = receipts_comment(&receipts, &[closing_note(&closure)], r#"{"note":"a --> b"}"#).unwrap();
        insta::assert_snapshot!(comment);
        assert_eq!(receipts_block(&comment), Ok(Some(r#"{"note":"a --\u003e b"}"#)));
        let parsed: serde_json::Value = serde_json::from_str(receipts_block(&comment).unwrap().unwrap()).unwrap();
        assert_eq!(parsed["note"], "a --> b");
    }

    #[test]
    fn it_stays_within_the_limit() {
        let many: Vec<Receipt> = (1..=5_000).map(|i| receipt(i, "0123456789abcdef", b"a", &["c"])).collect();
        let long = "🦀".repeat(5_000);
        let closure = closure(&long, &long, &vec![long.as_str(); 500]);
        let machine = format!("\"{}\"", "x".repeat(MACHINE_UNITS - 2));
        for machine in ["{}", machine.as_str()] {
            let notes = vec![closing_note(&closure); 30];
            let comment = receipts_comment(&many, &notes, machine).unwrap();
            assert!(comment.contains("**Closed: proven gone.**"), "the first note is never left out");
            assert!(units(&comment) <= BODY_UNITS, "{}", units(&comment));
            assert!(comment.contains("older: see the campaign's ledger"));
        }
        assert!(receipts_comment(&many, &[], &format!("{machine} x")).is_err());
        let two = "<!-- greenloop-receipts:v1 1 --><!-- greenloop-receipts:v1 2 -->";
        assert!(receipts_block(two).is_err() && receipts_block("<!-- greenloop-receipts:v1 1").is_err());
        assert_eq!(receipts_block("text"), Ok(None));
    }

    proptest! {
        #[test]
        fn no_data_changes_the_comment(head in gfm::hostile(), case in gfm::hostile(), how in gfm::hostile()) {
            let draw = |head: &str, case: &str, how: &str| {
                let machine = serde_json::json!({"head": head, "case": case}).to_string();
                let receipts = [receipt(1, head, b"a", &[case]), receipt(2, head, b"b", &[case])];
                receipts_comment(&receipts, &[closing_note(&closure(head, how, &[case]))], &machine).unwrap()
            };
            let comment = draw(&head, &case, &how);
            let drawn = gfm::draw(&comment);
            let harmless = gfm::draw(&draw("a", "b", "c"));
            prop_assert_eq!(&drawn.without_comments(), &harmless.without_comments(), "{}", comment);
            prop_assert_eq!(drawn.acting, Vec::<String>::new(), "{}", comment);
            let block: serde_json::Value = serde_json::from_str(receipts_block(&comment).unwrap().unwrap()).unwrap();
            prop_assert_eq!(&block["head"], &serde_json::json!(head));
        }
    }
}
