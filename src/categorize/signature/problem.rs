//! Problems of a report, canonicalized by kind.
//!
//! | kind | what stays |
//! |---|---|
//! | `exit_code A != B` | all of it |
//! | `stdout missing '…'`, `stderr missing '…'`, `… unexpectedly contains '…'` | the needle as it is: it is the expectation's text |
//! | `precondition unmet: saw '…'`, `external blocker: saw '…'` | the needle as it is |
//! | `<path>: missing`, `<path><pointer>: X != Y` | a relative path, and Y if it is a JSON value: it is the expectation's; all else is normalized |
//! | `cross-artifact mismatch: …`, `evidence integrity: …` | the kind; the rest is normalized |
//! | `timed out after Ns` | `timed out after <duration>` |
//! | `process group survived teardown: …` | the kind, and what is no number |
//!
//! Everything else is normalized as a whole. A text that is still over [`MAX_CHARS`] characters loses consecutive duplicate
//! lines, and then its middle.

use super::clean::clean;
use super::duration;
use super::scanner::{is_word, normalize};

/// Problems with more characters than this, once normalized, are shortened.
pub const MAX_CHARS: usize = 10_000;
/// Characters of the start that a shortened problem keeps. Start and end leave room for placeholders that are
/// longer than what they replace at the cut.
const HEAD_CHARS: usize = 6_000;
/// Characters of the end that a shortened problem keeps.
const TAIL_CHARS: usize = 3_000;
/// What a shortened problem has instead of its middle. It says no length: that of the middle may vary.
const CUT_MARK: &str = "\n[... middle left out ...]\n";

/// Kinds whose quoted needle stays as it is.
const NEEDLE_KINDS: [&str; 6] = [
    "stdout missing ",
    "stderr missing ",
    "stdout unexpectedly contains ",
    "stderr unexpectedly contains ",
    "precondition unmet: saw ",
    "external blocker: saw ",
];
const TIMEOUT: &str = "timed out after ";
const SURVIVORS: &str = "process group survived teardown";

/// Normalizes one problem of a report, by its kind. Total and linear like [`normalize`].
pub fn normalize_problem(problem: &str) -> String {
    let text = by_kind(problem).unwrap_or_else(|| normalize(problem));
    if is_over(&text, MAX_CHARS) { shorten(&text) } else { text }
}

fn by_kind(problem: &str) -> Option<String> {
    exit_code(problem)
        .or_else(|| needle(problem))
        .or_else(|| timeout(problem))
        .or_else(|| survivors(problem))
        .or_else(|| artifact(problem))
}

fn exit_code(problem: &str) -> Option<String> {
    let (left, right) = problem.strip_prefix("exit_code ")?.split_once(" != ")?;
    let is_code = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        text == "None" || text == "null" || (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    (is_code(left) && is_code(right)).then(|| problem.to_owned())
}

/// The needle reaches to the last quote of the kind it starts with; what follows is normalized.
fn needle(problem: &str) -> Option<String> {
    let kind = NEEDLE_KINDS.iter().find(|kind| problem.starts_with(**kind))?;
    let rest = &problem[kind.len()..];
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let close = rest.rfind(quote).filter(|close| *close > 0)?;
    let end = kind.len() + close + 1;
    Some(format!("{}{}", &problem[..end], normalize(&problem[end..])))
}

fn timeout(problem: &str) -> Option<String> {
    let rest = clean(problem.strip_prefix(TIMEOUT)?);
    let rest = duration::at_start(&rest)?;
    Some(format!("{TIMEOUT}{}{}", duration::PLACEHOLDER, normalize(rest)))
}

/// How many processes survived, and their ids, is chance. Their names are not.
fn survivors(problem: &str) -> Option<String> {
    let rest = clean(problem.strip_prefix(SURVIVORS)?);
    let mut named = String::new();
    let mut word = String::new();
    let mut flush = |word: &mut String| {
        if !word.bytes().all(|b| b.is_ascii_digit()) {
            named.push(' ');
            named.push_str(word);
        }
        word.clear();
    };
    for c in rest.chars() {
        let is_joint = u8::try_from(c)
            .is_ok_and(|b| b.is_ascii() && !is_word(b) && !matches!(b, b'-' | b'.' | b'/' | b'<' | b'>'));
        if is_joint { flush(&mut word) } else { word.push(c) }
    }
    flush(&mut word);
    Some(if named.is_empty() { SURVIVORS.to_owned() } else { format!("{SURVIVORS}:{}", normalize(&named)) })
}

/// A path of an artifact, `: `, and what is wrong with it. A relative path comes from the fixture and stays.
fn artifact(problem: &str) -> Option<String> {
    let (path, rest) = problem.split_once(": ")?;
    let is_kind = rest == "missing" || rest.contains(" != ");
    let is_relative = !path.starts_with(['/', '\\', '%', '$', '<']) && path.as_bytes().get(1) != Some(&b':');
    let is_path = !path.is_empty() && path.bytes().all(|b| b > b' ' && b != b'<');
    (is_kind && is_relative && is_path).then(|| match rest.rsplit_once(" != ") {
        Some((found, expected)) if is_expectation(path, expected) => {
            format!("{path}: {} != {expected}", normalize(found))
        }
        _ => format!("{path}: {}", normalize(rest)),
    })
}

/// True if `expected` is the value of an expectation, as the fixture has it: after a file's name or a pointer, and a JSON
/// value. Other texts with ` != ` (an assertion of some test framework) may end in whatever varies.
fn is_expectation(path: &str, expected: &str) -> bool {
    path.contains(['/', '.']) && serde_json::from_str::<serde::de::IgnoredAny>(expected).is_ok()
}

fn is_over(text: &str, chars: usize) -> bool {
    text.len() > chars && text.chars().nth(chars).is_some()
}

fn shorten(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    let mut last = None;
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        if last != Some(content) {
            lines.push_str(line);
        }
        last = Some(content);
    }
    if !is_over(&lines, MAX_CHARS) {
        return lines;
    }
    let head = lines.char_indices().nth(HEAD_CHARS).map_or(lines.len(), |(end, _)| end);
    let tail = lines.char_indices().nth_back(TAIL_CHARS - 1).map_or(0, |(start, _)| start);
    // Placeholders of the tail take the numbers that the missing middle had.
    normalize(&format!("{}{CUT_MARK}{}", &lines[..head], &lines[tail..]))
}
