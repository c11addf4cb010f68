//! Checks exchanges against GitHub's OpenAPI description. What has no schema is a problem too, never a silent pass.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

use super::message::{Exchange, unescape};
use super::openapi::{says_something, translate};

/// Faults whose answers are broken on purpose.
const BROKEN: &[&str] = &["BadJson", "CutBody", "Html"];

/// Something that GitHub does not describe so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The exchange, counted from 1.
    pub(crate) sequence: usize,
    /// `POST /repos/{owner}/{repo}/issues`, or the bare path if no operation fits.
    pub(crate) operation: String,
    pub(crate) what: String,
}

/// What was checked, and how often.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Coverage {
    /// Requests with a body, by operation.
    pub(crate) requests: BTreeMap<String, usize>,
    /// Answers with a body, by operation and status.
    pub(crate) responses: BTreeMap<String, usize>,
    /// Errors that the operation does not describe; checked as GitHub's basic error.
    pub(crate) undescribed: BTreeSet<String>,
    /// Exchanges without an answer to check, because of a fault.
    pub(crate) unanswered: usize,
}

/// The description, with its schemas translated.
pub(crate) struct Description {
    document: Value,
    components: Value,
    built: RefCell<BTreeMap<String, Rc<Validator>>>,
}

/// An operation that fits a request.
struct Operation<'a> {
    name: String,
    item: &'a Value,
    /// Names in the path and what stands there.
    path: Vec<(String, String)>,
}

impl Description {
    #[track_caller]
    pub(crate) fn load(path: &Path) -> Self {
        let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let document: Value = serde_json::from_slice(&text).unwrap();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let schemas: serde_json::Map<String, Value> =
            schemas.iter().map(|(name, schema)| (name.clone(), translate(schema))).collect();
        let components = json!({"schemas": schemas});
        Self { document, components, built: RefCell::default() }
    }

    /// Checks them all.
    pub(crate) fn check(&self, exchanges: &[Exchange]) -> Result<Coverage, Vec<Problem>> {
        let (mut coverage, mut problems) = (Coverage::default(), Vec::new());
        for exchange in exchanges {
            let mut found = Vec::new();
            let operation = self.operation(exchange);
            let name = operation.as_ref().map_or_else(|| exchange.path.clone(), |operation| operation.name.clone());
            match operation {
                None => found.push(format!("GitHub describes no {} {}", exchange.method, exchange.path)),
                Some(operation) => {
                    self.parameters(exchange, &operation, &mut found);
                    self.request(exchange, &operation, &mut coverage, &mut found);
                    self.response(exchange, &operation, &mut coverage, &mut found);
                }
            }
            let sequence = exchange.sequence;
            problems.extend(found.into_iter().map(|what| Problem { sequence, operation: name.clone(), what }));
        }
        if problems.is_empty() { Ok(coverage) } else { Err(problems) }
    }

    /// All operations with a body in their request: name and translated schema.
    pub(crate) fn request_schemas(&self) -> Vec<(String, Value)> {
        let mut schemas = Vec::new();
        for (path, item) in self.document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
                if !schema.is_null() {
                    schemas.push((format!("{} {path}", method.to_uppercase()), schema.clone()));
                }
            }
        }
        schemas
    }

    fn operation(&self, exchange: &Exchange) -> Option<Operation<'_>> {
        let mut segments: Vec<String> =
            exchange.path.split('/').filter(|part| !part.is_empty()).map(unescape).collect();
        // Links to further pages name the repository by its id.
        if segments.first().is_some_and(|first| first == "repositories") && segments.len() > 1 {
            segments.splice(..2, ["repos", "owner", "repo"].map(str::to_owned));
        }
        let paths = self.document["paths"].as_object()?;
        let fits = |template: &String| {
            let parts: Vec<&str> = template.split('/').filter(|part| !part.is_empty()).collect();
            if parts.len() != segments.len() {
                return None;
            }
            let mut path = Vec::new();
            for (part, segment) in parts.iter().zip(&segments) {
                match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                    Some(name) => path.push((name.to_owned(), segment.clone())),
                    None if part == segment => {}
                    None => return None,
                }
            }
            Some(path)
        };
        // `issues/comments` fits `issues/{issue_number}` as well: the fewest names win.
        let (template, path) = paths
            .keys()
            .filter_map(|template| fits(template).map(|path| (template, path)))
            .min_by_key(|(_, path)| path.len())?;
        let item = self.document["paths"][template].get(exchange.method.to_lowercase())?;
        Some(Operation { name: format!("{} {template}", exchange.method), item, path })
    }

    fn parameters(&self, exchange: &Exchange, operation: &Operation<'_>, problems: &mut Vec<String>) {
        let described: Vec<&Value> =
            operation.item["parameters"].as_array().into_iter().flatten().map(|one| self.resolve(one)).collect();
        let query = exchange.query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            ("query", unescape(name), unescape(&value.replace('+', " ")))
        });
        let path = operation.path.iter().map(|(name, value)| ("path", name.clone(), value.clone()));
        for (place, name, value) in query.chain(path) {
            let Some(parameter) = described.iter().find(|one| one["in"] == place && one["name"] == name.as_str())
            else {
                problems.push(format!("there is no {place} parameter {name}"));
                continue;
            };
            let schema = self.resolve(&parameter["schema"]);
            let typed = match schema["type"].as_str() {
                Some("integer" | "number" | "boolean") => serde_json::from_str(&value).unwrap_or(Value::String(value)),
                _ => Value::String(value),
            };
            self.validate(&format!("{} {place} {name}", operation.name), schema, &typed, problems);
        }
    }

    fn request(
        &self,
        exchange: &Exchange,
        operation: &Operation<'_>,
        coverage: &mut Coverage,
        problems: &mut Vec<String>,
    ) {
        let body = self.resolve(&operation.item["requestBody"]);
        let schema = &body["content"]["application/json"]["schema"];
        match (&exchange.request, schema.is_null()) {
            (Some(document), false) => {
                *coverage.requests.entry(operation.name.clone()).or_default() += 1;
                self.validate(&format!("{} request", operation.name), schema, document, problems);
            }
            (None, _) if exchange.request_length > 0 => problems.push("the request is not JSON".to_owned()),
            (Some(_), true) => problems.push("a body where GitHub describes none".to_owned()),
            (None, _) if body["required"] == true => problems.push("the request has no body".to_owned()),
            (None, _) => {}
        }
    }

    fn response(
        &self,
        exchange: &Exchange,
        operation: &Operation<'_>,
        coverage: &mut Coverage,
        problems: &mut Vec<String>,
    ) {
        let broken = exchange.fault.as_ref().is_some_and(|fault| BROKEN.iter().any(|name| fault.starts_with(name)));
        let Some(status) = exchange.status.filter(|_| !broken) else {
            coverage.unanswered += 1;
            return;
        };
        if status >= 500 && exchange.fault.is_none() {
            problems.push(format!("status {status} that no fault asked for"));
        }
        let name = format!("{} {status}", operation.name);
        let basic = json!({"$ref": "#/components/schemas/basic-error"});
        let described = operation.item["responses"].get(status.to_string()).map(|response| self.resolve(response));
        let schema = match described {
            Some(response) => &response["content"]["application/json"]["schema"],
            None if status >= 300 => {
                coverage.undescribed.insert(name.clone());
                &basic
            }
            None => {
                problems.push(format!("GitHub does not answer {status} here"));
                return;
            }
        };
        match (&exchange.response, schema.is_null()) {
            (Some(document), false) => {
                self.validate(&name, schema, document, problems);
                *coverage.responses.entry(name).or_default() += 1;
            }
            (None, false) => problems.push(format!("the answer {status} is not JSON")),
            (_, true) if exchange.response_length > 0 => {
                problems.push(format!("a body in an answer {status}, where GitHub describes none"));
            }
            (_, true) => {}
        }
    }

    /// What a reference leads to, or the value itself.
    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        let reference = value.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
        reference.map_or(value, |pointer| self.document.pointer(pointer).unwrap_or(&Value::Null))
    }

    /// Checks a value against a schema of the description; what is wrong is added to the problems.
    pub(crate) fn validate(&self, name: &str, schema: &Value, value: &Value, problems: &mut Vec<String>) {
        if !says_something(schema, &self.document) {
            problems.push(format!("the schema of {name} says nothing: nothing was checked"));
            return;
        }
        let validator = {
            let mut built = self.built.borrow_mut();
            let root = || json!({"allOf": [translate(schema)], "components": self.components});
            let make = || {
                jsonschema::options()
                    .with_draft(Draft::Draft202012)
                    .should_validate_formats(true)
                    .build(&root())
                    .unwrap_or_else(|error| panic!("the schema of {name} cannot be used: {error}"))
            };
            Rc::clone(built.entry(name.to_owned()).or_insert_with(|| Rc::new(make())))
        };
        for error in validator.iter_errors(value).take(5) {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { "the whole body".to_owned() } else { place };
            problems.push(format!("{place}: {error}"));
        }
    }
}
