//! From OpenAPI 3.0 to JSON Schema. Needs no npm.

use serde_json::{Value, json};

use crate::github_rig::message::{Request, matches};
use crate::github_rig::openapi::{OPERATIONS, says_something, subset, translate};

fn accepts(schema: &Value, value: &Value) -> bool {
    jsonschema::validator_for(&translate(schema)).unwrap().is_valid(value)
}

#[test]
fn nullable_lets_null_through_whatever_stands_beside_it() {
    for schema in [
        json!({"type": "string", "nullable": true}),
        json!({"type": "string", "nullable": true, "enum": ["a", "b"]}),
        json!({"oneOf": [{"type": "string"}, {"type": "integer"}], "nullable": true}),
        json!({"nullable": true, "allOf": [{"type": "string"}]}),
    ] {
        assert!(accepts(&schema, &Value::Null), "{schema}");
        assert!(accepts(&schema, &json!("a")), "{schema}");
        assert!(!accepts(&schema, &json!(["a"])), "{schema}");
        let mut strict = schema.clone();
        strict.as_object_mut().unwrap().remove("nullable");
        assert!(!accepts(&strict, &Value::Null), "{strict}");
    }
}

#[test]
fn nullable_is_found_at_any_depth_and_bounds_are_kept() {
    let schema = json!({"type": "object", "required": ["a"], "properties": {
        "nullable": {"type": "string"},
        "a": {"type": "array", "items": {"type": "integer", "nullable": true, "minimum": 0, "exclusiveMinimum": true}}}});
    assert!(accepts(&schema, &json!({"a": [1, null], "nullable": "a property of that name"})));
    assert!(!accepts(&schema, &json!({"a": [0]})));
    assert!(!accepts(&schema, &json!({"a": [1], "nullable": 3})));
    assert!(!accepts(&schema, &json!({})));
}

#[test]
fn a_schema_that_says_nothing_is_known_as_such() {
    let document = json!({"components": {"schemas": {"empty": {}, "text": {"type": "string"}}}});
    let says = |schema: &Value| says_something(schema, &document);
    for nothing in [
        json!({}),
        json!({"type": "object"}),
        json!({"type": "array", "items": {}}),
        json!({"$ref": "#/components/schemas/empty"}),
        json!({"$ref": "#/components/schemas/absent"}),
        json!({"oneOf": [{"type": "string"}, {}]}),
        Value::Null,
    ] {
        assert!(!says(&nothing), "{nothing}");
    }
    for something in [
        json!({"type": "array", "items": {"$ref": "#/components/schemas/text"}}),
        json!({"type": "object", "properties": {"a": {}}}),
        json!({"oneOf": [{"type": "string"}, {"type": "integer"}], "nullable": true}),
    ] {
        assert!(says(&something), "{something}");
    }
}

#[test]
fn a_subset_holds_all_that_it_refers_to() {
    let mut whole = json!({"openapi": "3.0.3", "paths": {}, "components": {"schemas": {
        "basic-error": {"type": "object"}, "a": {"$ref": "#/components/schemas/b"}, "unused": {},
        "b": {"type": "object", "description": "gone", "properties": {"description": {"type": "string"}}}}}});
    for (methods, path) in OPERATIONS {
        for method in methods.split(' ') {
            whole["paths"][path][method] = json!({"responses": {"200": {"$ref": "#/components/schemas/a"}}});
        }
    }
    whole["paths"]["/meta"]["put"] = json!({"responses": {"200": {"$ref": "#/components/schemas/unused"}}});
    let small: Value = serde_json::from_str(&subset(whole.to_string().as_bytes()).unwrap()).unwrap();
    let names: Vec<&String> = small["components"]["schemas"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["a", "b", "basic-error"]);
    assert_eq!(
        small["components"]["schemas"]["b"],
        json!({"type": "object", "properties": {"description": {"type": "string"}}})
    );
    whole["components"]["schemas"].as_object_mut().unwrap().remove("b");
    assert!(subset(whole.to_string().as_bytes()).unwrap_err().contains("nothing at"));
    whole["paths"].as_object_mut().unwrap().remove(OPERATIONS[0].1);
    assert!(subset(whole.to_string().as_bytes()).unwrap_err().contains("has no"));
}

#[test]
fn patterns_and_queries() {
    assert!(matches("/repos/*/*/issues", "/repos/a/b/issues"));
    assert!(!matches("/repos/*/*/issues", "/repos/a/b/issues/1"));
    assert!(matches("/repos/**", "/repos/a/b/issues/1"));
    assert!(matches("/repos/*/*/issues", "/repositories/7/issues"));
    assert!(!matches("/repos/*/*/issues", "/repositories/7/labels"));
    assert!(!matches("/repos/*/*/issues/1", "/repos/a/b/issues"));
    let request = Request::new("GET", "/repos/a%20b/c%2Fd?labels=x+y%2Cz&page=2");
    assert_eq!(request.segments(), ["repos", "a b", "c/d"]);
    assert_eq!(request.parameters()["labels"], "x y,z");
}
