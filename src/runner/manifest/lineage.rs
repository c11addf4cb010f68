//! Reads what a manifest says about how a case came to be. A misspelled flag or hash would hide a change, so both are
//! checked here although nobody looks into the rest.

use std::collections::BTreeMap;

use crate::diag::findings::quote;
use crate::diag::json::Value;

use super::reader::{At, Reader, nearest};
use super::rule::{BAD_HASH, UNKNOWN_FLAG};
use super::words::MUTATION_FLAGS;

/// Fields of a case that say how it came to be.
pub(super) const FIELDS: [&str; 8] = [
    "generated_test_lineage",
    "generated_test",
    "provenance",
    "repair",
    "mutation_provenance",
    "external_result",
    "provider_result",
    "application_identity",
];

const HASHES: [&str; 4] = ["prior_test_source_sha256", "prior_oracle_sha256", "test_source_sha256", "oracle_sha256"];

/// Reads all of them.
pub(super) fn read(reader: &mut Reader, case: &At<'_>) -> BTreeMap<String, serde_json::Value> {
    let mut lineage = BTreeMap::new();
    for field in FIELDS {
        let Some(at) = case.get(field) else { continue };
        let what = format!("`{field}`");
        // A generated test may be named by a plain text; the others are objects that hold more.
        let free = matches!(field, "generated_test_lineage" | "generated_test" | "application_identity");
        if !free {
            if !reader.is_object(&at, &what) {
                continue;
            }
            if field == "mutation_provenance" {
                flags(reader, &at, &what);
            } else {
                for key in HASHES {
                    hash(reader, &at, key);
                }
                for key in ["mutations", "mutation_provenance"] {
                    if let Some(inner) = at.get(key) {
                        flags(reader, &inner, &format!("`{key}` of {what}"));
                    }
                }
            }
        }
        if let Some(value) = reader.as_json(&at, &what) {
            lineage.insert(field.to_owned(), value);
        }
    }
    lineage
}

fn flags(reader: &mut Reader, at: &At<'_>, what: &str) {
    if !reader.is_object(at, what) {
        return;
    }
    for member in at.node.members().unwrap_or_default() {
        let flag = at.of(member);
        if !MUTATION_FLAGS.contains(&member.key.as_str()) {
            let hint = match nearest(&member.key, &MUTATION_FLAGS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the flags are {}", MUTATION_FLAGS.join(", ")),
            };
            reader.add(
                &UNKNOWN_FLAG,
                &flag.spot(),
                format!("{what} has the unknown flag {}", quote(&member.key)),
                hint,
            );
        } else if !matches!(member.value.value, Value::Bool(_)) {
            reader.wrong_type(&flag, &format!("the flag `{}`", member.key), "true or false");
        }
    }
}

/// `sha256:` and 64 hexadecimal digits in lower case, or nothing.
pub(super) fn hash(reader: &mut Reader, object: &At<'_>, key: &str) -> Option<String> {
    let text = reader.text(object, key)?;
    let hex = text.strip_prefix("sha256:").unwrap_or_default();
    if hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        return Some(text);
    }
    let spot = object.get(key).map_or_else(|| object.start(), |at| at.spot());
    let hint = "write `sha256:` and 64 hexadecimal digits in lower case, as a report has them";
    reader.add(&BAD_HASH, &spot, format!("{} of `{key}` is no hash", quote(&text)), hint);
    None
}
