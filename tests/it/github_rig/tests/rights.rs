//! Who may do what, and what a repository answers that does not answer.

use serde_json::{Value, json};

use super::{call, call_as, fits};
use crate::github_rig::message::Request;
use crate::github_rig::{Edit, Edition, IssueNow, Person, Rig, RigSeed, SeedIssue};

#[test]
fn tokens_are_checked() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let target = format!("/repos/{}/issues", rig.repo());
    let bad = rig.call("not-a-token", "GET", &target, None).unwrap().expect(401);
    assert_eq!(bad.value()["message"], "Bad credentials");
    assert_eq!(rig.send(Request::new("GET", &target)).unwrap().status, 401);
    let mut nameless = Request::new("GET", &target).bearer(rig.token());
    nameless.headers.retain(|(name, _)| name != "user-agent");
    assert_eq!(rig.send(nameless).unwrap().status, 403, "GitHub wants a User-Agent");

    let me = rig.call(rig.token(), "GET", "/user", None).unwrap().expect(200);
    assert_eq!(me.value()["login"], "loop-bot");
    assert_eq!(me.header("x-oauth-scopes"), Some("repo"));
    assert!(rig.exchanges().iter().all(|one| one.request_headers.iter().all(|(name, _)| name != "authorization")));
    assert_eq!(rig.exchanges()[0].user, None);
    assert_eq!(rig.exchanges()[3].user.as_deref(), Some("loop-bot"));
    fits(&rig);
}

#[test]
fn a_token_that_may_only_read_changes_nothing() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let before: Vec<IssueNow> = rig.issues();
    let id = before[1].id;
    for (method, rest, body) in [
        ("POST", "/issues", json!({"title": "No"})),
        ("PATCH", "/issues/1", json!({"state": "closed"})),
        ("POST", "/labels", json!({"name": "No"})),
        ("POST", "/issues/1/labels", json!({"labels": ["bug"]})),
        ("POST", "/issues/1/comments", json!({"body": "No"})),
        ("POST", "/issues/1/dependencies/blocked_by", json!({"issue_id": id})),
        ("DELETE", "/labels/bug", Value::Null),
    ] {
        let reply = call_as(&rig, Person::ReadOnly, method, rest, &body).expect(403);
        assert_eq!(reply.value()["message"], "Resource not accessible by personal access token");
    }
    assert_eq!(rig.issues(), before);
    call_as(&rig, Person::ReadOnly, "GET", "/labels/bug", &Value::Null).expect(200);
    fits(&rig);
}

#[test]
fn without_push_access_labels_are_dropped_in_silence() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let permissions =
        |person| call_as(&rig, person, "GET", "", &Value::Null).expect(200).value()["permissions"].clone();
    assert_eq!(permissions(Person::Mallory)["push"], false);
    assert_eq!(permissions(Person::Bot)["push"], true);
    let body = json!({"title": "Mine", "labels": ["bug"]});
    let mine = call_as(&rig, Person::Mallory, "POST", "/issues", &body).expect(201).value();
    assert_eq!((mine["labels"].clone(), mine["user"]["login"].clone()), (json!([]), json!("mallory")));
    assert_eq!(mine["author_association"], "NONE");
    let theirs = call(&rig, "POST", "/issues", &body).expect(201).value();
    assert_eq!((&theirs["labels"][0]["name"], &theirs["user"]["login"]), (&json!("bug"), &json!("loop-bot")));
    assert_eq!(theirs["author_association"], "COLLABORATOR");
    let number = theirs["number"].as_u64().unwrap();
    call_as(&rig, Person::Mallory, "PATCH", &format!("/issues/{number}"), &json!({"state": "closed"})).expect(403);
    call_as(&rig, Person::Mallory, "POST", &format!("/issues/{number}/labels"), &json!({"labels": ["bug"]}))
        .expect(403);
    call_as(&rig, Person::Mallory, "POST", "/labels", &json!({"name": "new"})).expect(403);
    fits(&rig);
}

#[test]
fn a_person_edits_behind_the_back_of_the_client() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let number = rig.seed_issue(&SeedIssue::new("Forged").body("<!-- a marker -->").by(Person::Mallory));
    assert_eq!(rig.issue(number).author, "mallory");
    let edit = Edit {
        title: Some("Renamed".to_owned()),
        labels: Some(vec!["bug".to_owned(), "mine".to_owned()]),
        state: Some("closed".to_owned()),
        state_reason: Some("not_planned".to_owned()),
        link: Some(1),
        comment: Some("I know better".to_owned()),
        ..Edit::default()
    };
    rig.edit_as_person(Person::Maria, number, &edit);
    let issue = rig.issue(number);
    assert_eq!((issue.title.as_str(), issue.state.as_str()), ("Renamed", "closed"));
    assert_eq!(issue.state_reason.as_deref(), Some("not_planned"));
    assert_eq!(issue.labels, ["bug", "mine"]);
    assert_eq!(issue.blocked_by, [1]);
    assert_eq!(issue.comments, [("maria".to_owned(), "I know better".to_owned())]);
    rig.edit_as_person(Person::Maria, number, &Edit { unlink: Some(1), ..Edit::default() });
    assert_eq!(rig.issue(number).blocked_by, [0; 0]);
    assert_eq!(rig.exchanges().len(), 0, "none of this is the client's");
}

#[test]
fn an_archived_repository_can_be_read_only() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    rig.set_archived(true);
    let reply = call(&rig, "POST", "/issues", &json!({"title": "No"})).expect(403);
    assert_eq!(reply.value()["message"], "Repository was archived so is read-only.");
    assert_eq!(call(&rig, "GET", "", &Value::Null).value()["archived"], true);
    call(&rig, "GET", "/issues", &Value::Null).expect(200);
    rig.set_archived(false);
    rig.set_issues_disabled(true);
    call(&rig, "GET", "/issues", &Value::Null).expect(410);
    call(&rig, "POST", "/issues", &json!({"title": "No"})).expect(410);
    assert_eq!(call(&rig, "GET", "", &Value::Null).value()["has_issues"], false);
    rig.set_issues_disabled(false);
    rig.delete_issue(2);
    call(&rig, "GET", "/issues/2", &Value::Null).expect(410);
    assert!(rig.issues().iter().all(|issue| issue.number != 2));
    fits(&rig);
}

#[test]
fn a_server_says_its_version_and_may_know_no_dependencies() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let path = "/issues/1/dependencies/blocked_by";
    assert_eq!(call(&rig, "GET", path, &Value::Null).expect(200).header("x-github-enterprise-version"), None);
    rig.set_edition(Edition::Server("3.17.4".to_owned()));
    rig.set_dependencies(false);
    let reply = call(&rig, "GET", path, &Value::Null).expect(404);
    assert_eq!(reply.header("x-github-enterprise-version"), Some("3.17.4"));
    let issue = call(&rig, "GET", "/issues/1", &Value::Null).expect(200).value();
    assert_eq!(issue.get("issue_dependencies_summary"), None);
    fits(&rig);
    let meta = rig.call(rig.token(), "GET", "/meta", None).unwrap().expect(200);
    assert_eq!(meta.value()["installed_version"], "3.17.4");
}

#[test]
fn the_primary_limit_is_counted_and_kept() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let first = call(&rig, "GET", "/issues/1", &Value::Null).expect(200);
    assert_eq!(first.header("x-ratelimit-remaining"), Some("4999"));
    rig.set_remaining(1);
    let reply = call(&rig, "GET", "/issues/1", &Value::Null).expect(200);
    assert_eq!(reply.header("x-ratelimit-remaining"), Some("0"));
    assert_eq!(reply.header("x-ratelimit-limit"), Some("5000"));
    assert!(reply.header("x-ratelimit-reset").unwrap().parse::<u64>().unwrap() > 1_700_000_000);
    let refused = call(&rig, "POST", "/issues", &json!({"title": "No"})).expect(403);
    assert!(refused.value()["message"].as_str().unwrap().contains("rate limit"));
    rig.seed_issue(&SeedIssue::new("Others have limits of their own"));
    assert_eq!(rig.issues().len(), 4);
    fits(&rig);
}

#[test]
fn the_version_of_the_api_is_checked() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    for (version, status) in [("2022-11-28", 200), ("2020-01-01", 400)] {
        let mut request = Request::new("GET", &format!("/repos/{}/issues/1", rig.repo())).bearer(rig.token());
        request.headers.push(("x-github-api-version".to_owned(), version.to_owned()));
        assert_eq!(rig.send(request).unwrap().status, status, "{version}");
    }
}
