//! GitHub's OpenAPI description: the part that the rig uses, and its translation to JSON Schema.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The operations of GitHub's API that the rig answers, as its description spells them.
pub(crate) const OPERATIONS: &[(&str, &str)] = &[
    ("get", "/meta"),
    ("get", "/rate_limit"),
    ("get", "/user"),
    ("get", "/repos/{owner}/{repo}"),
    ("get post", "/repos/{owner}/{repo}/issues"),
    ("get patch", "/repos/{owner}/{repo}/issues/{issue_number}"),
    ("get", "/repos/{owner}/{repo}/issues/comments"),
    ("get patch delete", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
    ("get post", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("get post", "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by"),
    ("delete", "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by/{issue_id}"),
    ("get", "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocking"),
    ("get post put delete", "/repos/{owner}/{repo}/issues/{issue_number}/labels"),
    ("delete", "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}"),
    ("get post", "/repos/{owner}/{repo}/labels"),
    ("get patch delete", "/repos/{owner}/{repo}/labels/{name}"),
];

/// The operations above and all that they refer to, as a document of its own.
pub(crate) fn subset(whole: &[u8]) -> Result<String, String> {
    let whole: Value = serde_json::from_slice(whole).map_err(|error| format!("GitHub's description: {error}"))?;
    let mut subset = json!({"openapi": whole["openapi"], "paths": {}, "components": {}});
    let mut open = BTreeSet::new();
    for (methods, path) in OPERATIONS {
        for method in methods.split(' ') {
            let mut operation = whole["paths"][path][method].clone();
            if operation.is_null() {
                return Err(format!("GitHub's description has no {method} {path}"));
            }
            strip(&mut operation);
            references(&operation, &mut open);
            subset["paths"][path][method] = operation;
        }
    }
    // Every answer with an error that an operation does not describe is checked against this one.
    open.insert("#/components/schemas/basic-error".to_owned());
    let mut done = BTreeSet::new();
    while let Some(reference) = open.pop_first() {
        if !done.insert(reference.clone()) {
            continue;
        }
        let pointer = reference.strip_prefix('#').ok_or_else(|| format!("a reference out of the file: {reference}"))?;
        let mut target = whole.pointer(pointer).cloned().ok_or_else(|| format!("nothing at {reference}"))?;
        strip(&mut target);
        references(&target, &mut open);
        let mut names = pointer.trim_start_matches("/components/").splitn(2, '/');
        let (Some(group), Some(name)) = (names.next(), names.next()) else {
            return Err(format!("not a component: {reference}"));
        };
        subset["components"][group][name] = target;
    }
    serde_json::to_string(&subset).map_err(|error| error.to_string())
}

/// Removes what is not needed for checking, examples above all.
fn strip(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Object(fields) => {
            // A property may be called `description` or `example`; a schema's own is a text or has no type.
            for name in ["examples", "example", "description", "externalDocs", "x-github-breaking-changes"] {
                let is_schema = fields.get(name).is_some_and(|inner| {
                    inner.get("type").is_some() || inner.get("$ref").is_some() || inner.get("oneOf").is_some()
                });
                if !is_schema {
                    fields.remove(name);
                }
            }
            fields.values_mut().for_each(strip);
        }
        _ => {}
    }
}

fn references(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| references(item, into)),
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                into.insert(reference.to_owned());
            }
            fields.values().for_each(|field| references(field, into));
        }
        _ => {}
    }
}

/// A schema of OpenAPI 3.0 as JSON Schema.
///
/// Differences that matter: `nullable`; beside `$ref` nothing counts; `exclusiveMinimum` and its like are flags.
pub(crate) fn translate(schema: &Value) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    if let Some(reference) = fields.get("$ref") {
        return json!({"$ref": reference});
    }
    let mut out = Map::new();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("nullable" | "discriminator" | "xml" | "readOnly" | "writeOnly" | "deprecated", _) => {}
            ("properties" | "patternProperties", Value::Object(properties)) => {
                let inner = properties.iter().map(|(name, inner)| (name.clone(), translate(inner))).collect();
                out.insert(name.clone(), Value::Object(inner));
            }
            ("items" | "additionalProperties" | "not", inner) => {
                out.insert(name.clone(), translate(inner));
            }
            ("oneOf" | "anyOf" | "allOf", Value::Array(all)) => {
                out.insert(name.clone(), Value::Array(all.iter().map(translate).collect()));
            }
            ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(flag)) => {
                let bound = if name == "exclusiveMinimum" { "minimum" } else { "maximum" };
                if let (true, Some(limit)) = (*flag, fields.get(bound)) {
                    out.insert(name.clone(), limit.clone());
                }
            }
            _ if name.starts_with("x-") => {}
            _ => {
                out.insert(name.clone(), value.clone());
            }
        }
    }
    let out = Value::Object(out);
    // With `oneOf` or `enum` beside it, a list of types would not let null through; another branch does.
    if fields.get("nullable") == Some(&Value::Bool(true)) { json!({"anyOf": [out, {"type": "null"}]}) } else { out }
}

/// Whether a schema says anything about a value: one that does not would let everything pass.
pub(crate) fn says_something(schema: &Value, document: &Value) -> bool {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
        return target.is_some_and(|target| says_something(target, document));
    }
    let any = |name: &str| {
        let parts = schema.get(name).and_then(Value::as_array);
        parts.is_some_and(|parts| !parts.is_empty() && parts.iter().all(|part| says_something(part, document)))
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => schema.get("items").is_some_and(|items| says_something(items, document)),
        Some("object") => {
            schema.get("properties").and_then(Value::as_object).is_some_and(|properties| !properties.is_empty())
                || schema.get("additionalProperties").is_some_and(|inner| says_something(inner, document))
        }
        Some(_) => true,
        None => {
            any("oneOf")
                || any("anyOf")
                || any("allOf")
                || schema.get("enum").is_some()
                || schema.get("properties").and_then(Value::as_object).is_some_and(|properties| !properties.is_empty())
        }
    }
}
