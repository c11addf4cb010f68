//! One entry: its members, its canonical line, its hash. The encoding is specified in the docs of [`super`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::Digest;

/// Name and version of the format that this program writes; also the domain of an entry's hash.
pub const SCHEMA: &str = "greenloop.ledger_entry.v1";

/// The name without the version number.
const SCHEMA_STEM: &str = "greenloop.ledger_entry.v";

/// The deepest nesting that `data` may have. The reader stops at 128 levels (the limit of `serde_json`), so what is
/// written stays clearly below.
const MAX_DEPTH: usize = 100;

/// One event, as it stands in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// The format: `greenloop.ledger_entry.v1`.
    #[serde(default = "first_schema")]
    pub schema: String,
    /// Position in the ledger, from 0.
    pub seq: u64,
    /// Hash of the entry before; zeros for the first one.
    #[schemars(with = "String")]
    pub prev: Digest,
    /// Hash of this entry.
    #[schemars(with = "String")]
    pub hash: Digest,
    /// When, as the caller said it (RFC 3339, UTC).
    pub at: String,
    /// The campaign that the ledger belongs to; the same in every entry.
    pub campaign: String,
    /// Epoch of the writer's lease.
    pub epoch: u64,
    /// What kind of event.
    pub kind: String,
    /// The event. Holds no fractions.
    pub data: Value,
}

fn first_schema() -> String {
    SCHEMA.to_owned()
}

/// An event that is to be appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// What kind of event.
    pub kind: String,
    /// The event.
    pub data: Value,
    /// When (RFC 3339, UTC); the ledger has no clock.
    pub at: String,
    /// Epoch of the writer's lease.
    pub epoch: u64,
}

/// The end of a ledger at one moment. Kept elsewhere, it pins everything up to there: removing entries from the end,
/// or computing the chain anew, is then found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Head {
    /// Number of entries.
    pub entries: u64,
    /// Hash of the last one; zeros when there is none.
    #[schemars(with = "String")]
    pub hash: Digest,
}

impl Head {
    /// The head of an empty ledger.
    pub const fn genesis() -> Self {
        Self { entries: 0, hash: Digest::zero() }
    }

    /// True if a ledger with these entries had exactly this head at some time.
    pub(super) fn is_in(&self, entries: &[Entry]) -> bool {
        if self.entries == 0 {
            return self.hash == Digest::zero();
        }
        let last = usize::try_from(self.entries - 1).ok().and_then(|at| entries.get(at));
        last.is_some_and(|entry| entry.hash == self.hash)
    }
}

/// `<entries>:<hash>`, as `ledger verify` prints it and takes it back.
impl std::fmt::Display for Head {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.entries, self.hash)
    }
}

/// A text that is not a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a number of entries, a colon, and a digest, as `greenloop ledger verify` prints them")]
pub struct HeadError;

impl std::str::FromStr for Head {
    type Err = HeadError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (entries, hash) = text.split_once(':').ok_or(HeadError)?;
        Ok(Self { entries: entries.parse().map_err(|_| HeadError)?, hash: hash.parse().map_err(|_| HeadError)? })
    }
}

/// Why a value cannot be the `data` of an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnfitData {
    /// A number with a fraction or exponent has no single spelling, so it cannot be hashed.
    #[error("the data holds the fraction {0}; write it as an integer of a smaller unit, or as a string")]
    Fraction(String),
    /// It could be written but not read again.
    #[error("the data is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

/// The members that are hashed, in canonical order.
#[derive(Serialize)]
struct Hashed<'a> {
    at: &'a str,
    campaign: &'a str,
    data: &'a Value,
    epoch: u64,
    kind: &'a str,
    prev: Digest,
    schema: &'a str,
    seq: u64,
}

/// The members of a line, in canonical order.
#[derive(Serialize)]
struct Line<'a> {
    at: &'a str,
    campaign: &'a str,
    data: &'a Value,
    epoch: u64,
    hash: Digest,
    kind: &'a str,
    prev: Digest,
    schema: &'a str,
    seq: u64,
}

impl Entry {
    /// Makes the next entry after `head`.
    pub(super) fn seal(new: NewEntry, campaign: &str, head: Head) -> Result<Self, UnfitData> {
        check_data(&new.data)?;
        let hashed = Hashed {
            at: &new.at,
            campaign,
            data: &new.data,
            epoch: new.epoch,
            kind: &new.kind,
            prev: head.hash,
            schema: SCHEMA,
            seq: head.entries,
        };
        let hash = Digest::in_domain(SCHEMA, &to_bytes(&hashed));
        Ok(Self {
            schema: SCHEMA.to_owned(),
            seq: head.entries,
            prev: head.hash,
            hash,
            at: new.at,
            campaign: campaign.to_owned(),
            epoch: new.epoch,
            kind: new.kind,
            data: new.data,
        })
    }

    /// Adds the canonical line, with its line feed.
    pub(super) fn write_line(&self, out: &mut Vec<u8>) {
        let line = Line {
            at: &self.at,
            campaign: &self.campaign,
            data: &self.data,
            epoch: self.epoch,
            hash: self.hash,
            kind: &self.kind,
            prev: self.prev,
            schema: &self.schema,
            seq: self.seq,
        };
        out.extend_from_slice(&to_bytes(&line));
        out.push(b'\n');
    }

    /// The version of the entry's format; `None` if `schema` does not name this format at all.
    pub fn version(&self) -> Option<u32> {
        version_of(&self.schema)
    }
}

/// The version in a schema name.
pub(super) fn version_of(schema: &str) -> Option<u32> {
    let digits = schema.strip_prefix(SCHEMA_STEM)?;
    let plain = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

fn to_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    // Invariant: `serde_json` fails only on map keys that are not strings and on failing writers.
    #[expect(clippy::expect_used, reason = "plain structs with string keys always serialize")]
    serde_json::to_vec(value).expect("an entry is plain data")
}

/// Refuses what could not be read back as the same bytes. Walks without recursion, so that depth cannot hurt it.
fn check_data(data: &Value) -> Result<(), UnfitData> {
    let mut open = vec![(data, 1)];
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            return Err(UnfitData::TooDeep);
        }
        match value {
            Value::Number(number) if !number.is_i64() && !number.is_u64() => {
                return Err(UnfitData::Fraction(number.to_string()));
            }
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::canonical_json;

    fn new(data: Value) -> NewEntry {
        NewEntry { kind: "note".into(), data, at: "2026-01-02T03:04:05Z".into(), epoch: 7 }
    }

    #[test]
    fn the_line_is_the_canonical_json_and_the_hash_is_over_it_without_hash() {
        let entry = Entry::seal(new(json!({"z": [1, -2], "a": "é\n\u{1}"})), "c1", Head::genesis()).unwrap();
        let mut line = Vec::new();
        entry.write_line(&mut line);
        assert_eq!(line.pop(), Some(b'\n'));
        assert_eq!(line, canonical_json(&entry).unwrap());
        let mut value = serde_json::to_value(&entry).unwrap();
        value.as_object_mut().unwrap().remove("hash");
        let mut hashed = b"greenloop.ledger_entry.v1\0".to_vec();
        hashed.extend(canonical_json(&value).unwrap());
        assert_eq!(entry.hash, Digest::of(&hashed));
        assert_eq!(entry.prev.hex(), "0".repeat(64));
    }

    #[test]
    fn the_encoding_does_not_drift() {
        let entry = Entry::seal(new(json!({"b": 1, "a": null})), "c1", Head::genesis()).unwrap();
        let mut line = Vec::new();
        entry.write_line(&mut line);
        insta::assert_snapshot!(String::from_utf8(line).unwrap());
    }

    #[test]
    fn unfit_data_is_refused() {
        let seal = |data| Entry::seal(new(data), "c", Head::genesis()).map(|_| ());
        assert_eq!(
            seal(json!({"cost": 0.5})).unwrap_err().to_string().split(';').next(),
            Some("the data holds the fraction 0.5")
        );
        assert_eq!(seal(json!([u64::MAX, i64::MIN])), Ok(()));
        let nested = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(seal(nested(MAX_DEPTH - 1)), Ok(()));
        assert_eq!(seal(nested(MAX_DEPTH)), Err(UnfitData::TooDeep));
    }

    #[test]
    fn heads_round_trip_as_text() {
        let head = Head { entries: 12, hash: Digest::of(b"x") };
        assert_eq!(head.to_string().parse(), Ok(head));
        for bad in ["", "12", "12:", ":blake3:", "-1:blake3:00", "12:blake3:00"] {
            assert_eq!(bad.parse::<Head>(), Err(HeadError), "{bad}");
        }
    }

    #[test]
    fn versions_are_read_strictly() {
        assert_eq!(version_of(SCHEMA), Some(1));
        assert_eq!(version_of("greenloop.ledger_entry.v12"), Some(12));
        for bad in ["greenloop.ledger_entry.v", "greenloop.ledger_entry.v01", "greenloop.ledger_entry.v1x", "other.v1"]
        {
            assert_eq!(version_of(bad), None, "{bad}");
        }
    }
}
