//! What a script's own variables stand for, where the script says it in so many words.

use std::collections::BTreeMap;

use super::lexer::{Operator, Token, tokens};
use super::word::{Simple, Word, joined};

/// Variables that the script has set: to a text, or to what cannot be known.
#[derive(Debug, Clone, Default)]
pub(super) struct Variables {
    known: BTreeMap<String, Option<String>>,
    /// `$1` and so on.
    pub(super) positional: Vec<Word>,
}

impl Variables {
    /// Sets a variable. What may or may not be set is not known afterwards.
    pub(super) fn set(&mut self, name: &str, value: Option<String>, is_certain: bool) {
        self.known.insert(name.to_owned(), value.filter(|_| is_certain));
    }

    /// The words that a word becomes; `None` if that is not known.
    pub(super) fn expand(&self, word: &Word) -> Option<Vec<Word>> {
        if !word.expands {
            return Some(vec![word.clone()]);
        }
        if matches!(word.text.as_str(), "$@" | "$*" | "${@}" | "${*}") && word.inner.is_empty() {
            return Some(self.positional.clone());
        }
        if let [script] = word.inner.as_slice()
            && word.text.is_empty()
        {
            let text = literal_output(script)?;
            return Some(pieces(text.trim_end_matches('\n'), word.quoted));
        }
        if !word.inner.is_empty() {
            return None;
        }
        let text = self.text(&word.text)?;
        Some(pieces(&text, word.quoted))
    }

    fn text(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            let (name, default, behind) = if let Some(braced) = after.strip_prefix('{') {
                let (inside, behind) = braced.split_once('}')?;
                let (name, default) = inside.split_once(":-").or_else(|| inside.split_once('-')).unzip();
                (name.unwrap_or(inside), default, behind)
            } else {
                let length = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
                (&after[..length], None, &after[length..])
            };
            let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if !is_name {
                return None;
            }
            let place = name.parse::<usize>().ok().map(|at| at.wrapping_sub(1));
            let value = match place {
                Some(at) => self.positional.get(at).map(|word| word.text.clone()),
                None => self.known.get(name).cloned().flatten(),
            };
            let unset = place.is_some() || !self.known.contains_key(name);
            out.push_str(&value.or_else(|| default.filter(|_| unset).map(str::to_owned))?);
            rest = behind;
        }
        out.push_str(rest);
        Some(out)
    }
}

fn pieces(text: &str, quoted: bool) -> Vec<Word> {
    if quoted { vec![Word::literal(text)] } else { text.split_whitespace().map(Word::literal).collect() }
}

/// What a script writes, if it is one command that says so: `echo a`, `printf a`; for `which a`, the name itself.
pub(super) fn literal_output(script: &str) -> Option<String> {
    if script.contains(['(', '`', '<', '>']) {
        return None;
    }
    let mut simple = Simple::default();
    for token in tokens(script) {
        match token {
            Token::Word(word) => simple.words.push(word),
            Token::Operator(Operator::Next) => {}
            _ => return None,
        }
    }
    output(&simple)
}

/// What a command writes, if its words say so.
pub(super) fn output(simple: &Simple) -> Option<String> {
    if simple.words.iter().any(|word| word.expands) {
        return None;
    }
    let arguments = simple.arguments();
    let without_options = |options: &[&str]| {
        let skipped = arguments.iter().take_while(|word| options.contains(&word.text.as_str())).count();
        joined(&arguments[skipped..])
    };
    match simple.program() {
        "echo" => Some(without_options(&["-n", "-e", "-E", "-ne", "-en"]).replace("\\n", "\n")),
        "printf" => {
            let arguments = arguments.get(usize::from(arguments.first().is_some_and(|word| word.text == "--"))..)?;
            let (format, rest) = arguments.split_first()?;
            let lines: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
            Some(if format.text.contains('%') { lines.join("\n") } else { format.text.replace("\\n", "\n") })
        }
        "cat" if arguments.is_empty() || arguments.iter().all(|word| word.text == "-") => simple.input.clone(),
        "which" | "command" | "type" => Some(without_options(&["-v", "-p", "-P", "-a"])),
        _ => None,
    }
}
