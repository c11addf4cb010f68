//! Saving records: on disk first, then into the comment on the issue.

use serde_json::json;

use super::super::TrackerError;
use super::client::{Method, Written};
use super::open::GithubTracker;
use super::record::Record;
use super::retry::Kind;
use super::seen::Seen;
use super::unfinished::{LinkIntent, Unfinished};

impl GithubTracker {
    fn keep(&self, number: u64, unfinished: &Unfinished) -> Result<(), TrackerError> {
        if self.client.settings.rehearse {
            return Ok(());
        }
        self.unfinished.put(number, unfinished).map_err(|error| self.client.unavailable(error.to_string()))
    }

    /// Says on disk that an operation on a ticket is about to be sent. What was postponed stays there with it.
    pub(super) fn announce(&self, seen: &Seen, key: &str, link: Option<LinkIntent>) -> Result<(), TrackerError> {
        let record = seen.record.clone().filter(|_| seen.unsaved);
        let pending = Some(key.to_owned());
        self.keep(seen.ticket.number, &Unfinished { id: seen.ticket.id, record, pending, link })
    }

    /// Takes an announcement back: its operation was refused.
    pub(super) fn withdraw(&self, seen: &Seen) -> Result<(), TrackerError> {
        let record = seen.record.clone().filter(|_| seen.unsaved);
        if record.is_none() {
            self.forget(seen.ticket.number);
            return Ok(());
        }
        self.keep(seen.ticket.number, &Unfinished { id: seen.ticket.id, record, pending: None, link: None })
    }

    pub(super) fn forget(&self, number: u64) {
        if !self.client.settings.rehearse {
            self.unfinished.remove(number);
        }
    }

    /// Changes a record that is written later, with others of the same ticket. Until then it is on disk.
    pub(super) fn postpone(&mut self, number: u64, mut record: Record) -> Result<(), TrackerError> {
        record.fit_comment().map_err(TrackerError::Refused)?;
        record.revision += 1;
        self.keep(number, &Unfinished { id: record.id, record: Some(record.clone()), pending: None, link: None })?;
        self.update(number, |seen| (seen.record, seen.unsaved, seen.pending) = (Some(record), true, None))
    }

    /// Saves what was postponed. What an earlier run left half done and this one did not take up stays as it is now.
    pub(super) fn save_all(&mut self) -> Result<(), TrackerError> {
        let left: Vec<u64> =
            self.seen.iter().flatten().filter(|(_, seen)| seen.pending.is_some()).map(|(n, _)| *n).collect();
        for number in left {
            let Some(seen) = self.tickets()?.get(&number).cloned() else { continue };
            let Some(mut record) = seen.record.clone() else { continue };
            (record.open, record.reason, record.labels) = (seen.open, seen.reason, seen.labels);
            self.postpone(number, record)?;
        }
        let unsaved: Vec<u64> = self.seen.iter().flatten().filter(|(_, seen)| seen.unsaved).map(|(n, _)| *n).collect();
        for number in unsaved {
            let Some(mut record) = self.tickets()?.get(&number).and_then(|seen| seen.record.clone()) else { continue };
            self.save(number, &mut record)?;
            self.forget(number);
            self.update(number, |seen| (seen.record, seen.unsaved) = (Some(record), false))?;
        }
        Ok(())
    }

    /// Writes the record into its comment, which is made if it is not there.
    pub(super) fn save(&mut self, number: u64, record: &mut Record) -> Result<(), TrackerError> {
        let body = record.fit_comment().map_err(TrackerError::Refused)?;
        let known = self.tickets()?.get(&number).and_then(|seen| seen.comment);
        if let Some(id) = known {
            let path = self.client.path(&format!("/issues/comments/{id}"));
            let response = self.repeatable(Method::Patch, &path, Some(json!({ "body": body })))?;
            // A person deleted it; the evidence is still known here, so it is written again.
            if !matches!(response.status, 404 | 410) {
                return Self::expect_success(&response, "editing greenloop's comment");
            }
        }
        let id = self.make_comment(number, record, &body)?;
        self.update(number, |seen| seen.comment = Some(id))
    }

    /// Makes the comment, once.
    fn make_comment(&mut self, number: u64, record: &Record, body: &str) -> Result<u64, TrackerError> {
        let path = self.client.path(&format!("/issues/{number}/comments"));
        let made = |sent: &serde_json::Value| json!({ "id": 900_000_000 + number, "body": sent["body"] });
        let body = json!({ "body": body });
        match self.client.write(Method::Post, &path, Some(body), Kind::Once, made)? {
            Written::Answered(response) => {
                Self::expect_success(&response, "writing greenloop's comment")?;
                let id = response.json.get("id").and_then(serde_json::Value::as_u64);
                id.ok_or_else(|| TrackerError::Unknown(format!("the comment on #{number} was made without an id")))
            }
            Written::Unknown(why) => {
                for attempt in 0..2 {
                    if attempt > 0 {
                        self.client.sleep(self.client.settings.unknown_wait);
                    }
                    let comments = self.client.comments_of(number)?;
                    let found = comments.iter().filter(|comment| self.is_ours(comment.user.as_ref())).find(|comment| {
                        let body = comment.body.as_deref().filter(|body| Record::is_comment(body));
                        body.and_then(|body| Record::from_comment(body).ok()).is_some_and(|found| found == *record)
                    });
                    if let Some(found) = found {
                        return Ok(found.id);
                    }
                }
                Err(TrackerError::Unknown(format!("greenloop's comment on #{number}: {why}")))
            }
        }
    }
}
