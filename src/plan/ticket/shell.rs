//! A command as a line that a shell takes back apart into the same words.

use std::fmt::Write as _;

use crate::model::is_unsafe_for_display;

/// `argv` as one command for bash, zsh or ksh: each word is quoted if it has to be. A line break inside of a word stays
/// one; every other character that cannot be seen is written as an escape in `$'…'`. No word can open an HTML comment.
/// The result is a line for people to run, and is never run by greenloop.
pub fn shell_line(argv: &[String]) -> String {
    argv.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:@%+,-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if word.chars().any(|c| c != '\n' && is_unsafe_for_display(c)) {
        return escaped(word);
    }
    format!("'{}'", word.replace('\'', "'\\''").replace("<!--", "<!''--"))
}

/// `$'…'`, with the bytes of what cannot be seen in octal: three digits, so that no digit behind them is taken in.
fn escaped(word: &str) -> String {
    let mut out = String::from("$'");
    for c in word.chars() {
        match c {
            '\\' | '\'' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_unsafe_for_display(c) || c == '<' => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    // Writing to a String cannot fail.
                    let _ = write!(out, "\\{byte:03o}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_needs_quotes_has_them() {
        for (argv, wanted) in [
            (&["cargo", "test", "--", "a::b"][..], "cargo test -- a::b"),
            (&["bash", "-c", "echo \"$HOME\"\ntrue"], "bash -c 'echo \"$HOME\"\ntrue'"),
            (&["a", "", "it's", "A=1"], "a '' 'it'\\''s' 'A=1'"),
            (&["\u{1b}[1m", "\u{202e}'"], "$'\\033[1m' $'\\342\\200\\256\\''"),
            (&["~", "*", "!x", "#", "<!--"], "'~' '*' '!x' '#' '<!''--'"),
        ] {
            let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(shell_line(&argv), wanted);
        }
    }
}
