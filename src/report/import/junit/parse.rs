//! One file of JUnit XML → suites and cases as they stand in it. Nothing is judged here, and nothing is dropped
//! because it stands in an odd place: a `failure` belongs to the innermost case around it, else to the innermost
//! suite, whatever lies between. One pass; memory is what the file holds.

use super::super::error::{ImportError, Source, Warnings};
use super::super::xml::{Element, XmlEvent, XmlReader};
use super::time::{Time, is_timestamp, parse_time};

/// Suites inside each other. Their names become part of every case's name, so the cap bounds the report's size.
const MAX_SUITE_DEPTH: usize = 64;
/// Bytes of the properties `seam`, `claim`, `risk`, `category` of one suite or case together. Those of a suite are
/// copied to its cases, so the cap bounds the report's size.
pub(super) const MAX_HINT_BYTES: usize = 2_048;

/// A file's suites and cases, both in document order; a parent comes before its children.
#[derive(Debug, Default)]
pub(super) struct RawFile {
    pub(super) suites: Vec<RawSuite>,
    pub(super) cases: Vec<RawCase>,
    /// The first timestamp that means something, as written.
    pub(super) timestamp: Option<String>,
}

/// A `testsuite`, or `testsuites` (which has no name: producers put dates and counters there).
#[derive(Debug, Default)]
pub(super) struct RawSuite {
    pub(super) parent: Option<usize>,
    pub(super) name: String,
    pub(super) file: String,
    pub(super) at: usize,
    /// `failures`, or `failed` where there is no `failures`.
    pub(super) claimed_failures: Option<u64>,
    pub(super) claimed_errors: Option<u64>,
    /// True if `failures` or `errors` says something that is not a count.
    pub(super) unreadable_claim: bool,
    pub(super) claimed_tests: Option<u64>,
    pub(super) problems: Vec<Problem>,
    pub(super) hints: Vec<Hint>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

#[derive(Debug, Default)]
pub(super) struct RawCase {
    /// Index of the innermost suite around it; the root is one.
    pub(super) suite: usize,
    pub(super) name: String,
    pub(super) class: String,
    pub(super) file: String,
    pub(super) status: Vec<String>,
    /// `success` as written, unless it means yes.
    pub(super) no_success: Option<String>,
    /// True if `executed` means no.
    pub(super) not_executed: bool,
    pub(super) at: usize,
    pub(super) milliseconds: Option<f64>,
    pub(super) problems: Vec<Problem>,
    /// `type` and `message` of `skipped`, and its text; all may be empty.
    pub(super) skipped: Option<(String, String)>,
    pub(super) hints: Vec<Hint>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ProblemKind {
    #[default]
    Failure,
    Error,
    /// An earlier attempt of a case that passed in the end.
    Flaky,
    /// A further attempt of a case that failed.
    Rerun,
}

#[derive(Debug, Default)]
pub(super) struct Problem {
    pub(super) kind: ProblemKind,
    /// The `type` attribute.
    pub(super) kind_name: String,
    pub(super) message: String,
    pub(super) body: String,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) milliseconds: Option<f64>,
}

/// A property that means something to greenloop.
#[derive(Debug)]
pub(super) struct Hint {
    pub(super) name: HintName,
    pub(super) value: String,
    pub(super) at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HintName {
    Seam,
    Claim,
    Risk,
    Category,
}

#[derive(Debug, Clone, Copy)]
enum Owner {
    Suite(usize),
    Case(usize),
}

/// What an open element means for the text inside it.
#[derive(Debug, Clone, Copy)]
enum Frame {
    /// A suite or a case; text in it is layout.
    Owner,
    /// Index into the owner's problems.
    Problem(Owner, usize),
    Output {
        owner: Owner,
        problem: Option<usize>,
        is_error: bool,
    },
    Skipped(usize),
    Hint(Owner, usize),
    /// A property that means nothing to greenloop, or a case's warning: its text is dropped.
    Ignored,
}

/// An open element. All that is asked about the elements around it is kept here, so that nothing is searched.
#[derive(Debug, Clone, Copy)]
struct Open {
    frame: Frame,
    /// False for an element without a meaning of its own: its text counts for the element around it.
    own: bool,
    /// The problem around it, in the list of the innermost owner.
    problem: Option<usize>,
}

/// Parses one file.
pub(super) fn parse(source: Source<'_>, warnings: &mut Warnings) -> Result<RawFile, ImportError> {
    let mut parser =
        Parser { source, warnings, file: RawFile::default(), open: Vec::new(), owners: Vec::new(), suites: Vec::new() };
    let mut reader = XmlReader::new(source);
    loop {
        match reader.next()? {
            XmlEvent::Start(element) => parser.start(&element)?,
            XmlEvent::Text(text) => parser.text(&text),
            XmlEvent::End => parser.end(),
            XmlEvent::Eof => return Ok(parser.file),
        }
    }
}

struct Parser<'t, 'w> {
    source: Source<'t>,
    warnings: &'w mut Warnings,
    file: RawFile,
    open: Vec<Open>,
    /// The suites and cases that are open, and the suites alone.
    owners: Vec<Owner>,
    suites: Vec<usize>,
}

impl Parser<'_, '_> {
    fn start(&mut self, element: &Element<'_>) -> Result<(), ImportError> {
        let (Some(owner), Some(around)) = (self.owners.last().copied(), self.open.last().copied()) else {
            return self.root(element);
        };
        let name = canonical(element.name);
        let frame = match name {
            "testsuite" | "testsuites" => self.suite(element)?,
            "testcase" => self.case(element),
            "failure" => self.problem(owner, ProblemKind::Failure, element),
            "error" => self.problem(owner, ProblemKind::Error, element),
            "flakyFailure" | "flakyError" => self.problem(owner, ProblemKind::Flaky, element),
            "rerunFailure" | "rerunError" => self.problem(owner, ProblemKind::Rerun, element),
            "skipped" | "skip" | "ignored" | "disabled" => self.skipped(owner, element),
            "system-out" | "system-err" => {
                let is_error = name == "system-err";
                let output = self.output(owner, around.problem, is_error);
                if !output.is_empty() && !output.ends_with('\n') {
                    output.push('\n');
                }
                Frame::Output { owner, problem: around.problem, is_error }
            }
            "property" => self.property(owner, element),
            "warning" if matches!(owner, Owner::Case(_)) => {
                let message = || "a case has a <warning>; it says nothing about its outcome".to_owned();
                self.warn("case-warning", element.at, message);
                Frame::Ignored
            }
            _ => {
                self.open.push(Open { own: false, ..around });
                return Ok(());
            }
        };
        let problem = match frame {
            Frame::Owner => None,
            Frame::Problem(_, index) => Some(index),
            _ => around.problem,
        };
        self.open.push(Open { frame, own: true, problem });
        Ok(())
    }

    fn root(&mut self, element: &Element<'_>) -> Result<(), ImportError> {
        if matches!(element.name, "testsuite" | "testsuites") {
            let frame = self.suite(element)?;
            self.open.push(Open { frame, own: true, problem: None });
            return Ok(());
        }
        let looks_like = match element.name {
            "test-run" | "test-results" => "; this looks like NUnit",
            "assemblies" | "assembly" => "; this looks like xUnit.net",
            "TestRun" => "; this looks like Visual Studio's TRX",
            "test-suite" => "; this looks like Allure",
            "testng-results" => "; this looks like TestNG's own format",
            "failsafe-summary" => "; it is Maven's summary and holds no cases, so leave it out",
            _ => "",
        };
        let name = element.name;
        Err(self
            .source
            .error(element.at, format!("not JUnit XML: the root element is <{name}>{looks_like}"))
            .hint("expected <testsuites> or <testsuite>"))
    }

    fn suite(&mut self, element: &Element<'_>) -> Result<Frame, ImportError> {
        if self.suites.len() >= MAX_SUITE_DEPTH {
            return Err(self
                .source
                .error(element.at, format!("suites are nested deeper than {MAX_SUITE_DEPTH} levels")));
        }
        let failures = if element.filled("failures").is_some() { "failures" } else { "failed" };
        let claimed_failures = self.count(element, failures);
        let claimed_errors = self.count(element, "errors");
        let claimed_tests = self.count(element, "tests");
        let unreadable = |key, count: Option<u64>| count.is_none() && element.filled(key).is_some();
        if self.file.timestamp.is_none() {
            self.file.timestamp =
                element.filled("timestamp").map(str::trim).filter(|t| is_timestamp(t)).map(str::to_owned);
        }
        let parent = self.suites.last().copied();
        let name =
            if element.name.eq_ignore_ascii_case("testsuite") { text_of(element, "name") } else { String::new() };
        self.file.suites.push(RawSuite {
            parent,
            name,
            file: text_of(element, "file"),
            at: element.at,
            claimed_failures,
            claimed_errors,
            unreadable_claim: unreadable(failures, claimed_failures) || unreadable("errors", claimed_errors),
            claimed_tests,
            ..RawSuite::default()
        });
        let index = self.file.suites.len() - 1;
        self.suites.push(index);
        self.owners.push(Owner::Suite(index));
        Ok(Frame::Owner)
    }

    fn case(&mut self, element: &Element<'_>) -> Frame {
        let suite = self.suites.last().copied();
        let name = element.filled("name").or_else(|| element.filled("id")).unwrap_or_default().to_owned();
        if name.is_empty() {
            self.warn("unnamed-case", element.at, || "a case has no name".into());
        }
        let class = element.filled("classname").or_else(|| element.filled("class")).unwrap_or_default().to_owned();
        let milliseconds = self.time(element);
        self.file.cases.push(RawCase {
            // The root is a suite, and a suite is left only after its cases.
            suite: suite.unwrap_or(0),
            name,
            class,
            file: text_of(element, "file"),
            status: ["status", "result"].iter().filter_map(|key| element.filled(key)).map(str::to_owned).collect(),
            no_success: element
                .filled("success")
                .filter(|word| !is_word(word, ["true", "yes", "1"]))
                .map(str::to_owned),
            not_executed: element.filled("executed").is_some_and(|word| is_word(word, ["false", "no", "0"])),
            at: element.at,
            milliseconds,
            ..RawCase::default()
        });
        self.owners.push(Owner::Case(self.file.cases.len() - 1));
        Frame::Owner
    }

    fn problem(&mut self, owner: Owner, kind: ProblemKind, element: &Element<'_>) -> Frame {
        let text = |key| element.attribute(key).unwrap_or_default().to_owned();
        let milliseconds = self.time(element);
        let problem =
            Problem { kind, kind_name: text("type"), message: text("message"), milliseconds, ..Problem::default() };
        let problems = self.problems(owner);
        problems.push(problem);
        Frame::Problem(owner, problems.len() - 1)
    }

    fn skipped(&mut self, owner: Owner, element: &Element<'_>) -> Frame {
        let Owner::Case(index) = owner else { return Frame::Ignored };
        let (skipped, _) = self.file.cases[index].skipped.get_or_insert_default();
        for text in ["type", "message"].iter().filter_map(|key| element.filled(key)) {
            push_apart(skipped, text.trim(), ": ");
        }
        Frame::Skipped(index)
    }

    fn property(&mut self, owner: Owner, element: &Element<'_>) -> Frame {
        let name = match element.attribute("name").map(str::trim) {
            Some("seam") => HintName::Seam,
            Some("claim") => HintName::Claim,
            Some("risk") => HintName::Risk,
            Some("category") => HintName::Category,
            _ => return Frame::Ignored,
        };
        let value = element.attribute("value").unwrap_or_default().to_owned();
        let hints = self.hints(owner);
        hints.push(Hint { name, value, at: element.at });
        Frame::Hint(owner, hints.len() - 1)
    }

    fn hints(&mut self, owner: Owner) -> &mut Vec<Hint> {
        match owner {
            Owner::Suite(index) => &mut self.file.suites[index].hints,
            Owner::Case(index) => &mut self.file.cases[index].hints,
        }
    }

    fn text(&mut self, text: &str) {
        match self.open.last().map(|open| open.frame) {
            Some(Frame::Problem(owner, index)) => {
                if let Some(problem) = self.problems(owner).get_mut(index) {
                    problem.body.push_str(text);
                }
            }
            Some(Frame::Output { owner, problem, is_error }) => self.output(owner, problem, is_error).push_str(text),
            Some(Frame::Skipped(case)) => self.file.cases[case].skipped.get_or_insert_default().1.push_str(text),
            Some(Frame::Hint(owner, index)) => {
                if let Some(hint) = self.hints(owner).get_mut(index) {
                    hint.value.push_str(text);
                }
            }
            Some(Frame::Owner | Frame::Ignored) | None => {}
        }
    }

    fn problems(&mut self, owner: Owner) -> &mut Vec<Problem> {
        match owner {
            Owner::Suite(index) => &mut self.file.suites[index].problems,
            Owner::Case(index) => &mut self.file.cases[index].problems,
        }
    }

    /// Where output of a suite or case, or of one of its problems, is collected.
    fn output(&mut self, owner: Owner, problem: Option<usize>, is_error: bool) -> &mut String {
        let (stdout, stderr) = match (owner, problem) {
            (Owner::Suite(index), None) => {
                let suite = &mut self.file.suites[index];
                (&mut suite.stdout, &mut suite.stderr)
            }
            (Owner::Case(index), None) => {
                let case = &mut self.file.cases[index];
                (&mut case.stdout, &mut case.stderr)
            }
            (owner, Some(index)) => {
                let problem = &mut self.problems(owner)[index];
                (&mut problem.stdout, &mut problem.stderr)
            }
        };
        if is_error { stderr } else { stdout }
    }

    fn end(&mut self) {
        match self.open.pop().filter(|open| open.own).map(|open| open.frame) {
            Some(Frame::Owner) => {
                if let Some(Owner::Suite(_)) = self.owners.pop() {
                    self.suites.pop();
                }
            }
            Some(Frame::Hint(owner, index)) => {
                let hints = self.hints(owner);
                let Some(hint) = hints.get_mut(index) else { return };
                hint.value = hint.value.trim().to_owned();
                let (at, empty) = (hint.at, hint.value.is_empty());
                if empty {
                    self.warn("empty-property", at, || "a property seam, claim, risk or category is empty".into());
                }
            }
            _ => {}
        }
    }

    fn count(&mut self, element: &Element<'_>, key: &str) -> Option<u64> {
        let text = element.filled(key)?;
        let number = read_count(text);
        if number.is_none() {
            self.warn("odd-count", element.at, || format!("`{key}` is not a count: `{text}`"));
        }
        number
    }

    fn time(&mut self, element: &Element<'_>) -> Option<f64> {
        let text = element.filled("time").or_else(|| element.filled("duration"))?;
        match parse_time(text) {
            Time::Milliseconds(value) => Some(value),
            Time::Ambiguous(value) => {
                self.warn("ambiguous-time", element.at, || format!("time `{text}` is read as {} s", value / 1_000.0));
                Some(value)
            }
            Time::Odd => {
                self.warn("odd-time", element.at, || format!("time `{text}` is not a duration; taken as not known"));
                None
            }
        }
    }

    fn warn(&mut self, code: &'static str, at: usize, message: impl FnOnce() -> String) {
        self.warnings.add(code, self.source.file, || self.source.place(at), message);
    }
}

/// The elements that mean something, as they are usually written.
const MEANINGFUL: [&str; 16] = [
    "testsuite",
    "testsuites",
    "testcase",
    "failure",
    "error",
    "flakyFailure",
    "flakyError",
    "rerunFailure",
    "rerunError",
    "skipped",
    "skip",
    "ignored",
    "disabled",
    "system-out",
    "system-err",
    "property",
];

/// `name` as it is usually written. XML tells `Failure` from `failure`; losing a failure over that would be worse.
fn canonical(name: &str) -> &str {
    MEANINGFUL.iter().find(|known| known.eq_ignore_ascii_case(name)).copied().unwrap_or(name)
}

fn is_word(text: &str, words: [&str; 3]) -> bool {
    words.iter().any(|word| text.trim().eq_ignore_ascii_case(word))
}

/// Reads `3`, `1,000` and `1.0`. A part of one counts as one, and what is too large as the largest count: a claim
/// of failures must not get smaller by reading it.
fn read_count(text: &str) -> Option<u64> {
    let plain = text.trim().replace(',', "");
    if let Ok(number) = plain.parse() {
        return Some(number);
    }
    let number: f64 = plain.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is not negative")]
    Some(number.ceil() as u64)
}

fn text_of(element: &Element<'_>, key: &str) -> String {
    element.filled(key).unwrap_or_default().to_owned()
}

fn push_apart(text: &mut String, more: &str, between: &str) {
    if !text.is_empty() {
        text.push_str(between);
    }
    text.push_str(more);
}
