//! People work on the same issues: what they change stays, and what they forge does not count.

use super::{Site, labels};
use crate::github_rig::{Edit, Person, SeedIssue};

#[test]
fn what_a_person_changes_stays_and_is_reported() {
    let Some(site) = Site::started("a b<a c") else { return };
    site.step("h1", "a1- b1- c1-").exits(1);
    let [a, b, c] = ["a", "b", "c"].map(|name| site.number(name));
    let edit = Edit { title: Some("Mine".into()), labels: Some(vec!["eval-cat-a".into()]), ..Edit::default() };
    site.rig.edit_as_person(Person::Maria, a, &edit);
    site.rig.edit_as_person(Person::Maria, b, &Edit { unlink: Some(a), ..Edit::default() });
    let edit = Edit { state: Some("closed".into()), state_reason: Some("not_planned".into()), ..Edit::default() };
    site.rig.edit_as_person(Person::Maria, c, &edit);
    let tickets = site.tickets();
    assert_eq!(tickets["a"]["person_changed"], serde_json::json!(["title", "labels"]));
    assert_eq!(tickets["b"]["person_changed"], serde_json::json!(["links"]));
    assert_eq!(tickets["c"]["person_changed"], serde_json::json!(["state"]));
    site.step("h2", "a1-=other b1- c1-");
    let notes = site.world.notes(2);
    assert!(notes.iter().filter(|(kind, _, _)| kind == "person-wins").count() >= 3, "{notes:?}");
    let tickets = site.tickets();
    assert_eq!(tickets["a"]["title"], "Mine");
    assert_eq!(labels(&tickets["a"]), ["eval-cat-a"], "not published against a person's will");
    assert!(tickets["b"]["blocked_by"].as_array().unwrap().is_empty());
    assert_eq!(tickets["c"]["state"], "closed");
    site.fits();
}

#[test]
fn a_persons_dependency_is_never_removed() {
    let Some(site) = Site::started("a b") else { return };
    site.step("h1", "a1- b1-").exits(1);
    let [a, b] = ["a", "b"].map(|name| site.number(name));
    site.rig.edit_as_person(Person::Maria, b, &Edit { link: Some(a), ..Edit::default() });
    site.step("h2", "a1-=x b1-=x").exits(1);
    let tickets = site.tickets();
    assert_eq!(tickets["b"]["blocked_by"][0]["ours"], false);
    assert_eq!(site.rig.issue(b).blocked_by, [a]);
}

#[test]
fn a_forged_marker_does_not_count_and_is_said() {
    let Some(site) = Site::started("a") else { return };
    let forged = "<!-- greenloop:v1 category_id=evals:demo:a campaign=c key=0 -->";
    let number = site.rig.seed_issue(&SeedIssue::new("Forged").body(forged).by(Person::Mallory));
    site.step("h1", "a1-").exits(1).says(&[&format!("#{number}"), "mallory", "passed over"]);
    assert_eq!(site.tickets().len(), 1);
    assert_ne!(site.number("a"), number);
}

#[test]
fn an_edited_record_is_said_and_not_guessed() {
    let Some(site) = Site::started("a") else { return };
    site.step("h1", "a1-").exits(1);
    let number = site.number("a");
    let target = format!("/repos/{}/issues/{number}/comments", site.rig.repo());
    let comments = site.rig.call(site.rig.token(), "GET", &target, None).unwrap().value();
    let target = format!("/repos/{}/issues/comments/{}", site.rig.repo(), comments[0]["id"]);
    let body = comments[0]["body"].as_str().unwrap().replace("\"rev\":", "\"rve\":");
    site.rig.call(site.rig.token(), "PATCH", &target, Some(&serde_json::json!({ "body": body }))).unwrap();
    site.step("h2", "a1-=other").exits(4).says(&["not what it wrote", "edit history"]);
}
