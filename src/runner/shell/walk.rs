//! Walks through a script as far as it can be reached: what follows `exit`, `true ||`, `if false` or a function that
//! nobody calls is not what the case runs. In doubt, a command can be reached.

use super::conditions;
use super::lexer::{Operator, Token, tokens};
use super::variables;
use super::word::{Simple, Word, assignment};
use super::wrapper::{Finder, MAX_DEPTH};

/// Deepest nesting of `( … )`, `if` and the like.
const MAX_NESTING: usize = 100;
/// Words that end a list of commands.
const ENDS: [&str; 8] = ["then", "elif", "else", "fi", "do", "done", "esac", "}"];

/// Whether a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    Never,
    Maybe,
    Always,
}

impl Mode {
    /// The mode behind a condition.
    fn given(self, condition: Option<bool>) -> Self {
        match condition {
            Some(true) => self,
            Some(false) => Self::Never,
            None => self.min(Self::Maybe),
        }
    }
}

/// What a command surely leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Leaves {
    #[default]
    Nothing,
    Loop,
    Function,
    Shell,
}

/// How a command ends, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Flow {
    pub(super) succeeds: Option<bool>,
    pub(super) leaves: Leaves,
}

impl Flow {
    pub(super) fn of(succeeds: Option<bool>) -> Self {
        Self { succeeds, leaves: Leaves::Nothing }
    }

    /// Seen from outside of what ends up to `inner`.
    pub(super) fn outside(mut self, inner: Leaves) -> Self {
        if self.leaves <= inner {
            self.leaves = Leaves::Nothing;
        }
        self
    }
}

impl Finder {
    /// Finds the commands of a script, which is a shell of its own.
    pub(super) fn script(&mut self, script: &str, depth: usize, mode: Mode) -> Flow {
        self.walk(tokens(script), depth, mode, 0).outside(Leaves::Shell)
    }

    /// Finds the commands between the tokens.
    pub(super) fn walk(&mut self, tokens: Vec<Token>, depth: usize, mode: Mode, nesting: usize) -> Flow {
        let mut walk = Walk { finder: self, tokens, at: 0, depth, nesting, said: None };
        let mut mode = mode;
        loop {
            let flow = walk.list(mode);
            if walk.at >= walk.tokens.len() {
                return flow;
            }
            // A word that closes nothing: from here on the script is not understood.
            walk.at += 1;
            mode = mode.min(Mode::Maybe);
        }
    }
}

/// What a pipe brings, if it is known.
struct Piped(Option<String>);

struct Walk<'f> {
    finder: &'f mut Finder,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    nesting: usize,
    /// What the command before a pipe writes, if it is known.
    said: Option<String>,
}

impl Walk<'_> {
    fn operator(&self) -> Option<Operator> {
        match self.tokens.get(self.at) {
            Some(Token::Operator(operator)) => Some(*operator),
            _ => None,
        }
    }

    /// The word here, if it is without quotes.
    fn plain(&self) -> Option<&str> {
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) if !word.quoted => Some(&word.text),
            _ => None,
        }
    }

    fn takes(&mut self, text: &str) -> bool {
        let is_here = self.plain() == Some(text);
        self.at += usize::from(is_here);
        is_here
    }

    fn takes_operator(&mut self, wanted: Operator) -> bool {
        let is_here = self.operator() == Some(wanted);
        self.at += usize::from(is_here);
        is_here
    }

    fn skip_lines(&mut self) {
        while self.takes_operator(Operator::Next) {}
    }

    fn is_end(&self) -> bool {
        match self.tokens.get(self.at) {
            None | Some(Token::Operator(Operator::Close | Operator::CaseEnd)) => true,
            Some(_) => self.plain().is_some_and(|word| ENDS.contains(&word)),
        }
    }

    /// Commands one after another.
    fn list(&mut self, mode: Mode) -> Flow {
        let mut mode = mode;
        let mut all = Flow::of(Some(true));
        loop {
            while matches!(self.operator(), Some(Operator::Next | Operator::Background)) {
                self.at += 1;
            }
            if self.is_end() {
                return all;
            }
            let before = self.at;
            let mut flow = self.conditional(mode);
            if self.at == before {
                self.at += 1;
            }
            if self.operator() == Some(Operator::Background) {
                flow = Flow::of(Some(true));
            }
            all.succeeds = flow.succeeds;
            if mode == Mode::Always && flow.leaves != Leaves::Nothing {
                all.leaves = flow.leaves;
                mode = Mode::Never;
            }
        }
    }

    /// Pipelines with `&&` and `||` between.
    fn conditional(&mut self, mode: Mode) -> Flow {
        // What is negated does not stop a script that stops at failures.
        let mut is_alone = self.plain() != Some("!");
        let mut all = self.pipeline(mode);
        loop {
            let wanted = match self.operator() {
                Some(Operator::And) => true,
                Some(Operator::Or) => false,
                _ => break,
            };
            is_alone = false;
            self.at += 1;
            self.skip_lines();
            let reached = if all.leaves == Leaves::Nothing {
                mode.given(all.succeeds.map(|succeeds| succeeds == wanted))
            } else {
                Mode::Never
            };
            let next = self.pipeline(reached);
            all.succeeds = match all.succeeds {
                Some(succeeds) if succeeds == wanted => next.succeeds,
                Some(succeeds) => Some(succeeds),
                None => next.succeeds.filter(|succeeds| *succeeds != wanted),
            };
            if reached == Mode::Always {
                all.leaves = all.leaves.max(next.leaves);
            }
        }
        if is_alone && self.finder.stops_at_failure && all.succeeds == Some(false) && self.nesting == 0 {
            all.leaves = Leaves::Shell;
        }
        all
    }

    fn pipeline(&mut self, mode: Mode) -> Flow {
        let mut negated = false;
        loop {
            if self.takes("!") {
                negated = !negated;
            } else if self.takes("time") {
                self.takes("-p");
            } else if !self.takes("coproc") {
                break;
            }
        }
        self.said = None;
        let mut flow = self.element(mode, None);
        while self.takes_operator(Operator::Pipe) {
            self.skip_lines();
            let said = self.said.take();
            flow = self.element(mode, Some(Piped(said))).outside(Leaves::Shell);
        }
        if negated {
            flow.succeeds = flow.succeeds.map(|succeeds| !succeeds);
        }
        flow
    }

    /// A simple or a compound command.
    fn element(&mut self, mode: Mode, piped: Option<Piped>) -> Flow {
        if self.nesting >= MAX_NESTING {
            self.at += 1;
            return Flow::default();
        }
        self.nesting += 1;
        let flow = self.compound(mode);
        self.nesting -= 1;
        let Some(flow) = flow else { return self.simple(mode, piped) };
        self.said = None;
        while let Some(Token::Fed(_, inner)) = self.tokens.get(self.at) {
            let inner = inner.clone();
            self.at += 1;
            self.substitutions(&inner, mode);
        }
        flow
    }

    /// A compound command; `None` if here is none.
    fn compound(&mut self, mode: Mode) -> Option<Flow> {
        match self.tokens.get(self.at)? {
            Token::Operator(Operator::Open) => {
                self.at += 1;
                let flow = self.list(mode).outside(Leaves::Shell);
                self.takes_operator(Operator::Close);
                return Some(flow);
            }
            Token::Arithmetic(word) => {
                let word = word.clone();
                self.at += 1;
                self.substitutions(&word.inner, mode);
                return Some(Flow::of(word.text.trim().parse::<i64>().ok().map(|number| number != 0)));
            }
            Token::Word(word) if !word.quoted => {}
            _ => return None,
        }
        let next = |at: usize| match self.tokens.get(self.at + at) {
            Some(Token::Operator(operator)) => Some(*operator),
            _ => None,
        };
        if next(1) == Some(Operator::Open) && next(2) == Some(Operator::Close) {
            return Some(self.function(mode));
        }
        let keyword = self.plain()?.to_owned();
        let flow = match keyword.as_str() {
            "{" => {
                self.at += 1;
                let flow = self.list(mode);
                self.takes("}");
                flow
            }
            "if" => self.branches(mode),
            "while" | "until" => {
                self.at += 1;
                let condition = self.list(mode);
                let enters = condition.succeeds.map(|succeeds| succeeds == (keyword == "while"));
                let body = self.body(mode.given(enters));
                let succeeds = (enters == Some(false)).then_some(true);
                let leaves = if condition.leaves == Leaves::Nothing { body.leaves } else { condition.leaves };
                Flow { succeeds, leaves }.outside(Leaves::Loop)
            }
            "for" | "select" => self.each(mode),
            "case" => self.cases(mode),
            "function" => {
                self.at += 1;
                self.function(mode)
            }
            "[[" => self.double_brackets(mode),
            _ => return None,
        };
        Some(flow)
    }

    fn branches(&mut self, mode: Mode) -> Flow {
        let mut reached = mode;
        let mut all = Flow::default();
        let mut is_sure = true;
        loop {
            // `if` or `elif`
            self.at += 1;
            let condition = self.list(reached);
            self.takes("then");
            let entered = reached.given(condition.succeeds);
            let body = self.list(entered);
            if entered == Mode::Always {
                all = body;
            }
            if condition.leaves != Leaves::Nothing {
                all.leaves = condition.leaves;
            }
            is_sure &= condition.succeeds.is_some();
            reached = reached.given(condition.succeeds.map(|succeeds| !succeeds));
            if self.plain() == Some("elif") {
                continue;
            }
            if self.takes("else") {
                let body = self.list(reached);
                if reached == Mode::Always {
                    all = body;
                }
            } else if reached == Mode::Always {
                all.succeeds = Some(true);
            }
            self.takes("fi");
            if !is_sure {
                all.succeeds = None;
            }
            return all;
        }
    }

    /// `do … done`, or the braces that may stand for it.
    fn body(&mut self, mode: Mode) -> Flow {
        while matches!(self.operator(), Some(Operator::Next)) {
            self.at += 1;
        }
        let braces = self.takes("{");
        if !braces {
            self.takes("do");
        }
        let flow = self.list(mode);
        self.takes(if braces { "}" } else { "done" });
        flow
    }

    fn each(&mut self, mode: Mode) -> Flow {
        self.at += 1;
        let mut entered = mode;
        if let Some(Token::Arithmetic(word)) = self.tokens.get(self.at) {
            let inner = word.inner.clone();
            self.at += 1;
            self.substitutions(&inner, mode);
            entered = mode.min(Mode::Maybe);
        } else {
            let name = self.plain().unwrap_or_default().to_owned();
            self.at += 1;
            self.skip_lines();
            let mut value = None;
            if self.takes("in") {
                let mut items = Vec::new();
                while let Some(Token::Word(word)) = self.tokens.get(self.at) {
                    items.push(word.clone());
                    self.at += 1;
                }
                for item in &items {
                    self.substitutions(&item.inner, mode);
                }
                if items.is_empty() {
                    entered = Mode::Never;
                } else if items.iter().all(|item| item.expands) {
                    entered = mode.min(Mode::Maybe);
                }
                value = <[Word; 1]>::try_from(items).ok().filter(|[item]| !item.expands).map(|[item]| item.text);
            } else {
                entered = mode.min(Mode::Maybe);
            }
            if mode != Mode::Never {
                self.finder.variables.set(&name, value, mode == Mode::Always);
            }
        }
        let body = self.body(entered);
        Flow { succeeds: None, leaves: body.leaves }.outside(Leaves::Loop)
    }

    fn cases(&mut self, mode: Mode) -> Flow {
        self.at += 1;
        let mut subject = None;
        if let Some(Token::Word(word)) = self.tokens.get(self.at) {
            let word = word.clone();
            self.at += 1;
            self.substitutions(&word.inner, mode);
            subject = match self.finder.variables.expand(&word).as_deref() {
                Some([one]) => Some(one.text.clone()),
                Some([]) => Some(String::new()),
                _ => None,
            };
        }
        self.skip_lines();
        self.takes("in");
        let mut reached = mode;
        let mut all = Flow::default();
        loop {
            self.skip_lines();
            if self.at >= self.tokens.len() || self.takes("esac") {
                return all;
            }
            let before = self.at;
            self.takes_operator(Operator::Open);
            let mut matches = Some(false);
            while let Some(Token::Word(word)) = self.tokens.get(self.at) {
                let is_pattern = word.expands || (!word.quoted && word.text.contains(['*', '?', '[']));
                let one = match &subject {
                    _ if word.is("*") => Some(true),
                    Some(subject) if !is_pattern => Some(*subject == word.text),
                    _ => None,
                };
                matches = match (matches, one) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), one) => one,
                    (None, _) => None,
                };
                self.at += 1;
                self.takes_operator(Operator::Pipe);
            }
            self.takes_operator(Operator::Close);
            let entered = reached.given(matches);
            let body = self.list(entered);
            if entered == Mode::Always {
                all = body;
            }
            reached = reached.given(matches.map(|matches| !matches));
            self.takes_operator(Operator::CaseEnd);
            if self.at == before {
                self.at += 1;
            }
        }
    }

    /// Keeps the body of a function for its calls.
    fn function(&mut self, mode: Mode) -> Flow {
        let name = self.plain().unwrap_or_default().to_owned();
        self.at += 1;
        if self.takes_operator(Operator::Open) {
            self.takes_operator(Operator::Close);
        }
        self.skip_lines();
        let start = self.at;
        self.element(Mode::Never, None);
        if mode != Mode::Never {
            let body = self.tokens[start..self.at.min(self.tokens.len())].to_vec();
            self.finder.define(name, body, self.depth);
        }
        Flow::of(Some(true))
    }

    fn double_brackets(&mut self, mode: Mode) -> Flow {
        let mut simple = Simple::default();
        let mut is_one_test = true;
        while let Some(token) = self.tokens.get(self.at).cloned() {
            self.at += 1;
            match token {
                Token::Word(word) | Token::Arithmetic(word) => {
                    self.substitutions(&word.inner, mode);
                    let is_last = word.is("]]");
                    simple.words.push(word);
                    if is_last {
                        break;
                    }
                }
                Token::Operator(_) | Token::Fed(..) => is_one_test = false,
            }
        }
        if mode == Mode::Never {
            return Flow::default();
        }
        let succeeds = conditions::succeeds(&simple, &self.finder.variables).filter(|_| is_one_test);
        self.finder.push(simple);
        Flow::of(succeeds)
    }

    fn simple(&mut self, mode: Mode, piped: Option<Piped>) -> Flow {
        let mut simple =
            Simple { fed: piped.is_some(), input: piped.and_then(|Piped(text)| text), ..Simple::default() };
        let mut inner = Vec::new();
        loop {
            match self.tokens.get(self.at) {
                Some(Token::Word(word)) => {
                    inner.extend(word.inner.iter().cloned());
                    simple.words.push(word.clone());
                }
                Some(Token::Fed(text, scripts)) => {
                    inner.extend(scripts.iter().cloned());
                    simple.fed = true;
                    simple.input.clone_from(text);
                }
                _ => break,
            }
            self.at += 1;
        }
        self.said = None;
        if mode == Mode::Never {
            return Flow::default();
        }
        let mut substituted = false;
        while let Some((name, value)) = simple.words.first().and_then(assignment) {
            let word = Word { text: value.to_owned(), ..simple.words[0].clone() };
            let value = self.finder.variables.expand(&Word { quoted: true, ..word });
            let value = value.and_then(|words| words.into_iter().next()).map(|word| word.text);
            self.finder.variables.set(name, value, mode == Mode::Always);
            simple.words.remove(0);
            substituted = true;
        }
        let flow = if simple.words.is_empty() {
            Flow::of((substituted && inner.is_empty()).then_some(true))
        } else {
            self.said = variables::output(&simple);
            self.finder.command(simple, self.depth, mode)
        };
        self.substitutions(&inner, mode);
        flow
    }

    /// Finds the commands of what is substituted.
    fn substitutions(&mut self, scripts: &[String], mode: Mode) {
        if mode == Mode::Never || self.depth >= MAX_DEPTH {
            return;
        }
        for script in scripts {
            self.finder.script(script, self.depth + 1, Mode::Maybe);
        }
    }
}
