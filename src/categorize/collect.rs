//! Categorizes a report while it is read. Memory grows with the failing cases, not with the report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::categorization::{
    ActiveCategory, Ambiguous, Assignment, Categorization, Counts, Excerpt, MapFacts, NotGreen, ReportFacts,
    Unclassified, Watch, WatchedOutcome,
};
use super::decide::{Decision, decide};
use super::fingerprint::{self, Provenance};
use super::fold;
use super::index::{Index, IndexError};
use super::nearest::nearest;
use super::signature;
use crate::category_map::CategoryMap;
use crate::model::{CaseName, Digest, Outcome, Readiness, truncate_chars};
use crate::report::{self, Case, Evidence, Header, ReportError, ReportSource, Tally};

/// Problems shown of one case.
const PROBLEMS_SHOWN: usize = 3;
/// Characters shown of one problem.
const PROBLEM_CHARS: usize = 300;
/// Cases shown of one category.
const CASES_SHOWN: usize = 20;
/// Unclassified cases for which the nearest rule is looked up: the search costs the map for each.
const NEAREST_LOOKED_UP: usize = 1_000;

/// Why a report could not be categorized.
#[derive(Debug, thiserror::Error)]
pub enum CategorizeError {
    /// The report cannot be read.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The map cannot be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Reads and categorizes `source`. Reports that are incomplete or hold unclassified failures are categorized too:
/// the result says so.
///
/// # Errors
/// When the report cannot be read at all, or the map's patterns are too large together.
pub fn categorize(source: &ReportSource, map: &CategoryMap, watch: &Watch) -> Result<Categorization, CategorizeError> {
    let mut collector = Collector::new(map, watch)?;
    let (header, tally, digest) = report::read(source, &mut |case| collector.case(case))?;
    Ok(collector.finish(header, &tally, digest))
}

struct Collector<'m> {
    map: &'m CategoryMap,
    index: Index<'m>,
    watch: &'m Watch,
    assignments: Vec<Assignment>,
    rules: BTreeSet<Arc<str>>,
    excerpts: BTreeMap<u32, Vec<Excerpt>>,
    unclassified: Vec<Unclassified>,
    ambiguous: Vec<Ambiguous>,
    not_green: Vec<NotGreen>,
    watched: BTreeMap<CaseName, WatchedOutcome>,
    counts: Counts,
}

impl<'m> Collector<'m> {
    fn new(map: &'m CategoryMap, watch: &'m Watch) -> Result<Self, IndexError> {
        Ok(Self {
            map,
            index: Index::new(map)?,
            watch,
            assignments: Vec::new(),
            rules: BTreeSet::new(),
            excerpts: BTreeMap::new(),
            unclassified: Vec::new(),
            ambiguous: Vec::new(),
            not_green: Vec::new(),
            watched: BTreeMap::new(),
            counts: Counts::default(),
        })
    }

    fn case(&mut self, case: &Case<'_>) -> Result<(), ReportError> {
        if !self.watch.cases.is_empty()
            && let Some(name) = self.watch.cases.get(&*case.name)
        {
            let outcome = WatchedOutcome { outcome: case.outcome, required: case.required, flaky: case.flaky };
            self.watched.insert(name.clone(), outcome);
        }
        self.counts.flaky_required += u64::from(case.flaky && case.required);
        match (case.outcome, case.required) {
            (Outcome::Fail, true) => return self.failing(case),
            (Outcome::Fail, false) => self.counts.advisory += 1,
            (Outcome::Blocked, true) => {
                let reason = case.first_problem().unwrap_or("the report gives no reason");
                self.not_green("blocked", case, reason);
            }
            (Outcome::NotTested, true) => self.not_green("not_tested", case, "it did not run"),
            (Outcome::Pass, true) if case.flaky => self.not_green("flaky", case, "its trials disagree"),
            _ => {}
        }
        Ok(())
    }

    fn not_green(&mut self, kind: &str, case: &Case<'_>, reason: &str) {
        let reason = truncate_chars(reason, PROBLEM_CHARS).into_owned();
        self.not_green.push(NotGreen { kind: kind.to_owned(), name: case.name.to_string(), reason });
    }

    fn failing(&mut self, case: &Case<'_>) -> Result<(), ReportError> {
        self.counts.failing_cases += 1;
        let evidence = case.evidence()?;
        let name = CaseName::from(&*case.name);
        let problems = || evidence.problems.iter().map(|problem| &**problem);
        let signature = signature::case_signature(&name, problems());
        match decide(self.map, &self.index, case, &evidence) {
            Decision::Assigned { category, decided_by, rule } => {
                let shown = self.excerpts.entry(category).or_default();
                if shown.len() < CASES_SHOWN {
                    shown.push(Excerpt { case: name.clone(), problems: shown_problems(&evidence) });
                }
                let rule = self.share(rule);
                let problems_hash = if evidence.problems.is_empty() { 0 } else { short_hash(problems()) };
                self.assignments.push(Assignment {
                    case: name,
                    category,
                    decided_by,
                    rule,
                    signature,
                    problems_hash,
                    flaky: case.flaky,
                });
            }
            Decision::Unclassified => {
                let nearest = self.nearest(case, &evidence);
                self.unclassified(name, signature, &evidence, nearest);
            }
            Decision::UnknownCategory { named } => {
                let nearest = format!("the case names the category {named}, which the map does not have");
                self.unclassified(name, signature, &evidence, nearest);
            }
            Decision::Ambiguous { candidates, reason } => {
                let candidates = candidates
                    .into_iter()
                    .map(|(category, rule)| (self.map.categories[category as usize].id.clone(), rule))
                    .collect();
                self.ambiguous.push(Ambiguous { case: name, signature, candidates, reason });
            }
        }
        Ok(())
    }

    fn nearest(&self, case: &Case<'_>, evidence: &Evidence<'_>) -> String {
        if self.unclassified.len() < NEAREST_LOOKED_UP {
            nearest(self.map, case, evidence)
        } else {
            format!("not looked up: more than {NEAREST_LOOKED_UP} cases are unclassified")
        }
    }

    fn unclassified(&mut self, case: CaseName, signature: Digest, evidence: &Evidence<'_>, nearest: String) {
        self.unclassified.push(Unclassified { case, signature, problems: shown_problems(evidence), nearest });
    }

    /// One copy of a rule's text for all cases that it decides.
    fn share(&mut self, rule: String) -> Arc<str> {
        if let Some(shared) = self.rules.get(rule.as_str()) {
            return shared.clone();
        }
        let shared: Arc<str> = rule.into();
        self.rules.insert(shared.clone());
        shared
    }

    fn finish(mut self, header: Header, tally: &Tally, digest: Digest) -> Categorization {
        self.assignments.sort_unstable_by(|a, b| a.case.cmp(&b.case));
        self.unclassified.sort_by(|a, b| a.case.cmp(&b.case));
        self.ambiguous.sort_by(|a, b| a.case.cmp(&b.case));
        let parents = fold::repeating_parents(&self.assignments);
        let active = self.active(&parents);
        let incomplete_because = report::incomplete_because(&header, tally);
        self.add_header_blockers(&header);
        self.not_green.sort();

        let count = |list: usize| list as u64;
        self.counts = Counts {
            cases: tally.cases,
            required: tally.required,
            folded: count(parents.len()),
            failing: self.counts.failing_cases - count(parents.len()),
            assigned: count(self.assignments.len() - parents.len()),
            unclassified: count(self.unclassified.len()),
            ambiguous: count(self.ambiguous.len()),
            blocked: tally.required_of(Outcome::Blocked),
            not_tested: tally.required_of(Outcome::NotTested),
            flaky: tally.flaky,
            ..self.counts
        };
        let states: Vec<(&str, Vec<Digest>)> =
            active.iter().map(|a| (a.category_id.as_str(), self.signatures_of(a))).collect();
        let semantic_fingerprint = fingerprint::semantic(&states, &self.map.map_version);
        let provenance = Provenance {
            campaign: self.watch.campaign.clone(),
            environment_lock_digest: header.environment_lock_digest,
            evaluated_sha: self.watch.evaluated_sha.clone().or_else(|| header.repo_sha.clone()),
            fixture_sha256: header.fixture_sha256.clone(),
            map_digest: Some(self.map.digest),
            map_version: self.map.map_version.clone(),
            runner_version: header.runner_version,
        };
        let folded = parents
            .iter()
            .map(|(parent, child)| {
                (self.assignments[*parent as usize].case.clone(), self.assignments[*child as usize].case.clone())
            })
            .collect();
        Categorization {
            report: ReportFacts {
                digest,
                schema: header.schema.map_or("", |schema| schema.id()),
                run_id: header.run_id,
                fixture_sha256: header.fixture_sha256,
                repo_sha: header.repo_sha,
                repo_ref: header.repo_ref,
                generated_at: header.generated_at,
                readiness: header.readiness,
                incomplete_because,
            },
            map: MapFacts {
                digest: self.map.digest,
                map_version: self.map.map_version.clone(),
                repo: self.map.repo.to_string(),
            },
            counts: self.counts,
            active,
            assignments: self.assignments,
            unclassified: self.unclassified,
            ambiguous: self.ambiguous,
            folded,
            not_green: self.not_green,
            watched: self.watched,
            semantic_fingerprint,
            provenance_fingerprint: fingerprint::provenance(semantic_fingerprint, &provenance),
            provenance,
        }
    }

    /// Active categories, sorted by id because the map is.
    fn active(&mut self, parents: &BTreeMap<u32, u32>) -> Vec<ActiveCategory> {
        let mut cases: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (at, assignment) in (0..).zip(&self.assignments) {
            cases.entry(assignment.category).or_default().push(at);
        }
        cases
            .into_iter()
            .map(|(category, cases)| {
                let folded = cases.iter().filter(|case| parents.contains_key(case)).count();
                let category_id = self.map.categories[category as usize].id.clone();
                let mut active = ActiveCategory {
                    failures: cases.len() - folded,
                    flaky: cases.iter().filter(|case| self.assignments[**case as usize].flaky).count(),
                    fingerprint: Digest::zero(),
                    excerpts: self.excerpts.remove(&category).unwrap_or_default(),
                    category_id,
                    category,
                    cases,
                };
                active.fingerprint = fingerprint::of_category(
                    active.category_id.as_str(),
                    &self.signatures_of(&active),
                    &self.map.map_version,
                );
                active
            })
            .collect()
    }

    /// Sorted, distinct signatures of a category.
    fn signatures_of(&self, active: &ActiveCategory) -> Vec<Digest> {
        let mut signatures: Vec<Digest> =
            active.cases.iter().map(|case| self.assignments[*case as usize].signature).collect();
        signatures.sort_unstable();
        signatures.dedup();
        signatures
    }

    /// Claims that are not proven, and a readiness that no failing case explains.
    fn add_header_blockers(&mut self, header: &Header) {
        for claim in header.capability_claims.iter().filter(|claim| claim.required && claim.verdict != "PROVEN") {
            self.not_green.push(NotGreen {
                kind: "claim".to_owned(),
                name: claim.id.clone(),
                reason: format!("its verdict is {}", claim.verdict),
            });
        }
        let explained = self.counts.failing_cases > 0;
        for (field, readiness) in [
            ("readiness", header.readiness),
            ("case_readiness", header.case_readiness),
            ("capability_readiness", header.capability_readiness),
        ] {
            let Some(readiness) = readiness.filter(|readiness| *readiness != Readiness::Ready) else { continue };
            // A claim is never explained by a failing case; overall and case readiness are.
            if !explained || field == "capability_readiness" {
                self.not_green.push(NotGreen {
                    kind: "readiness".to_owned(),
                    name: field.to_owned(),
                    reason: format!("it is {}", readiness.as_str()),
                });
            }
        }
    }
}

fn shown_problems(evidence: &Evidence<'_>) -> Vec<String> {
    evidence
        .problems
        .iter()
        .take(PROBLEMS_SHOWN)
        .map(|problem| truncate_chars(problem, PROBLEM_CHARS).into_owned())
        .collect()
}

/// The first eight bytes of the digest of the problems.
fn short_hash<'a>(problems: impl Iterator<Item = &'a str>) -> u64 {
    let digest = signature::problems_digest(problems);
    let mut first = [0; 8];
    first.copy_from_slice(&digest.as_bytes()[..8]);
    u64::from_le_bytes(first)
}
