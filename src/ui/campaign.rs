//! Campaign steps, status and verification.

use super::categorization::count;
use super::output::{bold, dim, green, red, yellow};
use crate::campaign::{CampaignStatus, Finding, StepReport, VerdictRecord};
use crate::model::{CategoryId, display_safe, truncate_chars};

/// What one step did, and where the campaign stands now.
pub fn step(done: &StepReport, standing: &CampaignStatus, folder: &str) -> String {
    let judged = &done.judged;
    let mut text = String::new();
    if let Some(earlier) = done.finished_first {
        text += &format!("{} iteration {earlier}, which was interrupted\n", yellow("finished first:"));
    }
    let again = if done.recorded_now { "" } else { " (recorded before; nothing changed)" };
    text += &format!(
        "{}{again}: {} in {} on {}\n",
        bold(&format!("iteration {}", judged.iteration)),
        count(judged.facts.failures, "failure"),
        if judged.facts.categories.len() == 1 {
            "1 category".to_owned()
        } else {
            format!("{} categories", judged.facts.categories.len())
        },
        display_safe(&truncate_chars(&judged.facts.head, 13)),
    );
    text += &trend(standing);
    text += &categories(standing);
    let not_green: Vec<String> = judged.facts.not_green.iter().map(|(kind, n)| beside_failures(kind, *n)).collect();
    if !not_green.is_empty() {
        text += &format!("  {} {}\n", yellow("not green:"), not_green.join(", "));
    }
    if judged.facts.missing > 0 {
        let examples: Vec<_> = judged.facts.missing_examples.iter().map(|case| display_safe(case.as_str())).collect();
        text += &format!(
            "  {} {} of earlier runs missing or not required any more: {}\n",
            yellow("not green:"),
            count(judged.facts.missing, "required case"),
            examples.join(", ")
        );
    }
    for note in &done.notes {
        let ticket = note.ticket.as_ref().map(|ticket| format!(" {ticket}")).unwrap_or_default();
        text += &format!("  {} {}{ticket}: {}\n", yellow("note:"), note.category_id.name(), display_safe(&note.text));
    }
    text += &format!("  {} applied, picture in {folder}/category-dag.svg\n", count(done.changes as u64, "change"));
    text + &verdict(&judged.verdict)
}

/// What is not green without being a failing case; the kinds are those of a categorization.
fn beside_failures(kind: &str, n: u64) -> String {
    match kind {
        "claim" => format!("{} not proven", count(n, "claim")),
        "blocked" | "flaky" => format!("{} {kind}", count(n, "case")),
        "not_tested" => format!("{} not tested", count(n, "case")),
        "readiness" => "the report's own readiness".to_owned(),
        other => format!("{n} {}", display_safe(other)),
    }
}

fn verdict(verdict: &VerdictRecord) -> String {
    match verdict {
        VerdictRecord::Green => format!("{}: every category is gone, proven by this full run\n", green("GREEN")),
        VerdictRecord::GoOn => {
            format!("{}: fix something, integrate it, run the whole suite, step again\n", yellow("not green yet"))
        }
        VerdictRecord::Stop { blocker } => {
            let mut text =
                format!("{}: {}\n", red(&format!("STOP {}", blocker.kind.as_str())), display_safe(&blocker.detail));
            let commits: Vec<String> =
                blocker.commits.iter().map(|head| display_safe(&truncate_chars(head, 13)).into_owned()).collect();
            text += &format!("  commits     {}\n", commits.join(" → "));
            let categories: Vec<&str> = blocker.categories.iter().map(CategoryId::name).collect();
            text += &format!("  categories  {}\n", categories.join(", "));
            text
        }
    }
}

/// `6 → 4 → 5 failures`: better, worse, or the same.
fn trend(standing: &CampaignStatus) -> String {
    if standing.history.len() < 2 {
        return String::new();
    }
    let numbers: Vec<String> = standing.history.iter().map(|iteration| iteration.failures.to_string()).collect();
    format!("  failures so far: {}\n", numbers.join(" → "))
}

fn categories(standing: &CampaignStatus) -> String {
    let width = standing.categories.iter().map(|c| c.category_id.name().chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for c in &standing.categories {
        let ticket = c.ticket.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        let state = serde_json::to_value(c.state).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default();
        let failing = if c.failing > 0 { format!("{} failing", c.failing) } else { String::new() };
        let reopened = if c.reopened > 0 { format!("reopened {}×", c.reopened) } else { String::new() };
        let line = format!("  {:<width$}  {ticket:>5}  {state:<14}  {failing:<11}  {reopened}", c.category_id.name());
        text += &format!("{}\n", line.trim_end());
    }
    text
}

/// The whole status.
pub fn campaign_status(standing: &CampaignStatus) -> String {
    let mut text = format!(
        "{} {}: {} (generation {}, iteration {})\n",
        bold("campaign"),
        standing.campaign,
        match standing.state.as_str() {
            "green" => green("green"),
            "stopped" => red("stopped"),
            other => yellow(other),
        },
        standing.generation,
        standing.iteration
    );
    for iteration in &standing.history {
        text += &format!(
            "  {:>3}  {:<13}  {:>5} failing  {:>3} categories  {}\n",
            iteration.iteration,
            display_safe(&truncate_chars(&iteration.head, 13)),
            iteration.failures,
            iteration.categories,
            dim(&iteration.semantic_fingerprint.short())
        );
    }
    text += &categories(standing);
    if let Some(blocker) = &standing.blocker {
        text += &verdict(&VerdictRecord::Stop { blocker: blocker.blocker.clone() });
        let tickets: Vec<String> = blocker.tickets.iter().map(ToString::to_string).collect();
        text += &format!("  tickets     {}\n", tickets.join(", "));
    }
    text
}

/// Every check with its outcome.
pub fn verification(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        match &finding.wrong {
            None => text += &format!("{} {}\n", green("holds"), finding.what),
            Some(wrong) => text += &format!("{} {}: {}\n", red("wrong"), finding.what, display_safe(wrong)),
        }
    }
    let wrong = findings.iter().filter(|finding| finding.wrong.is_some()).count();
    let verdict =
        if wrong == 0 { green("everything holds") } else { red(&count(wrong as u64, "check")).clone() + " failed" };
    text + &format!("{verdict} ({} checked)\n", findings.len())
}
