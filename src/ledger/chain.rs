//! Reading a ledger's bytes: every link checked, torn told from damaged. Pure.

use serde_json::Value;

use super::entry::{Entry, Head, SCHEMA, version_of};
use crate::model::{Digest, truncate_chars};

/// The first place at which a ledger is damaged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the ledger is broken at line {line} (entry {seq}): expected {expected}, found {found}")]
pub struct Broken {
    /// The line, from 1.
    pub line: u64,
    /// The sequence number that belongs there, from 0.
    pub seq: u64,
    /// Byte offset at which the line starts.
    pub offset: u64,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

/// A last line that a crash left unfinished. No effect depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TornTail {
    /// The beginning of an entry: this many bytes, to be cut off.
    Part {
        /// Length of the torn line.
        bytes: u64,
    },
    /// A whole entry that lacks only its line feed: to be kept.
    NoLineFeed,
}

/// What a ledger without damage holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The entries. One that lacks only its line feed is among them.
    pub entries: Vec<Entry>,
    /// Length of the whole lines, in bytes.
    pub whole_bytes: u64,
    /// A torn last line.
    pub torn: Option<TornTail>,
    /// The newest format version of any entry; 0 when there are none.
    pub newest_version: u32,
}

impl Summary {
    /// The end of the chain.
    pub fn head(&self) -> Head {
        head_of(&self.entries)
    }

    /// True if the ledger had exactly this head at some time: nothing up to there was removed or computed anew.
    pub fn extends(&self, pinned: &Head) -> bool {
        pinned.is_in(&self.entries)
    }
}

pub(super) fn head_of(entries: &[Entry]) -> Head {
    entries.last().map_or(Head::genesis(), |last| Head { entries: last.seq + 1, hash: last.hash })
}

/// Checks every link of a ledger. `bytes` is the whole file.
///
/// # Errors
/// The first damaged line, with what was expected and what was found. A torn last line is not damage.
pub fn verify(bytes: &[u8]) -> Result<Summary, Broken> {
    let mut summary = Summary { entries: Vec::new(), whole_bytes: 0, torn: None, newest_version: 0 };
    let mut rest = bytes;
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let entry = check_line(&rest[..end], &summary)?;
        summary.push(entry);
        summary.whole_bytes += end as u64 + 1;
        rest = &rest[end + 1..];
    }
    if rest.is_empty() {
        return Ok(summary);
    }
    match check_line(rest, &summary) {
        Ok(entry) => {
            summary.push(entry);
            summary.torn = Some(TornTail::NoLineFeed);
        }
        Err(_) if is_beginning(rest) => summary.torn = Some(TornTail::Part { bytes: rest.len() as u64 }),
        Err(broken) => return Err(broken),
    }
    Ok(summary)
}

impl Summary {
    fn push(&mut self, entry: Entry) {
        self.newest_version = self.newest_version.max(entry.version().unwrap_or(1));
        self.entries.push(entry);
    }
}

/// True if `tail` is what a cut-off write leaves: an object that ends too early, then possibly zero bytes.
fn is_beginning(tail: &[u8]) -> bool {
    let end = tail.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
    let part = &tail[..end];
    if part.is_empty() {
        return true;
    }
    part[0] == b'{' && serde_json::from_slice::<serde::de::IgnoredAny>(part).is_err_and(|error| error.is_eof())
}

/// Checks one line, without its line feed, as the one after those of `before`.
fn check_line(line: &[u8], before: &Summary) -> Result<Entry, Broken> {
    let head = before.head();
    let broken = |expected: String, found: String| Broken {
        line: head.entries + 1,
        seq: head.entries,
        offset: before.whole_bytes,
        expected,
        found,
    };
    let one_entry = || "one entry as canonical JSON".to_owned();
    if line.is_empty() {
        return Err(broken(one_entry(), "an empty line".into()));
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| broken(one_entry(), format!("no JSON ({error}): {}", excerpt(line))))?;
    // Equal bytes, not only an equal value: white space, key order, escapes and repeated keys are changes too.
    // The members of a `Value` are sorted, so its plain form is the canonical one (see `model::canonical_json`).
    if serde_json::to_vec(&value).ok().as_deref() != Some(line) {
        let found = if line.ends_with(b"\r") { "a carriage return at its end" } else { "another spelling of its JSON" };
        return Err(broken(one_entry(), found.into()));
    }
    let not_an_entry = |error: serde_json::Error| broken(one_entry(), format!("{error}: {}", excerpt(line)));
    let entry: Entry = Entry::deserialize_ref(&value).map_err(not_an_entry)?;
    if version_of(&entry.schema).is_none() {
        return Err(broken(format!("schema {SCHEMA}"), format!("schema {}", excerpt(entry.schema.as_bytes()))));
    }
    let hash = hash_of(value, &entry.schema).map_err(not_an_entry)?;
    if entry.hash != hash {
        return Err(broken(format!("hash {hash} (of its content)"), format!("hash {}", entry.hash)));
    }
    if entry.seq != head.entries {
        return Err(broken(format!("seq {}", head.entries), format!("seq {}", entry.seq)));
    }
    if entry.prev != head.hash {
        return Err(broken(format!("prev {}", head.hash), format!("prev {}", entry.prev)));
    }
    if let Some(first) = before.entries.first().filter(|first| first.campaign != entry.campaign) {
        return Err(broken(
            format!("campaign {}", excerpt(first.campaign.as_bytes())),
            format!("campaign {}", excerpt(entry.campaign.as_bytes())),
        ));
    }
    Ok(entry)
}

/// The hash over everything but `hash`, also over members that this version does not know.
fn hash_of(mut value: Value, schema: &str) -> Result<Digest, serde_json::Error> {
    if let Some(members) = value.as_object_mut() {
        members.remove("hash");
    }
    Ok(Digest::in_domain(schema, &serde_json::to_vec(&value)?))
}

/// The beginning of hostile bytes, short enough for a message. Made safe where it is shown.
fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(240)]).into_owned();
    format!("`{}`", truncate_chars(&text, 60))
}

impl Entry {
    fn deserialize_ref(value: &Value) -> Result<Self, serde_json::Error> {
        serde::Deserialize::deserialize(value)
    }
}

#[cfg(test)]
#[path = "chain_tests.rs"]
mod tests;
