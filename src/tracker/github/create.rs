//! Creating a ticket exactly once: the key in the body, one POST, and looking before doing anything twice.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::{Marker, MarkerError, Operation, OperationOutcome, TrackerError, parse_marker, words};
use super::client::{Method, Written, said};
use super::issue::Issue;
use super::open::{Dependencies, GithubTracker};
use super::retry::Kind;
use super::seen::{Seen, Upstream};
use super::write::{Ask, BLOCKED_LABEL, refused};
use crate::model::{CategoryId, TicketRef, truncate_chars};

/// First number of tickets in a rehearsal: no repository has so many issues.
const REHEARSED: u64 = 900_000_001;

/// The labels of greenloop itself: name, colour, description.
pub(super) const OWN_LABELS: [(&str, &str, &str); 3] = [
    (Operation::ROUTING_LABEL, "0e8a16", "greenloop: a fix can be dispatched once nothing blocks it"),
    (Operation::CANDIDATE_LABEL, "c5def5", "greenloop: its cases pass; it waits for the proof"),
    (BLOCKED_LABEL, "d4c5f9", "greenloop: waits for another ticket"),
];

impl GithubTracker {
    /// Makes the ticket of a creation.
    pub(super) fn create(&mut self, ask: &Ask<'_>) -> Result<TicketRef, TrackerError> {
        let Operation::Create { category_id, title, body, labels, .. } = ask.operation else {
            return refused("not a creation");
        };
        check_labels(labels)?;
        let body = stamped(category_id, &ask.done.key, body)?;
        self.no_live_ticket(category_id)?;
        self.ensure_labels()?;
        let newest = self.tickets()?.keys().next_back().copied().unwrap_or_default();
        let request = json!({
            "title": truncate_chars(title, words::TITLE_CHARS),
            "body": body,
            "labels": labels,
        });
        let number = newest.max(REHEARSED - 1) + 1;
        let path = self.client.path("/issues");
        match self.client.write(Method::Post, &path, Some(request), Kind::Once, |sent| rehearsed(number, sent))? {
            Written::Answered(response) => {
                Self::expect_success(&response, "making the ticket")?;
                let issue = serde_json::from_value::<Issue>(response.json).map_err(|error| {
                    TrackerError::Unknown(format!("the ticket was made, but the answer is strange: {error}"))
                })?;
                self.take_new(&issue, ask)
            }
            Written::Unknown(why) => {
                // The server has had its time. Twice, as listings lag.
                for attempt in 0..2 {
                    if attempt > 0 {
                        self.client.sleep(self.client.settings.unknown_wait);
                    }
                    if let Some(issue) = self.find_created(newest, &ask.done.key)? {
                        return self.take_new(&issue, ask);
                    }
                }
                Err(TrackerError::Unknown(format!(
                    "{why}; the ticket of {category_id} is not in the listing, and may still appear"
                )))
            }
        }
    }

    /// A creation that was begun: found by its key, or made now that it is certain that it was not made.
    pub(super) fn finish_create(&mut self, ask: &Ask<'_>) -> Result<OperationOutcome, TrackerError> {
        for attempt in 0..2 {
            if let Some(number) = self.made_under(&ask.done.key)? {
                let seen = self.tickets()?.get(&number).cloned();
                let Some(seen) = seen else { return refused(format!("#{number} is gone")) };
                let recorded = seen.record.as_ref().is_some_and(|record| record.done(&ask.done.key).is_some());
                if !recorded {
                    self.remember_creation(&seen, ask)?;
                }
                return Ok(OperationOutcome { ticket: seen.ticket, adopted: true });
            }
            // What the crashed process sent may still be under way; after that, listings lag.
            if attempt == 0 {
                self.client.settle();
                self.seen = None;
            }
        }
        let ticket = self.create(ask)?;
        Ok(OperationOutcome { ticket, adopted: false })
    }

    /// The number of the ticket that was made under a key; several are an error.
    fn made_under(&mut self, key: &str) -> Result<Option<u64>, TrackerError> {
        let made: Vec<u64> = self
            .tickets()?
            .iter()
            .filter(|(_, seen)| seen.marker.key.as_deref() == Some(key))
            .map(|(number, _)| *number)
            .collect();
        match made.as_slice() {
            [] => Ok(None),
            [number] => Ok(Some(*number)),
            several => {
                let several: Vec<String> = several.iter().map(|number| format!("#{number}")).collect();
                refused(format!("{} were made for the same step; close all but one as duplicates", several.join(", ")))
            }
        }
    }

    fn find_created(&mut self, newest: u64, key: &str) -> Result<Option<Issue>, TrackerError> {
        let issues = self.client.issues_above(newest)?;
        let mut made = issues.into_iter().filter(|issue| {
            !issue.is_pull_request()
                && self.is_ours(issue.user.as_ref())
                && marker_of(issue).is_some_and(|marker| marker.key.as_deref() == Some(key))
        });
        let first = made.next();
        if let (Some(first), Some(second)) = (&first, made.next()) {
            return refused(format!("#{} and #{} were made for the same step", first.number, second.number));
        }
        Ok(first)
    }

    /// Takes a new issue among the tickets. Its record is written later, with its links.
    fn take_new(&mut self, issue: &Issue, ask: &Ask<'_>) -> Result<TicketRef, TrackerError> {
        let Operation::Create { labels, category_id, .. } = ask.operation else { return refused("not a creation") };
        let marker = marker_of(issue).unwrap_or_else(|| Marker {
            category_id: category_id.clone(),
            campaign: String::new(),
            key: Some(ask.done.key.clone()),
        });
        let mut seen = Seen::new(issue, marker);
        seen.upstream = (self.dependencies != Dependencies::No).then(Upstream::new);
        self.tickets()?.insert(issue.number, seen.clone());
        self.expected.insert(seen.ticket.clone());
        self.remember_creation(&seen, ask)?;
        let has = |label: &&String| seen.labels.iter().any(|known| known.eq_ignore_ascii_case(label));
        if let Some(dropped) = labels.iter().find(|label| !has(label)) {
            // GitHub drops the labels of whoever may not push, and says nothing. The step fails, so nothing may stay.
            let path = self.client.path(&format!("/issues/{}", seen.ticket.number));
            let body = json!({ "state": "closed", "state_reason": "not_planned" });
            let closed = self.repeatable(Method::Patch, &path, Some(body))?;
            let what = if closed.is_success() { "was closed again" } else { "could not be closed again" };
            return refused(format!(
                "{} was made without its label {dropped}, and {what}: the token may not set labels; it needs write access \
                 to issues",
                seen.ticket
            ));
        }
        Ok(seen.ticket)
    }

    fn remember_creation(&mut self, seen: &Seen, ask: &Ask<'_>) -> Result<(), TrackerError> {
        let Operation::Create { receipt, .. } = ask.operation else { return Ok(()) };
        let mut record = seen.record_to_change();
        record.receipts.push(receipt.clone());
        record.add_done(ask.done.clone());
        self.postpone(seen.ticket.number, record)
    }

    pub(super) fn no_live_ticket(&mut self, category_id: &CategoryId) -> Result<(), TrackerError> {
        let live = self.tickets()?.values().find(|seen| seen.open && seen.marker.category_id == *category_id);
        match live {
            Some(live) => refused(format!("{category_id} already has the live ticket {}", live.ticket)),
            None => Ok(()),
        }
    }

    /// Makes the labels of greenloop itself, with colour and description. GitHub makes others by itself.
    pub(super) fn ensure_labels(&mut self) -> Result<(), TrackerError> {
        if self.labels_ensured {
            return Ok(());
        }
        for (name, color, description) in OWN_LABELS {
            if name == BLOCKED_LABEL && self.dependencies != Dependencies::No {
                continue;
            }
            let known = self.client.get(&self.client.path(&format!("/labels/{}", name.replace(':', "%3A"))))?;
            if known.is_success() {
                continue;
            }
            let body = json!({ "name": name, "color": color, "description": description });
            let response = self.repeatable(Method::Post, &self.client.path("/labels"), Some(body))?;
            // 422: somebody made it meanwhile, or an answer was lost.
            if !response.is_success() && response.status != 422 {
                let said = said(response.status, &response.message);
                return refused(format!(
                    "the label {name} cannot be made: {said}; the token needs write access to issues"
                ));
            }
        }
        self.labels_ensured = true;
        Ok(())
    }
}

/// The body with the key in its marker, which is added if there is none.
fn stamped(category_id: &CategoryId, key: &str, body: &str) -> Result<String, TrackerError> {
    let stamped = match Marker::with_key(body, key) {
        Err(MarkerError::Missing) => {
            let marker =
                Marker { category_id: category_id.clone(), campaign: String::new(), key: Some(key.to_owned()) };
            format!("{}\n\n{}\n", body.trim_end(), marker.render())
        }
        other => other.map_err(|error| TrackerError::Refused(error.to_string()))?,
    };
    if parse_marker(&stamped).ok().flatten().is_none_or(|marker| marker.category_id != *category_id) {
        return refused(format!("the marker in the text of {category_id} names another category"));
    }
    match words::units(&stamped) {
        long if long > words::BODY_UNITS => {
            refused(format!("the text of {category_id} has {long} characters; {} are possible", words::BODY_UNITS))
        }
        _ => Ok(stamped),
    }
}

/// The marker of an issue that was just made.
fn marker_of(issue: &Issue) -> Option<Marker> {
    issue.body.as_deref().and_then(|body| parse_marker(body).ok().flatten())
}

fn check_labels(labels: &BTreeSet<String>) -> Result<(), TrackerError> {
    if let Some(marker) =
        [Operation::ROUTING_LABEL, Operation::CANDIDATE_LABEL].into_iter().find(|m| labels.contains(*m))
    {
        return refused(format!("a new ticket must not carry the label {marker}"));
    }
    match labels.iter().find(|label| label.chars().count() > words::LABEL_CHARS) {
        Some(long) => refused(format!(
            "the label {long:?} has more than {} characters: give the category a shorter one in the map",
            words::LABEL_CHARS
        )),
        None => Ok(()),
    }
}

/// What GitHub would answer to a creation.
fn rehearsed(number: u64, sent: &Value) -> Value {
    let labels: Vec<BTreeMap<&str, &Value>> =
        sent["labels"].as_array().into_iter().flatten().map(|label| BTreeMap::from([("name", label)])).collect();
    json!({
        "id": number, "number": number, "title": sent["title"], "state": "open", "body": sent["body"], "labels": labels,
    })
}
