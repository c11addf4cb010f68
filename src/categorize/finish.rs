//! The end of a categorization: everything sorted, counted and fingerprinted.

use std::collections::BTreeMap;

use super::categorization::{ActiveCategory, Categorization, Counts, Excerpt, MapFacts, NotGreen, ReportFacts};
use super::collect::Collector;
use super::fingerprint::{self, Provenance};
use super::fold;
use super::smallest::Smallest;
use crate::model::{Digest, Outcome, Readiness};
use crate::report::{self, Header, Tally};

impl Collector<'_> {
    /// The result, once all cases are read.
    pub(super) fn finish(mut self, header: Header, tally: &Tally, digest: Digest) -> Categorization {
        self.assignments.sort_unstable_by(|a, b| a.case.cmp(&b.case));
        let described = std::mem::replace(&mut self.described, Smallest::new(0));
        self.unclassified.extend(described.into_entries().map(|(_, full)| full));
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
                repo_dirty: header.repo_dirty,
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
            guards: self.guards,
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
                    excerpts: self.excerpts.remove(&category).into_iter().flat_map(excerpts).collect(),
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

fn excerpts(shown: Smallest<Excerpt>) -> impl Iterator<Item = Excerpt> {
    shown.into_entries().map(|(_, excerpt)| excerpt)
}
