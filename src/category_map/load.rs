//! Loading: bytes to a valid map, or to everything that is wrong with them.

use super::build;
use super::place::{Findings, Spot};
use super::raw::RawMap;
use super::read;
use super::rules::{self, bad_json, bad_schema};
use super::types::CategoryMap;
use crate::diag::json::{self, Document, Hints};
use crate::diag::{Diagnostic, Severity};
use crate::model::Digest;

const HINTS: Hints = Hints {
    empty: "a category map is one JSON object; docs/category-maps.md has an example",
    deep: "a category map needs six levels",
};

/// What came of loading a map.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The map; there exactly when no finding is an error.
    pub map: Option<CategoryMap>,
    /// Everything that was found, in the order of the file, each with pointer, line, column and byte span.
    pub findings: Vec<Diagnostic>,
}

impl Loaded {
    /// Number of findings that are errors.
    pub fn errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error).count()
    }
}

/// Loads a map from the bytes of a file and checks every rule. `file` is the file's name as the user gave it; it stands
/// in every finding. Nothing is read from disk.
///
/// Costs time proportional to the file, to its dependencies, and to examples times patterns.
pub fn parse(file: &str, bytes: &[u8]) -> Loaded {
    let document = json::parse(bytes, HINTS);
    let (raw, findings) = inspect(file, &document);
    let valid = findings.iter().all(|finding| finding.severity != Severity::Error);
    let map = raw.filter(|_| valid).and_then(|raw| build::map(&raw, Digest::of(bytes)));
    Loaded { map, findings }
}

/// The raw view of a file and all findings about it.
fn inspect(file: &str, document: &Document<'_>) -> (Option<RawMap>, Vec<Diagnostic>) {
    let mut found = Findings::about(document.text);
    for fault in &document.faults {
        let spot = Spot { pointer: None, span: fault.span.clone() };
        found.add(&bad_json::RULE, &spot, fault.message.clone(), fault.hint.clone());
    }
    let raw = document.root.as_ref().map(|root| {
        let mut shape = Findings::about(document.text);
        let raw = read::map(root, &mut shape);
        // Of a document of another kind nothing but that can be said.
        if !bad_schema::is_other(&raw) {
            found.append(shape);
        }
        rules::check(root, &raw, &mut found);
        raw
    });
    (raw, found.into_diagnostics(file, document.text))
}

/// The raw view of a file, whatever is wrong with it, as long as it is JSON.
pub(super) fn lenient(bytes: &[u8]) -> Option<RawMap> {
    let document = json::parse(bytes, HINTS);
    let mut ignored = Findings::about(document.text);
    document.root.as_ref().map(|root| read::map(root, &mut ignored))
}
