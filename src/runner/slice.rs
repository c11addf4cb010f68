//! The close slice of a category: the cases that have to hold before its fix may land (loop.md §9). Conservative: what
//! cannot be decided is in, and if no slice can be built, the slice is the whole fixture.

use std::collections::BTreeSet;

use super::manifest::{Case, Manifest};
use crate::category_map::{CaseGlob, Category, CategoryMap};
use crate::model::CategoryId;

/// A retained regression, as far as a slice needs to know it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retained {
    /// Its id.
    pub id: String,
    /// The case that guards it.
    pub case: String,
    /// Claims that it threatened.
    pub claims: Vec<String>,
    /// Seams that it threatened.
    pub seams: Vec<String>,
}

/// Why a case is in a slice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The case names the category itself.
    Named,
    /// The case was assigned to the category in the frozen categorization.
    Assigned,
    /// The map's glob takes it.
    Glob(String),
    /// It guards a seam that the category touches.
    Seam(String),
    /// It supports a claim that the category touches.
    Claim(String),
    /// It covers a risk that the category touches.
    Risk(String),
    /// It guards a seam of a claim that the category touches, or the claim of a seam.
    Neighbour(String),
    /// It retains a regression that threatened a claim or a seam of the category.
    Retained(String),
    /// The slice is the whole fixture.
    WholeFixture,
}

impl Reason {
    /// In words.
    pub fn describe(&self) -> String {
        let quote = crate::diag::findings::quote;
        match self {
            Self::Named => "names the category".to_owned(),
            Self::Assigned => "was assigned to the category".to_owned(),
            Self::Glob(glob) => format!("its name matches {}", quote(glob)),
            Self::Seam(seam) => format!("guards the seam {}", quote(seam)),
            Self::Claim(claim) => format!("supports the claim {}", quote(claim)),
            Self::Risk(risk) => format!("covers the risk {}", quote(risk)),
            Self::Neighbour(name) => format!("guards {}, which belongs to what the category touches", quote(name)),
            Self::Retained(id) => format!("retains the regression {}", quote(id)),
            Self::WholeFixture => "the slice is the whole fixture".to_owned(),
        }
    }
}

/// The close slice of a category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// Cases in the order of the manifest, each with all reasons for which it is in.
    pub cases: Vec<(String, Vec<Reason>)>,
    /// Why it is the whole fixture, if no narrower slice could be built.
    pub whole_because: Option<String>,
}

/// Builds the slice. `assigned` are the cases that the frozen categorization assigned to the category.
pub fn close_slice(
    manifest: &Manifest,
    map: &CategoryMap,
    category: &CategoryId,
    assigned: &[&str],
    retained: &[Retained],
) -> Slice {
    let quote = crate::diag::findings::quote;
    let Some(entry) = map.categories.iter().find(|entry| entry.id == *category) else {
        return whole(manifest, format!("the map has no category {}", quote(category.as_str())));
    };
    let known: BTreeSet<&str> = manifest.cases.iter().map(|case| case.name.as_str()).collect();
    let globs: Vec<(&String, Option<CaseGlob>)> =
        entry.cases.iter().map(|glob| (glob, CaseGlob::new(glob).ok())).collect();
    if let Some((glob, _)) = globs.iter().find(|(_, compiled)| compiled.is_none()) {
        return whole(manifest, format!("the glob {} cannot be read", quote(glob)));
    }
    let is_own = |case: &Case| {
        let name = case.name.as_str();
        let globbed = || globs.iter().any(|(_, glob)| glob.as_ref().is_some_and(|glob| glob.is_match(name)));
        names(case, entry) || assigned.contains(&name) || globbed()
    };
    let touched = Touched::of(manifest, entry, is_own);
    if touched.claims.is_empty() && touched.seams.is_empty() {
        return whole(manifest, "neither the category nor its cases name a seam or a claim to close over".to_owned());
    }
    if let Some(lost) = assigned.iter().find(|name| !known.contains(*name)) {
        return whole(manifest, format!("the assigned case {} is not in the fixture", quote(lost)));
    }
    let relevant: Vec<&Retained> = retained.iter().filter(|regression| touched.meets(regression)).collect();
    if let Some(bare) = relevant.iter().find(|regression| regression.case.is_empty()) {
        return whole(manifest, format!("no case retains the regression {}", quote(&bare.id)));
    }
    if let Some(lost) = relevant.iter().find(|regression| !known.contains(regression.case.as_str())) {
        let (id, case) = (quote(&lost.id), quote(&lost.case));
        return whole(manifest, format!("the case {case} that retains the regression {id} is not in the fixture"));
    }
    let mut cases = Vec::new();
    for case in &manifest.cases {
        let name = case.name.as_str();
        let mut reasons = touched.reasons(case);
        if names(case, entry) {
            reasons.push(Reason::Named);
        }
        if assigned.contains(&name) {
            reasons.push(Reason::Assigned);
        }
        for (glob, compiled) in &globs {
            if compiled.as_ref().is_some_and(|compiled| compiled.is_match(name)) {
                reasons.push(Reason::Glob((*glob).clone()));
            }
        }
        let retains = relevant.iter().filter(|regression| regression.case == name);
        reasons.extend(retains.map(|regression| Reason::Retained(regression.id.clone())));
        reasons.sort();
        reasons.dedup();
        if !reasons.is_empty() {
            cases.push((name.to_owned(), reasons));
        }
    }
    let is_membership = |reason: &Reason| matches!(reason, Reason::Named | Reason::Assigned | Reason::Glob(_));
    let has_guard = cases.iter().any(|(_, reasons)| reasons.iter().any(|reason| !is_membership(reason)));
    if !has_guard {
        return whole(manifest, "no case guards a seam or a claim of the category".to_owned());
    }
    Slice { cases, whole_because: None }
}

/// The whole fixture as a slice, and why it cannot be narrower.
pub fn whole(manifest: &Manifest, because: String) -> Slice {
    let cases = manifest.cases.iter().map(|case| (case.name.as_str().to_owned(), vec![Reason::WholeFixture])).collect();
    Slice { cases, whole_because: Some(because) }
}

fn names(case: &Case, entry: &Category) -> bool {
    let is = |text: &Option<String>| text.as_deref().is_some_and(|text| text == entry.key || text == entry.id.as_str());
    is(&case.category) || is(&case.category_id)
}

/// What a category touches: what the map says of it, and what its own cases say of themselves.
struct Touched<'m> {
    seams: BTreeSet<&'m str>,
    claims: BTreeSet<&'m str>,
    risks: BTreeSet<&'m str>,
    /// Seams of those claims, and claims of those seams, by the manifest.
    near: BTreeSet<&'m str>,
}

impl<'m> Touched<'m> {
    fn of(manifest: &'m Manifest, entry: &'m Category, is_own: impl Fn(&Case) -> bool) -> Self {
        let texts = |list: &'m [String]| list.iter().map(String::as_str);
        let mut touched = Self {
            seams: texts(&entry.seams).collect(),
            claims: texts(&entry.supports_claims).collect(),
            risks: texts(&entry.risks).collect(),
            near: BTreeSet::new(),
        };
        // A fix for a category's own case changes what that case touches, whatever the map says.
        for case in manifest.cases.iter().filter(|case| is_own(case)) {
            touched.seams.extend(texts(&case.seams));
            touched.claims.extend(texts(&case.supports_claims));
        }
        for seam in &manifest.seams {
            let Some(claim) = seam.claim_id.as_deref() else { continue };
            if touched.claims.contains(claim) && !touched.seams.contains(seam.seam_id.as_str()) {
                touched.near.insert(seam.seam_id.as_str());
            }
            if touched.seams.contains(seam.seam_id.as_str()) && !touched.claims.contains(claim) {
                touched.near.insert(claim);
            }
        }
        touched
    }

    fn meets(&self, regression: &Retained) -> bool {
        let near = |name: &str| self.near.contains(name);
        // One that does not say what it threatened may have threatened anything.
        (regression.claims.is_empty() && regression.seams.is_empty())
            || regression.claims.iter().any(|claim| self.claims.contains(claim.as_str()) || near(claim))
            || regression.seams.iter().any(|seam| self.seams.contains(seam.as_str()) || near(seam))
    }

    fn reasons(&self, case: &Case) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for seam in &case.seams {
            if self.seams.contains(seam.as_str()) {
                reasons.push(Reason::Seam(seam.clone()));
            } else if self.near.contains(seam.as_str()) {
                reasons.push(Reason::Neighbour(seam.clone()));
            }
        }
        for claim in &case.supports_claims {
            if self.claims.contains(claim.as_str()) {
                reasons.push(Reason::Claim(claim.clone()));
            } else if self.near.contains(claim.as_str()) {
                reasons.push(Reason::Neighbour(claim.clone()));
            }
        }
        let risks = case.risks.iter().filter(|risk| self.risks.contains(risk.as_str()));
        reasons.extend(risks.map(|risk| Reason::Risk(risk.clone())));
        reasons
    }
}

#[cfg(test)]
#[path = "slice_tests.rs"]
mod tests;
