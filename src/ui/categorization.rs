//! A categorization, for people and for GitHub annotations.

use super::output::{bold, dim, green, red, yellow};
use crate::categorize::Categorization;
use crate::model::{display_safe, truncate_chars};

/// Cases listed under one category.
const CASES_LISTED: usize = 10;
/// Reasons listed that are not failures.
const REASONS_LISTED: usize = 20;

/// The whole result, as a person reads it.
pub fn categorization(c: &Categorization) -> String {
    let mut text = String::new();
    for reason in &c.report.incomplete_because {
        text += &format!("{} {}\n", red("incomplete:"), display_safe(reason));
    }
    for active in &c.active {
        let n = active.failures;
        text += &format!("{}  {}\n", bold(active.category_id.as_str()), dim(&count(n as u64, "failure")));
        for (shown, at) in active.cases.iter().enumerate() {
            if shown == CASES_LISTED {
                text += &format!("    {}\n", dim(&format!("… and {} more", active.cases.len() - CASES_LISTED)));
                break;
            }
            let a = &c.assignments[*at as usize];
            let flaky = if a.flaky { yellow(" flaky") } else { String::new() };
            text += &format!(
                "    {}{flaky}  {}\n",
                display_safe(a.case.as_str()),
                dim(&format!("by {}", display_safe(&a.rule)))
            );
        }
    }
    for (parent, child) in &c.folded {
        text += &format!(
            "{} {} repeats {}\n",
            dim("one failure:"),
            display_safe(parent.as_str()),
            display_safe(child.as_str())
        );
    }
    for line in unplaced_lines(c, usize::MAX) {
        text += &format!("{line}\n");
    }
    for reason in c.not_green.iter().take(REASONS_LISTED) {
        text += &format!(
            "{} {}: {}\n",
            yellow(&format!("not green, {}:", reason.kind)),
            display_safe(&reason.name),
            display_safe(&reason.reason)
        );
    }
    if c.not_green.len() > REASONS_LISTED {
        text += &dim(&format!("… and {} more reasons\n", c.not_green.len() - REASONS_LISTED));
    }
    text + &summary(c)
}

/// One line with the numbers that must add up.
fn summary(c: &Categorization) -> String {
    let n = &c.counts;
    let mut parts = vec![format!(
        "{} failing = {} assigned + {} unclassified + {} ambiguous",
        n.failing, n.assigned, n.unclassified, n.ambiguous
    )];
    for (count, what) in [
        (n.blocked, "blocked"),
        (n.not_tested, "not tested"),
        (n.flaky, "flaky"),
        (n.advisory, "advisory"),
        (n.folded, "folded"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    let verdict = if c.is_green() {
        green("green")
    } else if c.is_total() && c.report.incomplete_because.is_empty() {
        yellow("categorized")
    } else {
        red("not categorized")
    };
    format!(
        "{verdict}: {} of {}; {}\n{}\n",
        count(c.counts.required, "required case"),
        n.cases,
        parts.join("; "),
        dim(&c.semantic_fingerprint.to_string())
    )
}

/// Every unclassified and ambiguous case, with what came closest.
fn unplaced_lines(c: &Categorization, max: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for u in c.unclassified.iter().take(max) {
        lines.push(format!("{} {}", red("unclassified:"), display_safe(u.case.as_str())));
        if let Some(problem) = u.problems.first() {
            lines.push(format!("    {}", display_safe(&truncate_chars(problem, 160))));
        }
        lines.push(format!("    {} {}", dim("nearest:"), display_safe(&u.nearest)));
    }
    for a in c.ambiguous.iter().take(max) {
        lines.push(format!("{} {}: {}", red("ambiguous:"), display_safe(a.case.as_str()), a.reason));
        for (category, rule) in &a.candidates {
            lines.push(format!("    {category}  {}", dim(&format!("by {}", display_safe(rule)))));
        }
    }
    lines
}

/// The first cases without a single category, one line each, for an error.
pub fn unplaced(c: &Categorization, max: usize) -> Vec<String> {
    let unclassified =
        c.unclassified.iter().map(|u| format!("unclassified: {} (nearest: {})", u.case.as_str(), u.nearest));
    let ambiguous = c.ambiguous.iter().map(|a| format!("ambiguous: {} ({})", a.case.as_str(), a.reason));
    let mut lines: Vec<String> = unclassified.chain(ambiguous).take(max).collect();
    let all = c.unclassified.len() + c.ambiguous.len();
    if all > lines.len() {
        lines.push(format!("… and {} more", all - lines.len()));
    }
    lines
}

/// One workflow annotation per unclassified or ambiguous case and per reason for incompleteness.
pub fn categorization_github(c: &Categorization, file: &str) -> String {
    let mut text = String::new();
    let mut error = |title: &str, message: String| {
        text += &format!("::error file={},title={title}::{}\n", github_property(file), github_data(&message));
    };
    for reason in &c.report.incomplete_because {
        error("incomplete", reason.clone());
    }
    for u in &c.unclassified {
        error("unclassified", format!("{}: nearest {}", u.case.as_str(), u.nearest));
    }
    for a in &c.ambiguous {
        let candidates: Vec<&str> = a.candidates.iter().map(|(id, _)| id.as_str()).collect();
        error("ambiguous", format!("{}: {} ({})", a.case.as_str(), a.reason, candidates.join(", ")));
    }
    text
}

/// `1 failure`, `3 failures`.
pub(super) fn count(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// The message of a workflow command, escaped as GitHub documents it. `display_safe` has already taken line ends out.
fn github_data(text: &str) -> String {
    display_safe(text).replace('%', "%25")
}

/// A property of a workflow command.
fn github_property(text: &str) -> String {
    github_data(text).replace(':', "%3A").replace(',', "%2C")
}
