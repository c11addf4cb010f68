//! The ledger for people: a table of entries, and the result of a verification.

use serde_json::{Value, json};

use super::output::{green, yellow};
use super::table::Table;
use crate::ledger::{Broken, Entry, Head, Summary, TornTail};
use crate::model::display_safe;

/// The entries as a table of at most `width` columns; the data is cut to one line.
pub fn entries_table(entries: &[&Entry], width: usize) -> String {
    let mut table = Table::new(&["SEQ", "AT", "EPOCH", "KIND", "DATA"]);
    for entry in entries {
        let (seq, epoch, data) = (entry.seq.to_string(), entry.epoch.to_string(), entry.data.to_string());
        table.row([seq.as_str(), &entry.at, &epoch, &entry.kind, &data]);
    }
    table.render(width)
}

/// What a verification found in a ledger that holds.
pub fn verification_text(summary: &Summary) -> String {
    let campaign = summary.entries.first().map_or("none yet", |entry| &entry.campaign);
    let mut text = format!("{} every link of the ledger is whole\n", green("held:"));
    text.push_str(&format!("campaign  {}\n", display_safe(campaign)));
    text.push_str(&format!("entries   {}\n", summary.entries.len()));
    text.push_str(&format!("head      {}\n", summary.head()));
    match summary.torn {
        None => {}
        Some(TornTail::Part { bytes }) => text.push_str(&format!(
            "{} the last line is torn ({bytes} bytes of an entry that was never finished); the next writer cuts it off\n",
            yellow("note:")
        )),
        Some(TornTail::NoLineFeed) => text.push_str(&format!(
            "{} the last entry lacks its line feed; the next writer adds it\n",
            yellow("note:")
        )),
    }
    text
}

/// The result of a verification as `greenloop.ledger_verification.v1`. `summary` is there when the chain is whole,
/// `broken` when it is not; `lost_pin` is a head that the chain should have had and never did.
pub fn verification_json(summary: Option<&Summary>, broken: Option<&Broken>, lost_pin: Option<&Head>) -> Value {
    json!({
        "schema": "greenloop.ledger_verification.v1",
        "ok": broken.is_none() && lost_pin.is_none(),
        "campaign": summary.and_then(|s| s.entries.first()).map(|entry| &entry.campaign),
        "head": summary.map(Summary::head),
        "torn": summary.and_then(|s| s.torn).map(|torn| match torn {
            TornTail::Part { bytes } => json!({ "kind": "part", "bytes": bytes }),
            TornTail::NoLineFeed => json!({ "kind": "no-line-feed", "bytes": 0 }),
        }),
        "broken": broken.map(|b| json!({ "line": b.line, "seq": b.seq, "expected": b.expected, "found": b.found })),
        "lost_pin": lost_pin,
    })
}
