//! Listings: every page, or an error. A part is never taken for the whole.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::TrackerError;
use super::client::{Client, Response, said};
use super::issue::{Comment, Issue};

/// Items of one page, the most that GitHub gives.
pub(super) const PAGE: u64 = 100;
/// Pages of one listing at most: one million items.
const PAGES: usize = 10_000;

impl Client {
    /// All items of a listing, by their id, in the order of the first time they were seen.
    fn listing<T: DeserializeOwned>(&mut self, path: &str, query: &str) -> Result<Vec<T>, TrackerError> {
        let mut query = query.to_owned();
        let mut items: Vec<Value> = Vec::new();
        let mut at: BTreeMap<u64, usize> = BTreeMap::new();
        let mut announced = None;
        for page in 1..=PAGES {
            let response = match self.get(&format!("{path}?{query}")) {
                Err(TrackerError::Unavailable { reason, .. }) if page > 1 => {
                    return Err(self.incomplete(format!("page {page} of {path} is missing: {reason}")));
                }
                other => other?,
            };
            if !response.is_success() {
                return Err(self.listing_refused(path, page, &response));
            }
            announced = announced.max(response.last_page);
            let Value::Array(listed) = response.json else {
                return Err(self.incomplete(format!("page {page} of {path} is not a list")));
            };
            for item in listed {
                let id = item.get("id").and_then(Value::as_u64);
                let id = id.ok_or_else(|| self.incomplete(format!("an item of {path} has no id")))?;
                // An item that moved between pages is there twice; the later state counts.
                if let Some(at) = at.get(&id) {
                    items[*at] = item;
                } else {
                    at.insert(id, items.len());
                    items.push(item);
                }
            }
            match response.next {
                Some(next) if next == query => {
                    return Err(self.incomplete(format!("page {page} of {path} names itself as the next one")));
                }
                Some(next) => query = next,
                None => {
                    let pages = u64::try_from(page).unwrap_or(u64::MAX);
                    if let Some(announced) = announced.filter(|announced| *announced > pages) {
                        return Err(
                            self.incomplete(format!("{announced} pages of {path} were announced, and {pages} came"))
                        );
                    }
                    let parse = |item| serde_json::from_value(item);
                    return items.into_iter().map(parse).collect::<Result<_, _>>().map_err(|error| {
                        self.incomplete(format!("an item of {path} is not what was expected: {error}"))
                    });
                }
            }
        }
        Err(self.incomplete(format!("{path} has more than {PAGES} pages")))
    }

    fn listing_refused(&self, path: &str, page: usize, response: &Response) -> TrackerError {
        let said = said(response.status, &response.message);
        if page > 1 {
            return self.incomplete(format!("page {page} of {path} is missing: {said}"));
        }
        let hint = match response.status {
            404 => "; the repository does not exist, or the token may not see it",
            403 => "; the token needs the permission to read issues",
            410 => "; are issues switched off in this repository?",
            _ => "",
        };
        self.unavailable(format!("{said} for {path}{hint}"))
    }

    /// Every issue of the repository, oldest first. Never filtered: filters lag and under-report.
    pub(super) fn all_issues(&mut self) -> Result<Vec<Issue>, TrackerError> {
        let query = format!("state=all&sort=created&direction=asc&per_page={PAGE}");
        self.listing(&self.path("/issues"), &query)
    }

    /// Issues with a number above `number`, newest first: only the pages that are needed.
    pub(super) fn issues_above(&mut self, number: u64) -> Result<Vec<Issue>, TrackerError> {
        let path = self.path("/issues");
        let mut query = format!("state=all&sort=created&direction=desc&per_page={PAGE}");
        let mut found: Vec<Issue> = Vec::new();
        loop {
            let response = self.get(&format!("{path}?{query}"))?;
            if !response.is_success() {
                return Err(self.listing_refused(&path, 1, &response));
            }
            let page: Vec<Issue> = serde_json::from_value(response.json)
                .map_err(|error| self.incomplete(format!("a page of {path} is not what was expected: {error}")))?;
            let reached = page.iter().any(|issue| issue.number <= number);
            found.extend(page.into_iter().filter(|issue| issue.number > number));
            match response.next {
                Some(next) if !reached && next != query => query = next,
                _ => return Ok(found),
            }
        }
    }

    /// One issue; `None` if it is not there (any more).
    pub(super) fn issue(&mut self, number: u64) -> Result<Option<Issue>, TrackerError> {
        let path = self.path(&format!("/issues/{number}"));
        let response = self.get(&path)?;
        match response.status {
            404 | 410 => Ok(None),
            status if status >= 300 => Err(self.unavailable(format!("{} for {path}", said(status, &response.message)))),
            _ => {
                let issue = serde_json::from_value(response.json);
                issue.map(Some).map_err(|error| self.incomplete(format!("#{number} is not what was expected: {error}")))
            }
        }
    }

    /// Every comment on every issue of the repository.
    pub(super) fn all_comments(&mut self) -> Result<Vec<Comment>, TrackerError> {
        let query = format!("sort=created&direction=asc&per_page={PAGE}");
        self.listing(&self.path("/issues/comments"), &query)
    }

    /// Every comment on one issue.
    pub(super) fn comments_of(&mut self, number: u64) -> Result<Vec<Comment>, TrackerError> {
        self.listing(&self.path(&format!("/issues/{number}/comments")), &format!("per_page={PAGE}"))
    }

    /// The issues that an issue is blocked by. `None` if the server does not know dependencies.
    pub(super) fn blocked_by(&mut self, number: u64) -> Result<Option<Vec<Issue>>, TrackerError> {
        let path = self.path(&format!("/issues/{number}/dependencies/blocked_by"));
        // Asked by itself first: a 404 on a readable issue means that there is no such route.
        let first = self.get(&format!("{path}?per_page={PAGE}"))?;
        if first.status == 404 {
            return Ok(None);
        }
        if first.is_success() && first.next.is_none() {
            let issues = serde_json::from_value(first.json);
            let issues =
                issues.map_err(|error| self.incomplete(format!("{path} is not what was expected: {error}")))?;
            return Ok(Some(issues));
        }
        self.listing(&path, &format!("per_page={PAGE}")).map(Some)
    }
}
