//! One pass over a report: the header is kept, each case is handed to the caller and dropped.

use std::collections::{BTreeMap, HashMap, HashSet, hash_map};
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::error::{ReportError, place_of};
use super::header::{ClaimVerdict, Header, SchemaVersion};
use super::source::ReportSource;
use super::tally::Tally;
use super::trial::{Evidence, Trial};
use super::wire::{Str, StrList};
use crate::model::{Digest, Outcome};

/// A case as it stands in the report.
#[derive(Debug, Deserialize)]
struct CaseWire<'a> {
    #[serde(borrow)]
    name: Str<'a>,
    #[serde(default)]
    outcome: Option<Outcome>,
    #[serde(default)]
    required: Option<bool>,
    #[serde(default)]
    flaky: Option<bool>,
    #[serde(borrow, default)]
    problems: StrList<'a>,
    #[serde(borrow, default)]
    category: Option<Str<'a>>,
    #[serde(borrow, default)]
    category_id: Option<Str<'a>>,
    #[serde(borrow, default)]
    seams: StrList<'a>,
    #[serde(borrow, default)]
    supports_claims: StrList<'a>,
    #[serde(borrow, default)]
    risks: StrList<'a>,
    #[serde(default)]
    passed_trials: Option<u64>,
    #[serde(default)]
    total_trials: Option<u64>,
    #[serde(borrow, default)]
    trials: Option<&'a RawValue>,
}

/// One case, valid during one call.
#[derive(Debug)]
pub struct Case<'a> {
    /// Its identity.
    pub name: Str<'a>,
    /// Stated, or derived from the trial counts (v1).
    pub outcome: Outcome,
    /// True unless the report says otherwise.
    pub required: bool,
    /// True if its trials disagree.
    pub flaky: bool,
    /// Explicit category: a key of the map or an id.
    pub category: Option<Str<'a>>,
    /// Explicit category id.
    pub category_id: Option<Str<'a>>,
    /// Declared seams.
    pub seams: Vec<Str<'a>>,
    /// Declared claims.
    pub supports_claims: Vec<Str<'a>>,
    /// Declared risks.
    pub risks: Vec<Str<'a>>,
    problems: StrList<'a>,
    trials: Option<&'a RawValue>,
    file: &'a str,
    bytes: &'a [u8],
}

impl<'a> Case<'a> {
    /// Problems and output of the failing trials. Parses the trials, so it is asked only of cases that need it.
    ///
    /// # Errors
    /// When the trials are malformed.
    pub fn evidence(&self) -> Result<Evidence<'a>, ReportError> {
        let trials: Vec<Trial<'a>> = match self.trials {
            Some(raw) if raw.get() != "null" => serde_json::from_str(raw.get())
                .map_err(|error| ReportError::json(self.file, self.bytes, offset_in(self.bytes, raw), &error))?,
            _ => Vec::new(),
        };
        Ok(Evidence::collect(&self.problems, trials))
    }

    /// The first problem of the case itself, if it names one.
    pub fn first_problem(&self) -> Option<&str> {
        self.problems.0.first().map(|problem| &**problem)
    }
}

/// Byte offset of a borrowed value in the bytes it was parsed from.
fn offset_in(bytes: &[u8], raw: &RawValue) -> usize {
    (raw.get().as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize).min(bytes.len())
}

/// Reads a report: calls `each` for every case in order, and returns the header, what was counted, and the digest of
/// the bytes.
///
/// # Errors
/// Not JSON, not UTF-8, not a report, an unsupported version, a known field of a wrong type or vocabulary, a known
/// field that appears twice, a case without a name, two cases with one name, or the first error of `each`.
pub fn read<'s>(
    source: &'s ReportSource,
    each: &mut dyn FnMut(&Case<'s>) -> Result<(), ReportError>,
) -> Result<(Header, Tally, Digest), ReportError> {
    let bytes = source.bytes();
    let ((header, pass), digest) = source.parse_and_digest(|_, progress| parse(&source.file, bytes, each, progress))?;
    pass.check_names(&source.file, bytes)?;
    Ok((header, pass.tally, digest))
}

fn parse<'s>(
    file: &'s str,
    bytes: &'s [u8],
    each: &mut dyn FnMut(&Case<'s>) -> Result<(), ReportError>,
    progress: &mut dyn FnMut(usize),
) -> Result<(Header, Pass), ReportError> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes.len() - text.len();
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(ReportError::file(file, "the file is empty").hint("a report is a JSON object with a list of cases"));
    }
    let mut pass = Pass { tally: Tally::new(), ..Pass::default() };
    let mut failure = None;
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let parsed = deserializer
        .deserialize_map(TopVisitor { pass: &mut pass, each, progress, failure: &mut failure, file, bytes })
        .and_then(|header| deserializer.end().map(|()| header));
    if let Some(error) = failure {
        return Err(error);
    }
    let header = parsed.map_err(|error| ReportError::json(file, bytes, start, &error))?;
    let Some(schema) = header.schema else {
        return Err(ReportError::file(file, "not a report: there is no `schema`").hint(
            "expected \"schema\": \"agentic_evals.report.v2\" (or v1); JUnit XML goes through `greenloop import junit`",
        ));
    };
    if let (SchemaVersion::V2, Some(offset)) = (schema, pass.without_outcome) {
        return Err(ReportError {
            place: place_of(file, bytes, offset),
            message: "a case of a v2 report has no `outcome`".to_owned(),
            hint: Some("expected PASS, FAIL, BLOCKED or NOT_TESTED".to_owned()),
        });
    }
    if !pass.has_cases {
        return Err(ReportError::file(file, "not a report: there is no `cases` list"));
    }
    Ok((header, pass))
}

/// What is remembered while reading.
#[derive(Debug, Default)]
struct Pass {
    tally: Tally,
    has_cases: bool,
    /// 64-bit hashes of the names, to find duplicates without keeping names.
    names: Vec<u64>,
    /// Offset near the first case that states no outcome.
    without_outcome: Option<usize>,
}

fn name_hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

impl Pass {
    /// Finds two cases with one name. Equal hashes only lead to a second look at the names themselves.
    fn check_names(&self, file: &str, bytes: &[u8]) -> Result<(), ReportError> {
        let mut sorted = self.names.clone();
        sorted.sort_unstable();
        let suspects: HashSet<u64> = sorted.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        if suspects.is_empty() {
            return Ok(());
        }
        #[derive(Deserialize)]
        struct Cases<'a> {
            #[serde(borrow)]
            cases: Vec<&'a RawValue>,
        }
        #[derive(Deserialize)]
        struct Name<'a> {
            #[serde(borrow)]
            name: Str<'a>,
        }
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let json = |error| ReportError::json(file, bytes, 0, &error);
        let all: Cases = serde_json::from_slice(text).map_err(json)?;
        let mut first: HashMap<String, (usize, usize)> = HashMap::new();
        for (index, raw) in all.cases.iter().enumerate() {
            let name: Name = serde_json::from_str(raw.get()).map_err(json)?;
            if !suspects.contains(&name_hash(&name.name)) {
                continue;
            }
            let offset = offset_in(bytes, raw);
            match first.entry(name.name.to_string()) {
                hash_map::Entry::Vacant(entry) => {
                    entry.insert((index, offset));
                }
                hash_map::Entry::Occupied(entry) => {
                    let (other, other_offset) = *entry.get();
                    let earlier = place_of(file, bytes, other_offset);
                    return Err(ReportError {
                        place: place_of(file, bytes, offset),
                        message: format!(
                            "two cases have the name {:?}: cases[{other}] ({}) and cases[{index}]",
                            entry.key(),
                            earlier.compact()
                        ),
                        hint: Some("a case is known by its name across runs, so names must be unique".to_owned()),
                    });
                }
            }
        }
        Ok(())
    }
}

struct TopVisitor<'p, 's> {
    pass: &'p mut Pass,
    each: &'p mut dyn FnMut(&Case<'s>) -> Result<(), ReportError>,
    progress: &'p mut dyn FnMut(usize),
    failure: &'p mut Option<ReportError>,
    file: &'s str,
    bytes: &'s [u8],
}

#[derive(Deserialize, Default)]
struct Repo {
    #[serde(default)]
    sha: Option<String>,
    #[serde(default, rename = "ref")]
    reference: Option<String>,
}

impl<'s> Visitor<'s> for TopVisitor<'_, 's> {
    type Value = Header;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a report (a JSON object)")
    }

    fn visit_map<A: MapAccess<'s>>(mut self, mut map: A) -> Result<Header, A::Error> {
        let mut header = Header::default();
        let mut seen: HashSet<&'static str> = HashSet::new();
        while let Some(key) = map.next_key::<Str<'s>>()? {
            let Some(known) = KNOWN.into_iter().find(|known| *known == &*key) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if !seen.insert(known) {
                return Err(A::Error::custom(format!("duplicate key `{known}`")));
            }
            if known == "cases" {
                self.pass.has_cases = true;
                map.next_value_seed(Cases(&mut self))?;
            } else {
                read_field(&mut header, known, &mut map)?;
            }
        }
        Ok(header)
    }
}

/// Top-level fields that are read; everything else is skipped.
const KNOWN: [&str; 20] = [
    "schema",
    "run_id",
    "fixture_sha256",
    "repo",
    "readiness",
    "case_readiness",
    "capability_readiness",
    "claims_coverage",
    "focused_cases",
    "generated_at",
    "case_count",
    "required_case_count",
    "outcome_counts",
    "trial_count",
    "capability_claims",
    "incomplete_because",
    "runner_version",
    "environment_lock_digest",
    "cases",
    "shard",
];

fn read_field<'s, A: MapAccess<'s>>(header: &mut Header, key: &str, map: &mut A) -> Result<(), A::Error> {
    match key {
        "schema" => {
            let id: Str = map.next_value()?;
            header.schema = Some(SchemaVersion::parse(&id).ok_or_else(|| {
                A::Error::custom(format!("schema {:?} is not supported (known: agentic_evals.report.v1, …v2)", &*id))
            })?);
        }
        "run_id" => header.run_id = map.next_value()?,
        "fixture_sha256" => header.fixture_sha256 = map.next_value()?,
        "repo" => {
            let repo: Repo = map.next_value::<Option<Repo>>()?.unwrap_or_default();
            (header.repo_sha, header.repo_ref) = (repo.sha, repo.reference);
        }
        "readiness" => header.readiness = map.next_value()?,
        "case_readiness" => header.case_readiness = map.next_value()?,
        "capability_readiness" => header.capability_readiness = map.next_value()?,
        "claims_coverage" => header.claims_coverage = map.next_value()?,
        "focused_cases" => header.focused_cases = map.next_value::<Option<Vec<String>>>()?.unwrap_or_default(),
        "generated_at" => header.generated_at = map.next_value()?,
        "case_count" => header.case_count = map.next_value()?,
        "required_case_count" => header.required_case_count = map.next_value()?,
        "outcome_counts" => header.outcome_counts = map.next_value::<Option<BTreeMap<Outcome, u64>>>()?,
        "trial_count" => header.trial_count = map.next_value()?,
        "capability_claims" => {
            header.capability_claims = map.next_value::<Option<Vec<ClaimVerdict>>>()?.unwrap_or_default();
        }
        "incomplete_because" => {
            header.incomplete_because.extend(map.next_value::<Option<Vec<String>>>()?.unwrap_or_default());
        }
        "runner_version" => header.runner_version = map.next_value()?,
        "environment_lock_digest" => header.environment_lock_digest = map.next_value()?,
        // A shard is a part of a run, whatever else it says.
        "shard" => {
            if let Some(shard) = map.next_value::<Option<serde_json::Value>>()? {
                header.incomplete_because.push(format!("it is one shard of a run: {shard}"));
            }
        }
        _ => {
            map.next_value::<IgnoredAny>()?;
        }
    }
    Ok(())
}

struct Cases<'v, 'p, 's>(&'v mut TopVisitor<'p, 's>);

impl<'s> DeserializeSeed<'s> for Cases<'_, '_, 's> {
    type Value = ();

    fn deserialize<D: Deserializer<'s>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'s> Visitor<'s> for Cases<'_, '_, 's> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of cases")
    }

    fn visit_seq<A: SeqAccess<'s>>(self, mut seq: A) -> Result<(), A::Error> {
        let top = self.0;
        while let Some(wire) = seq.next_element::<CaseWire<'s>>()? {
            let case = top.admit(wire).map_err(A::Error::custom)?;
            if let Err(error) = (top.each)(&case) {
                *top.failure = Some(error);
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

impl<'s> TopVisitor<'_, 's> {
    /// Checks one case, counts it, and gives it the form that callers see.
    fn admit(&mut self, wire: CaseWire<'s>) -> Result<Case<'s>, String> {
        let index = self.pass.tally.cases;
        if wire.name.is_empty() {
            return Err(format!("cases[{index}] has an empty name"));
        }
        if wire.trials.is_some_and(|raw| !raw.get().starts_with('[') && raw.get() != "null") {
            return Err(format!("cases[{index}].trials is not a list"));
        }
        let outcome = match wire.outcome {
            Some(outcome) => outcome,
            None => {
                let offset = wire.trials.map_or(0, |raw| offset_in(self.bytes, raw));
                self.pass.without_outcome.get_or_insert(offset);
                derive_outcome(wire.passed_trials, wire.total_trials).ok_or_else(|| {
                    format!("cases[{index}] states neither an outcome nor passed_trials and total_trials")
                })?
            }
        };
        let disagree = matches!((wire.passed_trials, wire.total_trials), (Some(passed), Some(total)) if 0 < passed && passed < total);
        let flaky = wire.flaky.unwrap_or(disagree);
        let required = wire.required.unwrap_or(true);
        self.pass.tally.add(outcome, required, flaky, wire.total_trials);
        self.pass.names.push(name_hash(&wire.name));
        if let Some(raw) = wire.trials {
            (self.progress)(offset_in(self.bytes, raw));
        }
        Ok(Case {
            name: wire.name,
            outcome,
            required,
            flaky,
            category: wire.category,
            category_id: wire.category_id,
            seams: wire.seams.0,
            supports_claims: wire.supports_claims.0,
            risks: wire.risks.0,
            problems: wire.problems,
            trials: wire.trials,
            file: self.file,
            bytes: self.bytes,
        })
    }
}

/// The outcome of a v1 case: all trials passed, none ran, or some did not pass.
const fn derive_outcome(passed: Option<u64>, total: Option<u64>) -> Option<Outcome> {
    match (passed, total) {
        (Some(_), Some(0)) => Some(Outcome::NotTested),
        (Some(passed), Some(total)) if passed == total => Some(Outcome::Pass),
        (Some(passed), Some(total)) if passed < total => Some(Outcome::Fail),
        _ => None,
    }
}
