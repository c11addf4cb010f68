//! Each fault does what it says, to the request it is meant for, and to no other.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{call, fits};
use crate::github_rig::{Effect, Fault, Reply, Rig, RigSeed};

const CREATE: &str = "/repos/*/*/issues";

/// Opens an issue while a fault strikes; what came back, and how many issues there are more.
fn create(rig: &Rig, effect: Effect) -> (Result<Reply, String>, usize) {
    let before = rig.issues().len();
    rig.set_faults(vec![Fault::on("POST", CREATE, effect)]);
    let target = format!("/repos/{}/issues", rig.repo());
    let reply = rig.call(rig.token(), "POST", &target, Some(&json!({"title": "New"})));
    assert_eq!(rig.pending_faults(), 0, "the fault did not strike");
    (reply, rig.issues().len() - before)
}

#[test]
fn connections_drop_before_and_after() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let (reply, more) = create(&rig, Effect::DropBefore);
    assert!(reply.unwrap_err().starts_with("no answer"));
    assert_eq!(more, 0);
    let (reply, more) = create(&rig, Effect::DropAfter);
    assert!(reply.unwrap_err().starts_with("no answer"));
    assert_eq!(more, 1);
    let (reply, more) = create(&rig, Effect::CutBody);
    // How far it comes depends on how the system cuts the stream; never to a whole answer.
    assert!(reply.is_err());
    assert_eq!(more, 1);
    let applied: Vec<(bool, Option<u16>)> = rig.exchanges().iter().map(|one| (one.applied, one.status)).collect();
    assert_eq!(applied, [(false, None), (true, None), (true, Some(201))]);
    assert_eq!(rig.validate().unwrap().unanswered, 3);
}

#[test]
fn gateways_fail_before_and_after() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    for (effect, status, done) in [
        (Effect::StatusBefore(502), 502, 0),
        (Effect::StatusAfter(502), 502, 1),
        (Effect::StatusBefore(503), 503, 0),
        (Effect::Html(502), 502, 1),
        (Effect::BadJson, 201, 1),
    ] {
        let (reply, more) = create(&rig, effect.clone());
        let reply = reply.unwrap();
        assert_eq!((reply.status, more), (status, done), "{effect:?}");
        assert_eq!(reply.document().is_some(), !matches!(effect, Effect::Html(_) | Effect::BadJson), "{effect:?}");
    }
    fits(&rig);
}

#[test]
fn limits_come_with_and_without_a_time() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let (reply, more) = create(&rig, Effect::SecondaryLimit { status: 403, retry_after: Some(7) });
    let reply = reply.unwrap().expect(403);
    assert_eq!((reply.header("retry-after"), more), (Some("7"), 0));
    assert!(reply.value()["message"].as_str().unwrap().contains("secondary rate limit"));
    let (reply, _) = create(&rig, Effect::SecondaryLimit { status: 429, retry_after: None });
    assert_eq!(reply.unwrap().expect(429).header("retry-after"), None);
    let (reply, more) = create(&rig, Effect::PrimaryLimit { status: 403, reset: 60 });
    let reply = reply.unwrap().expect(403);
    assert_eq!((reply.header("x-ratelimit-remaining"), more), (Some("0"), 0));
    assert!(reply.header("x-ratelimit-reset").is_some());
    let (reply, _) = create(&rig, Effect::Forbidden);
    assert!(!reply.unwrap().expect(403).value()["message"].as_str().unwrap().contains("limit"));
    let (reply, _) = create(&rig, Effect::Gone);
    reply.unwrap().expect(410);
    let (reply, _) = create(&rig, Effect::Moved { status: 301, location: "/repositories/9/issues".to_owned() });
    let location = format!("{}/repositories/9/issues", rig.base_url());
    assert_eq!(reply.unwrap().expect(301).header("location"), Some(location.as_str()));
    let (reply, _) = create(&rig, Effect::Moved { status: 307, location: "https://elsewhere.example/x".to_owned() });
    assert_eq!(reply.unwrap().expect(307).header("location"), Some("https://elsewhere.example/x"));
    fits(&rig);
}

#[test]
fn hanging_lasts_until_the_client_gives_up() {
    use std::io::{ErrorKind, Read as _, Write as _};
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let before = rig.issues().len();
    for (effect, done) in [(Effect::HangBefore, 0), (Effect::HangAfter, 1)] {
        rig.set_faults(vec![Fault::on("POST", CREATE, effect)]);
        let address = rig.base_url().trim_start_matches("http://");
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(400))).unwrap();
        let body = r#"{"title":"New"}"#;
        let (repo, token) = (rig.repo(), rig.token());
        write!(
            stream,
            "POST /repos/{repo}/issues HTTP/1.1\r\nHost: {address}\r\nUser-Agent: test\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let error = stream.read(&mut [0; 1]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
        assert_eq!(rig.issues().len() - before, done);
    }
    rig.set_faults(vec![Fault::on("GET", "/repos/**", Effect::Delay(Duration::from_millis(300)))]);
    let asked = Instant::now();
    call(&rig, "GET", "/issues/1", &Value::Null).expect(200);
    assert!(asked.elapsed() >= Duration::from_millis(300));
}

#[test]
fn a_created_issue_may_be_absent_from_listings_for_a_while() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    rig.set_faults(vec![Fault::on("POST", CREATE, Effect::ListLag { listings: 2 })]);
    let number = call(&rig, "POST", "/issues", &json!({"title": "New"})).expect(201).value()["number"].clone();
    let listed = |query: &str| {
        let list = call(&rig, "GET", &format!("/issues?state=all&{query}"), &Value::Null).expect(200).value();
        list.as_array().unwrap().iter().any(|issue| issue["number"] == number)
    };
    assert!(!listed("per_page=2"));
    assert!(!listed("per_page=2&page=2"), "a further page belongs to the same listing");
    assert!(!listed("per_page=100"));
    assert!(listed("per_page=100"));
    call(&rig, "GET", &format!("/issues/{number}"), &Value::Null).expect(200);
    fits(&rig);
}

#[test]
fn a_closed_port_refuses_connections() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let target = format!("/repos/{}/issues/1", rig.repo());
    let get = || rig.call(rig.token(), "GET", &target, None);
    for _ in 0..2 {
        get().unwrap().expect(200);
        rig.set_listening(false);
        assert!(get().unwrap_err().starts_with("no connection"));
        rig.set_listening(true);
    }
    get().unwrap().expect(200);
    assert_eq!(rig.exchanges().len(), 3);
}

#[test]
fn faults_strike_further_pages_too() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    rig.set_faults(vec![Fault::on("GET", CREATE, Effect::DropBefore).after(1)]);
    let first = call(&rig, "GET", "/issues?per_page=2", &Value::Null).expect(200);
    let link = first.header("link").unwrap();
    let next = link[1..link.find('>').unwrap()].to_owned();
    assert!(next.contains("/repositories/"), "{next}");
    assert!(rig.call(rig.token(), "GET", &next, None).is_err());
}

#[test]
fn a_short_page_looks_whole() {
    let Some(rig) = Rig::start(&RigSeed { decoys: 6, pull_request: false, ..RigSeed::default() }) else { return };
    rig.set_faults(vec![Fault::on("GET", CREATE, Effect::ShortPage)]);
    let page = call(&rig, "GET", "/issues?per_page=4", &Value::Null).expect(200);
    assert_eq!((page.value().as_array().unwrap().len(), page.header("link")), (2, None));
    let page = call(&rig, "GET", "/issues?per_page=4", &Value::Null).expect(200);
    assert_eq!(page.value().as_array().unwrap().len(), 4);
    fits(&rig);
}

#[test]
fn faults_strike_only_what_they_are_meant_for() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let get = |rest: &str| call(&rig, "GET", rest, &Value::Null).status;
    rig.set_faults(vec![Fault::nth(2, Effect::StatusBefore(502))]);
    assert_eq!([get("/issues/1"), get("/issues/1"), get("/issues/1")], [200, 502, 200]);
    rig.set_faults(vec![Fault::on("GET", "/repos/*/*/issues/2", Effect::StatusBefore(503)).after(1).times(2)]);
    assert_eq!([get("/issues/2"), get("/issues/1"), get("/issues/2")], [200, 200, 503]);
    assert_eq!(rig.pending_faults(), 1);
    assert_eq!([get("/issues/2"), get("/issues/2"), rig.pending_faults().try_into().unwrap()], [503, 200, 0]);
    rig.set_faults(vec![Fault::on("*", "/repos/**", Effect::StatusBefore(500)).always()]);
    assert_eq!([get(""), get("/labels"), get("/issues/1/labels")], [500, 500, 500]);
    rig.set_faults(Vec::new());
    assert_eq!(get(""), 200);
    let struck = rig.exchanges().iter().filter(|one| one.fault.is_some()).count();
    assert_eq!(struck, 6);
}
