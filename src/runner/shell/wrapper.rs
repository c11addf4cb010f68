//! Commands that run another command: shells, `env`, `timeout`, and many more.

use std::collections::BTreeMap;

use super::conditions;
use super::lexer::{Token, tokens};
use super::variables::Variables;
use super::walk::{Flow, Leaves, Mode};
use super::word::{Simple, Word, assigned, assignment, joined};

/// Deepest wrapping that is looked through.
pub(super) const MAX_DEPTH: usize = 12;
/// Most simple commands of one case.
const MAX_COMMANDS: usize = 4_000;
/// Shells that take a script behind `-c`.
pub(in crate::runner) const SHELLS: [&str; 17] = [
    "bash", "sh", "dash", "zsh", "ksh", "ash", "fish", "rbash", "mksh", "lksh", "pdksh", "rksh", "yash", "posh",
    "tcsh", "csh", "osh",
];
/// Programs that run the command in their arguments: the options that have a value of their own, and the number of
/// arguments before the command.
const WRAPPERS: [(&str, &[&str], usize); 56] = [
    ("env", &["-u", "-C", "--unset", "--chdir"], 0),
    ("exec", &["-a"], 0),
    ("command", &[], 0),
    ("builtin", &[], 0),
    ("nice", &["-n", "--adjustment"], 0),
    ("ionice", &["-n", "-c", "--class", "--classdata"], 0),
    ("nohup", &[], 0),
    ("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    ("gtimeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    ("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    ("setsid", &[], 0),
    ("time", &["-o", "-f", "--output", "--format"], 0),
    ("chronic", &[], 0),
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-r", "-t", "--user", "--group", "--chdir"], 0),
    ("doas", &["-u", "-C"], 0),
    (
        "xargs",
        &["-n", "-I", "-L", "-P", "-d", "-a", "-E", "-s", "--max-args", "--max-procs", "--delimiter", "--arg-file"],
        0,
    ),
    ("flock", &["-w", "-E", "--timeout", "--wait", "--conflict-exit-code"], 1),
    (
        "unshare",
        &[
            "-R",
            "-w",
            "-S",
            "-G",
            "--root",
            "--wd",
            "--setuid",
            "--setgid",
            "--propagation",
            "--setgroups",
            "--map-user",
            "--map-group",
            "--map-users",
            "--map-groups",
            "--monotonic",
            "--boottime",
        ],
        0,
    ),
    (
        "setpriv",
        &[
            "--reuid",
            "--regid",
            "--groups",
            "--inh-caps",
            "--ambient-caps",
            "--bounding-set",
            "--securebits",
            "--pdeathsig",
            "--selinux-label",
            "--apparmor-profile",
            "--rgid",
            "--egid",
            "--ruid",
            "--euid",
        ],
        0,
    ),
    ("nsenter", &["-t", "-S", "-G", "--target", "--setuid", "--setgid"], 0),
    ("chroot", &["--userspec", "--groups"], 1),
    ("runuser", &["-u", "-g", "-G", "-s", "-w", "--user", "--group", "--shell"], 0),
    ("su", &["-g", "-G", "-s", "-w", "--group", "--shell"], 1),
    ("sg", &[], 1),
    ("script", &["-I", "-O", "-B", "-T", "-m", "-E", "-o"], 1),
    ("taskset", &[], 1),
    ("chrt", &["-T", "-P", "-D", "--sched-runtime", "--sched-period", "--sched-deadline"], 1),
    ("parallel", &["-j", "-n", "-N", "-L", "-P", "-S", "-I", "-a", "-d", "--jobs", "--max-args", "--arg-file"], 0),
    ("watch", &["-n", "-q", "--interval"], 0),
    ("prlimit", &["-o", "--output"], 0),
    ("setarch", &[], 1),
    ("linux32", &[], 0),
    ("linux64", &[], 0),
    ("i386", &[], 0),
    ("x86_64", &[], 0),
    ("numactl", &["-N", "-m", "-C", "-i", "-p", "--cpunodebind", "--membind", "--physcpubind", "--interleave"], 0),
    ("strace", &["-e", "-o", "-p", "-s", "-E", "-u", "-P", "-O", "-S", "-a", "-I", "-b"], 0),
    ("ltrace", &["-e", "-o", "-p", "-s", "-u", "-a", "-n", "-l"], 0),
    ("valgrind", &[], 0),
    ("faketime", &[], 1),
    ("xvfb-run", &["-e", "-f", "-n", "-p", "-s", "-w", "--server-args", "--server-num", "--error-file"], 0),
    ("fakeroot", &["-l", "-s", "-i", "-b"], 0),
    ("eatmydata", &[], 0),
    ("dbus-run-session", &["--config-file", "--dbus-daemon"], 0),
    ("ssh-agent", &["-a", "-t", "-P", "-E"], 0),
    ("tini", &["-e", "-p"], 0),
    ("dumb-init", &["-r", "--rewrite"], 0),
    ("catatonit", &[], 0),
    ("choom", &["-n", "--adjust"], 0),
    ("rlwrap", &[], 0),
    ("unbuffer", &[], 0),
    ("catchsegv", &[], 0),
    ("torsocks", &[], 0),
    ("proxychains", &["-f"], 0),
    ("systemd-run", &["-p", "-M", "-E", "-u", "--unit", "--property", "--uid", "--gid", "--slice", "--setenv"], 0),
    ("firejail", &[], 0),
];
/// Programs with one subcommand that runs the command behind it.
const RUNNERS: [(&str, &str); 9] = [
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("rye", "run"),
    ("bundle", "exec"),
    ("busybox", ""),
    ("toybox", ""),
];
/// Wrappers whose command may be one text behind `-c`.
const WITH_SCRIPT: [&str; 5] = ["su", "runuser", "script", "flock", "sg"];

/// The simple commands of `argv` that can be reached, in the order in which they stand.
pub(in crate::runner) fn commands(argv: &[String]) -> Vec<Simple> {
    let words = argv.iter().map(|text| Word::literal(text)).collect();
    let mut finder = Finder::default();
    finder.command(Simple { words, ..Simple::default() }, 0, Mode::Always);
    finder.call_mentioned();
    finder.found
}

/// Collects what a case runs.
#[derive(Debug, Default)]
pub(super) struct Finder {
    found: Vec<Simple>,
    pub(super) variables: Variables,
    functions: BTreeMap<String, Function>,
    /// `set -e`
    pub(super) stops_at_failure: bool,
}

#[derive(Debug)]
struct Function {
    body: Vec<Token>,
    depth: usize,
    is_called: bool,
}

impl Finder {
    pub(super) fn push(&mut self, simple: Simple) {
        if self.found.len() < MAX_COMMANDS {
            self.found.push(simple);
        }
    }

    pub(super) fn define(&mut self, name: String, body: Vec<Token>, depth: usize) {
        self.functions.insert(name, Function { body, depth, is_called: false });
    }

    /// Adds the command, or what it wraps.
    pub(super) fn command(&mut self, mut simple: Simple, depth: usize, mode: Mode) -> Flow {
        if let Some(words) =
            simple.words.first().filter(|word| word.expands).and_then(|word| self.variables.expand(word))
        {
            simple.words.splice(..1, words);
        }
        if simple.words.is_empty() || self.found.len() >= MAX_COMMANDS {
            return Flow::default();
        }
        let program = simple.program().to_owned();
        if self.functions.contains_key(&simple.words[0].text) {
            return self.call(&simple.words[0].text.clone(), mode);
        }
        if depth >= MAX_DEPTH {
            self.push(simple);
            return Flow::default();
        }
        if SHELLS.contains(&program.as_str()) {
            return self.shell(simple, depth, mode);
        }
        match program.as_str() {
            "eval" => {
                let script = self.texts(simple.arguments()).join(" ");
                return self.walk(tokens(&script), depth + 1, mode, 1);
            }
            "source" | "." if simple.input.is_some() => {
                let script = simple.input.unwrap_or_default();
                return self.walk(tokens(&script), depth + 1, mode, 1);
            }
            "trap" => {
                let script = simple.arguments().first().filter(|_| simple.words.len() > 2).cloned();
                self.push(simple);
                if let Some(script) = script {
                    self.script(&script.text, depth + 1, mode.min(Mode::Maybe));
                }
                return Flow::of(Some(true));
            }
            "find" => return self.find(simple, depth, mode),
            _ => {}
        }
        if let Some((_, word)) = RUNNERS.iter().find(|(runner, _)| *runner == program) {
            let skipped = 1 + usize::from(!word.is_empty());
            let is_run = word.is_empty() || simple.words.get(1).is_some_and(|first| first.text == *word);
            let is_command = simple.words.get(skipped).is_some_and(|first| !first.text.starts_with('-'));
            if is_run && is_command {
                return self.inside(&simple, skipped, depth, mode);
            }
        }
        match WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == program) {
            Some((_, with_value, operands)) => self.wrapper(simple, with_value, *operands, depth, mode),
            None => self.plain(simple, mode),
        }
    }

    /// A command that wraps nothing.
    fn plain(&mut self, simple: Simple, mode: Mode) -> Flow {
        let first = simple.arguments().first().map(|word| word.text.as_str());
        let leaves = match simple.program() {
            "exit" | "logout" => Leaves::Shell,
            "return" => Leaves::Function,
            "break" | "continue" => Leaves::Loop,
            _ => Leaves::Nothing,
        };
        let succeeds = if matches!(leaves, Leaves::Shell | Leaves::Function) {
            first.and_then(|code| code.parse::<i64>().ok()).map(|code| code == 0)
        } else {
            conditions::succeeds(&simple, &self.variables)
        };
        let certain = mode == Mode::Always;
        match simple.program() {
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for word in simple.arguments() {
                    if let Some((name, value)) = assignment(word) {
                        let value = Word { text: value.to_owned(), quoted: true, ..word.clone() };
                        let value = self.variables.expand(&value).and_then(|words| words.into_iter().next());
                        self.variables.set(name, value.map(|word| word.text), certain);
                    }
                }
            }
            "read" | "mapfile" | "readarray" | "unset" | "getopts" => {
                for word in simple.arguments() {
                    self.variables.set(&word.text, None, certain);
                }
            }
            "set" if first.is_some_and(|text| text.starts_with('-') && text.contains('e')) => {
                self.stops_at_failure = certain;
            }
            "set" if first.is_some_and(|text| text.starts_with('+') && text.contains('e')) => {
                self.stops_at_failure = false;
            }
            _ => {}
        }
        self.push(simple);
        Flow { succeeds, leaves: if certain { leaves } else { Leaves::Nothing } }
    }

    fn shell(&mut self, mut simple: Simple, depth: usize, mode: Mode) -> Flow {
        let outside = |flow: Flow| flow.outside(Leaves::Shell);
        match shell_runs(simple.arguments()) {
            Shell::Script(script, rest) => {
                let script = self.texts(std::slice::from_ref(script)).join(" ");
                let before = std::mem::replace(&mut self.variables.positional, rest.iter().skip(1).cloned().collect());
                let stops = std::mem::take(&mut self.stops_at_failure);
                let flow = self.script(&script, depth + 1, mode);
                self.variables.positional = before;
                self.stops_at_failure = stops;
                outside(flow)
            }
            Shell::Input => {
                let Some(script) = simple.input.take() else {
                    simple.idle = !simple.fed;
                    self.push(simple);
                    return Flow::default();
                };
                let stops = std::mem::take(&mut self.stops_at_failure);
                let flow = self.script(&script, depth + 1, mode);
                self.stops_at_failure = stops;
                outside(flow)
            }
            Shell::File => {
                self.push(simple);
                Flow::default()
            }
            Shell::Nothing => {
                simple.idle = true;
                self.push(simple);
                Flow::default()
            }
        }
    }

    fn wrapper(&mut self, mut simple: Simple, with_value: &[&str], operands: usize, depth: usize, mode: Mode) -> Flow {
        let program = simple.program().to_owned();
        let asks = |word: &Word| matches!(word.text.as_str(), "-v" | "-V");
        if program == "command" && simple.arguments().first().is_some_and(asks) {
            // It only says where a command is.
            simple.idle = true;
            self.push(simple);
            return Flow::default();
        }
        if WITH_SCRIPT.contains(&program.as_str())
            && let Some(script) = script_option(simple.arguments())
        {
            self.script(&script, depth + 1, mode.min(Mode::Maybe));
            return Flow::default();
        }
        if program == "env"
            && let Some(words) = split_string(simple.arguments())
        {
            simple.words.splice(1.., words);
        }
        if program == "parallel" {
            let end = simple.words.iter().position(|word| word.text.starts_with(":::")).unwrap_or(simple.words.len());
            simple.words.truncate(end);
        }
        let Some(at) = wrapped(&program, simple.arguments(), with_value, operands) else {
            simple.idle = !simple.fed || program == "env";
            self.push(simple);
            // `exec 2>&1` goes on.
            return Flow::default();
        };
        if matches!(program.as_str(), "watch" | "parallel" | "sg" | "su") {
            let script = joined(&simple.arguments()[at..]);
            self.script(&script, depth + 1, mode.min(Mode::Maybe));
            return Flow::default();
        }
        let flow = self.inside(&simple, at + 1, depth, mode);
        match program.as_str() {
            "exec" if mode == Mode::Always => Flow { succeeds: flow.succeeds, leaves: Leaves::Shell },
            "command" | "builtin" => flow,
            "timeout" | "gtimeout" | "xargs" | "flock" => Flow::default(),
            _ => flow.outside(Leaves::Shell),
        }
    }

    /// The command that starts at a word of another.
    fn inside(&mut self, simple: &Simple, from: usize, depth: usize, mode: Mode) -> Flow {
        let around = if simple.around.is_empty() { simple.text() } else { simple.around.clone() };
        let words = simple.words[from..].to_vec();
        self.command(Simple { words, around, ..simple.clone() }, depth + 1, mode)
    }

    /// `find … -exec COMMAND ;`
    fn find(&mut self, simple: Simple, depth: usize, mode: Mode) -> Flow {
        let runs = |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
        let inner = simple.words.iter().position(runs).map(|at| {
            let words = simple.words[at + 1..].iter().take_while(|word| !matches!(word.text.as_str(), ";" | "+"));
            Simple { words: words.cloned().collect(), ..Simple::default() }
        });
        // With a command of its own it is a wrapper, and what it finds is only how often that runs.
        self.push(Simple { idle: simple.idle || inner.is_some(), ..simple });
        if let Some(inner) = inner {
            self.command(inner, depth + 1, mode.min(Mode::Maybe));
        }
        Flow::default()
    }

    /// The body of a function, the first time that it is called.
    fn call(&mut self, name: &str, mode: Mode) -> Flow {
        let Some(function) = self.functions.get_mut(name).filter(|function| !function.is_called) else {
            return Flow::default();
        };
        function.is_called = true;
        let (body, depth) = (function.body.clone(), function.depth);
        if depth >= MAX_DEPTH {
            return Flow::default();
        }
        self.walk(body, depth + 1, mode, 1).outside(Leaves::Function)
    }

    /// A function that is only mentioned (`export -f`, `trap`, `xargs`) may be called by somebody else.
    fn call_mentioned(&mut self) {
        let mut seen = 0;
        while seen < self.found.len() {
            let text = self.found[seen].text();
            seen += 1;
            let is_part = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'));
            let uncalled = |name: &&String| !self.functions[*name].is_called;
            let names: Vec<String> = self.functions.keys().filter(uncalled).cloned().collect();
            for name in names.iter().filter(|name| text.split(is_part).any(|part| part == name.as_str())) {
                self.call(name, Mode::Maybe);
            }
        }
    }

    /// The texts of the words, with known variables.
    fn texts(&self, words: &[Word]) -> Vec<String> {
        let text = |word: &Word| match self.variables.expand(word) {
            Some(words) => joined(&words),
            None => word.text.clone(),
        };
        words.iter().map(text).collect()
    }
}

/// What a shell runs.
enum Shell<'w> {
    /// The script of `-c`, and what is behind it.
    Script(&'w Word, &'w [Word]),
    File,
    Input,
    /// `--version`, `-n`
    Nothing,
}

/// Sees the script of `-c`, `-lc`, `-e -u -c`, `-o pipefail -c`.
fn shell_runs(arguments: &[Word]) -> Shell<'_> {
    let mut wants_script = false;
    let mut reads_input = false;
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        at += 1;
        match text.strip_prefix('-').or_else(|| text.strip_prefix('+')) {
            Some("-version" | "-help") => return Shell::Nothing,
            Some("-command") => wants_script = true,
            Some("-rcfile" | "-init-file") => at += 1,
            Some("-" | "") => {
                if let (true, Some(script)) = (wants_script, arguments.get(at)) {
                    return Shell::Script(script, &arguments[at + 1..]);
                }
            }
            Some(flags) if !flags.starts_with('-') => {
                if text.starts_with('-') {
                    wants_script |= flags.contains('c');
                    reads_input |= flags.contains('s');
                    if flags.contains('n') {
                        return Shell::Nothing;
                    }
                }
                at += usize::from(flags.ends_with(['o', 'O']));
            }
            Some(_) => {}
            None if wants_script => return Shell::Script(word, &arguments[at..]),
            None if reads_input => return Shell::Input,
            None => return Shell::File,
        }
    }
    if wants_script { Shell::Nothing } else { Shell::Input }
}

/// Where the wrapped command begins.
fn wrapped(program: &str, arguments: &[Word], with_value: &[&str], operands: usize) -> Option<usize> {
    let mut operands = operands;
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        if with_value.contains(&text) {
            at += 2;
        } else if (text.starts_with('-') && text.len() > 1) || (program == "env" && assigned(text).is_some()) {
            at += 1;
        } else if operands > 0 {
            operands -= 1;
            at += 1;
        } else {
            return Some(at);
        }
    }
    None
}

/// The text of `-c TEXT`, `-qc TEXT`, `--command=TEXT`.
fn script_option(arguments: &[Word]) -> Option<String> {
    for (at, word) in arguments.iter().enumerate() {
        let text = word.text.as_str();
        if let Some(script) = text.strip_prefix("--command=") {
            return Some(script.to_owned());
        }
        let is_cluster = text.starts_with('-') && !text.starts_with("--") && text.ends_with('c');
        if is_cluster || matches!(text, "--command" | "--session-command") {
            return arguments.get(at + 1).map(|script| script.text.clone());
        }
        if !text.starts_with('-') && at > 3 {
            break;
        }
    }
    None
}

/// The words of `env -S "…"`, with what follows; `None` without that option.
fn split_string(arguments: &[Word]) -> Option<Vec<Word>> {
    let is_here = |text: &str| {
        text.starts_with("--split-string")
            || text.strip_prefix('-').is_some_and(|flags| flags.trim_start_matches(['i', 'v', '0']).starts_with('S'))
    };
    let at = arguments.iter().position(|word| is_here(&word.text))?;
    if arguments[..at].iter().any(|word| !word.text.starts_with('-') && assigned(&word.text).is_none()) {
        return None;
    }
    let text = arguments[at].text.as_str();
    let attached = match text.strip_prefix("--split-string") {
        Some(rest) => rest.strip_prefix('='),
        None => text.split_once('S').map(|(_, rest)| rest).filter(|rest| !rest.is_empty()),
    };
    let (script, behind) = match attached {
        Some(script) => (script, at + 1),
        None => (arguments.get(at + 1)?.text.as_str(), at + 2),
    };
    let mut words: Vec<Word> = arguments[..at].to_vec();
    words.extend(tokens(script).into_iter().filter_map(|token| match token {
        Token::Word(word) => Some(Word::literal(&word.text)),
        _ => None,
    }));
    words.extend(arguments.get(behind..).unwrap_or_default().iter().cloned());
    Some(words)
}
