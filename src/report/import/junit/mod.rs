//! JUnit XML, in the dialects that producers write. There is no standard; these are the rules.
//!
//! | in the file | in the report |
//! |---|---|
//! | `testcase` | a case; its name is `suite > … > classname > name`, see `name.rs` |
//! | `failure`, `error`, several of them | FAIL, one trial with all problems |
//! | `flakyFailure`, `flakyError` without `failure` | PASS and flaky: a failing trial each, then the passing one |
//! | `rerunFailure`, `rerunError` | FAIL, a further failing trial each |
//! | the same suite, classname, name and file again | a further trial; PASS and FAIL among them: FAIL and flaky |
//! | `skipped`, status `notrun`, `disabled`, `executed="false"`, … | NOT_TESTED, not required; evidence of nothing |
//! | `failure` or `error` outside a case | a failing case named like the suite: the prefix of its cases' names |
//! | a suite that claims more failures than it shows | a failing case `suite > (failures not shown)` |
//! | a suite that claims more tests than it shows | the report is incomplete |
//! | a status that is not known, `success="false"` | FAIL: what is not known to have passed did not pass |
//! | properties `seam`, `claim`, `risk`, `category` | the matching fields; those of a suite hold for its cases |
//!
//! A claimed failure that cannot be seen is red and not incomplete: the producer saw it fail. Go's gotestsum, for
//! one, counts a package that did not build as an error and shows no case for it. A suite that claims more *tests*
//! than it shows gives a warning and makes the report incomplete: the run may have crashed half way. Some producers
//! count subtests or assertions there; an incomplete report is never a false green, so they are treated alike.

mod claims;
mod draft;
mod parse;
mod problem;
mod time;

use super::build::{Imported, Repository, build};
use super::decode::decode;
use super::error::{ImportError, Source, Warnings};
use super::inputs::Input;

/// Imports JUnit XML files as one report. `sha` and `reference` say what was tested; JUnit XML does not.
///
/// # Errors
/// The first file that is not well-formed or not JUnit XML, with the place; a case with two categories.
pub fn import_junit(inputs: &[Input], sha: Option<String>, reference: Option<String>) -> Result<Imported, ImportError> {
    let mut warnings = Warnings::default();
    let mut drafts = Vec::new();
    let mut generated_at = None;
    let mut incomplete_because = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        let text = decode(&input.name, &input.bytes, &mut warnings)?;
        let source = Source { file: &input.name, text: &text };
        let file = parse::parse(source, &mut warnings)?;
        if generated_at.is_none() {
            generated_at.clone_from(&file.timestamp);
        }
        drafts.extend(draft::drafts(file, source, index, &mut incomplete_because, &mut warnings)?);
    }
    let repository = Repository { sha, reference, generated_at };
    build("junit", "JUnit XML", inputs, drafts, repository, incomplete_because, warnings)
}

#[cfg(test)]
mod tests;
