//! Which issue waits for which.

use serde_json::{Value, json};

use super::{call, fits};
use crate::github_rig::{Rig, RigSeed};

const PATH: &str = "/issues/1/dependencies/blocked_by";

#[test]
fn issues_are_wired_by_id() {
    let Some(rig) = Rig::start(&RigSeed { decoys: 5, ..RigSeed::default() }) else { return };
    let id = |number| rig.issue(number).id;
    let wire = |number: u64, id: u64| {
        call(&rig, "POST", &format!("/issues/{number}/dependencies/blocked_by"), &json!({"issue_id": id}))
    };
    wire(1, 2).expect(404);
    for number in 2..=5 {
        let reply = wire(1, id(number)).expect(201);
        assert!(reply.header("location").unwrap().ends_with(PATH));
    }
    assert_eq!(rig.issue(1).blocked_by, [2, 3, 4, 5]);
    let issue = call(&rig, "GET", "/issues/1", &Value::Null).value();
    assert_eq!(issue["issue_dependencies_summary"]["total_blocked_by"], 4);

    let page = call(&rig, "GET", &format!("{PATH}?per_page=3"), &Value::Null).expect(200);
    assert_eq!(page.value().as_array().unwrap().len(), 3);
    let link = page.header("link").unwrap();
    let next = link[1..link.find('>').unwrap()].to_owned();
    let rest = rig.call(rig.token(), "GET", &next, None).unwrap().expect(200).value();
    assert_eq!(rest[0]["number"], 5);
    let blocking = call(&rig, "GET", "/issues/3/dependencies/blocking", &Value::Null).expect(200).value();
    assert_eq!(blocking[0]["number"], 1);

    for (number, other, why) in [(1, 2, "twice"), (1, 1, "itself"), (2, 1, "a circle")] {
        let reply = wire(number, id(other)).expect(422);
        assert_eq!(reply.value()["message"], "Validation Failed", "{why}");
    }
    wire(2, id(3)).expect(201);
    wire(3, id(1)).expect(422);

    call(&rig, "DELETE", &format!("{PATH}/{}", id(4)), &Value::Null).expect(200);
    call(&rig, "DELETE", &format!("{PATH}/{}", id(4)), &Value::Null).expect(404);
    assert_eq!(rig.issue(1).blocked_by, [2, 3, 5]);
    wire(99, id(1)).expect(404);
    fits(&rig);
}

#[test]
fn a_pull_request_blocks_nothing() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let pull = call(&rig, "GET", "/issues/4", &Value::Null).expect(200).value();
    call(&rig, "POST", PATH, &json!({"issue_id": pull["id"]})).expect(422);
    fits(&rig);
}
