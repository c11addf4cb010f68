//! `[tracker]` of greenloop.toml: what it says holds, unless the environment or a flag says otherwise; a token is never in
//! it.

use super::Site;
use crate::world::{Done, category_map, done};

/// Runs without the arguments about the tracker.
fn run(site: &Site, environment: &[(&str, &str)], arguments: &[&str]) -> Done {
    let mut command = site.world.command(arguments);
    command.env_remove("GITHUB_TOKEN").env_remove("GH_TOKEN").envs(environment.iter().copied());
    done(&mut command)
}

fn write(site: &Site, text: &str) {
    std::fs::write(site.world.state_dir().parent().unwrap().join("greenloop.toml"), text).unwrap();
}

fn tracker(site: &Site, more: &str) -> String {
    format!(
        "[tracker]\nkind = \"github\"\nrepo = \"{}\"\nbase_url = \"{}\"\nwrite_interval_ms = 0\nunknown_wait_s = 0\n{more}",
        site.rig.repo(),
        site.rig.base_url()
    )
}

#[test]
fn the_file_is_enough() {
    let Some(site) = Site::new() else { return };
    write(&site, &tracker(&site, "token_env = \"RIG_TOKEN\"\ncreate_cap = 1\n"));
    let token = [("RIG_TOKEN", site.rig.token())];
    let said = run(&site, &token, &["doctor"]).exits(0);
    assert!(said.stdout.contains("greenloop.toml") && said.stdout.contains(&format!("github {}", site.rig.repo())));
    let map = site.world.map("map", &category_map("a b"));
    let plan = site.world.input("plan.json");
    run(&site, &token, &["plan", &site.world.report("h1", "a1- b1-"), "--map", &map, "-o", &plan]).exits(0);
    run(&site, &token, &["apply", &plan]).exits(4).says(&["2"]);
    let made = || site.rig.issues().iter().filter(|issue| issue.body.contains("greenloop:v1 category_id")).count();
    assert_eq!(made(), 0, "create_cap = 1");
    run(&site, &token, &["apply", &plan, "--create-cap", "2"]).exits(0);
    assert_eq!(made(), 2);
    run(&site, &token, &["campaign", "start", "--map", &map, "--id", "k"]).exits(0);
    let status = run(&site, &token, &["campaign", "status", "--campaign", "k", "--format", "json"]).exits(0);
    assert!(!status.stdout.contains(site.rig.token()));
    run(&site, &[], &["campaign", "status", "--campaign", "k"]).exits(2).says(&["RIG_TOKEN"]);
    let usual = [("GITHUB_TOKEN", site.rig.token())];
    run(&site, &usual, &["campaign", "status", "--campaign", "k"]).exits(2).says(&["RIG_TOKEN"]);
}

#[test]
fn flags_come_before_the_environment_before_the_file() {
    let Some(site) = Site::new() else { return };
    let repo = |done: Done| done.json()["tracker"]["repo"].as_str().map(str::to_owned);
    let (token, doctor) = (site.rig.token(), ["doctor", "--format", "json"]);
    assert_eq!(repo(run(&site, &[("GITHUB_TOKEN", token)], &doctor)), None, "embedded by default");
    write(&site, &tracker(&site, ""));
    assert_eq!(repo(run(&site, &[("GITHUB_TOKEN", token)], &doctor)).as_deref(), Some(site.rig.repo()));
    let environment = [("GITHUB_TOKEN", token), ("GREENLOOP_TRACKER_REPO", "of/environment")];
    assert_eq!(repo(run(&site, &environment, &doctor)).as_deref(), Some("of/environment"));
    let set = [doctor.as_slice(), &["--set", "tracker.repo=of/set"]].concat();
    assert_eq!(repo(run(&site, &environment, &set)).as_deref(), Some("of/set"));
    let flag = [set.as_slice(), &["--repo", "of/flag"]].concat();
    assert_eq!(repo(run(&site, &environment, &flag)).as_deref(), Some("of/flag"));
    let embedded = [doctor.as_slice(), &["--tracker", "embedded"]].concat();
    assert_eq!(repo(run(&site, &environment, &embedded)), None);
}

#[test]
fn a_campaign_stays_where_it_is_whatever_the_file_says_later() {
    let Some(site) = Site::new() else { return };
    let map = site.world.map("map", &category_map("a"));
    run(&site, &[], &["campaign", "start", "--map", &map, "--id", "c"]).exits(0);
    write(&site, &tracker(&site, ""));
    let report = site.world.report("h1", "a1-");
    run(&site, &[], &["campaign", "step", &report]).exits(1).says(&["the tickets are in embedded"]);
    run(&site, &[], &["campaign", "status", "--set", "tracker.kind=github"]).exits(2).says(&["not in github"]);
}

#[test]
fn a_token_is_not_in_a_file_and_comes_from_a_command() {
    let Some(site) = Site::new() else { return };
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    for wrong in [secret, "two words", "", "github_pat_11ABCDEFG0abcdefghijkl_mnop"] {
        write(&site, &tracker(&site, &format!("token_env = \"{wrong}\"\n")));
        let said = run(&site, &[], &["ticket", "list"]).exits(2).says(&["not the name of a variable"]);
        assert!(wrong.is_empty() || !said.stderr.contains(wrong), "{}", said.stderr);
    }
    write(&site, &tracker(&site, &format!("token = \"{secret}\"\n")));
    let said = run(&site, &[], &["ticket", "list"]).exits(2).says(&["unknown field"]);
    assert!(!said.stderr.contains(secret), "{}", said.stderr);
    let command =
        format!("token_command = [\"sh\", \"-c\", \"test -z \\\"$GITHUB_TOKEN\\\" && echo {}\"]\n", site.rig.token());
    write(&site, &tracker(&site, &command));
    run(&site, &[("GITHUB_TOKEN", "other")], &["ticket", "list"]).exits(0);
    write(&site, &tracker(&site, "").replace("http://127.0.0.1", "http://ghe.example"));
    run(&site, &[("GITHUB_TOKEN", "x")], &["ticket", "list"]).exits(2).says(&["tracker.base_url", "https"]);
}
