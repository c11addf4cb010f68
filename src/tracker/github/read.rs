//! The snapshot: every issue of the repository, the records of ours, their dependencies; complete, or an error.
//!
//! Requests for `i` issues and pull requests, `c` comments in the repository, `t` tickets of ours with `k` of them
//! having dependencies: `⌈i/100⌉` for the issues; for the records the cheaper one of `⌈c/100⌉` (all comments) and `t`
//! (ticket by ticket), which the counts in the issues decide; one for each of the `k`; one for who we are, once.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::json;

use super::super::{Snapshot, TrackerError, parse_marker};
use super::client::{Method, Written, said};
use super::issue::{Comment, Issue, User};
use super::listing::PAGE;
use super::open::{Dependencies, GithubTracker};
use super::record::Record;
use super::seen::{Seen, Upstream};
use crate::model::{TicketRef, display_safe};

/// How often a listing that lacks what must be there is asked for again.
const LISTINGS: u32 = 3;

impl GithubTracker {
    /// Lists everything anew.
    pub(super) fn list(&mut self) -> Result<(), TrackerError> {
        self.know_ourselves()?;
        let mut attempt = 0;
        let issues = loop {
            let issues = self.client.all_issues()?;
            let listed: BTreeSet<u64> = issues.iter().map(|issue| issue.id).collect();
            let missing: Vec<TicketRef> =
                self.expected.iter().filter(|ticket| !listed.contains(&ticket.id)).cloned().collect();
            if missing.is_empty() || !self.is_there(&missing)? {
                break issues;
            }
            // Listings lag behind single issues. One that lacks a ticket that is there is not complete.
            attempt += 1;
            if attempt == LISTINGS {
                return Err(self.client.incomplete(format!(
                    "{} of {} known ticket(s) are missing, {} among them, and it is there when asked for by number",
                    missing.len(),
                    self.expected.len(),
                    missing[0]
                )));
            }
            self.client.sleep(Duration::from_millis(500 << attempt));
        };
        self.remarks.clear();
        let mut seen = self.ours_among(&issues);
        self.read_records(&issues, &mut seen)?;
        self.read_dependencies(&issues, &mut seen)?;
        self.take_unfinished(&mut seen)?;
        if self.dependencies == Dependencies::No {
            self.remarks.push(
                "this server has no issue dependencies: what waits for what stands in the tickets' text and in the label \
                 greenloop:blocked"
                    .to_owned(),
            );
        }
        self.expected.extend(seen.values().map(|seen| seen.ticket.clone()));
        self.seen = Some(seen);
        Ok(())
    }

    pub(super) fn to_snapshot(&self) -> Snapshot {
        let seen = self.seen.as_ref();
        let mut tickets: Vec<_> = seen.into_iter().flat_map(|seen| seen.values()).map(Seen::to_ticket).collect();
        let mut blocks: BTreeMap<TicketRef, Vec<TicketRef>> = BTreeMap::new();
        for ticket in &tickets {
            for link in &ticket.blocked_by {
                blocks.entry(link.upstream.clone()).or_default().push(ticket.ticket.clone());
            }
        }
        for ticket in &mut tickets {
            ticket.blocks = blocks.remove(&ticket.ticket).unwrap_or_default();
        }
        Snapshot { tracker: self.client.identity().to_owned(), tickets }
    }

    /// Finds out whose token this is.
    pub(super) fn know_ourselves(&mut self) -> Result<(), TrackerError> {
        if !self.ours.is_empty() {
            return Ok(());
        }
        let mut ours = self.client.settings.authors.clone();
        match self.login()? {
            Some(login) => ours.push(login),
            None if ours.is_empty() => {
                return Err(self.client.unavailable(
                    "the server does not say whose token this is, so no ticket can be told from a forged one; name the \
                     account with --author LOGIN",
                ));
            }
            None => {}
        }
        self.ours = ours;
        Ok(())
    }

    /// The login of the token. Tokens of apps, such as that of a workflow, may not ask for their user, but for the
    /// viewer of the other interface.
    pub(super) fn login(&mut self) -> Result<Option<String>, TrackerError> {
        let user = self.client.get("/user")?;
        if user.is_success() {
            return Ok(user.json.get("login").and_then(|login| login.as_str()).map(str::to_owned));
        }
        if !matches!(user.status, 403 | 404) {
            return Err(self.client.unavailable(said(user.status, &user.message)));
        }
        let answer = self.client.query(&json!({ "query": "{ viewer { login } }" }))?;
        Ok(match answer {
            Written::Answered(response) if response.is_success() => {
                response.json.pointer("/data/viewer/login").and_then(|login| login.as_str()).map(str::to_owned)
            }
            _ => None,
        })
    }

    pub(super) fn is_ours(&self, user: Option<&User>) -> bool {
        user.is_some_and(|user| self.ours.iter().any(|login| user.is(login)))
    }

    /// True if one of them, asked for by number, is there.
    fn is_there(&mut self, tickets: &[TicketRef]) -> Result<bool, TrackerError> {
        for ticket in tickets {
            if self.client.issue(ticket.number)?.is_some_and(|issue| issue.id == ticket.id) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn ours_among(&mut self, issues: &[Issue]) -> BTreeMap<u64, Seen> {
        let mut seen = BTreeMap::new();
        for issue in issues.iter().filter(|issue| !issue.is_pull_request()) {
            let is_ours = self.is_ours(issue.user.as_ref());
            let marker = match parse_marker(issue.body.as_deref().unwrap_or_default()) {
                Ok(None) => continue,
                Ok(Some(marker)) => marker,
                // Nobody can tell which ticket it is, so it is none of ours.
                Err(error) => {
                    self.remarks.push(format!("#{} is passed over: {error}", issue.number));
                    continue;
                }
            };
            if is_ours {
                seen.insert(issue.number, Seen::new(issue, marker));
            } else {
                let author = issue.user.as_ref().map_or("nobody", |user| user.login.as_str());
                self.remarks.push(format!(
                    "#{} carries a marker for {}, but {} wrote it and not greenloop: it is passed over",
                    issue.number,
                    marker.category_id,
                    display_safe(author)
                ));
            }
        }
        for ticket in self.expected.iter().filter(|ticket| !seen.contains_key(&ticket.number)) {
            if let Some(issue) = issues.iter().find(|issue| issue.id == ticket.id) {
                let by_us = if self.is_ours(issue.user.as_ref()) { "lost its marker" } else { "is not ours any more" };
                self.remarks.push(format!(
                    "{ticket} {by_us}: bring its one line `<!-- greenloop:v1 … -->` back from the edit history of its text"
                ));
            }
        }
        seen
    }

    fn read_records(&mut self, issues: &[Issue], seen: &mut BTreeMap<u64, Seen>) -> Result<(), TrackerError> {
        let count: BTreeMap<u64, u64> = issues.iter().map(|issue| (issue.number, issue.comments)).collect();
        let wanted: Vec<u64> =
            seen.keys().copied().filter(|number| count.get(number).is_some_and(|n| *n > 0)).collect();
        let one_by_one: u64 = wanted.iter().map(|number| count[number].div_ceil(PAGE)).sum();
        let at_once = count.values().sum::<u64>().div_ceil(PAGE);
        let mut by_issue: BTreeMap<u64, Vec<Comment>> = BTreeMap::new();
        if at_once <= one_by_one && !wanted.is_empty() {
            for comment in self.client.all_comments()? {
                by_issue.entry(comment.issue().unwrap_or_default()).or_default().push(comment);
            }
        }
        for number in wanted {
            let expected = usize::try_from(count[&number]).unwrap_or(usize::MAX);
            let mut comments = by_issue.remove(&number).unwrap_or_default();
            if comments.len() < expected {
                comments = self.client.comments_of(number)?;
            }
            if comments.len() < expected {
                let text = format!("#{number} has {expected} comment(s), and {} came", comments.len());
                return Err(self.client.incomplete(text));
            }
            if let Some(seen) = seen.get_mut(&number) {
                self.take_record(seen, &comments)?;
            }
        }
        Ok(())
    }

    /// Takes the newest record among the comments of a ticket.
    fn take_record(&mut self, seen: &mut Seen, comments: &[Comment]) -> Result<(), TrackerError> {
        for comment in comments {
            let Some(body) = comment.body.as_deref().filter(|body| Record::is_comment(body)) else { continue };
            if !self.is_ours(comment.user.as_ref()) {
                let text = format!("{} has a record that somebody else wrote: it is passed over", seen.ticket);
                self.remarks.push(text);
                continue;
            }
            let record = Record::from_comment(body).map_err(|error| {
                self.client.incomplete(format!(
                    "greenloop's comment on {} is not what it wrote: {error}; bring it back from the comment's edit \
                     history, or delete the comment to begin its evidence anew",
                    seen.ticket
                ))
            })?;
            // A copy on another issue, or a second one from a write whose answer was lost.
            let newer = seen.record.as_ref().is_none_or(|known| known.revision < record.revision);
            if record.id == seen.ticket.id && newer {
                seen.comment = Some(comment.id);
                seen.record = Some(record);
            }
        }
        Ok(())
    }

    fn read_dependencies(&mut self, issues: &[Issue], seen: &mut BTreeMap<u64, Seen>) -> Result<(), TrackerError> {
        for issue in issues {
            if !seen.contains_key(&issue.number) {
                continue;
            }
            let listed = match issue.dependencies {
                Some(summary) => {
                    self.dependencies = Dependencies::Yes;
                    (summary.blockers() > 0).then_some(summary.blockers())
                }
                // An answer without the summary says nothing about dependencies: ask, until the server has none.
                None if self.dependencies == Dependencies::No => None,
                None => Some(0),
            };
            let Some(expected) = listed else { continue };
            let upstream = match self.client.blocked_by(issue.number)? {
                None if self.dependencies == Dependencies::Yes => {
                    let text = format!("the dependencies of #{} cannot be read (404)", issue.number);
                    return Err(self.client.incomplete(text));
                }
                None => {
                    self.dependencies = Dependencies::No;
                    continue;
                }
                Some(upstream) => upstream,
            };
            self.dependencies = Dependencies::Yes;
            if u64::try_from(upstream.len()).unwrap_or(u64::MAX) < expected {
                let text = format!("#{} is blocked by {expected} issue(s), and {} came", issue.number, upstream.len());
                return Err(self.client.incomplete(text));
            }
            let upstream = self.upstream_of(&upstream, seen);
            if let Some(seen) = seen.get_mut(&issue.number) {
                seen.upstream = Some(upstream);
            }
        }
        if self.dependencies == Dependencies::No {
            for seen in seen.values_mut() {
                seen.upstream = None;
            }
        }
        Ok(())
    }

    /// Blockers by number: our tickets, open or closed; and open issues of others, which hold a ticket up, too.
    pub(super) fn upstream_of(&self, issues: &[Issue], ours: &BTreeMap<u64, Seen>) -> Upstream {
        let here = format!("/repos/{}", self.client.settings.repo).to_ascii_lowercase();
        let mut upstream = Upstream::new();
        for issue in issues {
            let is_here = issue.repository_url.as_deref().is_none_or(|url| url.to_ascii_lowercase().ends_with(&here));
            let is_ours = is_here && ours.get(&issue.number).is_some_and(|seen| seen.ticket.id == issue.id);
            if is_ours {
                upstream.insert(issue.number, issue.id);
            } else if issue.is_open() {
                // A number of another repository means nothing here; ids are unique everywhere.
                upstream.insert(if is_here { issue.number } else { issue.id }, issue.id);
            }
        }
        upstream
    }

    /// Puts records that are not in their comment yet in the place of the older ones.
    fn take_unfinished(&mut self, seen: &mut BTreeMap<u64, Seen>) -> Result<(), TrackerError> {
        for (number, unfinished) in self.unfinished.all().map_err(|why| self.client.unavailable(why))? {
            let Some(seen) = seen.get_mut(&number).filter(|seen| seen.ticket.id == unfinished.id) else { continue };
            seen.pending = unfinished.pending;
            if let Some(record) = unfinished.record {
                let saved = seen.record.as_ref().is_some_and(|saved| saved.revision >= record.revision);
                if !saved {
                    seen.record = Some(record);
                    seen.unsaved = true;
                }
            }
            // Whatever became of it, it was our doing and not a person's.
            if let Some(intent) = unfinished.link {
                seen.take_intent(intent);
            }
        }
        Ok(())
    }
}

impl super::client::Client {
    /// A question to GitHub's other interface. It reads only.
    fn query(&mut self, body: &serde_json::Value) -> Result<Written, TrackerError> {
        let path = match &self.settings.base_url {
            // `https://ghe.example/api/v3` answers at `https://ghe.example/api/graphql`.
            Some(base) => match base.trim_end_matches('/').strip_suffix("/v3") {
                Some(api) => format!("{api}/graphql"),
                None => "/graphql".to_owned(),
            },
            None => "/graphql".to_owned(),
        };
        self.read_with(Method::Post, &path, body)
    }
}
