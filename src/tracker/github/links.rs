//! Dependencies: by id, judged by presence, and only ours are ever removed. On servers without them: in the record, in
//! the body, and as a label.

use serde_json::json;

use super::super::{Link, TrackerError, words};
use super::client::{Method, Response};
use super::open::{Dependencies, GithubTracker};
use super::record::{OwnLink, Record};
use super::seen::{Seen, Upstream};
use super::unfinished::LinkIntent;
use super::write::{Ask, BLOCKED_LABEL, open, refused};
use crate::model::TicketRef;

/// Characters of a rationale that are kept.
const RATIONALE_CHARS: usize = 500;

/// Not `greenloop:`, so that it is never taken for the ticket's marker.
const SECTION: &str = "<!-- greenloop-links:v1 -->";
const SECTION_END: &str = "<!-- greenloop-links:v1 end -->";

impl GithubTracker {
    pub(super) fn link(
        &mut self,
        ask: &Ask<'_>,
        ticket: &TicketRef,
        upstream: &TicketRef,
        rationale: &str,
    ) -> Result<(), TrackerError> {
        let seen = self.ticket(ticket)?.clone();
        let own = |seen: &Seen| seen.record.as_ref().is_some_and(|r| r.links.contains_key(&upstream.number));
        open(&seen, false, "link")?;
        self.other(ticket, upstream, "wait for")?;
        let target = self.ticket(upstream)?.clone();
        open(&target, false, "wait for")?;
        let there = seen.waits_for().contains(&upstream.number);
        if there && (own(&seen) || !ask.begun) {
            return if ask.begun { Ok(()) } else { refused(format!("{ticket} waits for {upstream} already")) };
        }
        if self.above(upstream.number, true)?.contains(&ticket.number) {
            return refused(format!("{ticket} cannot wait for {upstream}, which waits for {ticket}"));
        }
        let mut record = seen.record_to_change();
        let own = OwnLink { id: upstream.id, why: words::data(rationale, RATIONALE_CHARS) };
        record.links.insert(upstream.number, own.clone());
        record.add_done(ask.done.clone());
        if self.has_dependencies(ticket.number)? {
            if !there {
                self.announce(&seen, &ask.done.key, Some(LinkIntent::Wire(upstream.number, own)))?;
                let path = self.client.path(&format!("/issues/{}/dependencies/blocked_by", ticket.number));
                let body = json!({ "issue_id": upstream.id });
                let response = self.repeatable(Method::Post, &path, Some(body))?;
                self.judge(&response, &seen, upstream, true)?;
            }
            self.update(ticket.number, |seen| {
                seen.upstream.get_or_insert_default().insert(upstream.number, upstream.id);
            })?;
            return self.postpone(ticket.number, record);
        }
        self.postpone(ticket.number, record)?;
        self.write_section(ticket.number)?;
        self.mark_blocked(ticket.number, true)
    }

    pub(super) fn unlink(
        &mut self,
        ask: &Ask<'_>,
        ticket: &TicketRef,
        upstream: &TicketRef,
    ) -> Result<(), TrackerError> {
        let seen = self.ticket(ticket)?.clone();
        self.ticket(upstream)?;
        let there = seen.waits_for().contains(&upstream.number);
        let mut record = seen.record_to_change();
        if record.links.remove(&upstream.number).is_none() {
            if ask.begun && !there {
                return Ok(());
            }
            return if there {
                refused(format!("a person made {ticket} wait for {upstream}; greenloop removes only its own links"))
            } else {
                refused(format!("{ticket} does not wait for {upstream}"))
            };
        }
        record.add_done(ask.done.clone());
        if self.has_dependencies(ticket.number)? {
            if there {
                self.announce(&seen, &ask.done.key, Some(LinkIntent::Unwire(upstream.number)))?;
                let path =
                    self.client.path(&format!("/issues/{}/dependencies/blocked_by/{}", ticket.number, upstream.id));
                let response = self.repeatable(Method::Delete, &path, None)?;
                self.judge(&response, &seen, upstream, false)?;
            }
            self.update(ticket.number, |seen| {
                seen.upstream.get_or_insert_default().remove(&upstream.number);
            })?;
            return self.postpone(ticket.number, record);
        }
        let waits = self.waits_for_live(&record)?;
        self.postpone(ticket.number, record)?;
        self.write_section(ticket.number)?;
        if waits { Ok(()) } else { self.mark_blocked(ticket.number, false) }
    }

    /// A rejected link is looked at: it is fine if it is as it should be.
    fn judge(
        &mut self,
        response: &Response,
        seen: &Seen,
        upstream: &TicketRef,
        wanted: bool,
    ) -> Result<(), TrackerError> {
        if response.is_success() {
            return Ok(());
        }
        let listed = self.client.blocked_by(seen.ticket.number)?.unwrap_or_default();
        if listed.iter().any(|issue| issue.id == upstream.id) == wanted {
            return Ok(());
        }
        // Nothing is under way any more.
        self.withdraw(seen)?;
        Self::expect_success(response, if wanted { "wiring the dependency" } else { "unwiring the dependency" })
    }

    /// Whether the server has dependencies; asked at the first link, when there is an issue to ask about.
    fn has_dependencies(&mut self, number: u64) -> Result<bool, TrackerError> {
        if self.dependencies == Dependencies::Unknown && number >= 900_000_000 {
            // A rehearsal in an empty repository: nothing to ask about yet.
            return Ok(true);
        }
        if self.dependencies == Dependencies::Unknown {
            self.dependencies =
                if self.client.blocked_by(number)?.is_some() { Dependencies::Yes } else { Dependencies::No };
            if self.dependencies == Dependencies::No {
                self.labels_ensured = false;
                self.tickets()?.values_mut().for_each(|seen| seen.upstream = None);
            } else {
                self.tickets()?.values_mut().for_each(|seen| {
                    seen.upstream.get_or_insert_with(Upstream::new);
                });
            }
        }
        Ok(self.dependencies == Dependencies::Yes)
    }

    fn waits_for_live(&mut self, record: &Record) -> Result<bool, TrackerError> {
        let tickets = self.tickets()?;
        Ok(record.links.keys().any(|number| tickets.get(number).is_some_and(|seen| seen.open)))
    }

    /// Sets or takes away the label that stands for dependencies.
    pub(super) fn mark_blocked(&mut self, number: u64, set: bool) -> Result<(), TrackerError> {
        let Some(seen) = self.tickets()?.get(&number).cloned() else { return Ok(()) };
        if seen.labels.contains(BLOCKED_LABEL) == set {
            return Ok(());
        }
        let issue = self.client.path(&format!("/issues/{number}"));
        let response = if set {
            self.ensure_labels()?;
            self.repeatable(Method::Post, &format!("{issue}/labels"), Some(json!({ "labels": [BLOCKED_LABEL] })))?
        } else {
            self.repeatable(Method::Delete, &format!("{issue}/labels/{}", BLOCKED_LABEL.replace(':', "%3A")), None)?
        };
        if set || response.status != 404 {
            Self::expect_success(&response, "changing its label")?;
        }
        let mut record = seen.record_to_change();
        let change = |labels: &mut std::collections::BTreeSet<String>| {
            if set {
                labels.insert(BLOCKED_LABEL.to_owned())
            } else {
                labels.remove(BLOCKED_LABEL)
            };
        };
        change(&mut record.labels);
        self.update(number, |seen| change(&mut seen.labels))?;
        self.postpone(number, record)
    }

    /// Writes the list of links into the body, and leaves the rest of the body as people have it now.
    fn write_section(&mut self, number: u64) -> Result<(), TrackerError> {
        let Some(seen) = self.tickets()?.get(&number).cloned() else { return Ok(()) };
        let links = seen.record.map(|record| record.links).unwrap_or_default();
        let body = if self.client.settings.rehearse {
            seen.body
        } else {
            let Some(issue) = self.client.issue(number)? else { return refused(format!("#{number} is gone")) };
            issue.body.unwrap_or_default()
        };
        let upstream = |(number, own): (&u64, &OwnLink)| Link {
            upstream: TicketRef { number: *number, id: own.id },
            ours: true,
            rationale: own.why.clone(),
        };
        let links: Vec<Link> = links.iter().map(upstream).collect();
        let new = with_section(&body, &links);
        if new == body {
            return Ok(());
        }
        let path = self.client.path(&format!("/issues/{number}"));
        let response = self.repeatable(Method::Patch, &path, Some(json!({ "body": new })))?;
        Self::expect_success(&response, "writing its dependencies into its text")?;
        self.update(number, |seen| seen.body = new)
    }
}

/// The body with the section of links renewed, before the marker. Links for which there is no room are left out: the
/// record has them all.
fn with_section(body: &str, links: &[Link]) -> String {
    let body = body.replace("\r\n", "\n");
    let mut kept = body.clone();
    if let (Some(from), Some(to)) = (body.find(SECTION), body.find(SECTION_END))
        && from < to
    {
        kept = format!("{}{}", &body[..from], body[to + SECTION_END.len()..].trim_start_matches('\n'));
    }
    let at = kept.rfind("<!-- greenloop:v1 category_id=").unwrap_or(kept.len());
    let (before, after) = kept.split_at(at);
    for shown in (1..=links.len()).rev() {
        let section = format!("{SECTION}\n{}{SECTION_END}\n\n", words::dependencies(&links[..shown]));
        let whole = format!("{before}{section}{after}");
        if words::units(&whole) <= words::BODY_UNITS {
            return whole;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::super::parse_marker;
    use super::*;

    fn links(numbers: &[u64]) -> Vec<Link> {
        let link = |number: &u64| Link {
            upstream: TicketRef { number: *number, id: 1000 + number },
            ours: true,
            rationale: "it reads what @that writes".to_owned(),
        };
        numbers.iter().map(link).collect()
    }

    #[test]
    fn the_section_of_links_is_renewed_and_the_rest_stays() {
        let body = "Words.\n\n<!-- greenloop:v1 category_id=a:b:c campaign=x key=k -->\n";
        let one = with_section(body, &links(&[4]));
        assert!(one.contains("- #4: it reads what `@that` writes\n") && one.ends_with("key=k -->\n"), "{one}");
        assert_eq!(parse_marker(&one), parse_marker(body), "the section is no marker");
        let two = with_section(&one.replace("Words.", "A person's words."), &links(&[4, 7]));
        assert_eq!(two.matches("it reads").count(), 2);
        assert!(two.starts_with("A person's words."));
        assert_eq!(with_section(&one, &[]), body);
        assert_eq!(with_section(&two, &links(&[4, 7])), two);
        let long = "x".repeat(words::BODY_UNITS - 150);
        let cut = with_section(&long, &links(&[4, 7, 9]));
        assert!(words::units(&cut) <= words::BODY_UNITS && cut.contains("#4") && !cut.contains("#9"));
        assert_eq!(with_section(&"x".repeat(words::BODY_UNITS), &links(&[4])).len(), words::BODY_UNITS);
    }
}
