//! One pass over a report: the header is kept, each case is handed to the caller and dropped.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::case::{Case, CaseWire};
use super::error::ReportError;
use super::fields;
use super::header::{Header, SchemaVersion};
use super::names::{Names, place_of_case};
use super::source::{ReportSource, without_bom};
use super::tally::Tally;
use super::wire::{Object, Str};
use crate::model::Digest;

/// Reads a report: calls `each` for every case in order, and returns the header, what was counted, and the digest of
/// the bytes. `each` may have seen cases of a report that turns out to be an error later on.
///
/// # Errors
/// Not JSON, not UTF-8, not a report, an unsupported version, a known field of a wrong type or vocabulary, a known
/// field that appears twice, a case without a name, two cases with one name, or the first error of `each`.
pub fn read<'s>(
    source: &'s ReportSource,
    each: &mut dyn FnMut(&Case<'s>) -> Result<(), ReportError>,
) -> Result<(Header, Tally, Digest), ReportError> {
    let bytes = source.bytes();
    let ((header, pass), digest) = source.parse_and_digest(|progress| parse(&source.file, bytes, each, progress))?;
    pass.names.check(&source.file, bytes)?;
    Ok((header, pass.tally, digest))
}

/// What is remembered while reading.
#[derive(Debug, Default)]
struct Pass {
    tally: Tally,
    has_cases: bool,
    names: Names,
    /// The first case that states no outcome.
    without_outcome: Option<usize>,
}

fn parse<'s>(
    file: &'s str,
    bytes: &'s [u8],
    each: &mut dyn FnMut(&Case<'s>) -> Result<(), ReportError>,
    progress: &mut dyn FnMut(usize),
) -> Result<(Header, Pass), ReportError> {
    let text = without_bom(bytes);
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
    if let (SchemaVersion::V2, Some(index)) = (schema, pass.without_outcome) {
        return Err(ReportError {
            place: place_of_case(file, bytes, index),
            message: format!("cases[{index}] of a v2 report has no `outcome`"),
            hint: Some("expected PASS, FAIL, BLOCKED or NOT_TESTED".to_owned()),
        });
    }
    if !pass.has_cases {
        return Err(ReportError::file(file, "not a report: there is no `cases` list")
            .hint("a run of no cases has an empty list"));
    }
    Ok((header, pass))
}

struct TopVisitor<'p, 's> {
    pass: &'p mut Pass,
    each: &'p mut dyn FnMut(&Case<'s>) -> Result<(), ReportError>,
    progress: &'p mut dyn FnMut(usize),
    /// The error that ended reading, when it is not one of the JSON.
    failure: &'p mut Option<ReportError>,
    file: &'s str,
    bytes: &'s [u8],
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
            let Some(known) = fields::KNOWN.into_iter().find(|known| *known == &*key) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if !seen.insert(known) {
                return Err(A::Error::custom(format!("duplicate field `{known}`")));
            }
            if known == "cases" {
                self.pass.has_cases = true;
                map.next_value_seed(Cases(&mut self))?;
            } else {
                fields::read(&mut header, known, &mut map)?;
            }
        }
        Ok(header)
    }
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
        let mut index = 0;
        while let Some(Object(wire)) = seq.next_element::<Object<CaseWire<'s>>>()? {
            if let Err(error) = top.case(index, wire) {
                *top.failure = Some(error);
                return Err(A::Error::custom("stopped"));
            }
            index += 1;
        }
        Ok(())
    }
}

impl<'s> TopVisitor<'_, 's> {
    /// Checks one case, counts it, and hands it to the caller.
    fn case(&mut self, index: usize, wire: CaseWire<'s>) -> Result<(), ReportError> {
        let case = Case::new(wire, self.file, self.bytes).map_err(|what| ReportError {
            place: place_of_case(self.file, self.bytes, index),
            message: format!("cases[{index}]{what}"),
            hint: None,
        })?;
        if !case.states_outcome {
            self.pass.without_outcome.get_or_insert(index);
        }
        self.pass.tally.add(&case);
        self.pass.names.add(&case.name);
        if let Some(offset) = case.offset_reached() {
            (self.progress)(offset);
        }
        (self.each)(&case)
    }
}
