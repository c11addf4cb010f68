//! What a case's command really runs: the simple commands of an argv, also behind `bash -c`, `env`, `timeout` and the
//! like. Not a shell: it knows as much of the grammar as is needed to see through wrapping, and takes what it does not
//! understand for a command that does something.

/// One simple command: a program and its arguments, quotes removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Simple {
    pub(super) words: Vec<Word>,
    /// True if its input is redirected: a here-document, a file.
    pub(super) fed: bool,
}

/// One word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word {
    /// Its text without quotes; what a shell would expand stands as it is written.
    pub(super) text: String,
    /// True if a shell would expand a `$` in it.
    pub(super) expands: bool,
    /// True if a part of it was quoted: then it is no keyword and no assignment.
    quoted: bool,
}

impl Simple {
    /// The program's name without its folder.
    pub(super) fn program(&self) -> &str {
        self.words.first().map_or("", |word| base(&word.text))
    }

    /// The arguments.
    pub(super) fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The words with one space between.
    pub(super) fn text(&self) -> String {
        self.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Deepest wrapping that is looked through.
const MAX_DEPTH: usize = 12;
/// Most simple commands of one case.
const MAX_COMMANDS: usize = 4_000;
const SHELLS: [&str; 7] = ["bash", "sh", "dash", "zsh", "ksh", "ash", "busybox"];
/// Words of the grammar before which or after which a command stands.
const KEYWORDS: [&str; 15] =
    ["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "{", "}", "time", "coproc", "function"];
/// Programs that run the command in their arguments.
const WRAPPERS: [&str; 15] = [
    "env", "exec", "command", "nice", "nohup", "timeout", "stdbuf", "setsid", "time", "ionice", "sudo", "builtin",
    "xargs", "eval", "chronic",
];

/// The simple commands of `argv`, in the order in which they stand.
pub(super) fn commands(argv: &[String]) -> Vec<Simple> {
    let words = argv.iter().map(|text| Word { text: text.clone(), expands: false, quoted: true }).collect();
    let mut out = Vec::new();
    unwrap(Simple { words, fed: false }, 0, &mut out);
    out
}

/// Adds the command, or what it wraps.
fn unwrap(mut simple: Simple, depth: usize, out: &mut Vec<Simple>) {
    while simple.words.first().is_some_and(is_prefix) {
        simple.words.remove(0);
    }
    if simple.words.is_empty() || out.len() >= MAX_COMMANDS {
        return;
    }
    let program = simple.program().to_owned();
    if depth < MAX_DEPTH {
        if SHELLS.contains(&program.as_str())
            && let Some(script) = script_of(simple.arguments())
        {
            let script = script.to_owned();
            parse(&script, depth + 1, out);
            return;
        }
        if program == "eval" {
            parse(&Simple { words: simple.arguments().to_vec(), fed: false }.text(), depth + 1, out);
            return;
        }
        if WRAPPERS.contains(&program.as_str())
            && let Some(at) = wrapped(&program, simple.arguments())
        {
            let words = simple.arguments()[at..].to_vec();
            unwrap(Simple { words, fed: simple.fed }, depth + 1, out);
            return;
        }
    }
    out.push(simple);
}

/// Keywords and assignments before a command.
fn is_prefix(word: &Word) -> bool {
    if word.quoted {
        return false;
    }
    KEYWORDS.contains(&word.text.as_str()) || is_assignment(&word.text)
}

fn is_assignment(text: &str) -> bool {
    let Some((name, _)) = text.split_once('=') else { return false };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '+';
    !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// The script of `-c`, `-lc`, `-e -u -c`, `-o pipefail -c`; `None` if a file is run.
fn script_of(arguments: &[Word]) -> Option<&str> {
    let mut wants_script = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        match text.strip_prefix('-').or_else(|| text.strip_prefix('+')) {
            Some(flags) if !text.starts_with("--") && !flags.is_empty() => {
                wants_script |= text.starts_with('-') && flags.contains('c');
                if flags.ends_with('o') || flags.ends_with('O') {
                    words.next();
                }
            }
            Some(_) if matches!(text, "--rcfile" | "--init-file") => {
                words.next();
            }
            Some(_) => {}
            // `busybox sh -c …`
            None if SHELLS.contains(&base(text)) => {}
            None => return wants_script.then_some(text),
        }
    }
    None
}

/// Where the wrapped command begins.
fn wrapped(program: &str, arguments: &[Word]) -> Option<usize> {
    let with_value: &[&str] = match program {
        "env" => &["-u", "-C", "--unset", "--chdir"],
        "nice" | "ionice" => &["-n", "-c", "-p"],
        "timeout" => &["-k", "-s", "--kill-after", "--signal"],
        "stdbuf" => &["-i", "-o", "-e"],
        "sudo" => &["-u", "-g"],
        "xargs" => &["-n", "-I", "-L", "-P", "-d", "-a"],
        _ => &[],
    };
    let mut operands = usize::from(program == "timeout");
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        if with_value.contains(&text) {
            at += 2;
        } else if (text.starts_with('-') && text.len() > 1) || (program == "env" && is_assignment(text)) {
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

/// Splits a script into simple commands; substitutions are commands, too.
fn parse(script: &str, depth: usize, out: &mut Vec<Simple>) {
    let mut lexer = Lexer {
        chars: script.chars().collect(),
        at: 0,
        simple: Simple::default(),
        word: None,
        inner: Vec::new(),
        here_documents: Vec::new(),
    };
    lexer.run(depth, out);
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    simple: Simple,
    word: Option<Word>,
    inner: Vec<String>,
    /// Marks that end the here-documents of this line.
    here_documents: Vec<String>,
}

impl Lexer {
    fn run(&mut self, depth: usize, out: &mut Vec<Simple>) {
        while let Some(c) = self.next() {
            match c {
                ' ' | '\t' | '\r' => self.end_word(),
                '\n' => {
                    self.end_command(depth, out);
                    self.skip_here_documents();
                }
                ';' | '&' | '|' | '(' | ')' => self.end_command(depth, out),
                '#' if self.word.is_none() => self.skip_comment(),
                '<' | '>' => self.redirection(),
                '\\' => {
                    if let Some(c) = self.next().filter(|c| *c != '\n') {
                        self.push_quoted(c);
                    }
                }
                '\'' => self.single_quotes(),
                '"' => self.double_quotes(),
                '`' => self.backticks(),
                '$' => self.dollar(),
                c => self.word().text.push(c),
            }
        }
        self.end_command(depth, out);
    }

    fn next(&mut self) -> Option<char> {
        let c = self.chars.get(self.at).copied();
        self.at += usize::from(c.is_some());
        c
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn push_quoted(&mut self, c: char) {
        let word = self.word();
        word.quoted = true;
        word.text.push(c);
    }

    fn end_word(&mut self) {
        self.simple.words.extend(self.word.take());
    }

    fn end_command(&mut self, depth: usize, out: &mut Vec<Simple>) {
        self.end_word();
        unwrap(std::mem::take(&mut self.simple), depth, out);
        for script in std::mem::take(&mut self.inner) {
            if depth < MAX_DEPTH {
                parse(&script, depth + 1, out);
            }
        }
    }

    fn skip_comment(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    /// A redirection and its target are no words of the command; `<( … )` is a command.
    fn redirection(&mut self) {
        // `2>` is one word with the digits before it.
        if self.word.as_ref().is_some_and(|word| !word.quoted && word.text.bytes().all(|b| b.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        if self.peek() == Some('(') {
            self.at += 1;
            let script = self.until_close();
            self.inner.push(script);
            return;
        }
        let before = self.at;
        self.simple.fed |= self.chars.get(before - 1) == Some(&'<');
        while self.peek().is_some_and(|c| matches!(c, '<' | '>' | '&' | '|' | '-')) {
            self.at += 1;
        }
        let here_document = self.chars.get(before - 1) == Some(&'<')
            && self.chars.get(before) == Some(&'<')
            && self.chars.get(before + 1) != Some(&'<');
        while self.peek().is_some_and(|c| c == ' ' || c == '\t') {
            self.at += 1;
        }
        let start = self.at;
        while self.peek().is_some_and(|c| !matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | ')' | '(')) {
            self.at += 1;
        }
        if here_document {
            let mark: String = self.chars[start..self.at].iter().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
            self.here_documents.push(mark);
        }
    }

    /// The lines of here-documents are input, not commands.
    fn skip_here_documents(&mut self) {
        for mark in std::mem::take(&mut self.here_documents) {
            while self.at < self.chars.len() {
                let length = self.chars[self.at..].iter().position(|c| *c == '\n');
                let end = length.map_or(self.chars.len(), |length| self.at + length);
                let line: String = self.chars[self.at..end].iter().collect();
                self.at = (end + 1).min(self.chars.len());
                if line.trim() == mark {
                    break;
                }
            }
        }
    }

    fn single_quotes(&mut self) {
        self.word().quoted = true;
        while let Some(c) = self.next().filter(|c| *c != '\'') {
            self.word().text.push(c);
        }
    }

    fn double_quotes(&mut self) {
        self.word().quoted = true;
        while let Some(c) = self.next().filter(|c| *c != '"') {
            match c {
                '\\' => {
                    if let Some(c) = self.next() {
                        self.push_quoted(c);
                    }
                }
                '`' => self.backticks(),
                '$' => self.dollar(),
                c => self.word().text.push(c),
            }
        }
    }

    fn backticks(&mut self) {
        let mut script = String::new();
        while let Some(c) = self.next().filter(|c| *c != '`') {
            script.push(c);
        }
        self.word().expands = true;
        self.inner.push(script);
    }

    fn dollar(&mut self) {
        self.word().expands = true;
        if self.peek() != Some('(') {
            self.word().text.push('$');
            return;
        }
        self.at += 1;
        if self.peek() == Some('(') {
            // Arithmetic runs nothing, but what is substituted in it does.
            self.at += 1;
            let arithmetic = self.until_close();
            self.at += usize::from(self.peek() == Some(')'));
            self.inner.push(format!("echo \"{arithmetic}\""));
        } else {
            let script = self.until_close();
            self.inner.push(script);
        }
    }

    /// The text up to the bracket that closes; brackets in quotes are text.
    fn until_close(&mut self) -> String {
        let (mut script, mut open, mut quote) = (String::new(), 1, None);
        while let Some(c) = self.next() {
            match (quote, c) {
                (None, '(') => open += 1,
                (None, ')') => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                (None, '\'' | '"') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                _ => {}
            }
            script.push(c);
        }
        script
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(argv: &[&str]) -> Vec<String> {
        let argv: Vec<String> = argv.iter().map(|text| (*text).to_owned()).collect();
        commands(&argv).iter().map(Simple::text).collect()
    }

    #[test]
    fn wrapping_is_seen_through() {
        for argv in [
            &["echo", "ok"][..],
            &["bash", "-c", "echo ok"],
            &["/bin/bash", "-lc", "echo ok"],
            &["/usr/bin/env", "bash", "-euo", "pipefail", "-c", "echo ok"],
            &["env", "-i", "A=b", "-u", "X", "sh", "-c", "'echo' \"ok\""],
            &["timeout", "-k", "5", "10", "bash", "-c", "A=1 exec echo ok # note"],
            &["nice", "-n", "5", "bash", "--norc", "-c", "bash -c \"bash -c 'echo ok'\""],
            &["sh", "-c", "eval 'echo ok'"],
            &["busybox", "sh", "-c", "\\\necho ok > /dev/null 2>&1"],
            &["bash", "-c", "{ ! echo ok; }"],
        ] {
            assert_eq!(texts(argv), ["echo ok"], "{argv:?}");
        }
        assert_eq!(texts(&["bash", "run.sh", "-c", "x"]), ["bash run.sh -c x"], "a file, with its own `-c`");
        assert_eq!(texts(&["bash", "-c", "x $((1 + $(./y)))"]), ["x ", "echo 1 + ", "./y"]);
        assert!(texts(&["env", "A=b"]) == ["env A=b"] && texts(&["bash", "-c", ""]).is_empty());
    }

    #[test]
    fn scripts_are_split() {
        let script = "cd .. && ./run.sh a|grep -q 'b;c' || exit 1\nif true; then x \"$(./y z)\" `w`; fi\ncat <<'E' | k\nrm -rf\nE\nlast <(inner 1)";
        let wanted = [
            "cd ..",
            "./run.sh a",
            "grep -q b;c",
            "exit 1",
            "true",
            "x  ",
            "./y z",
            "w",
            "cat",
            "k",
            "last",
            "inner 1",
        ];
        assert_eq!(texts(&["bash", "-c", script]), wanted);
    }

    #[test]
    fn only_what_a_shell_expands_expands() {
        let argv: Vec<String> =
            ["bash", "-c", "p --seed $RANDOM '$RANDOM' \"$RANDOM\" \\$RANDOM"].map(Into::into).into();
        let expands: Vec<bool> = commands(&argv)[0].words.iter().map(|word| word.expands).collect();
        assert_eq!(expands, [false, false, true, false, true, false]);
    }

    proptest! {
        #[test]
        fn any_script_is_taken_apart(script in "[ -~\n]{0,80}", wrapped in any::<bool>()) {
            let argv = if wrapped { vec!["bash".to_owned(), "-c".to_owned(), script] } else { vec![script] };
            let found = commands(&argv);
            prop_assert!(found.iter().all(|simple| !simple.words.is_empty()));
        }
    }
}
