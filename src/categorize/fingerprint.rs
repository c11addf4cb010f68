//! The two fingerprints of loop.md §5. Both are BLAKE3 over canonical JSON in a named domain.

use std::io;

use serde::{Serialize, Serializer};

use super::signature;
use crate::model::{Digest, Hasher};

/// What the semantic fingerprint covers. Fields are declared in the order of their names, so that streaming the
/// value is already canonical JSON; a test compares it with [`crate::model::canonical_json`].
#[derive(Serialize)]
struct Semantic<'a, C: Serialize> {
    categories: C,
    map_version: &'a str,
    signature_version: &'a str,
}

#[derive(Serialize)]
struct SemanticCategory<'a> {
    category_id: &'a str,
    signatures: &'a [Digest],
}

/// Fingerprint of the failure state: active categories with their sorted signatures, map version, signature
/// version. No commit, no time, no id of a run. `categories` is sorted by id, each list of signatures sorted.
pub(super) fn semantic(categories: &[(&str, Vec<Digest>)], map_version: &str) -> Digest {
    let categories =
        Each(categories.iter().map(|(category_id, signatures)| SemanticCategory { category_id, signatures }));
    in_domain(
        "greenloop.semantic_fingerprint.v1",
        &Semantic { categories, map_version, signature_version: signature::VERSION },
    )
}

/// Fingerprint of one category's failure state; receipts on tickets carry it.
pub(super) fn of_category(category_id: &str, signatures: &[Digest], map_version: &str) -> Digest {
    let categories = [SemanticCategory { category_id, signatures }];
    in_domain(
        "greenloop.category_fingerprint.v1",
        &Semantic { categories, map_version, signature_version: signature::VERSION },
    )
}

/// The frozen inputs that the provenance fingerprint adds to the semantic one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// The campaign, if there is one.
    pub campaign: Option<String>,
    /// Digest of the lock file of the environment.
    pub environment_lock_digest: Option<String>,
    /// The commit that was evaluated.
    pub evaluated_sha: Option<String>,
    /// Digest of the fixture manifest.
    pub fixture_sha256: Option<String>,
    /// Digest of the map's bytes.
    pub map_digest: Option<Digest>,
    /// The map's version.
    pub map_version: String,
    /// Version of the runner that made the report.
    pub runner_version: Option<String>,
}

/// Fingerprint of the failure state together with everything it was made from.
pub(super) fn provenance(semantic: Digest, inputs: &Provenance) -> Digest {
    #[derive(Serialize)]
    struct Value<'a> {
        inputs: &'a Provenance,
        semantic_fingerprint: Digest,
    }
    in_domain("greenloop.provenance_fingerprint.v1", &Value { inputs, semantic_fingerprint: semantic })
}

/// Serializes an iterator as a list, without collecting it.
struct Each<I>(I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Each<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// Streams compact JSON into a hasher.
struct HashWriter(Hasher);

impl io::Write for HashWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The same as `Digest::in_domain(domain, canonical_json(value))` for values whose fields are sorted by name.
fn in_domain<T: Serialize>(domain: &str, value: &T) -> Digest {
    let mut writer = HashWriter(Hasher::new());
    writer.0.update(domain.as_bytes());
    writer.0.update(&[0]);
    // Invariant: writing to a hasher cannot fail, and the values here are plain structs with string keys.
    #[expect(clippy::expect_used, reason = "neither the writer nor the value can fail")]
    serde_json::to_writer(&mut writer, value).expect("plain data into a hasher");
    writer.0.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::canonical_json;

    #[test]
    fn streaming_is_canonical() {
        let signatures = vec![Digest::of(b"1"), Digest::of(b"2")];
        let value = serde_json::json!({
            "map_version": "7", "signature_version": signature::VERSION,
            "categories": [{"signatures": signatures, "category_id": "a:b:c"}],
        });
        let expected = Digest::in_domain("greenloop.semantic_fingerprint.v1", &canonical_json(&value).unwrap());
        assert_eq!(semantic(&[("a:b:c", signatures.clone())], "7"), expected);

        let inputs = Provenance { campaign: Some("c".into()), map_version: "7".into(), ..Provenance::default() };
        let value = serde_json::json!({"inputs": inputs, "semantic_fingerprint": expected});
        let canonical = Digest::in_domain("greenloop.provenance_fingerprint.v1", &canonical_json(&value).unwrap());
        assert_eq!(provenance(expected, &inputs), canonical);
    }

    #[test]
    fn each_part_counts() {
        let base = semantic(&[("a:b:c", vec![Digest::of(b"1")])], "1");
        assert_ne!(base, semantic(&[("a:b:c", vec![Digest::of(b"2")])], "1"));
        assert_ne!(base, semantic(&[("a:b:d", vec![Digest::of(b"1")])], "1"));
        assert_ne!(base, semantic(&[("a:b:c", vec![Digest::of(b"1")])], "2"));
        assert_ne!(of_category("a:b:c", &[Digest::of(b"1")], "1"), base, "domains differ");
    }
}
