//! The record says what happened, and what was checked of it.

use std::time::Duration;

use serde_json::{Value, json};

use super::call;
use crate::github_rig::{Coverage, Effect, Fault, Problem, Rig, RigSeed};

#[test]
fn exchanges_say_what_happened_and_when() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    call(&rig, "GET", "/issues?page=1", &Value::Null);
    rig.forget_exchanges();
    rig.set_faults(vec![Fault::on("POST", "/repos/*/*/issues", Effect::Delay(Duration::from_millis(50)))]);
    call(&rig, "POST", "/issues", &json!({"title": "New"}));
    call(&rig, "GET", "/issues/2?page=1", &Value::Null);
    let exchanges = rig.exchanges();
    let [create, get] = exchanges.as_slice() else { panic!("{exchanges:?}") };
    assert_eq!((create.sequence, get.sequence), (2, 3));
    assert!(create.is("POST", "/repos/*/*/issues") && get.is("GET", "/repos/*/*/issues/2"));
    assert_eq!(create.request, Some(json!({"title": "New"})));
    assert_eq!((create.status, create.response.as_ref().unwrap()["title"].as_str()), (Some(201), Some("New")));
    assert!(create.response_header("location").unwrap().ends_with("/issues/5"));
    assert!(create.took >= 50 && get.at >= create.at + 50, "{create:?}\n{get:?}");
    assert_eq!(create.fault.as_deref(), Some("Delay(50ms)"));
    let problems: Vec<Problem> = rig.validate().unwrap_err();
    let wanted = Problem {
        sequence: 3,
        operation: "GET /repos/{owner}/{repo}/issues/{issue_number}".to_owned(),
        what: "there is no query parameter page".to_owned(),
    };
    assert_eq!(problems, [wanted]);
}

#[test]
fn coverage_counts_what_was_checked() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    call(&rig, "POST", "/issues", &json!({"title": "New"}));
    call(&rig, "POST", "/issues", &json!({"title": "Newer"}));
    rig.set_faults(vec![Fault::nth(1, Effect::StatusAfter(502)), Fault::nth(2, Effect::DropBefore)]);
    call(&rig, "GET", "/labels", &Value::Null);
    assert!(rig.call(rig.token(), "GET", &format!("/repos/{}/labels", rig.repo()), None).is_err());
    let coverage: Coverage = rig.validate().unwrap();
    assert_eq!(coverage.requests["POST /repos/{owner}/{repo}/issues"], 2);
    assert_eq!(coverage.responses["POST /repos/{owner}/{repo}/issues 201"], 2);
    assert!(coverage.undescribed.contains("GET /repos/{owner}/{repo}/labels 502"));
    assert_eq!((coverage.unanswered, coverage.responses.len()), (1, 2));
}

/// Callers may be inside of async code: octocrab's tests are.
#[test]
fn the_rig_can_be_used_inside_of_async_code() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let Some(rig) = Rig::start(&RigSeed::default()) else { return };
        assert_eq!(rig.issues().len(), 3);
        call(&rig, "GET", "/issues", &Value::Null).expect(200);
    });
}
