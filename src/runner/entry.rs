//! What a command amounts to: nothing but constants, plumbing, or an entry point of the product; and whether it is fed
//! stand-ins. Structural, and on purpose easy to explain: it looks at words, never at what they print.

use super::inline_code::{Amounts, Runs, amounts, language, runs};
use super::manifest::{Case, Manifest};
use super::programs;
use super::shell::{Simple, commands};

/// Parts of a path that name stand-ins.
const STUBS: [&str; 9] = ["fixtures", "fixture", "stubs", "stub", "mocks", "mock", "testdata", "canned", "__mocks__"];
/// Options that ask for stand-ins.
const STUB_OPTIONS: [&str; 6] = ["--mock", "--mocked", "--stub", "--stubbed", "--use-fixture", "--fixture"];

/// Deepest nesting of commands that are started by code that is started by commands.
const MAX_DEPTH: usize = 4;

/// A command, seen by its parts.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) simple: Vec<Simple>,
}

impl Seen {
    pub(super) fn of(argv: &[String]) -> Self {
        Self { simple: commands(argv) }
    }

    /// The parts that are not constants.
    pub(super) fn working(&self) -> impl Iterator<Item = &Simple> {
        self.simple.iter().filter(|simple| !is_trivial(simple, 0))
    }

    /// Nothing in it can be different from one product to another.
    pub(super) fn is_trivial(&self) -> bool {
        self.working().next().is_none()
    }

    /// It starts something that is neither a constant nor plumbing.
    pub(super) fn reaches_entry_point(&self) -> bool {
        self.entry_points().next().is_some()
    }

    /// The parts that are neither constants nor plumbing.
    pub(super) fn entry_points(&self) -> impl Iterator<Item = &Simple> {
        self.working().filter(|simple| !programs::is_plumbing(simple.program()))
    }

    /// It starts this text, by itself or behind a wrapper.
    pub(super) fn exercises(&self, wanted: &str) -> bool {
        self.entry_points().any(|simple| simple.text().contains(wanted) || simple.around.contains(wanted))
    }

    /// A word that names a stand-in, if there is one.
    pub(super) fn stub(&self) -> Option<&str> {
        let words = self.simple.iter().flat_map(|simple| &simple.words).map(|word| word.text.as_str());
        words.into_iter().find(|word| {
            let option = word.split_once('=').map_or(*word, |(option, _)| option);
            STUB_OPTIONS.contains(&option)
                || word
                    .split(['/', '=', ' ', '\n', '\'', '"', '(', ')', ','])
                    .rev()
                    .skip(usize::from(!word.contains('/')))
                    .any(|part| STUBS.contains(&part) && word.contains('/'))
        })
    }
}

fn is_trivial(simple: &Simple, depth: usize) -> bool {
    let program = simple.program();
    let arguments = simple.arguments();
    let texts: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    if simple.idle || programs::is_trivial(program) || programs::is_question(program, &texts) {
        return true;
    }
    let Some(language) = language(program) else { return false };
    let code = match runs(language, arguments) {
        Runs::Code(code) => code,
        Runs::Elsewhere => return false,
        Runs::Nothing => return true,
        // Without input it has no code at all.
        Runs::Input => match &simple.input {
            Some(code) => code.clone(),
            None => return !simple.fed,
        },
    };
    match amounts(language, &code) {
        Amounts::Constant => true,
        Amounts::Works => false,
        Amounts::Starts(script) => {
            let started = commands(&["sh".to_owned(), "-c".to_owned(), script]);
            depth < MAX_DEPTH && started.iter().all(|simple| is_trivial(simple, depth + 1))
        }
    }
}

/// Why a case feeds itself a stand-in; `None` if nothing says that it does.
pub(super) fn stub_reason(manifest: &Manifest, case: &Case, seen: &Seen) -> Option<String> {
    if case.mocked {
        Some("the case says that it is `mocked`".to_owned())
    } else if case.uses_stub {
        Some("the case says that it `uses_stub`".to_owned())
    } else if manifest.mocked == Some(true) {
        Some("the manifest says that it is `mocked`".to_owned())
    } else {
        seen.stub().map(|word| format!("the command is fed the stand-in {}", crate::diag::findings::quote(word)))
    }
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
