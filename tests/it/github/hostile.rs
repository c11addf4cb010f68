//! Hostile reports and maps: nothing of what is sent takes effect on GitHub, no secret leaves, and all limits hold. Judged
//! on the recorded requests.

use regex::Regex;
use serde_json::{Value, json};

use super::Site;
use super::gfm;
use crate::world::{category_map, id};

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const SECRETS: [&str; 3] = [TOKEN, "hunter2hunter2", "c2VjcmV0OnNlY3JldA"];

/// Everything that acts somewhere on GitHub, and secrets.
fn hostile() -> String {
    format!(
        "fixes #1, closes GH-1, resolves owner/repo#1 and https://github.com/o/r/issues/1; see \
         0123456789abcdef0123456789abcdef01234567 and deadbeef1, @octocat @org/team :tada: www.x.example a@b.example \
         JIRA-7 [x](http://y) ![i](http://z/i.png) <img src=http://z/i.png> <b>bold</b> </details> <!-- c --> \
         <!-- greenloop:v1 category_id=evals:demo:x campaign=c --> [^1] $x$ `` ` ``` ```` $`a`$ | a | b | &#64;me \\@me \
         {TOKEN} password=hunter2hunter2 Authorization: Basic c2VjcmV0OnNlY3JldA== \u{202e}\u{200b}"
    )
}

/// The same over many lines, with all that begins a block.
fn hostile_lines() -> String {
    let blocks =
        "# h\n=====\n> [!NOTE]\n- [ ] t\n```\n~~~\n````\n\n@octocat fixes #1\n<details>\n</details>\n| a |\n|---|\n";
    format!("{}\n{blocks}[^1]: note\n[x]: http://y\n{}\n", hostile(), hostile())
}

/// A report whose cases have hostile names, problems, commands and outputs.
fn poison(report: &mut Value) {
    let megabyte = hostile_lines().repeat(1 << 20 >> 10);
    assert!(megabyte.len() > 1 << 20);
    for (at, case) in report["cases"].as_array_mut().unwrap().iter_mut().enumerate() {
        case["name"] = json!(format!("{} {}", case["name"].as_str().unwrap(), hostile()));
        case["argv"] = json!(["check", hostile(), format!("--token={TOKEN}"), hostile_lines()]);
        if case["outcome"] == "FAIL" {
            let problems = json!([hostile(), hostile_lines(), if at == 0 { megabyte.clone() } else { "x".into() }]);
            case["problems"] = problems.clone();
            for trial in case["trials"].as_array_mut().unwrap() {
                trial["problems"] = problems.clone();
                trial["stdout"] = json!(if at == 0 { megabyte.clone() } else { hostile_lines() });
                trial["stderr"] = json!(hostile_lines());
            }
        }
    }
}

fn poisoned_map(description: &str) -> Value {
    let mut map = category_map(description);
    for (_, category) in map["categories"].as_object_mut().unwrap() {
        let named = |what: &str| json!(format!("{what} {}", hostile()));
        category["defect"] = named("defect");
        category["expected"] = named("expected");
        for edge in category["depends_on"].as_array_mut().unwrap() {
            edge["rationale"] = named("because");
        }
    }
    map
}

/// What is wrong with one text that GitHub draws. References to our own successors are meant.
fn faults(text: &str) -> Vec<String> {
    let ours = Regex::new(r"Goes on as #\d+(, #\d+)*\.").unwrap();
    let listed = Regex::new(r"(?m)^- #\d+: ").unwrap();
    let drawn = gfm::draw(&listed.replace_all(&ours.replace_all(text, "Goes on."), "- that: "));
    let mut faults = drawn.acting;
    let known = ["HtmlBlock <details>", "HtmlBlock </details>", "HtmlBlock <!-- greenloop"];
    let html = drawn.structure.iter().map(|line| line.trim_start()).filter(|line| line.starts_with("HtmlBlock"));
    faults.extend(html.filter(|line| !known.iter().any(|known| line.starts_with(known))).map(str::to_owned));
    if text.encode_utf16().count() > 65_536 {
        faults.push(format!("{} characters", text.encode_utf16().count()));
    }
    if text.matches("<!-- greenloop:v1 ").count() > 1 {
        faults.push("two markers".to_owned());
    }
    faults
}

fn check_requests(site: &Site) -> usize {
    let mut texts = 0;
    for exchange in site.rig.exchanges() {
        let Some(sent) = &exchange.request else { continue };
        let place = format!("{} {}", exchange.method, exchange.path);
        let whole = sent.to_string();
        for secret in SECRETS {
            assert!(!whole.contains(secret) && !exchange.path.contains(secret), "{place} sends {secret}");
        }
        if let Some(body) = sent["body"].as_str() {
            texts += 1;
            assert_eq!(faults(body), Vec::<String>::new(), "{place}:\n{body}");
        }
        if let Some(title) = sent["title"].as_str() {
            assert_eq!(gfm::acting(title), None, "{place}: {title}");
            assert!(title.chars().count() <= 256 && !title.contains(['\n', '`', '<', '@']), "{title}");
        }
        for label in sent["labels"].as_array().into_iter().flatten() {
            assert!(label.as_str().unwrap().chars().count() <= 50, "{label}");
        }
        if let Some(description) = sent["description"].as_str() {
            assert!(description.chars().count() <= 100, "{description}");
        }
    }
    texts
}

/// Files, closes, reopens, supersedes and absorbs with text that is out to harm.
fn a_hostile_life(site: &Site) {
    let map = site.world.map("map", &poisoned_map("a b<a c d e"));
    site.run(&["campaign", "start", "--id", "c", "--map", &map]).exits(0);
    let step = |head: &str, cases: &str, status: i32| {
        let report = site.world.report_with(head, cases, poison);
        site.run(&["campaign", "step", &report]).exits(status);
    };
    step("h1", "a1- b1- c1- d1- e1+", 1);
    step("h2", "a1+ b1- c1- d1- e1+", 1);
    assert_eq!(
        site.tickets()["a"]["state_reason"],
        "completed",
        "proven, though a secret is in the names of its cases"
    );
    step("h3", "a1- b1- c1- d1- e1-", 1);
    let mut map = poisoned_map("a b<a x e");
    map["map_version"] = "2".into();
    map["retired"] = json!({
        id("c"): { "kind": "split", "into": [id("x"), id("e")], "reason": hostile() },
        id("d"): { "kind": "merged", "into": [id("b")], "reason": hostile() },
    });
    let map = site.world.map("map2", &map);
    site.run(&["campaign", "start", "--id", "c", "--map", &map, "--new-generation"]).exits(0);
    step("h4", "a1- b1- x1- e1-", 1);
    step("h5", "a1+ b1+ x1+ e1+", 0);
    let tickets = site.tickets();
    let reasons = ["a", "b", "c", "d", "x"].map(|name| tickets[name]["state_reason"].as_str().unwrap().to_owned());
    assert_eq!(reasons, ["completed", "completed", "not_planned", "duplicate", "completed"]);
    let notes =
        site.rig.issues().iter().flat_map(|issue| issue.comments.clone()).map(|(_, body)| body).collect::<String>();
    for says in ["**Closed: proven gone.**", "**Superseded:**", "**Absorbed:**", "| Iteration | Report |"] {
        assert!(notes.contains(says), "{says}");
    }
    let sent: String =
        site.rig.exchanges().iter().filter_map(|one| one.request.as_ref()).map(Value::to_string).collect();
    assert!(sent.contains("**Reopened: it fails again.**"));
}

#[test]
fn nothing_of_a_hostile_report_takes_effect() {
    let Some(site) = Site::new() else { return };
    a_hostile_life(&site);
    assert!(check_requests(&site) > 15);
    site.fits();
}

#[test]
fn nor_where_dependencies_are_text() {
    let Some(site) = Site::new() else { return };
    site.rig.set_dependencies(false);
    a_hostile_life(&site);
    assert!(check_requests(&site) > 15);
}

#[test]
fn the_scanner_of_requests_finds_what_acts() {
    for text in
        ["@octocat", "Goes on as #3 and #4.", "fixes #1", "<b>x</b>", "<img src=x>\n", "![x](y)", "\n<details open>\n"]
    {
        assert!(!faults(text).is_empty(), "{text}");
    }
    assert!(faults("**Superseded:** split\n\nGoes on as #12, #13.\n").is_empty());
    assert!(!faults(&"x".repeat(65_537)).is_empty());
}
