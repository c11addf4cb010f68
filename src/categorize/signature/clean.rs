//! Terminal escapes out, line ends and spaces unified. Runs before every other rule.
//!
//! - `\r\n` and a lone `\r` (a progress bar) become `\n`, and so do U+0085, U+2028 and U+2029;
//! - every other Unicode space becomes an ASCII space; zero-width marks (U+200B, U+2060, U+FEFF) go;
//! - CSI (`ESC [ … m`), OSC (`ESC ] … BEL` or `… ESC \`, hyperlinks too), the other string sequences and the short
//!   sequences go, in their 7-bit and 8-bit forms. The text of a hyperlink stays.
//!
//! Every escape character goes, also a lone one. So no new sequence can form out of what is left.

use std::borrow::Cow;

use memchr::memchr2;

const ESC: char = '\u{1b}';
const BEL: char = '\u{7}';
/// 8-bit forms: CSI, OSC, DCS, SOS, PM, APC and the terminator ST.
const CSI_8: char = '\u{9b}';
const ST_8: char = '\u{9c}';

/// Returns `text` without terminal escapes and with unified line ends and spaces.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    if is_clean(text) { Cow::Borrowed(text) } else { Cow::Owned(rewrite(text)) }
}

fn is_clean(text: &str) -> bool {
    memchr2(ESC as u8, b'\r', text.as_bytes()).is_none() && (text.is_ascii() || !text.chars().any(needs_rewrite))
}

fn needs_rewrite(c: char) -> bool {
    !c.is_ascii() && (c.is_whitespace() || is_zero_width(c) || is_c1(c))
}

fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}')
}

fn is_c1(c: char) -> bool {
    ('\u{80}'..='\u{9f}').contains(&c)
}

fn rewrite(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            ESC => escape(after),
            CSI_8 => control_sequence(after),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => control_string(after),
            '\r' => {
                out.push('\n');
                after.strip_prefix('\n').unwrap_or(after)
            }
            '\u{85}' | '\u{2028}' | '\u{2029}' => {
                out.push('\n');
                after
            }
            c if c.is_ascii() => {
                // Copy up to the next byte that may need attention in one go.
                let end = rest.bytes().position(|b| b >= 0x80 || b == b'\r' || b == 0x1b).unwrap_or(rest.len());
                out.push_str(&rest[..end]);
                &rest[end..]
            }
            c if is_zero_width(c) || is_c1(c) => after,
            c => {
                out.push(if c.is_whitespace() { ' ' } else { c });
                after
            }
        };
    }
    out
}

/// Skips what follows an escape character. A lone escape character skips nothing more.
fn escape(rest: &str) -> &str {
    match rest.bytes().next() {
        Some(b'[') => control_sequence(&rest[1..]),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => control_string(&rest[1..]),
        Some(b' '..=b'/') => {
            let end = skip(rest, 0, b' '..=b'/');
            if rest.as_bytes().get(end).is_some_and(|b| (b'0'..=b'~').contains(b)) { &rest[end + 1..] } else { rest }
        }
        Some(b'0'..=b'~') => &rest[1..],
        _ => rest,
    }
}

/// Skips parameters, intermediates and the final byte. A sequence that breaks off skips what it had.
fn control_sequence(rest: &str) -> &str {
    let end = skip(rest, 0, b'0'..=b'?');
    let end = skip(rest, end, b' '..=b'/');
    match rest.as_bytes().get(end) {
        Some(b'@'..=b'~') => &rest[end + 1..],
        _ => &rest[end..],
    }
}

/// Skips to the terminator. A string without one (it may not cross a line end or another escape) skips nothing, so
/// that a broken sequence cannot swallow text.
fn control_string(rest: &str) -> &str {
    let end = rest.find(|c| matches!(c, BEL | ESC | '\n' | '\r') || is_c1(c));
    let Some(end) = end else { return rest };
    let after = &rest[end..];
    if let Some(after) = after.strip_prefix([BEL, ST_8]) {
        return after;
    }
    after.strip_prefix("\u{1b}\\").unwrap_or(rest)
}

fn skip(rest: &str, from: usize, range: std::ops::RangeInclusive<u8>) -> usize {
    from + rest.as_bytes()[from..].iter().take_while(|b| range.contains(b)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_go_and_their_text_stays() {
        for (input, expected) in [
            ("\u{1b}[31mFAILED\u{1b}[0m x", "FAILED x"),
            ("\u{1b}[38;5;196mred\u{1b}[m", "red"),
            ("\u{1b}[2K\u{1b}[1Gdone", "done"),
            ("\u{1b}[?25lhidden", "hidden"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}]8;;https://a.example/x\u{1b}\\link\u{1b}]8;;\u{1b}\\ end", "link end"),
            ("\u{1b}]8;;https://a.example/x\u{7}link\u{1b}]8;;\u{7}", "link"),
            ("\u{1b}Pq#0\u{1b}\\x", "x"),
            ("\u{1b}(Bplain\u{1b}7\u{1b}8", "plain"),
            ("\u{9b}31mred\u{9d}0;t\u{9c}!", "red!"),
            ("lone \u{1b}", "lone "),
            ("\u{1b}\u{1b}[0m[31mx", "[31mx"),
            ("\u{1b}]0;never closed\nkept", "0;never closed\nkept"),
            ("\u{1b}[12é", "é"),
        ] {
            assert_eq!(clean(input), expected, "{input:?}");
        }
    }

    #[test]
    fn line_ends_and_spaces_are_unified() {
        assert_eq!(clean("a\r\nb\rc\n"), "a\nb\nc\n");
        assert_eq!(clean("a\u{a0}b\u{2003}c\u{3000}d\u{202f}e"), "a b c d e");
        assert_eq!(clean("a\u{2028}b\u{85}c"), "a\nb\nc");
        assert_eq!(clean("\u{feff}a\u{200b}b"), "ab");
    }

    #[test]
    fn clean_text_is_not_copied() {
        assert!(matches!(clean("plain ✓ größe\n\tx"), Cow::Borrowed(_)));
    }
}
