//! Titles and labels. A title has no code and no escapes, so what could act is shown by a sign that looks like it.

use super::line::data;
use crate::model::{Digest, display_safe, truncate_chars};

/// Characters of a title. Source: GitHub refuses more than 256.
pub const TITLE_CHARS: usize = 256;
/// Characters of a label's name. Source: GitHub refuses more than 50.
pub const LABEL_CHARS: usize = 50;
/// Characters of a label's description. Source: GitHub refuses more than 100.
pub const LABEL_DESCRIPTION_CHARS: usize = 100;
/// A run of hexadecimal digits of this length may name a commit; what is shown of it is one shorter.
const COMMIT_CHARS: usize = 7;
/// Characters of a digest at the end of a label that was cut.
const DIGEST_CHARS: usize = 8;

/// Data as a title of at most `max` characters (never over [`TITLE_CHARS`]): one line without mention, reference,
/// link, emoji code, code span or HTML.
pub fn title(text: &str, max: usize) -> String {
    let max = max.min(TITLE_CHARS);
    let shown = data(text.trim(), max);
    let mut out = String::with_capacity(shown.len());
    let mut chars = shown.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        let is_www = || {
            out.len() >= 3 && out.is_char_boundary(out.len() - 3) && out[out.len() - 3..].eq_ignore_ascii_case("www")
        };
        let shown = match c {
            '@' => '＠',
            '#' => '＃',
            '`' => '\'',
            '<' => '‹',
            '>' => '›',
            // Emoji codes, and the scheme of an address.
            ':' if next != ' ' => '：',
            // `GH-12` and the references that a repository defines for itself.
            '-' if before.is_alphanumeric() && next.is_ascii_digit() => '‑',
            // Links, images and footnotes, should the title be drawn as Markdown.
            '[' if before == '!' || next == '^' => '［',
            ']' if next == '(' => '］',
            '.' if is_www() => '．',
            c => c,
        };
        out.push(shown);
        before = c;
    }
    truncate_chars(&without_commits(&out), max).into_owned()
}

/// Cuts what may name a commit: a word of hexadecimal digits, at least one of them a number.
fn without_commits(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let core = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let is_commit = core.len() >= COMMIT_CHARS
            && core.bytes().all(|byte| byte.is_ascii_hexdigit())
            && core.bytes().any(|byte| byte.is_ascii_digit());
        if is_commit {
            out.push_str(&core[..COMMIT_CHARS - 1]);
            out.push('…');
            out.push_str(&word[core.len()..]);
        } else {
            out.push_str(word);
        }
    }
    out
}

/// The name of a label as a tracker takes it: without invisible characters and commas; a longer one than
/// [`LABEL_CHARS`] is cut and told apart by a digest. A name that fits is the name itself.
pub fn label_name(label: &str) -> String {
    let shown = display_safe(label.trim()).replace(',', ";");
    if shown.chars().count() <= LABEL_CHARS {
        return shown;
    }
    let kept: String = shown.chars().take(LABEL_CHARS - DIGEST_CHARS - 1).collect();
    format!("{kept}-{}", &Digest::in_domain("greenloop.label.v1", label.as_bytes()).hex()[..DIGEST_CHARS])
}

/// The description of a category's label, from its defect.
pub fn label_description(defect: &str) -> String {
    title(defect, LABEL_DESCRIPTION_CHARS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tracker::words::gfm;

    #[test]
    fn what_could_act_is_shown_by_a_look_alike() {
        for (text, wanted) in [
            ("cart-total: rounds down (5%)", "cart-total: rounds down (5%)"),
            ("@me #1 `x` <b>", "＠me ＃1 'x' ‹b›"),
            ("GH-12 :tada: a::b http://x www.y.z", "GH‑12 ：tada: a：：b http：//x www．y.z"),
            ("at 0123abcdef0123", "at 0123ab…"),
            ("a\nb", "a\\nb"),
        ] {
            assert_eq!(title(text, 200), wanted);
        }
        assert_eq!(title(&"x".repeat(999), 999).chars().count(), TITLE_CHARS);
    }

    #[test]
    fn labels_fit_and_stay_apart() {
        assert_eq!(label_name("eval-cat-v-2"), "eval-cat-v-2");
        assert_eq!(label_name("a,b\u{202e}"), "a;b\\u{202e}");
        let (one, two) = (label_name(&format!("{}1", "x".repeat(60))), label_name(&format!("{}2", "x".repeat(60))));
        assert_ne!(one, two);
        assert_eq!(one.chars().count(), LABEL_CHARS);
        assert!(label_description(&"é".repeat(300)).chars().count() <= LABEL_DESCRIPTION_CHARS);
    }

    proptest! {
        #[test]
        fn nothing_in_a_title_acts(text in gfm::hostile()) {
            let title = title(&text, 120);
            prop_assert_eq!(gfm::acting(&title), None, "{}", title);
            prop_assert!(!title.contains('`') && !title.contains('\n') && !title.contains("<!--"));
            prop_assert!(title.chars().count() <= 120);
        }
    }
}
