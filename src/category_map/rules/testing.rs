//! Helpers for the tests of rules.

use crate::category_map::parse;
use crate::diag::Diagnostic;

/// Wraps entries of `categories` into an otherwise valid map of `o/r`.
pub(super) fn map_with(categories: &str) -> String {
    map_and(categories, "")
}

/// The same with more top-level members, each led by a comma.
pub(super) fn map_and(categories: &str, more: &str) -> String {
    format!(
        "{{\"schema\": \"agentic_evals.category_map.v1\", \"repo\": \"o/r\", \"map_version\": \"1\", \
         \"categories\": {{{categories}}}{more}}}"
    )
}

/// A complete category named `name` with more members, each led by a comma.
pub(super) fn category(name: &str, more: &str) -> String {
    format!(
        "\"{name}\": {{\"category_id\": \"n:r:{name}\", \"label\": \"cat-{name}\", \"defect\": \"d\", \
         \"expected\": \"e\"{more}}}"
    )
}

/// Complete categories, joined.
pub(super) fn categories(entries: &[(&str, &str)]) -> String {
    entries.iter().map(|(name, more)| category(name, more)).collect::<Vec<_>>().join(",\n")
}

/// All findings about a text.
pub(super) fn findings(text: &str) -> Vec<Diagnostic> {
    let loaded = parse("map.json", text.as_bytes());
    assert_eq!(loaded.map.is_none(), loaded.errors() > 0, "a map is there exactly when nothing is an error");
    loaded.findings
}

/// Code and pointer of all findings.
pub(super) fn codes(text: &str) -> Vec<(&'static str, String)> {
    findings(text).into_iter().map(|f| (f.code, f.place.pointer.unwrap_or_default())).collect()
}

/// The only finding about a text.
pub(super) fn only(text: &str) -> Diagnostic {
    let mut all = findings(text);
    assert_eq!(all.len(), 1, "{all:#?}");
    all.remove(0)
}

/// Asserts that there is no finding at all.
pub(super) fn clean(text: &str) {
    assert_eq!(findings(text), []);
}
