//! Findings for people: a heading, the line of the file with a marker, and what to do.

use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::diag::{Diagnostic, Severity};
use crate::model::{display_safe, is_unsafe_for_display};

/// Longest excerpt of a line in characters; of a longer line, the part around the finding is shown.
const EXCERPT: usize = 100;

/// The text of a checked file, for excerpts.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The file, as it stands in the findings.
    pub file: &'a str,
    /// Its text; if the file is not UTF-8, the part before the fault.
    pub text: &'a str,
}

/// All findings, one paragraph each, with colour codes. Empty when there is none.
pub fn human(findings: &[Diagnostic], sources: &[Source<'_>]) -> String {
    let texts: BTreeMap<&str, &str> = sources.iter().map(|source| (source.file, source.text)).collect();
    let mut out = String::new();
    for finding in findings {
        out.push_str(&paragraph(finding, texts.get(finding.place.file.as_str()).copied()));
        out.push_str("\n\n");
    }
    out
}

/// `2 errors, 1 warning`, or `no findings`.
pub fn count_line(findings: &[Diagnostic]) -> String {
    let count = |severity, word: &str| {
        let number = findings.iter().filter(|finding| finding.severity == severity).count();
        (number > 0).then(|| format!("{number} {word}{}", if number == 1 { "" } else { "s" }))
    };
    let parts = [count(Severity::Error, "error"), count(Severity::Warning, "warning")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
}

fn paragraph(finding: &Diagnostic, text: Option<&str>) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    // The first line is the heading; a rule may add more lines, for example the edges of a cycle.
    let mut lines = finding.message.lines();
    let heading = display_safe(lines.next().unwrap_or_default()).into_owned();
    let mut group = Group::with_title(level.primary_title(heading).id(finding.code));
    let file = display_safe(&finding.place.file).into_owned();
    let origin = match (finding.place.line, finding.place.column) {
        (Some(line), Some(column)) => Origin::path(file.clone()).line(line).char_column(column),
        _ => Origin::path(file.clone()),
    };
    if let (Some(line), Some(span), Some(text)) = (finding.place.line, &finding.place.span, text) {
        let excerpt = excerpt(text, span);
        let snippet = Snippet::source(excerpt.shown).line_start(line);
        let snippet = snippet.annotation(AnnotationKind::Primary.span(excerpt.marked));
        // The renderer counts the column in what it is given; of a cut line the true column is said apart.
        group = if excerpt.cut { group.element(origin).element(snippet) } else { group.element(snippet.path(file)) };
    } else {
        group = group.element(origin);
    }
    for line in lines {
        group = group.element(Level::NOTE.message(display_safe(line).into_owned()));
    }
    for line in finding.hint.iter().flat_map(|hint| hint.lines()) {
        group = group.element(Level::HELP.with_name("hint").message(display_safe(line).into_owned()));
    }
    Renderer::styled().render(&[group])
}

/// A line of a file, ready to be shown.
struct Excerpt {
    /// The line, or the part around the finding, with unsafe characters replaced one for one.
    shown: String,
    /// The bytes of `shown` to mark: the span up to the end of its first line.
    marked: Range<usize>,
    /// True if the start of the line is not shown.
    cut: bool,
}

/// Looks at no more than a few hundred characters, however long the line is.
fn excerpt(text: &str, span: &Range<usize>) -> Excerpt {
    let start = floor(text, span.start);
    let end = floor(text, span.end).max(start);
    let before: Vec<usize> = text[..start]
        .char_indices()
        .rev()
        .take_while(|(_, c)| *c != '\n')
        .take(EXCERPT + 1)
        .map(|(at, _)| at)
        .collect();
    let after = text[start..].chars().take_while(|c| *c != '\n').take(EXCERPT + 1).count();
    let kept = if before.len() + after <= EXCERPT { before.len() } else { before.len().min(EXCERPT / 4) };
    let first = kept.checked_sub(1).map_or(start, |last| before[last]);
    let cut = kept < before.len();
    let mut shown = if cut { "…".to_owned() } else { String::new() };
    let mut marked = None;
    let mut line = text[first..].char_indices().take_while(|(_, c)| *c != '\n');
    for (at, c) in line.by_ref().take(EXCERPT) {
        if first + at >= start && marked.is_none() {
            marked = Some(shown.len()..shown.len());
        }
        shown.push(match c {
            '\t' => ' ',
            c if is_unsafe_for_display(c) => '\u{fffd}',
            c => c,
        });
        if let Some(marked) = marked.as_mut().filter(|_| first + at < end) {
            marked.end = shown.len();
        }
    }
    let marked = marked.unwrap_or(shown.len()..shown.len());
    if line.next().is_some() {
        shown.push('…');
    }
    Excerpt { shown, marked, cut }
}

/// The nearest character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::diag::{Place, line_column};

    fn finding(text: &str, span: Range<usize>, message: &str) -> Diagnostic {
        let (line, column) = line_column(text, span.start);
        Diagnostic {
            code: "some-rule",
            severity: Severity::Error,
            place: Place {
                file: "maps/a.json".to_owned(),
                pointer: Some("/x".to_owned()),
                line: Some(line),
                column: Some(column),
                span: Some(span),
            },
            message: message.to_owned(),
            hint: Some("mend it".to_owned()),
        }
    }

    fn plain(finding: Diagnostic, text: &str) -> String {
        let styled = human(&[finding], &[Source { file: "maps/a.json", text }]);
        anstream::adapter::strip_str(&styled).to_string()
    }

    #[test]
    fn a_paragraph_shows_the_place() {
        let text = "{\n  \"label\": \"größer\",\n}\n";
        let at = text.find("\"grö").unwrap();
        insta::assert_snapshot!(plain(finding(text, at..at + 10, "this is wrong\nbecause of that"), text));
    }

    #[test]
    fn long_lines_are_cut_around_the_finding_and_the_column_stays_true() {
        let text = format!("{{{}\"here\": 1{}}}", " ".repeat(5_000), " ".repeat(5_000));
        let at = text.find("\"here\"").unwrap();
        insta::assert_snapshot!(plain(finding(&text, at..at + 6, "this is wrong"), &text));
    }

    #[test]
    fn counts_are_words() {
        let one = finding("x", 0..1, "m");
        let warning = Diagnostic { severity: Severity::Warning, ..one.clone() };
        assert_eq!(count_line(&[]), "no findings");
        assert_eq!(count_line(&[one.clone(), warning, one]), "2 errors, 1 warning");
    }

    proptest! {
        #[test]
        fn hostile_text_cannot_act(text in any::<String>(), message in any::<String>(), a in 0usize..40, b in 0usize..40) {
            let shown = plain(finding(&text, a.min(b)..a.max(b), &message), &text);
            prop_assert!(!shown.chars().any(|c| c != '\n' && is_unsafe_for_display(c)), "{shown:?}");
        }
    }
}
