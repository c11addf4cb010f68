//! Commands whose success is known without running them.

use super::variables::Variables;
use super::word::{Simple, Word};

/// Commands that succeed always.
const SUCCEEDS: [&str; 18] = [
    "true", ":", "echo", "printf", "pwd", "sleep", "date", "set", "export", "declare", "typeset", "local", "readonly",
    "unset", "umask", "shopt", "trap", "uname",
];

/// Whether the command succeeds; `None` if that is not known.
pub(super) fn succeeds(simple: &Simple, variables: &Variables) -> Option<bool> {
    let program = simple.program();
    if SUCCEEDS.contains(&program) {
        return Some(true);
    }
    match program {
        "false" => Some(false),
        "test" => holds(simple.arguments(), variables),
        "[" | "[[" => holds(simple.arguments().split_last()?.1, variables),
        _ => None,
    }
}

/// Whether a test of texts holds.
fn holds(words: &[Word], variables: &Variables) -> Option<bool> {
    let mut texts = Vec::new();
    for word in words {
        match variables.expand(word)?.as_slice() {
            [one] => texts.push(one.text.clone()),
            [] => texts.push(String::new()),
            _ => return None,
        }
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<i64>().ok();
    match texts.as_slice() {
        [] => Some(false),
        ["!", rest @ ..] => holds(&words[words.len() - rest.len()..], variables).map(|holds| !holds),
        [one] => Some(!one.is_empty()),
        ["-n", text] => Some(!text.is_empty()),
        ["-z", text] => Some(text.is_empty()),
        [a, "=" | "==", b] if !b.contains(['*', '?', '[']) => Some(a == b),
        [a, "!=", b] if !b.contains(['*', '?', '[']) => Some(a != b),
        [a, operator, b] => {
            let order = number(a)?.cmp(&number(b)?);
            match *operator {
                "-eq" => Some(order.is_eq()),
                "-ne" => Some(order.is_ne()),
                "-lt" => Some(order.is_lt()),
                "-le" => Some(order.is_le()),
                "-gt" => Some(order.is_gt()),
                "-ge" => Some(order.is_ge()),
                _ => None,
            }
        }
        _ => None,
    }
}
