//! The failing cases, the first ones with their problems.

use super::body::{Subject, within};
use crate::categorize::Excerpt;
use crate::tracker::words::{code, data, fence};

/// Characters of a case's name.
pub(super) const NAME_CHARS: usize = 200;
/// Characters of one line of a problem.
const LINE_CHARS: usize = 300;
/// Lines of one problem.
const LINES: usize = 20;
/// UTF-16 units of the cases that are shown with their problems.
const DETAILED_UNITS: usize = 14_000;
/// Names that are listed without problems, and their UTF-16 units.
const NAMES: usize = 50;
const NAMES_UNITS: usize = 5_000;

pub(super) fn section(subject: &Subject<'_>) -> String {
    let Subject { active, c, .. } = subject;
    let mut text = format!("\n## Failing cases ({})\n", active.failures);
    let (shown, not_shown) = within(active.excerpts.iter().map(detailed), DETAILED_UNITS);
    text.push_str(&shown);
    let detailed = active.excerpts.len() - not_shown;
    let others: Vec<_> = c
        .cases_of(active)
        .filter(|case| !active.excerpts.iter().take(detailed).any(|excerpt| excerpt.case == **case))
        .collect();
    if others.is_empty() {
        return text;
    }
    let lines = others.iter().take(NAMES).map(|case| format!("{}\n", data(case.as_str(), NAME_CHARS)));
    let (names, _) = within(lines, NAMES_UNITS);
    text.push_str(&format!("\nAlso failing:\n\n{}\n", fence("text", names.trim_end_matches('\n'))));
    let left_out = others.len() - names.lines().count();
    if left_out > 0 {
        text.push_str(&format!("\n… and {left_out} more: see {}.\n", subject.whole()));
    }
    text
}

fn detailed(excerpt: &Excerpt) -> String {
    let mut lines: Vec<String> = Vec::new();
    for problem in &excerpt.problems {
        let mut of_problem = problem.lines().map(|line| data(line, LINE_CHARS));
        lines.extend(of_problem.by_ref().take(LINES));
        if of_problem.next().is_some() {
            lines.push("…".to_owned());
        }
    }
    if !excerpt.last_words.is_empty() {
        lines.push("… and wrote last:".to_owned());
        lines.extend(excerpt.last_words.iter().map(|line| data(line, LINE_CHARS)));
    }
    let name = code(excerpt.case.as_str(), NAME_CHARS);
    if lines.is_empty() {
        return format!("\n{name}\n\nThe report states no problem.\n");
    }
    format!("\n{name}\n\n{}\n", fence("text", &lines.join("\n")))
}
