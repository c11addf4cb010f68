//! Code that stands in a command (`python3 -c`, `node -e`): whether it can do anything but print constants.
//!
//! Only words count. Code is constant if each of its words, outside of texts, is a word of the language, a way of
//! printing or ending, or a name that the code itself gives. A word of any other kind is taken for the product.

use std::collections::HashSet;

use super::inline_words::{CONSTANT_WORDS, START_WORDS, STARTERS};
use super::shell::Word;

/// A language, as far as its texts and comments differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Lua,
}

/// What an interpreter is told to run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// This code.
    Code(String),
    /// A file, a module, or something else that is not in the command.
    Elsewhere,
    /// Its input.
    Input,
    /// Nothing: its version, its help.
    Nothing,
}

/// What code amounts to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Amounts {
    /// The same always.
    Constant,
    /// It does nothing but start this command.
    Starts(String),
    /// It does something.
    Works,
}

/// The language of an interpreter.
pub(super) fn language(program: &str) -> Option<Language> {
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    Some(match name {
        "python" | "pypy" | "micropython" => Language::Python,
        "node" | "nodejs" | "deno" | "bun" | "qjs" => Language::JavaScript,
        "perl" => Language::Perl,
        "ruby" | "jruby" | "irb" => Language::Ruby,
        "php" => Language::Php,
        "lua" | "luajit" => Language::Lua,
        _ => return None,
    })
}

/// Modules of Python that do the same always when they are run.
const PYTHON_MODULES: [&str; 8] =
    ["this", "platform", "site", "sysconfig", "calendar", "__hello__", "antigravity", "timeit"];
/// Libraries of Perl and Ruby that add nothing of a product.
const LIBRARIES: [&str; 9] = ["strict", "warnings", "utf8", "feature", "POSIX", "Data::Dumper", "set", "date", "time"];

/// What an interpreter runs with these arguments.
pub(super) fn runs(language: Language, arguments: &[Word]) -> Runs {
    let mut code: Vec<&str> = Vec::new();
    let mut words = arguments.iter().map(|word| word.text.as_str());
    while let Some(text) = words.next() {
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            match name {
                "version" | "help" => return Runs::Nothing,
                "eval" | "print" | "run" => code.extend(value.or_else(|| words.next())),
                "require" | "import" | "loader" | "file" | "env-file" => return Runs::Elsewhere,
                _ => {}
            }
        } else if text == "-" {
            return Runs::Input;
        } else if let Some(flags) = text.strip_prefix('-') {
            for (at, flag) in flags.char_indices() {
                let rest = &flags[at + flag.len_utf8()..];
                let mut value = || if rest.is_empty() { words.next() } else { Some(rest) };
                match meaning(language, flag) {
                    Flag::Code => code.extend(value()),
                    Flag::Module => match value() {
                        Some(name) if PYTHON_MODULES.contains(&name) => return Runs::Nothing,
                        _ => return Runs::Elsewhere,
                    },
                    Flag::Library => {
                        if !value().is_some_and(|name| LIBRARIES.contains(&name)) {
                            return Runs::Elsewhere;
                        }
                    }
                    Flag::Value => {
                        value();
                    }
                    Flag::Attached => {}
                    Flag::File => return Runs::Elsewhere,
                    Flag::Nothing => return Runs::Nothing,
                    Flag::Plain => continue,
                }
                break;
            }
        } else if !code.is_empty() {
            break;
        } else if language == Language::JavaScript && text == "eval" {
            code.extend(words.next());
        } else {
            return Runs::Elsewhere;
        }
        // Everything behind the code is an argument of it.
        if !code.is_empty() && language == Language::Python {
            break;
        }
    }
    if code.is_empty() { Runs::Input } else { Runs::Code(code.join("\n")) }
}

enum Flag {
    Plain,
    Code,
    Module,
    Library,
    /// It has a value, attached or as the next word.
    Value,
    /// It may have an attached value.
    Attached,
    File,
    Nothing,
}

fn meaning(language: Language, flag: char) -> Flag {
    use Language::{JavaScript, Lua, Perl, Php, Python, Ruby};
    match (language, flag) {
        (Python, 'c')
        | (JavaScript, 'e' | 'p')
        | (Perl, 'e' | 'E')
        | (Ruby | Lua, 'e')
        | (Php, 'r' | 'B' | 'R' | 'E') => Flag::Code,
        (Python, 'm') => Flag::Module,
        (JavaScript | Ruby, 'r') | (Perl, 'M' | 'm') | (Lua, 'l') => Flag::Library,
        (Python, 'W' | 'X') | (JavaScript, 'C') | (Perl | Ruby, 'I' | 'C') | (Php, 'd' | 'c' | 'z') => Flag::Value,
        (Perl | Ruby, 'i' | 'F' | 'x') | (Perl, 'D') => Flag::Attached,
        (Php, 'f' | 'F') => Flag::File,
        (Python, 'V' | 'h' | '?')
        | (JavaScript, 'v' | 'h')
        | (Perl | Ruby | Lua, 'v' | 'V' | 'h')
        | (Php, 'v' | 'i' | 'm' | 'h') => Flag::Nothing,
        _ => Flag::Plain,
    }
}

/// Deepest nesting of code in texts in code.
const MAX_DEPTH: usize = 4;

/// What the code amounts to.
pub(super) fn amounts(language: Language, code: &str) -> Amounts {
    let mut scan = Scan { language, words: Vec::new(), given: HashSet::new(), texts: Vec::new(), commands: Vec::new() };
    scan.code(code, 0);
    let known = |word: &&String| CONSTANT_WORDS.contains(&word.as_str()) || scan.given.contains(*word);
    let unknown: Vec<&str> = scan.words.iter().filter(|word| !known(word)).map(String::as_str).collect();
    if !scan.commands.is_empty() {
        let all = unknown.is_empty().then(|| scan.commands.join("\n"));
        return all.map_or(Amounts::Works, Amounts::Starts);
    }
    if unknown.is_empty() {
        return Amounts::Constant;
    }
    // `exec("print(1)")` is the code in its text.
    if unknown.iter().all(|word| matches!(*word, "exec" | "eval" | "compile")) && language != Language::JavaScript {
        let inside = |text: &String| amounts(language, text) == Amounts::Constant;
        if language != Language::Perl && scan.texts.iter().all(inside) {
            return Amounts::Constant;
        }
    }
    let starts = unknown.iter().any(|word| STARTERS.contains(word));
    if starts && unknown.iter().all(|word| START_WORDS.contains(word)) {
        let modules = ["child_process", "node:child_process", "inherit", "utf8", "utf-8"];
        let texts: Vec<&str> = scan.texts.iter().map(String::as_str).filter(|text| !modules.contains(text)).collect();
        return Amounts::Starts(texts.join(" "));
    }
    Amounts::Works
}

struct Scan {
    language: Language,
    words: Vec<String>,
    /// Names that the code itself gives.
    given: HashSet<String>,
    texts: Vec<String>,
    /// What stands in backticks, where they start commands.
    commands: Vec<String>,
}

impl Scan {
    fn code(&mut self, code: &str, depth: usize) {
        if depth > MAX_DEPTH {
            self.words.push("…".to_owned());
            return;
        }
        let chars: Vec<char> = code.chars().collect();
        let mut at = 0;
        let mut before = String::new();
        while let Some(&c) = chars.get(at) {
            let next = chars.get(at + 1).copied();
            if c.is_alphabetic() || c == '_' || (self.has_sigils() && matches!(c, '$' | '@') && is_name(next)) {
                let start = at;
                at += 1;
                while chars.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
                    at += 1;
                }
                let word: String = chars[start..at].iter().collect();
                let quote = chars.get(at).copied().filter(|c| matches!(c, '\'' | '"'));
                let is_prefix = word.len() <= 2 && word.chars().all(|c| "rbufRBUF".contains(c));
                if self.language == Language::Python && is_prefix && quote.is_some() {
                    at = self.text(&chars, at, word.contains(['f', 'F']), depth);
                    before.clear();
                    continue;
                }
                if Self::gives(&chars, at, &before) {
                    self.given.insert(word.clone());
                }
                if !c.is_alphabetic() && c != '_' {
                    // A variable of Perl, Ruby or PHP: it was set by the code, or is empty.
                } else {
                    self.words.push(word.clone());
                }
                before = word;
            } else if matches!(c, '\'' | '"') {
                let interpolates = c == '"' && self.has_sigils();
                at = self.text(&chars, at, interpolates, depth);
                before.clear();
            } else if c == '`' {
                let is_template = self.language == Language::JavaScript;
                if is_template {
                    at = self.text(&chars, at, true, depth);
                } else {
                    let (text, end) = until(&chars, at + 1, '`');
                    self.commands.push(text);
                    at = end;
                }
            } else if (c == '#' && self.language != Language::JavaScript)
                || (c == '/' && next == Some('/') && matches!(self.language, Language::JavaScript | Language::Php))
                || (c == '-' && next == Some('-') && self.language == Language::Lua)
            {
                while chars.get(at).is_some_and(|c| *c != '\n') {
                    at += 1;
                }
            } else if c.is_ascii_digit() {
                while chars.get(at).is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.')) {
                    at += 1;
                }
            } else {
                at += 1;
            }
        }
    }

    const fn has_sigils(&self) -> bool {
        matches!(self.language, Language::Perl | Language::Ruby | Language::Php)
    }

    /// Whether the code gives the name that ends at `at`: `x = 1`, `for x`, `def x`.
    fn gives(chars: &[char], at: usize, before: &str) -> bool {
        let mut rest = chars.get(at..).unwrap_or_default().iter().skip_while(|c| **c == ' ');
        let sets = rest.next() == Some(&'=') && !matches!(rest.next(), Some('=' | '~' | '>'));
        sets || matches!(
            before,
            "for" | "def" | "lambda" | "function" | "let" | "const" | "var" | "my" | "local" | "class"
        )
    }

    /// A text that starts with its quote at `at`. Returns where it ends.
    fn text(&mut self, chars: &[char], at: usize, interpolates: bool, depth: usize) -> usize {
        let quote = chars[at];
        let is_long = self.language == Language::Python && chars[at..].starts_with(&[quote; 3]);
        let (text, end) = if is_long {
            let rest = &chars[at + 3..];
            let length = rest.windows(3).position(|three| three == [quote; 3]).unwrap_or(rest.len());
            (rest[..length].iter().collect(), (at + 6 + length).min(chars.len()))
        } else {
            until(chars, at + 1, quote)
        };
        if interpolates {
            let opens = match self.language {
                Language::JavaScript => "${",
                Language::Ruby => "#{",
                Language::Python | Language::Perl | Language::Php | Language::Lua => "{",
            };
            let mut rest = text.as_str();
            while let Some((_, inside)) = rest.split_once(opens) {
                let (code, behind) = inside.split_once('}').unwrap_or((inside, ""));
                // What follows a `:` or `!` says how to write the value.
                let code = if self.language == Language::Python {
                    code.split([':', '!']).next().unwrap_or(code)
                } else {
                    code
                };
                self.code(code, depth + 1);
                rest = behind;
            }
        }
        self.texts.push(text);
        end
    }
}

fn is_name(next: Option<char>) -> bool {
    next.is_some_and(|c| c.is_alphabetic() || c == '_')
}

/// The text up to a quote, and where it ends.
fn until(chars: &[char], start: usize, quote: char) -> (String, usize) {
    let mut text = String::new();
    let mut at = start;
    while let Some(&c) = chars.get(at) {
        at += 1;
        if c == quote {
            break;
        }
        if c == '\\' {
            if let Some(&escaped) = chars.get(at) {
                text.push(if escaped == 'n' { '\n' } else { escaped });
            }
            at += 1;
        } else {
            text.push(c);
        }
    }
    (text, at.min(chars.len()))
}
