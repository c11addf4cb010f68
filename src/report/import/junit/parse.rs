//! One file of JUnit XML → suites and cases as they stand in it. Nothing is judged here, and nothing is dropped
//! because it stands in an odd place: a `failure` belongs to the innermost case around it, else to the innermost
//! suite, whatever lies between. One pass; memory is what the file holds.

use super::super::error::{ImportError, Source, Warnings};
use super::super::xml::{Element, XmlEvent, XmlReader};
use super::time::{Time, is_timestamp, parse_time};

/// Suites inside each other. Their names become part of every case's name, so the cap bounds the report's size.
const MAX_SUITE_DEPTH: usize = 64;
/// Properties `seam`, `claim`, `risk`, `category` of one suite or case, and bytes of one value. Those of a suite
/// are copied to its cases, so the caps bound the report's size.
const MAX_HINTS: usize = 100;
const MAX_HINT_BYTES: usize = 1_000;

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
    /// `failures` and `errors` together, if one of them is given.
    pub(super) claimed_failures: Option<u64>,
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
    /// Anything else: text counts for the element around it.
    Other,
}

/// Parses one file.
pub(super) fn parse(source: Source<'_>, warnings: &mut Warnings) -> Result<RawFile, ImportError> {
    let mut parser =
        Parser { source, warnings, file: RawFile::default(), frames: Vec::new(), owners: Vec::new(), suite_depth: 0 };
    let mut reader = XmlReader::new(source);
    loop {
        match reader.next()? {
            XmlEvent::Start(element) => parser.start(&element)?,
            XmlEvent::Text(text) => parser.text(&text),
            XmlEvent::End => parser.end()?,
            XmlEvent::Eof => return Ok(parser.file),
        }
    }
}

struct Parser<'t, 'w> {
    source: Source<'t>,
    warnings: &'w mut Warnings,
    file: RawFile,
    frames: Vec<Frame>,
    owners: Vec<Owner>,
    suite_depth: usize,
}

impl Parser<'_, '_> {
    fn start(&mut self, element: &Element<'_>) -> Result<(), ImportError> {
        let Some(owner) = self.owners.last().copied() else { return self.root(element) };
        let frame = match element.name {
            "testsuite" | "testsuites" => self.suite(element)?,
            "testcase" => self.case(element),
            "failure" => self.problem(owner, ProblemKind::Failure, element),
            "error" => self.problem(owner, ProblemKind::Error, element),
            "flakyFailure" | "flakyError" => self.problem(owner, ProblemKind::Flaky, element),
            "rerunFailure" | "rerunError" => self.problem(owner, ProblemKind::Rerun, element),
            "skipped" | "skip" | "ignored" | "disabled" => self.skipped(owner, element),
            "system-out" | "system-err" => {
                let problem = self.frames.iter().rev().find_map(|frame| match frame {
                    Frame::Problem(_, index) => Some(Some(*index)),
                    Frame::Owner => Some(None),
                    _ => None,
                });
                let (problem, is_error) = (problem.flatten(), element.name == "system-err");
                let output = self.output(owner, problem, is_error);
                if !output.is_empty() && !output.ends_with('\n') {
                    output.push('\n');
                }
                Frame::Output { owner, problem, is_error }
            }
            "property" => self.property(owner, element)?,
            "warning" if matches!(owner, Owner::Case(_)) => {
                self.warn("case-warning", element.at, || {
                    "a case has a <warning>; it says nothing about its outcome".into()
                });
                Frame::Ignored
            }
            _ => Frame::Other,
        };
        self.frames.push(frame);
        Ok(())
    }

    fn root(&mut self, element: &Element<'_>) -> Result<(), ImportError> {
        if matches!(element.name, "testsuite" | "testsuites") {
            let frame = self.suite(element)?;
            self.frames.push(frame);
            return Ok(());
        }
        let looks_like = match element.name {
            "test-run" | "test-results" => "; this looks like NUnit",
            "assemblies" | "assembly" => "; this looks like xUnit.net",
            "TestRun" => "; this looks like Visual Studio's TRX",
            "test-suite" => "; this looks like Allure",
            _ => "",
        };
        let name = element.name;
        Err(self
            .source
            .error(element.at, format!("not JUnit XML: the root element is <{name}>{looks_like}"))
            .hint("expected <testsuites> or <testsuite>"))
    }

    fn suite(&mut self, element: &Element<'_>) -> Result<Frame, ImportError> {
        self.suite_depth += 1;
        if self.suite_depth > MAX_SUITE_DEPTH {
            return Err(self
                .source
                .error(element.at, format!("suites are nested deeper than {MAX_SUITE_DEPTH} levels")));
        }
        let failures = self.count(element, "failures");
        let errors = self.count(element, "errors");
        let claimed_tests = self.count(element, "tests");
        let claimed_failures = match (failures, errors) {
            (None, None) => None,
            (failures, errors) => Some(failures.unwrap_or(0).saturating_add(errors.unwrap_or(0))),
        };
        if self.file.timestamp.is_none() {
            self.file.timestamp =
                element.filled("timestamp").map(str::trim).filter(|t| is_timestamp(t)).map(str::to_owned);
        }
        let parent = self.innermost_suite();
        let name = if element.name == "testsuite" { text_of(element, "name") } else { String::new() };
        self.file.suites.push(RawSuite {
            parent,
            name,
            file: text_of(element, "file"),
            at: element.at,
            claimed_failures,
            claimed_tests,
            ..RawSuite::default()
        });
        self.owners.push(Owner::Suite(self.file.suites.len() - 1));
        Ok(Frame::Owner)
    }

    fn case(&mut self, element: &Element<'_>) -> Frame {
        let suite = self.innermost_suite();
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

    fn property(&mut self, owner: Owner, element: &Element<'_>) -> Result<Frame, ImportError> {
        let name = match element.attribute("name").map(str::trim) {
            Some("seam") => HintName::Seam,
            Some("claim") => HintName::Claim,
            Some("risk") => HintName::Risk,
            Some("category") => HintName::Category,
            _ => return Ok(Frame::Ignored),
        };
        let value = element.attribute("value").unwrap_or_default().to_owned();
        let hints = self.hints(owner);
        if hints.len() >= MAX_HINTS {
            let message = format!("more than {MAX_HINTS} properties seam, claim, risk or category in one element");
            return Err(self.source.error(element.at, message));
        }
        hints.push(Hint { name, value, at: element.at });
        Ok(Frame::Hint(owner, hints.len() - 1))
    }

    fn innermost_suite(&self) -> Option<usize> {
        self.owners.iter().rev().find_map(|owner| match owner {
            Owner::Suite(index) => Some(*index),
            Owner::Case(_) => None,
        })
    }

    fn hints(&mut self, owner: Owner) -> &mut Vec<Hint> {
        match owner {
            Owner::Suite(index) => &mut self.file.suites[index].hints,
            Owner::Case(index) => &mut self.file.cases[index].hints,
        }
    }

    fn text(&mut self, text: &str) {
        match self.frames.iter().rev().find(|frame| !matches!(frame, Frame::Other)).copied() {
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
            Some(Frame::Owner | Frame::Ignored | Frame::Other) | None => {}
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

    fn end(&mut self) -> Result<(), ImportError> {
        match self.frames.pop() {
            Some(Frame::Owner) => {
                if let Some(Owner::Suite(_)) = self.owners.pop() {
                    self.suite_depth -= 1;
                }
            }
            Some(Frame::Hint(owner, index)) => {
                let hints = self.hints(owner);
                let Some(hint) = hints.get_mut(index) else { return Ok(()) };
                hint.value = hint.value.trim().to_owned();
                let (at, length) = (hint.at, hint.value.len());
                if length > MAX_HINT_BYTES {
                    let message = format!("the value of the property is longer than {MAX_HINT_BYTES} bytes");
                    return Err(self.source.error(at, message));
                }
                if length == 0 {
                    self.warn("empty-property", at, || "a property seam, claim, risk or category is empty".into());
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn count(&mut self, element: &Element<'_>, key: &str) -> Option<u64> {
        let text = element.filled(key)?;
        let number = text.trim().replace(',', "").parse().ok();
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

fn text_of(element: &Element<'_>, key: &str) -> String {
    element.filled(key).unwrap_or_default().to_owned()
}

fn push_apart(text: &mut String, more: &str, between: &str) {
    if !text.is_empty() {
        text.push_str(between);
    }
    text.push_str(more);
}
