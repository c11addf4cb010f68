//! Splits a script into words, operators and redirected input.

use super::word::{Word, assignment};

/// A part of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    Operator(Operator),
    /// `(( … ))`, with the scripts that are substituted in it.
    Arithmetic(Word),
    /// Input: the text, where it stands in the script, and the scripts that are substituted in it.
    Fed(Option<String>, Vec<String>),
}

/// What stands between commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// `;` or a line end.
    Next,
    /// `&`
    Background,
    And,
    Or,
    Pipe,
    Open,
    Close,
    /// `;;`, `;&`, `;;&`
    CaseEnd,
}

/// The tokens of a script.
pub(super) fn tokens(script: &str) -> Vec<Token> {
    let mut lexer =
        Lexer { chars: script.chars().collect(), at: 0, word: None, out: Vec::new(), here_documents: Vec::new() };
    lexer.run();
    lexer.out
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    word: Option<Word>,
    out: Vec<Token>,
    here_documents: Vec<HereDocument>,
}

/// A here-document of this line.
struct HereDocument {
    mark: String,
    /// A quoted mark: nothing is substituted.
    is_literal: bool,
    /// Place of its token.
    place: usize,
}

impl Lexer {
    fn run(&mut self) {
        while let Some(c) = self.next() {
            match c {
                ' ' | '\t' | '\r' => self.end_word(),
                '\n' => {
                    self.operator(Operator::Next);
                    self.read_here_documents();
                }
                ';' => {
                    let is_end = self.peek() == Some(';') || self.peek() == Some('&');
                    while is_end && matches!(self.peek(), Some(';' | '&')) {
                        self.at += 1;
                    }
                    self.operator(if is_end { Operator::CaseEnd } else { Operator::Next });
                }
                '&' if self.peek() == Some('>') => {
                    self.end_word();
                    self.at += 1;
                    self.redirection('>');
                }
                '&' => self.one_or_two('&', Operator::Background, Operator::And),
                '|' => {
                    self.one_or_two('|', Operator::Pipe, Operator::Or);
                    // `|&`
                    if self.chars.get(self.at - 1) == Some(&'|') && self.peek() == Some('&') {
                        self.at += 1;
                    }
                }
                '(' => self.bracket(),
                ')' => self.operator(Operator::Close),
                '#' if self.word.is_none() => self.skip_comment(),
                '<' | '>' => self.redirection(c),
                c => self.character(c),
            }
        }
        self.end_word();
    }

    /// A character of a word.
    fn character(&mut self, c: char) {
        match c {
            '\\' => {
                if let Some(c) = self.next().filter(|c| *c != '\n') {
                    self.push_quoted(c);
                }
            }
            '\'' => self.single_quotes(),
            '"' => {
                self.word().quote();
                self.expanding(Some('"'));
            }
            '`' => self.backticks(),
            '$' => self.dollar(),
            c => self.word().text.push(c),
        }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
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
        word.quote();
        word.text.push(c);
    }

    fn end_word(&mut self) {
        self.out.extend(self.word.take().map(Token::Word));
    }

    fn operator(&mut self, operator: Operator) {
        self.end_word();
        self.out.push(Token::Operator(operator));
    }

    fn one_or_two(&mut self, same: char, one: Operator, two: Operator) {
        let is_two = self.peek() == Some(same);
        self.at += usize::from(is_two);
        self.operator(if is_two { two } else { one });
    }

    /// `(( … ))`, the list of an array, or a subshell.
    fn bracket(&mut self) {
        if self.word.as_ref().is_some_and(|word| !word.quoted && word.text.ends_with('=') && assignment(word).is_some())
        {
            let items = self.until_close();
            self.word().inner.push(format!(": {items}"));
            return;
        }
        let start = self.at;
        if self.word.is_none() && self.peek() == Some('(') {
            self.at += 1;
            let text = self.until_close();
            if self.peek() == Some(')') {
                self.at += 1;
                let inner = vec![format!("echo \"{text}\"")];
                self.out.push(Token::Arithmetic(Word { text, expands: true, inner, ..Word::default() }));
                return;
            }
            self.at = start;
        }
        self.operator(Operator::Open);
    }

    fn skip_comment(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    /// A redirection and its target are no words of the command; `<( … )` is a command and stands for a file.
    fn redirection(&mut self, sign: char) {
        // `2>` is one word with the digits before it.
        if self.word.as_ref().is_some_and(|word| !word.quoted && word.text.bytes().all(|b| b.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        if self.peek() == Some('(') {
            self.at += 1;
            let script = self.until_close();
            match super::variables::literal_output(&script).filter(|_| sign == '<') {
                Some(text) => self.out.push(Token::Fed(Some(text), vec![script])),
                None => self.out.push(Token::Word(Word {
                    text: "/dev/fd/63".to_owned(),
                    expands: true,
                    quoted: true,
                    plain: 0,
                    inner: vec![script],
                })),
            }
            return;
        }
        let before = self.at;
        while self.peek().is_some_and(|c| matches!(c, '<' | '>' | '&' | '|' | '-')) {
            self.at += 1;
        }
        let signs: String = self.chars[before..self.at].iter().collect();
        while self.peek().is_some_and(|c| c == ' ' || c == '\t') {
            self.at += 1;
        }
        while let Some(c) =
            self.peek().filter(|c| !matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | ')' | '(' | '<' | '>'))
        {
            self.at += 1;
            self.character(c);
        }
        let target = self.word.take().unwrap_or_default();
        if sign == '>' {
            // Nothing but what is substituted in the name of the file.
            if !target.inner.is_empty() {
                self.out.push(Token::Fed(None, target.inner));
            }
        } else if signs == "<" || signs == "<-" {
            let place = self.out.len();
            self.here_documents.push(HereDocument { mark: target.text, is_literal: target.quoted, place });
            self.out.push(Token::Fed(None, Vec::new()));
        } else if signs == "<<" {
            let text = (!target.expands).then_some(target.text);
            self.out.push(Token::Fed(text, target.inner));
        } else {
            self.out.push(Token::Fed(None, target.inner));
        }
    }

    /// The lines of here-documents are input, not commands.
    fn read_here_documents(&mut self) {
        for document in std::mem::take(&mut self.here_documents) {
            let mut body = String::new();
            while self.at < self.chars.len() {
                let length = self.chars[self.at..].iter().position(|c| *c == '\n');
                let end = length.map_or(self.chars.len(), |length| self.at + length);
                let line: String = self.chars[self.at..end].iter().collect();
                self.at = (end + 1).min(self.chars.len());
                if line.trim() == document.mark {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            let mut inside = Self {
                chars: body.chars().collect(),
                at: 0,
                word: Some(Word::default()),
                out: Vec::new(),
                here_documents: Vec::new(),
            };
            if !document.is_literal {
                inside.expanding(None);
            }
            let found = inside.word.unwrap_or_default();
            let text = (!found.expands).then_some(body);
            self.out[document.place] = Token::Fed(text, found.inner);
        }
    }

    fn single_quotes(&mut self) {
        self.word().quote();
        while let Some(c) = self.next().filter(|c| *c != '\'') {
            self.word().text.push(c);
        }
    }

    /// Text in which `$` and backticks are expanded, up to `end`.
    fn expanding(&mut self, end: Option<char>) {
        while let Some(c) = self.next().filter(|c| Some(*c) != end) {
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
        let word = self.word();
        word.expands = true;
        word.inner.push(script);
    }

    fn dollar(&mut self) {
        // `$'…'` and `$"…"` are quotes.
        if matches!(self.peek(), Some('\'' | '"')) {
            self.word();
            return;
        }
        self.word().expands = true;
        if self.peek() != Some('(') {
            self.word().text.push('$');
            // `${x:-a b}` is one piece.
            if self.peek() == Some('{') {
                while let Some(c) = self.next() {
                    match c {
                        '$' if self.peek() == Some('(') => self.dollar(),
                        '`' => self.backticks(),
                        c => self.word().text.push(c),
                    }
                    if c == '}' {
                        break;
                    }
                }
            }
            return;
        }
        self.at += 1;
        let script = if self.peek() == Some('(') {
            // Arithmetic runs nothing, but what is substituted in it does.
            self.at += 1;
            let arithmetic = self.until_close();
            self.at += usize::from(self.peek() == Some(')'));
            format!("echo \"{arithmetic}\"")
        } else {
            self.until_close()
        };
        self.word().inner.push(script);
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
