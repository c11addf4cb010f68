//! One pass over a report: the header is kept, each case is handed to the caller and dropped.

use std::collections::HashSet;

use super::case::Case;
use super::decode::Decoder;
use super::error::ReportError;
use super::fields;
use super::header::{Header, SchemaVersion};
use super::names::Names;
use super::source::{ReportSource, without_bom};
use super::tally::Tally;
use super::walk::{Fault, Walk};
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
    let decoder = Decoder { file: &source.file, bytes: source.bytes() };
    let (pass, digest) = source.parse_and_digest(|progress| {
        let mut pass = Pass { decoder, each, progress, found: Found::default() };
        pass.whole()?;
        Ok(pass.found)
    })?;
    pass.names.check(decoder.file, decoder.bytes)?;
    Ok((pass.header, pass.tally, digest))
}

/// What is remembered while reading.
#[derive(Debug)]
struct Found {
    header: Header,
    tally: Tally,
    names: Names,
    has_cases: bool,
    /// Number and offset of the first case that states no outcome.
    without_outcome: Option<(usize, usize)>,
}

impl Default for Found {
    fn default() -> Self {
        Self {
            header: Header::default(),
            tally: Tally::new(),
            names: Names::default(),
            has_cases: false,
            without_outcome: None,
        }
    }
}

struct Pass<'p, 's> {
    decoder: Decoder<'s>,
    each: &'p mut dyn FnMut(&Case<'s>) -> Result<(), ReportError>,
    progress: &'p mut dyn FnMut(usize),
    found: Found,
}

impl<'s> Pass<'_, 's> {
    fn whole(&mut self) -> Result<(), ReportError> {
        let Decoder { file, bytes } = self.decoder;
        let mut walk = Walk::new(bytes, bytes.len() - without_bom(bytes).len());
        walk.space();
        let start = walk.at;
        match walk.byte() {
            None => {
                return Err(
                    ReportError::file(file, "the file is empty").hint("a report is a JSON object with a list of cases")
                );
            }
            Some(b'{') => self.top(&mut walk)?,
            Some(_) => {
                walk.value().map_err(|fault| self.fault(fault))?;
                return Err(self.decoder.error(start, "not a report: a report is a JSON object"));
            }
        }
        walk.space();
        if walk.byte().is_some() {
            return Err(self.decoder.error(walk.at, "not valid JSON: something follows the end of the report"));
        }
        self.judge()
    }

    /// The members of the report.
    fn top(&mut self, walk: &mut Walk<'s>) -> Result<(), ReportError> {
        let mut seen: HashSet<&'static str> = HashSet::new();
        let mut more = walk.enter(b'}');
        while more {
            let at = walk.at;
            let key = walk.key().map_err(|fault| self.fault(fault))?;
            let key = self.decoder.key(key)?;
            let known = fields::KNOWN.into_iter().find(|known| *known == &*key);
            if let Some(known) = known
                && !seen.insert(known)
            {
                return Err(self.decoder.duplicate(at, known));
            }
            if known == Some("cases") {
                self.cases(walk)?;
            } else {
                let value = walk.value().map_err(|fault| self.fault(fault))?;
                if let Some(known) = known {
                    fields::read(&mut self.found.header, known, self.decoder, value)?;
                }
            }
            more = walk.more(b'}').map_err(|fault| self.fault(fault))?;
        }
        Ok(())
    }

    fn cases(&mut self, walk: &mut Walk<'s>) -> Result<(), ReportError> {
        let start = walk.at;
        if walk.byte() != Some(b'[') {
            walk.value().map_err(|fault| self.fault(fault))?;
            return Err(self.decoder.error(start, "`cases` is not a list"));
        }
        self.found.has_cases = true;
        let mut more = walk.enter(b']');
        let mut index = 0;
        while more {
            let start = walk.at;
            let case = Case::read(walk, self.decoder, index)?;
            if !case.states_outcome {
                self.found.without_outcome.get_or_insert((index, start));
            }
            self.found.tally.add(&case);
            self.found.names.add(&case.name);
            (self.each)(&case)?;
            (self.progress)(walk.at);
            index += 1;
            more = walk.more(b']').map_err(|fault| self.fault(fault))?;
        }
        Ok(())
    }

    /// Is what was read a report?
    fn judge(&self) -> Result<(), ReportError> {
        let file = self.decoder.file;
        let Some(schema) = self.found.header.schema else {
            return Err(ReportError::file(file, "not a report: there is no `schema`").hint(
                "expected \"schema\": \"agentic_evals.report.v2\" (or v1); JUnit XML goes through `greenloop import junit`",
            ));
        };
        if let (SchemaVersion::V2, Some((index, offset))) = (schema, self.found.without_outcome) {
            let message = format!("cases[{index}] of a v2 report has no `outcome`");
            return Err(self.decoder.error(offset, message).hint("expected PASS, FAIL, BLOCKED or NOT_TESTED"));
        }
        if !self.found.has_cases {
            return Err(ReportError::file(file, "not a report: there is no `cases` list")
                .hint("a run of no cases has an empty list"));
        }
        Ok(())
    }

    fn fault(&self, fault: Fault) -> ReportError {
        self.decoder.fault(fault)
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
