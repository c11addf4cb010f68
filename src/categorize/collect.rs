//! Categorizes a report while it is read. Memory grows with the failing cases, not with the report.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::categorization::{
    Ambiguous, Assignment, Categorization, Counts, Excerpt, NotGreen, Unclassified, Watch, WatchedOutcome,
};
use super::decide::{Decision, decide};
use super::index::{Index, IndexError};
use super::nearest::Nearest;
use super::signature::{self, REDACTED, publishable};
use super::smallest::Smallest;
use crate::category_map::CategoryMap;
use crate::model::{CaseName, CategoryId, Digest, Outcome, truncate_chars};
use crate::report::{self, Case, Evidence, ReportError, ReportSource};

/// Problems shown of one case.
const PROBLEMS_SHOWN: usize = 3;
/// Characters shown of one problem.
const PROBLEM_CHARS: usize = 300;
/// Cases shown of one category: those with the smallest names.
const CASES_SHOWN: usize = 20;
/// Bytes of a command that is shown. A longer one is left out: half a command does not run.
const COMMAND_BYTES: usize = 4_000;
/// Characters of a problem that are searched for secrets before it is cut: more than the longest private key.
const REDACTED_CHARS: usize = 16_384;
/// Lines shown of what a failing trial wrote last, and characters of each.
const OUTPUT_LINES: usize = 8;
const LINE_CHARS: usize = 200;
/// Bytes of the end of an output that are searched for secrets before it is cut.
const OUTPUT_BYTES: usize = REDACTED_CHARS;
/// Unclassified cases that are described in full, with the nearest rule: those with the smallest names.
pub(super) const DESCRIBED: usize = 1_000;
/// Characters of the one problem that is kept of every other unclassified case.
const BRIEF_CHARS: usize = 100;
/// What stands in the place of the nearest rule of every other one.
pub(super) const NOT_LOOKED_UP: &str = "not looked up: more than 1000 cases are unclassified";

/// Why a report could not be categorized.
#[derive(Debug, thiserror::Error)]
pub enum CategorizeError {
    /// The report cannot be read.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The map cannot be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A failure was lost or counted twice. A bug of greenloop.
    #[error("the numbers of failures do not add up: {0:?}")]
    Counts(Counts),
}

/// Reads and categorizes `source`. Reports that are incomplete or hold unclassified failures are categorized too:
/// the result says so.
///
/// # Errors
/// When the report cannot be read at all, or the map's patterns are too large together.
pub fn categorize(source: &ReportSource, map: &CategoryMap, watch: &Watch) -> Result<Categorization, CategorizeError> {
    let mut collector = Collector::new(map, watch)?;
    let (header, tally, digest) = report::read(source, &mut |case| collector.case(case))?;
    let categorization = collector.finish(header, &tally, digest);
    if !categorization.counts.add_up() {
        return Err(CategorizeError::Counts(categorization.counts));
    }
    Ok(categorization)
}

/// What is known after some of the cases.
pub(super) struct Collector<'m> {
    pub(super) map: &'m CategoryMap,
    index: Index<'m>,
    nearest: Nearest<'m>,
    pub(super) watch: &'m Watch,
    pub(super) assignments: Vec<Assignment>,
    rules: BTreeSet<Arc<str>>,
    /// The shown cases of each category.
    pub(super) excerpts: BTreeMap<u32, Smallest<Excerpt>>,
    /// Unclassified cases in full.
    pub(super) described: Smallest<Unclassified>,
    /// All others, in brief.
    pub(super) unclassified: Vec<Unclassified>,
    pub(super) ambiguous: Vec<Ambiguous>,
    pub(super) not_green: Vec<NotGreen>,
    pub(super) watched: BTreeMap<CaseName, WatchedOutcome>,
    pub(super) guards: BTreeMap<CategoryId, BTreeMap<CaseName, WatchedOutcome>>,
    pub(super) counts: Counts,
}

impl<'m> Collector<'m> {
    fn new(map: &'m CategoryMap, watch: &'m Watch) -> Result<Self, IndexError> {
        Ok(Self {
            map,
            index: Index::new(map)?,
            nearest: Nearest::new(map),
            watch,
            assignments: Vec::new(),
            rules: BTreeSet::new(),
            excerpts: BTreeMap::new(),
            described: Smallest::new(DESCRIBED),
            unclassified: Vec::new(),
            ambiguous: Vec::new(),
            not_green: Vec::new(),
            watched: BTreeMap::new(),
            guards: BTreeMap::new(),
            counts: Counts::default(),
        })
    }

    /// The watched name of a case. Trackers keep names without their secrets.
    fn watched_name(&self, name: &str) -> Option<&'m CaseName> {
        let cases = &self.watch.cases;
        cases.get(name).or_else(|| {
            let masked = cases.iter().any(|watched| watched.as_str().contains(REDACTED));
            masked.then(|| cases.get(&publishable(&CaseName::from(name)))).flatten()
        })
    }

    fn case(&mut self, case: &Case<'_>) -> Result<(), ReportError> {
        if !self.watch.cases.is_empty()
            && let Some(name) = self.watched_name(&case.name)
        {
            let outcome = WatchedOutcome { outcome: case.outcome, required: case.required, flaky: case.flaky };
            self.watched.insert(name.clone(), outcome);
        }
        if case.required && !self.watch.guarded.is_empty() {
            self.guard(case);
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

    /// Remembers a required case that touches a seam or a claim of a guarded category.
    fn guard(&mut self, case: &Case<'_>) {
        for (values, owners) in [(&case.seams, &self.index.seams), (&case.supports_claims, &self.index.claims)] {
            for category in values.iter().filter_map(|value| owners.get(&**value)).flatten() {
                let id = &self.map.categories[*category as usize].id;
                if self.watch.guarded.contains(id) {
                    let outcome = WatchedOutcome { outcome: case.outcome, required: case.required, flaky: case.flaky };
                    self.guards.entry(id.clone()).or_default().insert(CaseName::from(&*case.name), outcome);
                }
            }
        }
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
                let shown = self.excerpts.entry(category).or_insert_with(|| Smallest::new(CASES_SHOWN));
                if shown.wants(&name) {
                    let excerpt = Excerpt {
                        case: name.clone(),
                        problems: shown_problems(&evidence),
                        last_words: last_words(&evidence),
                        argv: shown_command(case)?,
                    };
                    shown.insert(name.clone(), excerpt);
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
                let nearest = |this: &mut Self| this.nearest.describe(case, &evidence);
                self.unclassified(name, signature, &evidence, nearest);
            }
            Decision::UnknownCategory { named } => {
                let named = truncate_chars(&named, PROBLEM_CHARS);
                let nearest =
                    |_: &mut Self| format!("the case names the category {named}, which the map does not have");
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

    fn unclassified(
        &mut self,
        case: CaseName,
        signature: Digest,
        evidence: &Evidence<'_>,
        nearest: impl FnOnce(&mut Self) -> String,
    ) {
        if !self.described.wants(&case) {
            let problems = shown_problems(evidence);
            self.unclassified.push(brief(Unclassified { case, signature, problems, nearest: Cow::Borrowed("") }));
            return;
        }
        let nearest = Cow::Owned(nearest(self));
        let described = Unclassified { case: case.clone(), signature, problems: shown_problems(evidence), nearest };
        if let Some((_, displaced)) = self.described.insert(case, described) {
            self.unclassified.push(brief(displaced));
        }
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
}

fn shown_problems(evidence: &Evidence<'_>) -> Vec<String> {
    evidence
        .problems
        .iter()
        .take(PROBLEMS_SHOWN)
        .map(|problem| {
            // Before the cut: half a secret does not look like one any more.
            let searched = truncate_chars(problem, REDACTED_CHARS);
            truncate_chars(&signature::redact(&searched), PROBLEM_CHARS).into_owned()
        })
        .collect()
}

/// Of the first failing trial that wrote anything. What was derived as a problem is not said twice.
fn last_words(evidence: &Evidence<'_>) -> Vec<String> {
    if evidence.derived {
        return Vec::new();
    }
    let written = evidence.stderr.iter().chain(&evidence.stdout).map(|text| text.trim_end());
    let Some(text) = written.into_iter().find(|text| !text.is_empty()) else { return Vec::new() };
    let start = (text.len().saturating_sub(OUTPUT_BYTES)..=text.len()).find(|at| text.is_char_boundary(*at));
    let tail = &text[start.unwrap_or(text.len())..];
    // A line that was cut may begin with half a secret.
    let tail = if tail.len() == text.len() { tail } else { tail.split_once('\n').map_or("", |(_, rest)| rest) };
    let redacted = signature::redact(tail);
    let lines: Vec<&str> = redacted.lines().collect();
    let last = &lines[lines.len().saturating_sub(OUTPUT_LINES)..];
    last.iter().map(|line| truncate_chars(line, LINE_CHARS).into_owned()).collect()
}

fn shown_command(case: &Case<'_>) -> Result<Vec<String>, ReportError> {
    let argv = case.argv()?;
    let is_short = argv.iter().map(|word| word.len() + 1).sum::<usize>() <= COMMAND_BYTES;
    Ok(if is_short { argv.iter().map(|word| word.to_string()).collect() } else { Vec::new() })
}

/// An unclassified case with a bounded number of bytes beside its name.
fn brief(mut full: Unclassified) -> Unclassified {
    full.problems.truncate(1);
    if let Some(problem) = full.problems.first_mut() {
        *problem = truncate_chars(problem, BRIEF_CHARS).into_owned();
        problem.shrink_to_fit();
    }
    full.problems.shrink_to_fit();
    full.nearest = Cow::Borrowed(NOT_LOOKED_UP);
    full
}

/// The first eight bytes of the digest of the problems.
fn short_hash<'a>(problems: impl Iterator<Item = &'a str>) -> u64 {
    let digest = signature::problems_digest(problems);
    let mut first = [0; 8];
    first.copy_from_slice(&digest.as_bytes()[..8]);
    u64::from_le_bytes(first)
}
