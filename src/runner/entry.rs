//! What a command amounts to: nothing but constants, plumbing, or an entry point of the product; and whether it is fed
//! stand-ins. Structural, and on purpose easy to explain: it looks at words, never at what they print.

use std::sync::LazyLock;

use regex::Regex;

use super::manifest::{Case, Manifest};
use super::shell::{Simple, commands};

/// Programs that do the same always, or only show what is there already.
const TRIVIAL: [&str; 22] = [
    "echo", "printf", "true", "false", ":", "exit", "test", "[", "[[", "cat", "ls", "pwd", "cd", "set", "export",
    "sleep", "return", "yes", "seq", "date", "wait", "trap",
];
/// Programs that prepare or look at what others produced.
const PLUMBING: [&str; 35] = [
    "mkdir",
    "rm",
    "rmdir",
    "cp",
    "mv",
    "ln",
    "touch",
    "chmod",
    "mktemp",
    "tee",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "sed",
    "awk",
    "cut",
    "tr",
    "sort",
    "uniq",
    "wc",
    "diff",
    "cmp",
    "find",
    "jq",
    "sha256sum",
    "basename",
    "dirname",
    "tar",
    "gzip",
    "xargs",
    "source",
    ".",
];
/// Interpreters that run code given as an argument.
const INTERPRETERS: [&str; 8] = ["python", "python3", "node", "perl", "ruby", "php", "deno", "bun"];
/// Parts of a path that name stand-ins.
const STUBS: [&str; 9] = ["fixtures", "fixture", "stubs", "stub", "mocks", "mock", "testdata", "canned", "__mocks__"];
/// Options that ask for stand-ins.
const STUB_OPTIONS: [&str; 6] = ["--mock", "--mocked", "--stub", "--stubbed", "--use-fixture", "--fixture"];

#[expect(clippy::unwrap_used, reason = "constant patterns; a test compiles them")]
static CONSTANT_CODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"^(?:\s|;|pass\b|import sys\b|(?:print|puts|console\.log|say)\b\s*\(?\s*(?:'[^']*'|"[^"]*"|\d+)?\s*\)?|(?:sys\.|process\.)?exit\s*\(?\s*\d*\s*\)?)*$"#,
    )
    .unwrap()
});

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
        self.simple.iter().filter(|simple| !is_trivial(simple))
    }

    /// Nothing in it can be different from one product to another.
    pub(super) fn is_trivial(&self) -> bool {
        self.working().next().is_none()
    }

    /// It starts something that is neither a constant nor plumbing.
    pub(super) fn reaches_entry_point(&self) -> bool {
        self.working().any(|simple| !PLUMBING.contains(&simple.program()))
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

fn is_trivial(simple: &Simple) -> bool {
    let program = simple.program();
    if TRIVIAL.contains(&program) {
        return true;
    }
    let interpreter = INTERPRETERS.iter().any(|name| {
        program.strip_prefix(name).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
    });
    if !interpreter {
        return false;
    }
    let arguments = simple.arguments();
    let code = arguments.iter().position(|word| matches!(word.text.as_str(), "-c" | "-e" | "--eval" | "-p"));
    match code {
        Some(at) => arguments.get(at + 1).is_none_or(|code| CONSTANT_CODE.is_match(&code.text)),
        // `python3` and `python3 --version` run no code of the product, unless a here-document brings it.
        None => !simple.fed && arguments.iter().all(|word| word.text.starts_with("--version") || word.text == "-V"),
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
mod tests {
    use super::*;

    fn seen(argv: &[&str]) -> Seen {
        Seen::of(&argv.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn constants_are_trivial_however_they_are_wrapped() {
        for argv in [
            &["echo", "ok"][..],
            &["/bin/echo", "ok"],
            &["true"],
            &["bash", "-c", "echo ok; exit 0"],
            &["bash", "-lc", "set -e; cd ..\nif true; then printf '%s' ok; fi"],
            &["sh", "-c", "[ 1 = 1 ] && exit 3"],
            &["env", "A=1", "/bin/sh", "-ec", "echo \"$(echo ok)\""],
            &["bash", "-c", ""],
            &["python3", "-c", "print('ok')"],
            &["python3.12", "-c", "import sys; print(\"ok\"); sys.exit(0)"],
            &["node", "-e", "console.log('ok'); process.exit(0)"],
            &["cat", "expected.txt"],
            &["python3", "--version"],
            &["python3"],
            &["cat", "<<E"],
        ] {
            assert!(seen(argv).is_trivial(), "{argv:?}");
        }
        for argv in [
            &["./run.sh"][..],
            &["bash", "-c", "python3 <<E\nimport shop\nE"],
            &["bash", "run.sh"],
            &["bash", "-c", "echo start; ./run.sh; echo end"],
            &["bash", "-c", "echo $(./run.sh)"],
            &["python3", "check.py"],
            &["python3", "-c", "import shop; print(shop.total())"],
            &["python3", "-m", "pytest"],
            &["grep", "-q", "x", "src.rs"],
            &["curl", "http://localhost/"],
        ] {
            assert!(!seen(argv).is_trivial(), "{argv:?}");
        }
    }

    #[test]
    fn plumbing_is_no_entry_point() {
        assert!(!seen(&["bash", "-c", "mkdir -p out && cp a out | grep x && rm -f y"]).reaches_entry_point());
        assert!(!seen(&["echo", "./run.sh"]).reaches_entry_point());
        for argv in [&["bash", "-c", "mkdir -p out; ../run.sh x | jq ."][..], &["cargo", "test"], &["uv", "run", "a"]] {
            assert!(seen(argv).reaches_entry_point(), "{argv:?}");
        }
    }

    #[test]
    fn stand_ins_are_seen_in_paths_and_options() {
        for argv in [
            &["./run.sh", "fixtures/a.json"][..],
            &["./run.sh", "../tests/fixtures/a.json"],
            &["./run.sh", "--input=tests/stubs/a"],
            &["bash", "-c", "./run.sh \"$PWD/mocks/a\""],
            &["./run.sh", "--mock"],
            &["./run.sh", "--fixture=a"],
            &["python3", "-c", "open('tests/fixtures/a')"],
        ] {
            assert!(seen(argv).stub().is_some(), "{argv:?}");
        }
        for argv in [&["./run.sh", "fixtures"][..], &["./run.sh", "prefixtures/a"], &["./mocking.sh"], &["a", "mock"]] {
            assert!(seen(argv).stub().is_none(), "{argv:?}");
        }
    }
}
