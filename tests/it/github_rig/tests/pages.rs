//! Listings: pages, links, order, what is in them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{call, fits};
use crate::github_rig::{Rig, RigSeed, SeedIssue};

/// Follows the links to the next page, as a client must.
fn all_pages(rig: &Rig, first: &str) -> (Vec<Value>, usize) {
    let (mut items, mut pages) = (Vec::new(), 0);
    let mut next = Some(format!("/repos/{}{first}", rig.repo()));
    while let Some(target) = next {
        let reply = rig.call(rig.token(), "GET", &target, None).unwrap().expect(200);
        items.extend(reply.value().as_array().unwrap().clone());
        pages += 1;
        let links = reply.header("link").unwrap_or_default().to_owned();
        let link = links.split(", ").find(|link| link.ends_with("rel=\"next\""));
        next = link.map(|link| link[1..link.find('>').unwrap()].to_owned());
    }
    (items, pages)
}

fn numbers(items: &[Value]) -> Vec<u64> {
    items.iter().map(|item| item["number"].as_u64().unwrap()).collect()
}

#[test]
fn pages_lead_to_every_issue_once_and_ids_are_not_numbers() {
    let Some(rig) = Rig::start(&RigSeed { decoys: 7, ..RigSeed::default() }) else { return };
    let (items, pages) = all_pages(&rig, "/issues?state=all&per_page=3");
    assert_eq!(numbers(&items), [8, 7, 6, 5, 4, 3, 2, 1], "newest first, the pull request among them");
    assert_eq!(pages, 3);
    assert!(items.iter().all(|item| item["id"].as_u64().unwrap() > u64::from(u32::MAX) / 2));
    let ids: Vec<u64> =
        items.iter().map(|item| item["id"].as_u64().unwrap() - item["number"].as_u64().unwrap()).collect();
    assert!(ids.iter().all(|distance| *distance != 0));
    let pulls: Vec<&Value> = items.iter().filter(|item| item.get("pull_request").is_some()).collect();
    assert_eq!(pulls.len(), 1);
    assert_eq!(
        call(&rig, "GET", "/issues/8", &Value::Null).expect(200).value()["pull_request"],
        pulls[0]["pull_request"]
    );

    let (oldest_first, _) = all_pages(&rig, "/issues?state=all&sort=created&direction=asc&per_page=100");
    assert_eq!(numbers(&oldest_first), [1, 2, 3, 4, 5, 6, 7, 8]);
    let middle = call(&rig, "GET", "/issues?state=all&per_page=3&page=2", &Value::Null);
    let link = middle.header("link").unwrap();
    for relation in ["prev", "next", "last", "first"] {
        assert!(link.contains(&format!("rel=\"{relation}\"")), "{link}");
    }
    let beyond = call(&rig, "GET", "/issues?state=all&per_page=3&page=99", &Value::Null).expect(200);
    assert_eq!(beyond.value(), json!([]));
    fits(&rig);
}

#[test]
fn filters_are_github_s() {
    let seed = RigSeed {
        issues: vec![SeedIssue::new("Done").label("bug").closed(), SeedIssue::new("Open").label("bug").label("Late")],
        ..RigSeed::default()
    };
    let Some(rig) = Rig::start(&seed) else { return };
    let list = |query: &str| numbers(call(&rig, "GET", query, &Value::Null).expect(200).value().as_array().unwrap());
    assert_eq!(list("/issues"), [6, 4, 3, 2, 1], "open ones, unless asked otherwise");
    assert_eq!(list("/issues?state=closed"), [5]);
    assert_eq!(list("/issues?state=all&labels=BUG"), [6, 5], "names of labels know no capitals");
    assert_eq!(list("/issues?state=all&labels=bug,late"), [6], "all of the labels");
    assert_eq!(list("/issues?state=all&creator=loop-bot"), [0; 0]);
    assert_eq!(list("/issues?state=all&since=2999-01-01T00:00:00Z"), [0; 0]);
    fits(&rig);
}

#[test]
fn labels_and_comments_come_in_pages_too() {
    let labels = (0..5).map(|number| (format!("label {number}"), "ededed".to_owned())).collect();
    let Some(rig) = Rig::start(&RigSeed { labels, ..RigSeed::default() }) else { return };
    for number in 0..5 {
        call(&rig, "POST", "/issues/1/comments", &json!({"body": format!("comment {number}")})).expect(201);
    }
    let (found, pages) = all_pages(&rig, "/labels?per_page=2");
    assert_eq!((found.len(), pages), (5, 3));
    let (found, pages) = all_pages(&rig, "/issues/1/comments?per_page=2");
    let texts: Vec<&str> = found.iter().map(|comment| comment["body"].as_str().unwrap()).collect();
    assert_eq!((texts, pages), (vec!["comment 0", "comment 1", "comment 2", "comment 3", "comment 4"], 3));
    assert_eq!(rig.issue(1).comments.len(), 5);
    fits(&rig);
}

#[test]
fn an_installed_rig_starts_quickly() {
    // The first start may install; the second does not.
    if Rig::start(&RigSeed::default()).is_none() {
        return;
    }
    let started = Instant::now();
    let rig = Rig::start(&RigSeed::default());
    let took = started.elapsed();
    assert!(rig.is_some());
    println!("the rig starts in {} ms", took.as_millis());
    // It takes a third of a second; machines of CI that run all tests at once are slower.
    assert!(took < Duration::from_secs(20), "{took:?}");
}
