//! Words and simple commands.

/// One simple command: a program and its arguments, quotes removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::runner) struct Simple {
    pub(in crate::runner) words: Vec<Word>,
    /// True if its input is redirected: a here-document, a file, a pipe.
    pub(in crate::runner) fed: bool,
    /// That input, where it stands in the script itself.
    pub(in crate::runner) input: Option<String>,
    /// True if it starts nothing: a shell or a wrapper without a command.
    pub(in crate::runner) idle: bool,
    /// The words with those of the wrapper around it; empty without one.
    pub(in crate::runner) around: String,
}

/// One word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::runner) struct Word {
    /// Its text without quotes; what a shell would expand stands as it is written.
    pub(in crate::runner) text: String,
    /// True if a shell would expand a `$` in it.
    pub(in crate::runner) expands: bool,
    /// True if a part of it was quoted: then it is no keyword and no assignment.
    pub(super) quoted: bool,
    /// Length of the text before its first quote, if it has one.
    pub(super) plain: usize,
    /// Scripts that are substituted in it.
    pub(super) inner: Vec<String>,
}

impl Word {
    /// A word that no shell reads again.
    pub(super) fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), quoted: true, ..Self::default() }
    }

    /// Notes that what follows is quoted.
    pub(super) fn quote(&mut self) {
        if !self.quoted {
            self.quoted = true;
            self.plain = self.text.len();
        }
    }

    /// True if it is written like this, without quotes.
    pub(super) fn is(&self, text: &str) -> bool {
        !self.quoted && self.text == text
    }
}

impl Simple {
    /// The program's name without its folder.
    pub(in crate::runner) fn program(&self) -> &str {
        self.words.first().map_or("", |word| base(&word.text))
    }

    /// The arguments.
    pub(in crate::runner) fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The words with one space between.
    pub(in crate::runner) fn text(&self) -> String {
        joined(&self.words)
    }
}

/// The words with one space between.
pub(super) fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The last part of a path.
pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The name and the value of an assignment: `a=b`, `a+=b`, `a[0]=b`.
pub(super) fn assignment(word: &Word) -> Option<(&str, &str)> {
    let (left, _) = word.text.split_once('=')?;
    if word.quoted && left.len() >= word.plain { None } else { assigned(&word.text) }
}

/// The same of a text that `env` reads.
pub(super) fn assigned(text: &str) -> Option<(&str, &str)> {
    let (left, value) = text.split_once('=')?;
    let name = left.strip_suffix('+').unwrap_or(left);
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name.then_some((name, value))
}
