//! Negative controls: exchanges that GitHub does not describe so must be found. A check that finds none of these is worth
//! nothing.

use serde_json::{Value, json};

use super::{call, fits};
use crate::github_rig::check::Description;
use crate::github_rig::{Exchange, Rig, RigSeed, SeedIssue};

/// What the check says about an exchange that was changed.
fn found(description: &Description, exchange: &Exchange, change: impl Fn(&mut Exchange)) -> Vec<String> {
    let mut changed = exchange.clone();
    change(&mut changed);
    let problems = description.check(&[changed]).err().unwrap_or_default();
    problems.into_iter().map(|problem| problem.what).collect()
}

/// A rig after one call of each kind that the controls change.
fn used() -> Option<(Rig, Vec<Exchange>)> {
    let rig = Rig::start(&RigSeed { issues: vec![SeedIssue::new("x").label("bug")], ..RigSeed::default() })?;
    call(&rig, "POST", "/issues", &json!({"title": "New", "body": "text", "labels": ["bug"]})).expect(201);
    call(&rig, "PATCH", "/issues/1", &json!({"state": "closed", "state_reason": "duplicate"})).expect(200);
    call(&rig, "GET", "/issues?state=all&per_page=5", &Value::Null).expect(200);
    let id = rig.issue(2).id;
    call(&rig, "POST", "/issues/3/dependencies/blocked_by", &json!({"issue_id": id})).expect(201);
    call(&rig, "DELETE", "/labels/bug", &Value::Null).expect(204);
    fits(&rig);
    let exchanges = rig.exchanges();
    Some((rig, exchanges))
}

#[test]
fn wrong_requests_are_found() {
    let Some((rig, exchanges)) = used() else { return };
    let description = rig.description();
    let [create, patch, list, wire, delete] = exchanges.as_slice() else { panic!("{}", exchanges.len()) };
    let wrong = |exchange: &Exchange, body: Value| {
        let problems = found(&description, exchange, |one| one.request = Some(body.clone()));
        assert!(!problems.is_empty(), "passed: {body}");
        problems.join("\n")
    };
    assert!(wrong(create, json!({"body": "text"})).contains("\"title\" is a required property"));
    assert!(wrong(create, json!({"title": "x", "labels": "bug"})).contains("/labels"));
    wrong(create, json!({"title": ["x"]}));
    wrong(create, json!({"title": "x", "labels": [1]}));
    wrong(create, json!({"title": "x", "body": 7}));
    wrong(create, json!(["title"]));
    assert!(wrong(patch, json!({"state": "closed", "state_reason": "because"})).contains("/state_reason"));
    wrong(patch, json!({"state": "done"}));
    wrong(patch, json!({"labels": "bug"}));
    wrong(patch, json!({"duplicate_issue_id": "12"}));
    wrong(wire, json!({"issue_id": "12"}));
    wrong(wire, json!({}));
    wrong(delete, json!({"name": "bug"}));

    let query = |text: &str| found(&description, list, |one| text.clone_into(&mut one.query));
    assert_eq!(query("state=all&direction=asc&sort=updated&labels=a%2Cb&page=2"), [""; 0]);
    assert!(!query("state=every").is_empty());
    assert!(!query("per_page=many").is_empty());
    assert!(!query("labels[]=bug").is_empty());
    assert!(!found(&description, create, |one| one.request = None).is_empty(), "not JSON");
    assert!(!found(&description, create, |one| (one.request, one.request_length) = (None, 0)).is_empty(), "no body");
    assert!(!found(&description, create, |one| "PUT".clone_into(&mut one.method)).is_empty());
    assert!(!found(&description, create, |one| "/repos/a/b/isues".clone_into(&mut one.path)).is_empty());
    assert!(!found(&description, patch, |one| "/repos/a/b/issues/one".clone_into(&mut one.path)).is_empty());
}

#[test]
fn wrong_answers_are_found() {
    let Some((rig, exchanges)) = used() else { return };
    let description = rig.description();
    let [create, patch, list, _, delete] = exchanges.as_slice() else { panic!("{}", exchanges.len()) };
    let spoiled = |exchange: &Exchange, pointer: &str, value: Value| {
        let problems = found(&description, exchange, |one| {
            *one.response.as_mut().unwrap().pointer_mut(pointer).unwrap() = value.clone();
        });
        assert!(!problems.is_empty(), "passed: {pointer} = {value}");
    };
    spoiled(create, "/id", json!("12"));
    spoiled(create, "/title", Value::Null);
    spoiled(create, "/labels", json!("bug"));
    spoiled(create, "/created_at", json!("yesterday"));
    spoiled(create, "/user/login", json!(7));
    spoiled(patch, "/state_reason", json!("because"));
    spoiled(list, "", json!({"items": []}));
    spoiled(list, "/0/number", json!(1.5));
    let without = |field: &str| {
        found(&description, create, |one| {
            one.response.as_mut().unwrap().as_object_mut().unwrap().remove(field);
        })
    };
    assert!(!without("id").is_empty());
    assert!(!without("locked").is_empty());
    assert!(without("reactions").is_empty(), "not required");
    assert!(!found(&description, create, |one| one.status = Some(200)).is_empty(), "creating is answered with 201");
    assert!(!found(&description, create, |one| one.response = None).is_empty());
    assert!(!found(&description, delete, |one| one.response_length = 2).is_empty(), "204 has no body");
    assert!(!found(&description, list, |one| (one.status, one.response) = (Some(500), Some(json!({})))).is_empty());
}

/// Every field of every body that the rig knows gets a value of a type that it cannot have.
#[test]
fn every_described_field_is_checked() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let description = rig.description();
    let schemas = description.request_schemas();
    let mut fields = 0;
    for (operation, schema) in &schemas {
        for name in schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name) {
            let mut problems = Vec::new();
            let mut body = json!({"title": "x", "body": "x", "name": "x", "issue_id": 1, "labels": []});
            body[name] = json!([[7]]);
            description.validate(operation, schema, &body, &mut problems);
            assert!(problems.iter().any(|problem| problem.contains(name.as_str())), "{operation} {name}: {problems:?}");
            fields += 1;
        }
    }
    assert!(schemas.len() >= 8 && fields >= 25, "{} operations, {fields} fields", schemas.len());
}
