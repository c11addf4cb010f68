//! Labels of the repository and of its issues. Names are the same in small and capital letters.

use serde_json::{Value, json};

use super::github::GitHub;
use super::message::{Reply, Request, escape};
use super::people::Person;
use super::state::names;

/// Characters of a name.
const NAME: usize = 50;
/// Characters of a description.
const DESCRIPTION: usize = 100;
/// Labels of one issue.
const PER_ISSUE: usize = 100;

impl GitHub {
    pub(crate) async fn list_labels(&self, request: &Request) -> Reply {
        match self.every_page("/labels").await {
            Ok(labels) => self.page(request, labels),
            Err(reply) => reply,
        }
    }

    pub(crate) async fn create_label(&self, request: &Request, person: Person) -> Reply {
        if !person.pushes() {
            return Reply::error(403, "Must have admin rights to Repository.");
        }
        let Some(fields) = request.document() else { return Reply::error(400, "Problems parsing JSON") };
        if let Err(reply) = check(&fields, fields["name"].as_str()) {
            return reply;
        }
        let name = fields["name"].as_str().unwrap_or_default();
        match self.existing(name).await {
            Err(reply) => reply,
            Ok(Some(_)) => Reply::invalid("Label", "name", "already_exists", "name already exists"),
            Ok(None) => self.forward(request, "/labels").await,
        }
    }

    pub(crate) async fn one_label(&self, request: &Request, person: Person, name: &str) -> Reply {
        if request.writes() && !person.pushes() {
            return Reply::error(403, "Must have admin rights to Repository.");
        }
        let kept = match self.existing(name).await {
            Ok(Some(kept)) => kept,
            Ok(None) => return Reply::error(404, "Not Found"),
            Err(reply) => return reply,
        };
        if request.method == "PATCH" {
            let Some(fields) = request.document() else { return Reply::error(400, "Problems parsing JSON") };
            let new = fields["new_name"].as_str();
            if let Err(reply) = check(&fields, Some(new.unwrap_or(&kept))) {
                return reply;
            }
            match self.existing(new.unwrap_or(&kept)).await {
                Ok(Some(other)) if other != kept => {
                    return Reply::invalid("Label", "name", "already_exists", "name already exists");
                }
                Ok(_) => {}
                Err(reply) => return reply,
            }
        }
        self.forward(request, &format!("/labels/{}", escape(&kept))).await
    }

    pub(crate) async fn issue_labels(
        &self,
        request: &Request,
        person: Person,
        number: u64,
        name: Option<&str>,
    ) -> Reply {
        if request.writes() && !person.pushes() {
            return Reply::error(403, "Must have admin rights to Repository.");
        }
        let path = format!("/issues/{number}/labels");
        match (request.method.as_str(), name) {
            ("GET", None) => {
                let reply = self.forward(request, &path).await;
                match reply.document().filter(|_| reply.status == 200) {
                    Some(Value::Array(labels)) => self.page(request, labels),
                    _ => reply,
                }
            }
            ("POST" | "PUT", None) => {
                let Some(fields) = request.document() else { return Reply::error(400, "Problems parsing JSON") };
                let labels = if fields.is_array() { &fields } else { &fields["labels"] };
                match self.label_names(labels).await {
                    Ok(labels) => self.forward(&request.clone().json(&json!({"labels": labels})), &path).await,
                    Err(reply) => reply,
                }
            }
            ("DELETE", None) => self.forward(request, &path).await,
            ("DELETE", Some(name)) => {
                let kept = match self.existing(name).await {
                    Ok(Some(kept)) => kept,
                    Ok(None) => return Reply::error(404, "Label does not exist"),
                    Err(reply) => return reply,
                };
                let reply = self.forward(request, &format!("{path}/{}", escape(&kept))).await;
                if reply.status == 404 { Reply::error(404, "Label does not exist") } else { reply }
            }
            _ => Reply::error(404, "Not Found"),
        }
    }

    /// The names of labels that an issue is to have, as the repository spells them.
    pub(crate) async fn label_names(&self, labels: &Value) -> Result<Vec<String>, Reply> {
        let invalid = |message: &str| Reply::invalid("Issue", "labels", "invalid", message);
        let Some(items) = labels.as_array() else { return Err(invalid("labels is not an array")) };
        let wanted = names(labels);
        if wanted.len() != items.len() {
            return Err(invalid("a label is neither a text nor an object with a name"));
        }
        if wanted.len() > PER_ISSUE {
            return Err(invalid("an issue has at most 100 labels"));
        }
        let known = names(&Value::Array(self.every_page("/labels").await?));
        let mut kept: Vec<String> = Vec::new();
        for name in wanted {
            check(&Value::Null, Some(&name))?;
            let same = |other: &&String| other.to_lowercase() == name.to_lowercase();
            if kept.iter().any(|other| same(&other)) {
                continue;
            }
            kept.push(known.iter().find(same).unwrap_or(&name).clone());
        }
        Ok(kept)
    }

    /// How the repository spells a label, if it has it.
    async fn existing(&self, name: &str) -> Result<Option<String>, Reply> {
        let labels = self.every_page("/labels").await?;
        let wanted = name.to_lowercase();
        Ok(names(&Value::Array(labels)).into_iter().find(|other| other.to_lowercase() == wanted))
    }

    async fn forward(&self, request: &Request, rest: &str) -> Reply {
        let mut forwarded = request.clone();
        forwarded.path = format!("/repos/{}{rest}", self.repo);
        self.ask(&forwarded).await
    }
}

fn check(fields: &Value, name: Option<&str>) -> Result<(), Reply> {
    let Some(name) = name.filter(|name| !name.trim().is_empty()) else {
        return Err(Reply::invalid("Label", "name", "missing_field", "name is missing"));
    };
    if name.chars().count() > NAME {
        return Err(Reply::invalid("Label", "name", "custom", "name is too long (maximum is 50 characters)"));
    }
    if fields["description"].as_str().is_some_and(|text| text.chars().count() > DESCRIPTION) {
        let message = "description is too long (maximum is 100 characters)";
        return Err(Reply::invalid("Label", "description", "custom", message));
    }
    let hex = |colour: &str| colour.len() == 6 && colour.bytes().all(|byte| byte.is_ascii_hexdigit());
    if fields.get("color").is_some_and(|colour| !colour.as_str().is_some_and(hex)) {
        return Err(Reply::invalid("Label", "color", "invalid", "color is not six hexadecimal digits"));
    }
    Ok(())
}
