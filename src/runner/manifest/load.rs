//! Loading: bytes to a valid manifest, or to everything that is wrong with them.

use std::collections::HashMap;

use crate::diag::findings::{Findings, Spot, quote};
use crate::diag::json::{self, Hints, Value};
use crate::diag::{Diagnostic, Severity};
use crate::runner::sha256;

use super::reader::{At, Reader, nearest};
use super::rule::{BAD_JSON, BAD_VERSION, DUPLICATE_KEY, DUPLICATE_NAME, EMPTY, UNKNOWN_CLAIM, UNKNOWN_SEAM};
use super::types::{Case, EvalKind, EvalTier, Manifest};
use super::{case, claims};

const HINTS: Hints = Hints {
    empty: "a fixture manifest is one JSON object with `version` 2 and `cases`",
    deep: "a fixture manifest needs eight levels",
};

const MANIFEST: [&str; 15] = [
    "version",
    "skill",
    "trials",
    "proof_scope",
    "claims",
    "capability_claims",
    "seams",
    "eval_kind",
    "eval_tier",
    "live",
    "mocked",
    "what_was_exercised",
    "what_remains_unverified",
    "application_identity",
    "cases",
];

/// Trials of a case when the manifest says none (contracts.md).
const DEFAULT_TRIALS: u32 = 3;
/// Most trials: beyond, a mistyped number would keep a machine busy for days.
const MAX_TRIALS: i64 = 10_000;
/// Most known names that a suggestion is looked for in.
const MAX_SUGGESTED: usize = 2_000;

/// What came of loading a manifest.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The manifest; there exactly when no finding is an error.
    pub manifest: Option<Manifest>,
    /// Everything that was found, in the order of the file, each with pointer, line, column and byte span.
    pub findings: Vec<Diagnostic>,
}

impl Loaded {
    /// Number of findings that are errors.
    pub fn errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error).count()
    }
}

/// Loads a manifest from the bytes of a file and checks every rule of loading. `file` is the file's name as the user
/// gave it; it stands in every finding. Absolute paths of artifacts are refused unless `file` is absolute, too, and
/// they lie inside its folder. Nothing is read from disk. Costs time proportional to the file.
pub fn parse(file: &str, bytes: &[u8]) -> Loaded {
    let folder = if file.starts_with('/') { file.rsplit_once('/').map(|(folder, _)| folder) } else { None };
    parse_in(file, folder, bytes)
}

/// Like [`parse`], with the manifest's folder as an absolute path, as far as it is known.
pub fn parse_in(file: &str, folder: Option<&str>, bytes: &[u8]) -> Loaded {
    let document = json::parse(bytes, HINTS);
    let mut reader = Reader { found: Findings::about(document.text) };
    for fault in &document.faults {
        let spot = Spot { pointer: None, span: fault.span.clone() };
        reader.found.add(&BAD_JSON, &spot, fault.message.clone(), fault.hint.clone());
    }
    let mut manifest = None;
    if let Some(root) = &document.root {
        for duplicate in json::duplicates(root) {
            let first = reader.found.line_of(duplicate.first);
            let message = format!("the key {} stands twice; first on line {first}", quote(duplicate.key));
            let spot = Spot::new(&duplicate.pointer, &duplicate.span);
            reader.add(&DUPLICATE_KEY, &spot, message, "rename or remove one of the two");
        }
        let at = At { node: root, pointer: String::new() };
        if is_ours(&mut reader, &at) {
            manifest = read(&mut reader, &at, folder, bytes);
        }
    }
    let findings = reader.found.into_diagnostics(file, document.text);
    let valid = findings.iter().all(|finding| finding.severity != Severity::Error);
    Loaded { manifest: manifest.filter(|_| valid), findings }
}

/// Of a document of another kind or version nothing but that can be said.
fn is_ours(reader: &mut Reader, at: &At<'_>) -> bool {
    if at.node.members().is_none() {
        let message = format!("a manifest must be an object, not {}", at.node.kind());
        reader.add(&super::rule::BAD_TYPE, &at.start(), message, HINTS.empty);
        return false;
    }
    let Some(version) = at.get("version") else {
        let hint = "write \"version\": 2; without it the file may be anything";
        reader.add(&BAD_VERSION, &at.start(), "the manifest has no `version`", hint);
        return false;
    };
    match &version.node.value {
        Value::Number(spelled) if &**spelled == "2" => true,
        Value::Number(spelled) => {
            let message = format!("version {} cannot be read", quote(spelled));
            reader.add(&BAD_VERSION, &version.spot(), message, "the version that is known here is the whole number 2");
            false
        }
        _ => {
            let message = format!("`version` must be the number 2, not {}", version.node.kind());
            reader.add(&BAD_VERSION, &version.spot(), message, "write \"version\": 2");
            false
        }
    }
}

fn read(reader: &mut Reader, at: &At<'_>, folder: Option<&str>, bytes: &[u8]) -> Option<Manifest> {
    reader.suspect_typos(at, &MANIFEST);
    let trials = at.get("trials").map_or(Some(i64::from(DEFAULT_TRIALS)), |trials| {
        reader.whole(&trials, "`trials`", (1, MAX_TRIALS), "one trial is the least; a gate asks for two")
    });
    let claim_items = reader.items(at, "capability_claims");
    let capability_claims: Vec<_> = claim_items.iter().filter_map(|item| claims::claim(reader, item)).collect();
    let seam_items = reader.items(at, "seams");
    let seams: Vec<_> = seam_items.iter().filter_map(|item| claims::seam(reader, item)).collect();
    let case_items = match reader.needed(at, "cases", "the manifest") {
        Some(cases) => {
            let items = reader.items_of(&cases, "`cases`");
            if cases.node.items().is_some_and(<[_]>::is_empty) {
                reader.add(&EMPTY, &cases.spot(), "`cases` is empty", "a manifest without a case says nothing");
            }
            items
        }
        None => Vec::new(),
    };
    let read = case_items.iter().enumerate();
    let cases: Vec<Case> = read.filter_map(|(index, item)| case::read(reader, item, index, folder)).collect();
    unique(reader, &claim_items, "id", "claims");
    unique(reader, &seam_items, "seam_id", "seams");
    unique(reader, &case_items, "name", "cases");
    let claim_ids = Known::of(&claim_items, "id");
    let seam_ids = Known::of(&seam_items, "seam_id");
    for item in &case_items {
        claim_ids.check(reader, item, "supports_claims");
        // Seams of a file that declares none are free words, for the category map to know.
        if !seam_ids.order.is_empty() {
            seam_ids.check_seams(reader, item);
        }
    }
    for item in &seam_items {
        if let Some(claim) = item.get("claim_id") {
            claim_ids.check_one(reader, &claim);
        }
    }
    Some(Manifest {
        fixture_sha256: sha256::prefixed(bytes),
        skill: reader.text(at, "skill"),
        trials: u32::try_from(trials?).ok()?,
        proof_scope: reader.text(at, "proof_scope"),
        claims: reader.object(at, "claims"),
        capability_claims,
        seams,
        eval_kind: reader.word(at, "eval_kind", &EvalKind::WORDS),
        eval_tier: reader.word(at, "eval_tier", &EvalTier::WORDS),
        live: reader.flag(at, "live"),
        mocked: reader.flag(at, "mocked"),
        what_was_exercised: reader.text(at, "what_was_exercised"),
        what_remains_unverified: reader.text(at, "what_remains_unverified"),
        application_identity: reader.any(at, "application_identity"),
        cases,
    })
}

/// Every name stands once.
fn unique(reader: &mut Reader, items: &[At<'_>], key: &str, what: &str) {
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let Some(Value::Text(name)) = item.node.get(key).map(|member| &member.value.value) else { continue };
        let Some(other) = first.get(name.as_str()).copied() else {
            first.insert(name, index);
            continue;
        };
        let line = items[other].node.get(key).map_or(1, |member| reader.found.line_of(member.value.span.start));
        let message = format!("two {what} have the {key} {}; first on line {line}", quote(name));
        let spot = item.get(key).map_or_else(|| item.start(), |at| at.spot());
        reader.add(&DUPLICATE_NAME, &spot, message, format!("it is what {what} are known by; rename one of the two"));
    }
}

/// The names that may be referred to.
struct Known<'n> {
    set: std::collections::HashSet<&'n str>,
    order: Vec<&'n str>,
}

impl<'n> Known<'n> {
    fn of(items: &[At<'n>], key: &str) -> Self {
        let text = |item: &At<'n>| match item.node.get(key).map(|member| &member.value.value) {
            Some(Value::Text(name)) => Some(name.as_str()),
            _ => None,
        };
        let order: Vec<&str> = items.iter().filter_map(text).collect();
        Self { set: order.iter().copied().collect(), order }
    }

    fn unknown<'m>(&self, at: &At<'m>) -> Option<(&'m str, Option<String>)> {
        let Value::Text(name) = &at.node.value else { return None };
        if name.is_empty() || self.set.contains(name.as_str()) {
            return None;
        }
        let known = &self.order[..self.order.len().min(MAX_SUGGESTED)];
        let near = (name.len() <= 200).then(|| nearest(name, known)).flatten();
        Some((name, near.map(|near| format!("did you mean {}?", quote(near)))))
    }

    fn check(&self, reader: &mut Reader, case: &At<'_>, key: &str) {
        for item in list(case, key) {
            self.check_one(reader, &item);
        }
    }

    fn check_one(&self, reader: &mut Reader, at: &At<'_>) {
        if let Some((name, hint)) = self.unknown(at) {
            let hint = hint.unwrap_or_else(|| "declare it in `capability_claims`, or remove it here".to_owned());
            reader.add(&UNKNOWN_CLAIM, &at.spot(), format!("there is no claim {}", quote(name)), hint);
        }
    }

    fn check_seams(&self, reader: &mut Reader, case: &At<'_>) {
        for item in list(case, "seams") {
            if let Some((name, hint)) = self.unknown(&item) {
                let hint = hint.unwrap_or_else(|| "declare it in `seams` of the manifest".to_owned());
                reader.add(&UNKNOWN_SEAM, &item.spot(), format!("there is no seam {}", quote(name)), hint);
            }
        }
    }
}

/// The items of a list, silently: what is wrong with them was said when they were read.
fn list<'n>(object: &At<'n>, key: &str) -> Vec<At<'n>> {
    let Some(at) = object.get(key) else { return Vec::new() };
    let items = at.node.items().unwrap_or_default().iter().enumerate();
    items.map(|(index, node)| At { node, pointer: format!("{}/{index}", at.pointer) }).collect()
}
