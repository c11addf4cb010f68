//! Data in Markdown: as words, as a code span, as a fence.

use crate::categorize::signature::redact;
use crate::model::{display_safe, truncate_chars};

/// Characters that are searched for secrets beyond those that are shown: more than the longest private key.
const REDACTED_BEYOND: usize = 16_384;
/// A run of hexadecimal digits of this length may name a commit. Source: GitHub links 7 and more.
const COMMIT_CHARS: usize = 7;

/// Length in UTF-16 units, the strictest way in which trackers count.
pub fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Data on one line, without secrets, without what could open an HTML comment, at most `max` characters. To be put
/// into code; anywhere else it acts.
pub fn data(text: &str, max: usize) -> String {
    let searched = truncate_chars(text, max.saturating_add(REDACTED_BEYOND));
    let shown = redact(&searched);
    // Comments are where markers are: no data may look like one, not even in code.
    truncate_chars(&display_safe(&shown).replace("<!--", "<!- -"), max).into_owned()
}

/// Data inside a paragraph, at most `max` characters of it: words stay words, and everything that is not plainly a word
/// or a small number stands in a code span. One line; never empty.
pub fn plain(text: &str, max: usize) -> String {
    let shown = data(text, max);
    let mut out = String::with_capacity(shown.len() + 8);
    let mut risky: Vec<&str> = Vec::new();
    for word in shown.split(' ').filter(|word| !word.is_empty()) {
        if is_harmless(word, out.is_empty() && risky.is_empty()) {
            push_code(&mut out, &mut risky);
            push_word(&mut out, word);
        } else {
            risky.push(word);
        }
    }
    push_code(&mut out, &mut risky);
    if out.is_empty() { "(empty)".to_owned() } else { out }
}

/// Data as one code span, at most `max` characters of it. `|` is spelled out, so that it may stand in a table.
pub fn code(text: &str, max: usize) -> String {
    let shown = truncate_chars(&data(text, max).replace('|', "\\u{7c}"), max).into_owned();
    if shown.trim().is_empty() { "`(empty)`".to_owned() } else { span(&shown) }
}

/// A fenced block whose fence is longer than any run of backticks in it. `info` and the lines are ours or from [`data`].
pub fn fence(info: &str, block: &str) -> String {
    let fence = "`".repeat(longest_run(block).max(2) + 1);
    format!("{fence}{info}\n{block}\n{fence}")
}

fn push_word(out: &mut String, word: &str) {
    if !out.is_empty() {
        out.push(' ');
    }
    out.push_str(word);
}

/// Ends a run of words that are no plain ones: one code span, the sentence's punctuation behind it.
fn push_code(out: &mut String, risky: &mut Vec<&str>) {
    if risky.is_empty() {
        return;
    }
    let run = risky.join(" ");
    risky.clear();
    let body =
        run.strip_suffix(['.', ',', ';']).filter(|body| body.ends_with(|c: char| c.is_alphanumeric() || c == ')'));
    let body = body.unwrap_or(&run);
    push_word(out, &span(body));
    out.push_str(&run[body.len()..]);
}

/// A code span: more backticks around it than in it, and a space where one would touch.
fn span(content: &str) -> String {
    let ticks = "`".repeat(longest_run(content) + 1);
    let touches = content.starts_with('`') || content.ends_with('`');
    // Markdown takes one space off both ends.
    let is_padded = content.starts_with(' ') && content.ends_with(' ');
    let pad = if touches || is_padded { " " } else { "" };
    format!("{ticks}{pad}{content}{pad}{ticks}")
}

fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// True for a word that means nothing to Markdown or a tracker: letters, joined by single `-` `'` `/`, or a small number,
/// with a sentence's punctuation around it. The `first` word of a line must not begin a list.
fn is_harmless(word: &str, first: bool) -> bool {
    if matches!(word, "-" | "–" | "—") {
        return !first;
    }
    let core = word
        .trim_start_matches(['(', '"', '\'', '“', '‘', '„'])
        .trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'', '”', '’', '…']);
    let is_number = || {
        let digits = core.strip_suffix('%').unwrap_or(core);
        !first
            && digits.len() < COMMIT_CHARS
            && digits.split(['.', ',']).all(|part| is_all(part, |c| c.is_ascii_digit()))
    };
    let is_letters = |part: &str| {
        is_all(part, char::is_alphabetic)
            && !(part.len() >= COMMIT_CHARS && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    is_number() || core.split(['-', '\'', '’', '/']).all(is_letters)
}

fn is_all(text: &str, is: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words_and_the_rest_is_code() {
        for (text, wanted) in [
            ("The total is wrong by 5%, always (don't ask).", "The total is wrong by 5%, always (don't ask)."),
            ("rounds in money.py, then adds", "rounds in `money.py`, then adds"),
            ("@me #1 <b> [x](y) fixes\n`c`", "`` @me #1 <b> [x](y) fixes\\n`c` ``"),
            ("see https://x.example/a and www.x.example.", "see `https://x.example/a` and `www.x.example`."),
            ("fixes GH-12 and owner/repo#1", "fixes `GH-12` and `owner/repo#1`"),
            ("read/write on a defaced deadbeef 1234567", "read/write on a `defaced deadbeef 1234567`"),
            ("1. one", "`1`. one"),
            ("- one", "`-` one"),
            ("a::b::c is :tada: $x$ a|b", "`a::b::c` is `:tada: $x$ a|b`"),
            ("", "(empty)"),
            ("über Größe 日本語", "über Größe 日本語"),
        ] {
            assert_eq!(plain(text, 500), wanted);
        }
    }

    #[test]
    fn fences_and_spans_outgrow_their_content() {
        assert_eq!(fence("text", "a"), "```text\na\n```");
        assert!(fence("", "a ````` b").starts_with("``````\n"));
        assert_eq!(code("a|`b`", 50), "`` a\\u{7c}`b` ``");
        assert_eq!(code(" ", 50), "`(empty)`");
        assert_eq!(code(" a ", 50), "`  a  `");
    }

    #[test]
    fn no_data_opens_a_comment_and_no_secret_is_cut_in_two() {
        assert_eq!(data("<!-- greenloop:v1 -->", 100), "<!- - greenloop:v1 -->");
        assert_eq!(data("<<!--!--", 100), "<<!- -!--");
        let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        assert!(!data(&format!("see {token}"), 20).contains("ghp_"), "{}", data(token, 20));
    }
}
