//! Tickets for people: a table, and a page about one.

use super::output::{bold, dim};
use super::table::{Table, display_width, fit_width};
use crate::model::{TicketRef, display_safe};
use crate::tracker::{Event, PersonChange, Receipt, Snapshot, Ticket, TicketState};

/// What a person wants to know first: can something be done about it now?
fn standing(snapshot: &Snapshot, ticket: &Ticket) -> String {
    if ticket.state == TicketState::Closed {
        return ticket.state_reason.as_ref().map_or_else(|| "closed".to_owned(), |reason| format!("closed {reason}"));
    }
    let word = if ticket.candidate_resolved {
        "candidate"
    } else if snapshot.live_blockers(ticket).next().is_some() {
        "blocked"
    } else if snapshot.is_ready(ticket) {
        "ready"
    } else {
        "open"
    };
    word.to_owned()
}

fn numbers<'a>(tickets: impl Iterator<Item = &'a TicketRef>) -> String {
    tickets.map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The tickets as a table of at most `width` columns. `snapshot` tells which of the blockers are live.
pub fn ticket_table(snapshot: &Snapshot, tickets: &[&Ticket], width: usize) -> String {
    let mut table = Table::new(&["#", "STATE", "CATEGORY", "WAITS FOR", "TITLE"]);
    for ticket in tickets {
        table.row([
            ticket.ticket.number.to_string().as_str(),
            &standing(snapshot, ticket),
            ticket.category_id.as_str(),
            &numbers(snapshot.live_blockers(ticket)),
            &ticket.title,
        ]);
    }
    table.render(width)
}

/// `3 tickets: 1 ready, 2 blocked`.
pub fn tickets_summary(snapshot: &Snapshot, tickets: &[&Ticket]) -> String {
    let standings: Vec<String> = tickets.iter().map(|ticket| standing(snapshot, ticket)).collect();
    let parts: Vec<String> = ["ready", "blocked", "open", "candidate", "closed"]
        .into_iter()
        .map(|word| (word, standings.iter().filter(|s| s.split(' ').next() == Some(word)).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    let noun = if tickets.len() == 1 { "ticket" } else { "tickets" };
    format!("{} {noun}: {}", tickets.len(), parts.join(", "))
}

/// Everything about one ticket. `place` is its page on a tracker that has pages.
pub fn ticket_page(
    snapshot: &Snapshot,
    ticket: &Ticket,
    place: Option<&str>,
    body: &str,
    history: &[Event],
    width: usize,
) -> String {
    let heading = format!("{}  {}", ticket.ticket, display_safe(&ticket.title));
    let mut page = format!("{}\n\n", bold(&fit_width(&heading, width)));
    let mut field = |name: &str, value: &str| {
        if !value.is_empty() {
            page.push_str(&format!("{}{}  {}\n", name, " ".repeat(12 - display_width(name)), display_safe(value)));
        }
    };
    field("page", place.unwrap_or_default());
    field("category", ticket.category_id.as_str());
    field("state", &standing(snapshot, ticket));
    field("labels", &ticket.labels.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
    for link in &ticket.blocked_by {
        let is_live = snapshot.live_blockers(ticket).any(|live| *live == link.upstream);
        let maker = if link.ours { "" } else { " (wired by a person)" };
        let reason = if link.rationale.is_empty() { String::new() } else { format!(": {}", link.rationale) };
        field("waits for", &format!("{} {}{maker}{reason}", link.upstream, if is_live { "open" } else { "closed" }));
    }
    field("blocks", &numbers(ticket.blocks.iter()));
    if ticket.reopened > 0 {
        field("reopened", &format!("{} times", ticket.reopened));
    }
    field("by a person", &ticket.person_changed.iter().map(|c| changed(*c)).collect::<Vec<_>>().join(", "));
    if let Some(proof) = &ticket.closure {
        let manner = format!("iteration {}, head {}, {}", proof.iteration, proof.proven_head, proof.manner);
        field("last proof", &manner);
        field("", &format!("full suite {}, slice of {}", proof.report_digest.short(), cases(proof.slice.len())));
    }
    for (at, receipt) in ticket.receipts.iter().enumerate() {
        field(if at == 0 { "evidence" } else { "" }, &evidence(receipt));
    }
    for (at, event) in history.iter().enumerate() {
        field(if at == 0 { "history" } else { "" }, &format!("{}  {}", event.op, event.key));
    }
    if !body.trim().is_empty() {
        page.push('\n');
        for line in readable(body) {
            page.push_str(&format!("{}\n", dim(&display_safe(line))));
        }
    }
    page
}

/// The lines of a Markdown text that are for readers of a terminal: without the tags and comments that only a browser
/// hides, and without pictures. Inside of code everything stays.
fn readable(body: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = Vec::new();
    let mut fence: Option<(&str, bool)> = None;
    for line in body.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some((open, shown)) => {
                if shown {
                    lines.push(line);
                }
                if line.trim_end() == open {
                    fence = None;
                }
                continue;
            }
            None if ticks.len() >= 3 => {
                let shown = line != format!("{ticks}mermaid");
                fence = Some((ticks, shown));
                lines.push(if shown { line } else { "(the picture: see its page, or `greenloop dag`)" });
                continue;
            }
            None => {}
        }
        let line = line.strip_prefix("<summary>").and_then(|line| line.strip_suffix("</summary>")).unwrap_or(line);
        let hidden = ["<details>", "</details>"].contains(&line) || (line.starts_with("<!--") && line.ends_with("-->"));
        let twice_empty = line.is_empty() && lines.last().is_none_or(|last| last.is_empty());
        if !hidden && !twice_empty {
            lines.push(line);
        }
    }
    while lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    lines
}

const fn changed(change: PersonChange) -> &'static str {
    match change {
        PersonChange::Title => "title changed",
        PersonChange::Labels => "labels changed",
        PersonChange::State => "state changed",
        PersonChange::Links => "links changed",
    }
}

fn evidence(receipt: &Receipt) -> String {
    let head = receipt.head.as_deref().unwrap_or("unknown");
    let named: Vec<&str> = receipt.cases.iter().take(3).map(crate::model::CaseName::as_str).collect();
    let more = if receipt.cases.len() > named.len() { ", …" } else { "" };
    format!(
        "iteration {}, head {head}, report {}, {}: {}{more}",
        receipt.iteration,
        receipt.report_digest.short(),
        cases(receipt.cases.len()),
        named.join(", ")
    )
}

fn cases(count: usize) -> String {
    if count == 1 { "1 case".to_owned() } else { format!("{count} cases") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_shown_without_what_only_a_browser_hides() {
        let body = "a\n\n```mermaid\nflowchart\n```\n\n````text\n<details>\n```\n<!-- x -->\n````\n<details>\n<summary>S</summary>\n\n\n\
                    b\n\n</details>\n\n<!-- greenloop:v1 x -->\n";
        let picture = "(the picture: see its page, or `greenloop dag`)";
        let code = ["````text", "<details>", "```", "<!-- x -->", "````"];
        assert_eq!(readable(body), [&["a", "", picture, ""], code.as_slice(), &["S", "", "b"]].concat());
        assert_eq!(readable("```"), ["```"]);
    }
}
