//! Listing, opening and changing issues.

use serde_json::{Map, Value, json};

use super::github::GitHub;
use super::message::{Reply, Request, escape};
use super::people::Person;
use super::state::{PULL_OFFSET, names};

/// Characters of a title. Source: `GitHub`'s answer to a longer one.
const TITLE: usize = 256;
/// Characters of a body.
const BODY: usize = 65_536;
/// Why an issue can be closed.
const CLOSING: &[&str] = &["completed", "not_planned", "duplicate"];

impl GitHub {
    /// All issues of the repository, pull requests among them, by number.
    pub(crate) async fn all_issues(&self) -> Result<Vec<Value>, Reply> {
        let mut issues = self.every_page("/issues?state=all").await?;
        issues.extend(self.every_page("/pulls?state=all").await?.iter().map(pull_as_issue));
        let deleted = self.state().deleted.clone();
        issues.retain(|issue| issue["number"].as_u64().is_none_or(|number| !deleted.contains(&number)));
        issues.sort_by_key(|issue| issue["number"].as_u64());
        Ok(issues)
    }

    /// All items of a list of the emulator.
    pub(crate) async fn every_page(&self, rest: &str) -> Result<Vec<Value>, Reply> {
        let mut all = Vec::new();
        let mark = if rest.contains('?') { '&' } else { '?' };
        for page in 1.. {
            let reply = self.as_owner("GET", &format!("{rest}{mark}per_page=100&page={page}"), None).await;
            let Some(Value::Array(items)) = reply.document().filter(|_| reply.status == 200) else { return Err(reply) };
            let full = items.len() == 100;
            all.extend(items);
            if !full {
                break;
            }
        }
        Ok(all)
    }

    pub(crate) async fn list_issues(&self, request: &Request) -> Reply {
        let parameters = request.parameters();
        let get = |name: &str| parameters.get(name).map(String::as_str);
        if get("page").is_none_or(|page| page == "1") {
            self.state().begin_listing();
        }
        let mut issues = match self.all_issues().await {
            Ok(issues) => issues,
            Err(reply) => return reply,
        };
        let hidden = self.state().hidden.clone();
        let wanted = get("state").unwrap_or("open");
        if !matches!(wanted, "open" | "closed" | "all") {
            return Reply::invalid("Issue", "state", "invalid", "state is not open, closed or all");
        }
        let labels: Vec<String> = get("labels")
            .unwrap_or_default()
            .split(',')
            .filter(|name| !name.is_empty())
            .map(str::to_lowercase)
            .collect();
        issues.retain(|issue| {
            let has: Vec<String> = names(&issue["labels"]).iter().map(|name| name.to_lowercase()).collect();
            issue["number"].as_u64().is_none_or(|number| !hidden.contains(&number))
                && (wanted == "all" || issue["state"] == wanted)
                && labels.iter().all(|label| has.contains(label))
                && get("creator").is_none_or(|login| issue["user"]["login"] == login)
                && get("since").is_none_or(|since| issue["updated_at"].as_str().is_some_and(|at| at >= since))
        });
        match get("sort") {
            Some("updated") => issues.sort_by_key(|issue| issue["updated_at"].as_str().map(str::to_owned)),
            Some("comments") => issues.sort_by_key(|issue| issue["comments"].as_u64()),
            _ => {}
        }
        if get("direction") != Some("asc") {
            issues.reverse();
        }
        self.page(request, issues)
    }

    /// Every comment on every issue, which the emulator does not list.
    pub(crate) async fn list_comments(&self, request: &Request) -> Reply {
        let issues = match self.all_issues().await {
            Ok(issues) => issues,
            Err(reply) => return reply,
        };
        let mut comments = Vec::new();
        for issue in issues.iter().filter(|issue| issue["comments"].as_u64() != Some(0)) {
            match self.every_page(&format!("/issues/{}/comments", issue["number"])).await {
                Ok(more) => comments.extend(more),
                Err(reply) => return reply,
            }
        }
        comments.sort_by_key(|comment| comment["id"].as_u64());
        self.page(request, comments)
    }

    /// The page of a list that the request asks for, with GitHub's links to the others.
    pub(crate) fn page(&self, request: &Request, items: Vec<Value>) -> Reply {
        let mut parameters = request.parameters();
        let number = |text: Option<&String>| text.and_then(|text| text.parse::<usize>().ok());
        let size = number(parameters.get("per_page")).unwrap_or(30).clamp(1, 100);
        let page = number(parameters.get("page")).unwrap_or(1).max(1);
        let last = items.len().div_ceil(size).max(1);
        let rest = request.segments();
        let rest = if rest.first().is_some_and(|first| first == "repositories") { &rest[2..] } else { &rest[3..] };
        let path: Vec<String> = rest.iter().map(|segment| escape(segment)).collect();
        let path = path.join("/");
        let mut link = |page: usize, relation: &str| {
            parameters.insert("page".to_owned(), page.to_string());
            let query: Vec<String> =
                parameters.iter().map(|(name, value)| format!("{}={}", escape(name), escape(value))).collect();
            let (base, id) = (&self.base_url, self.repo_id());
            format!("<{base}/repositories/{id}/{path}?{}>; rel=\"{relation}\"", query.join("&"))
        };
        let mut links = Vec::new();
        if page > 1 {
            links.push(link(page - 1, "prev"));
        }
        if page < last {
            links.push(link(page + 1, "next"));
            links.push(link(last, "last"));
        }
        if page > 1 {
            links.push(link(1, "first"));
        }
        let slice: Vec<Value> = items.into_iter().skip((page - 1).saturating_mul(size)).take(size).collect();
        let reply = Reply::json(200, &Value::Array(slice));
        if links.is_empty() { reply } else { reply.with("link", links.join(", ")) }
    }

    pub(crate) async fn get_issue(&self, number: u64) -> Reply {
        let reply = self.as_owner("GET", &format!("/issues/{number}"), None).await;
        if reply.status != 404 {
            return reply;
        }
        let pull = self.as_owner("GET", &format!("/pulls/{number}"), None).await;
        match pull.document().filter(|_| pull.status == 200) {
            Some(document) => Reply::json(200, &pull_as_issue(&document)),
            None => reply,
        }
    }

    pub(crate) async fn create_issue(&self, request: &Request, person: Person) -> Reply {
        let Some(Value::Object(mut fields)) = request.document() else {
            return Reply::error(400, "Problems parsing JSON");
        };
        if fields.get("title").is_none_or(Value::is_null) {
            return Reply::invalid("Issue", "title", "missing_field", "title is missing");
        }
        if let Err(reply) = self.tidy(&mut fields, person).await {
            return reply;
        }
        let mut forwarded = request.clone().json(&Value::Object(fields));
        forwarded.path = format!("/repos/{}/issues", self.repo);
        let reply = self.ask(&forwarded).await;
        let location = reply.document().and_then(|issue| issue["url"].as_str().map(str::to_owned));
        location.iter().fold(reply, |reply, location| reply.with("location", location.clone()))
    }

    pub(crate) async fn patch_issue(&self, request: &Request, person: Person, number: u64) -> Reply {
        let Some(Value::Object(mut fields)) = request.document() else {
            return Reply::error(400, "Problems parsing JSON");
        };
        let before = self.as_owner("GET", &format!("/issues/{number}"), None).await;
        let Some(issue) = before.document().filter(|_| before.status == 200) else { return before };
        if !person.pushes() && issue["user"]["login"] != person.login() {
            return Reply::error(403, "Must have admin rights to Repository.");
        }
        let turn = match self.turn_of(&mut fields, &issue).await {
            Ok(turn) => turn,
            Err(reply) => return reply,
        };
        if let Err(reply) = self.tidy(&mut fields, person).await {
            return reply;
        }
        let mut forwarded = request.clone().json(&Value::Object(fields));
        forwarded.path = format!("/repos/{}/issues/{number}", self.repo);
        let reply = self.ask(&forwarded).await;
        let (Some(turn), 200) = (turn, reply.status) else { return reply };
        self.turned(number, turn);
        self.as_owner("GET", &format!("/issues/{number}"), None).await
    }

    fn turned(&self, number: u64, turn: Turn) {
        let mut state = self.state();
        if turn.closes {
            state.closed.insert(number);
        } else {
            state.closed.remove(&number);
        }
        state.reasons.insert(number, turn.reason);
    }

    /// What becomes of the state, and why. The reason counts only if the state changes.
    async fn turn_of(&self, fields: &mut Map<String, Value>, issue: &Value) -> Result<Option<Turn>, Reply> {
        let reason = fields.remove("state_reason").filter(|reason| !reason.is_null());
        let original = fields.remove("duplicate_issue_id");
        let invalid = |field: &str, message: &str| Reply::invalid("Issue", field, "invalid", message);
        let reason = match reason {
            None => None,
            Some(Value::String(text)) if CLOSING.contains(&text.as_str()) || text == "reopened" => Some(text),
            Some(_) => return Err(invalid("state_reason", "state_reason is not one of the known reasons")),
        };
        let closes = match fields.get("state") {
            None => return Ok(None),
            Some(Value::String(state)) if state == "open" => false,
            Some(Value::String(state)) if state == "closed" => true,
            Some(_) => return Err(invalid("state", "state is not open or closed")),
        };
        if closes == (issue["state"] == "closed") {
            return Ok(None);
        }
        // GitHub does not document a reason that contradicts the state; the rig refuses it, so that no client needs it.
        let fits = |reason: &String| CLOSING.contains(&reason.as_str()) == closes;
        if reason.as_ref().is_some_and(|reason| !fits(reason)) {
            return Err(invalid("state_reason", "state_reason does not go with the state"));
        }
        if let (Some("duplicate"), Some(id)) = (reason.as_deref(), original) {
            let known = self.all_issues().await?.iter().any(|other| other["id"] == id && other["id"] != issue["id"]);
            if !known {
                return Err(invalid("duplicate_issue_id", "there is no such issue"));
            }
        }
        let default = if closes { "completed" } else { "reopened" };
        Ok(Some(Turn { closes, reason: reason.unwrap_or_else(|| default.to_owned()) }))
    }

    /// Checks the fields as GitHub does, and drops what the person may not set.
    async fn tidy(&self, fields: &mut Map<String, Value>, person: Person) -> Result<(), Reply> {
        match fields.get_mut("title") {
            None | Some(Value::Null) => {}
            Some(title) => {
                if title.is_u64() || title.is_i64() {
                    *title = json!(title.to_string());
                }
                let Some(text) = title.as_str() else {
                    return Err(Reply::invalid("Issue", "title", "invalid", "title is not a text"));
                };
                if text.trim().is_empty() {
                    return Err(Reply::invalid("Issue", "title", "missing_field", "title can't be blank"));
                }
                if text.chars().count() > TITLE {
                    let message = "title is too long (maximum is 256 characters)";
                    return Err(Reply::invalid("Issue", "title", "custom", message));
                }
            }
        }
        match fields.get("body") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if text.chars().count() <= BODY => {}
            Some(Value::String(_)) => {
                let message = "body is too long (maximum is 65536 characters)";
                return Err(Reply::invalid("Issue", "body", "custom", message));
            }
            Some(_) => return Err(Reply::invalid("Issue", "body", "invalid", "body is not a text")),
        }
        if !person.pushes() {
            for field in ["labels", "assignees", "assignee", "milestone"] {
                fields.remove(field);
            }
        }
        if let Some(labels) = fields.remove("labels") {
            fields.insert("labels".to_owned(), json!(self.label_names(&labels).await?));
        }
        Ok(())
    }
}

/// A change of state.
struct Turn {
    closes: bool,
    reason: String,
}

/// A pull request as the issue that it is too.
fn pull_as_issue(pull: &Value) -> Value {
    let url = pull["issue_url"].as_str().unwrap_or_default();
    let repository = url.split("/issues/").next().unwrap_or_default();
    let mut issue = Map::new();
    let copied = ["number", "state", "locked", "title", "user", "body", "created_at", "updated_at", "closed_at"];
    for field in
        copied.into_iter().chain(["assignee", "assignees", "labels", "milestone", "draft", "author_association"])
    {
        issue.insert(field.to_owned(), pull[field].clone());
    }
    issue.insert("id".to_owned(), json!(pull["id"].as_u64().unwrap_or_default() + PULL_OFFSET));
    issue.insert("node_id".to_owned(), pull["node_id"].clone());
    issue.insert("comments".to_owned(), json!(pull["comments"].as_u64().unwrap_or_default()));
    issue.insert("state_reason".to_owned(), Value::Null);
    for (field, end) in
        [("url", ""), ("labels_url", "/labels{/name}"), ("comments_url", "/comments"), ("events_url", "/events")]
    {
        issue.insert(field.to_owned(), json!(format!("{url}{end}")));
    }
    issue.insert("repository_url".to_owned(), json!(repository));
    issue.insert("html_url".to_owned(), pull["html_url"].clone());
    let links = ["url", "html_url", "diff_url", "patch_url", "merged_at"];
    let links: Map<String, Value> = links.into_iter().map(|field| (field.to_owned(), pull[field].clone())).collect();
    issue.insert("pull_request".to_owned(), Value::Object(links));
    Value::Object(issue)
}
