//! Text from reports, maps and trackers is data. This is the one place that decides which characters may reach a
//! terminal, a ticket or a picture as they are.

use std::borrow::Cow;
use std::fmt::Write as _;

/// True for characters that could change how the text around them is shown: controls (C0, DEL, C1), bidirectional
/// overrides, embeddings, isolates and marks, zero-width and other invisible format characters, line and paragraph
/// separators, tags, and code points that XML forbids. Source: Unicode categories Cc, Cf, Zl, Zp, and Cn
/// noncharacters, with soft hyphen and variation selectors of Mn left alone (they only style their base).
pub const fn is_unsafe_for_display(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e0fff}'
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

/// Shows `text` on one line with every unsafe character spelled out: `\n`, `\t`, `\x1b`, `\u{202e}`.
///
/// Borrows when nothing has to change. The result never holds a control or bidirectional character.
pub fn display_safe(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe_for_display) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if !is_unsafe_for_display(c) => out.push(c),
            c if (c as u32) < 0x100 => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
        }
    }
    Cow::Owned(out)
}

/// Cuts `text` after `max` characters, with `…` in the place of the last one when something was cut.
pub fn truncate_chars(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        None => Cow::Borrowed(text),
        Some(_) if max == 0 => Cow::Borrowed(""),
        Some(_) => {
            let end = text.char_indices().nth(max - 1).map_or(text.len(), |(at, _)| at);
            Cow::Owned(format!("{}…", &text[..end]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_unsafe_survives() {
        let hostile = "a\x1b[31mb\u{202e}c\nd\u{9b}e\u{200b}f\u{e0041}";
        let shown = display_safe(hostile);
        assert_eq!(shown, "a\\x1b[31mb\\u{202e}c\\nd\\x9be\\u{200b}f\\u{e0041}");
        assert!(!shown.chars().any(is_unsafe_for_display));
        assert!(matches!(display_safe("plain ünïcode 日本"), Cow::Borrowed(_)));
    }

    #[test]
    fn truncation_counts_characters() {
        assert_eq!(truncate_chars("日本語", 3), "日本語");
        assert_eq!(truncate_chars("日本語", 2), "日…");
        assert_eq!(truncate_chars("abc", 0), "");
    }
}
