//! States and their reasons, limits of length, labels.

use serde_json::{Value, json};

use super::{call, fits};
use crate::github_rig::{Rig, RigSeed};

/// Changes issue 1; its state and reason afterwards.
#[track_caller]
fn patch(rig: &Rig, body: &Value) -> (String, Value) {
    let issue = call(rig, "PATCH", "/issues/1", body).expect(200).value();
    let again = call(rig, "GET", "/issues/1", &Value::Null).value();
    assert_eq!((&issue["state"], &issue["state_reason"]), (&again["state"], &again["state_reason"]));
    (issue["state"].as_str().unwrap().to_owned(), issue["state_reason"].clone())
}

#[test]
fn the_reason_of_a_state_counts_only_when_the_state_changes() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let is =
        |state: &str, reason: &str| (state.to_owned(), if reason.is_empty() { Value::Null } else { json!(reason) });
    assert_eq!(patch(&rig, &json!({"state_reason": "not_planned"})), is("open", ""));
    assert_eq!(patch(&rig, &json!({"state": "open", "state_reason": "reopened"})), is("open", ""));
    assert_eq!(patch(&rig, &json!({"state": "closed", "state_reason": "duplicate"})), is("closed", "duplicate"));
    assert_eq!(patch(&rig, &json!({"state": "closed", "state_reason": "completed"})), is("closed", "duplicate"));
    assert_eq!(patch(&rig, &json!({"state": "open", "state_reason": "reopened"})), is("open", "reopened"));
    assert_eq!(patch(&rig, &json!({"state": "closed"})), is("closed", "completed"));
    assert_eq!(patch(&rig, &json!({"state": "open"})), is("open", "reopened"));
    assert_eq!(patch(&rig, &json!({"state": "closed", "state_reason": "not_planned"})), is("closed", "not_planned"));
    fits(&rig);
    for bad in [
        json!({"state": "open", "state_reason": "duplicate"}),
        json!({"state": "gone"}),
        json!({"state": "open", "state_reason": "because"}),
    ] {
        call(&rig, "PATCH", "/issues/1", &bad).expect(422);
    }
    assert_eq!(rig.issue(1).state_reason.as_deref(), Some("not_planned"), "what was refused changed nothing");
}

#[test]
fn a_duplicate_names_the_original_by_its_id() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let close = |id: u64| json!({"state": "closed", "state_reason": "duplicate", "duplicate_issue_id": id});
    call(&rig, "PATCH", "/issues/1", &close(2)).expect(422);
    call(&rig, "PATCH", "/issues/1", &close(rig.issue(1).id)).expect(422);
    assert_eq!(rig.issue(1).state, "open");
    call(&rig, "PATCH", "/issues/1", &close(rig.issue(2).id)).expect(200);
    assert_eq!(rig.issue(1).state_reason.as_deref(), Some("duplicate"));
    fits(&rig);
}

#[test]
fn what_is_too_long_is_refused() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let before = rig.issues().len();
    let long = |length: usize| "ä".repeat(length);
    for (rest, body) in [
        ("/issues", json!({"title": long(257)})),
        ("/issues", json!({"title": "x", "body": long(65_537)})),
        ("/issues", json!({"title": "   "})),
        ("/issues", json!({"title": "x", "labels": [long(51)]})),
        ("/issues", json!({"title": "x", "labels": (0..101).map(|n| n.to_string()).collect::<Vec<_>>()})),
        ("/issues/1/comments", json!({"body": long(65_537)})),
        ("/labels", json!({"name": long(51)})),
        ("/labels", json!({"name": "x", "description": long(101)})),
    ] {
        let reply = call(&rig, "POST", rest, &body).expect(422).value();
        assert!(reply["errors"][0]["code"].is_string(), "{reply}");
    }
    assert_eq!(rig.issues().len(), before);
    call(&rig, "POST", "/issues", &json!({"title": long(256), "body": long(65_536)})).expect(201);
    call(&rig, "POST", "/labels", &json!({"name": long(50), "description": long(100), "color": "0052cc"})).expect(201);
    fits(&rig);
}

#[test]
fn labels_exist_once_whatever_their_capitals() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let twice = call(&rig, "POST", "/labels", &json!({"name": "BUG"})).expect(422).value();
    assert_eq!(twice["errors"][0]["code"], "already_exists");
    assert_eq!(call(&rig, "GET", "/labels/Bug", &Value::Null).expect(200).value()["name"], "bug");
    let issue = call(&rig, "POST", "/issues", &json!({"title": "x", "labels": ["BUG", "a b/c"]})).expect(201).value();
    let number = issue["number"].as_u64().unwrap();
    assert_eq!(rig.issue(number).labels, ["a b/c", "bug"]);
    call(&rig, "DELETE", &format!("/issues/{number}/labels/a%20b%2Fc"), &Value::Null).expect(200);
    assert_eq!(rig.issue(number).labels, ["bug"]);
    call(&rig, "DELETE", &format!("/issues/{number}/labels/a%20b%2Fc"), &Value::Null).expect(404);
    call(&rig, "POST", &format!("/issues/{number}/labels"), &json!({"labels": ["next"]})).expect(200);
    assert_eq!(rig.issue(number).labels, ["bug", "next"]);
    call(&rig, "PATCH", &format!("/issues/{number}"), &json!({"labels": ["next"]})).expect(200);
    assert_eq!(rig.issue(number).labels, ["next"], "PATCH replaces");
    call(&rig, "PATCH", "/labels/next", &json!({"new_name": "last", "color": "ff0000"})).expect(200);
    assert_eq!(rig.issue(number).labels, ["last"]);
    call(&rig, "DELETE", "/labels/last", &Value::Null).expect(204);
    assert_eq!(rig.issue(number).labels, [""; 0]);
    fits(&rig);
}

#[test]
fn comments_can_be_changed() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let comment = call(&rig, "POST", "/issues/1/comments", &json!({"body": "one"})).expect(201).value();
    let path = format!("/issues/comments/{}", comment["id"]);
    call(&rig, "PATCH", &path, &json!({"body": "two"})).expect(200);
    assert_eq!(rig.issue(1).comments, [("loop-bot".to_owned(), "two".to_owned())]);
    call(&rig, "POST", "/issues/1/comments", &json!({"body": " "})).expect(422);
    fits(&rig);
}
