//! From a raw view without errors to the loaded value.

use super::raw::{RawCategory, RawDependency, RawMap, RawRetired, RawSignature, Text};
use super::types::{Category, CategoryMap, Dependency, Retired, RetiredKind, SignaturePattern, Stream};
use crate::model::{CategoryId, Digest, RepoSlug};

/// The loaded map. `None` only if a rule that makes a part required reported an error, so that the caller never asks.
pub(super) fn map(raw: &RawMap, digest: Digest) -> Option<CategoryMap> {
    let mut categories = raw.categories().iter().map(category).collect::<Option<Vec<_>>>()?;
    categories.sort_by(|a, b| a.id.cmp(&b.id));
    Some(CategoryMap {
        repo: RepoSlug::parse(&raw.repo.get()?.value)?,
        map_version: raw.map_version.get()?.value.clone(),
        digest,
        categories,
        retired: raw.retired.iter().map(retired).collect::<Option<_>>()?,
    })
}

/// Label of a category whose map gives none: `eval-cat-<name>`.
pub(super) fn derived_label(id: &CategoryId) -> String {
    format!("eval-cat-{}", id.name())
}

fn category(raw: &RawCategory) -> Option<Category> {
    let id: CategoryId = raw.id_text()?.parse().ok()?;
    let label = raw.label.get().filter(|label| !label.is_blank());
    let mut depends_on = raw.depends_on.iter().map(dependency).collect::<Option<Vec<_>>>()?;
    depends_on.sort_by(|a, b| a.category_id.cmp(&b.category_id));
    Some(Category {
        key: raw.key.clone(),
        label: label.map_or_else(|| derived_label(&id), |label| label.value.clone()),
        id,
        defect: raw.defect.get()?.value.clone(),
        expected: raw.expected.get().filter(|text| !text.is_blank()).map(|text| text.value.clone()),
        supports_claims: values(&raw.supports_claims),
        seams: values(&raw.seams),
        risks: values(&raw.risks),
        cases: values(&raw.cases),
        signatures: raw.signatures.iter().map(signature).collect::<Option<_>>()?,
        depends_on,
    })
}

fn values(texts: &[Text]) -> Vec<String> {
    texts.iter().map(|text| text.value.clone()).collect()
}

fn dependency(raw: &RawDependency) -> Option<Dependency> {
    Some(Dependency {
        category_id: raw.target.get()?.value.parse().ok()?,
        rationale: raw.rationale.get()?.value.clone(),
    })
}

fn signature(raw: &RawSignature) -> Option<SignaturePattern> {
    let stream = match raw.stream.get() {
        None => None,
        Some(text) => Some(stream(&text.value)?),
    };
    Some(SignaturePattern { id: raw.id.get()?.value.clone(), pattern: raw.pattern.get()?.value.clone(), stream })
}

/// The stream that a map names.
pub(super) fn stream(text: &str) -> Option<Stream> {
    match text {
        "problems" => Some(Stream::Problems),
        "stdout" => Some(Stream::Stdout),
        "stderr" => Some(Stream::Stderr),
        _ => None,
    }
}

fn retired(raw: &RawRetired) -> Option<(CategoryId, Retired)> {
    let kind = retired_kind(&raw.kind.get()?.value)?;
    let into = raw.into.iter().map(|id| id.value.parse().ok()).collect::<Option<_>>()?;
    Some((raw.id.parse().ok()?, Retired { kind, into, reason: raw.reason.get()?.value.clone() }))
}

/// The end of a category that a map names.
pub(super) fn retired_kind(text: &str) -> Option<RetiredKind> {
    match text {
        "split" => Some(RetiredKind::Split),
        "merged" => Some(RetiredKind::Merged),
        "removed" => Some(RetiredKind::Removed),
        _ => None,
    }
}
