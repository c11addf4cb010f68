//! Tests of loading.

use super::*;
use crate::config::{Preset, TrackerKind};

const FILE: &str = r#"
[suite]
fixture = "evals/agentic_eval.json"
map = "category_maps/shop.json"
[tracker]
kind = "github"
[creator]
preset = "claude"
env = ["ANTHROPIC_API_KEY"]
[reviewer]
command = ["./review.sh"]
[budget]
iterations = 4
flaky_max = 0.25
"#;

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn origin(loaded: &Loaded, key: &str) -> Origin {
    loaded.settings.iter().find(|setting| setting.key == key).unwrap().origin.clone()
}

#[test]
fn the_nearest_source_wins_and_is_named() {
    let environment = pairs(&[
        ("GREENLOOP_BUDGET_ITERATIONS", "6"),
        ("GREENLOOP_BUDGET_WALL_S", "7"),
        ("GREENLOOP_TRACKER_REPO", "me/shop"),
        ("GREENLOOP_PROTECT_GLOBS", "[\"a/**\", \"b\"]"),
        ("GREENLOOP_SUITE_MAP", ""),
    ]);
    let flags = pairs(&[("budget.iterations", "9")]);
    let loaded = load(Some(("greenloop.toml", FILE)), &environment, &flags).unwrap();
    let config = &loaded.config;
    assert_eq!((config.budget.iterations, config.budget.wall_s, config.budget.no_progress), (9, 7, 3));
    assert_eq!((config.tracker.kind, config.tracker.repo.as_deref()), (TrackerKind::Github, Some("me/shop")));
    assert_eq!((config.creator.preset, config.reviewer.as_ref().unwrap().timeout_s), (Some(Preset::Claude), 900));
    assert_eq!(config.protect.globs, ["a/**", "b"]);
    assert_eq!(origin(&loaded, "budget.iterations"), Origin::Flag);
    assert_eq!(origin(&loaded, "budget.wall_s"), Origin::Environment("GREENLOOP_BUDGET_WALL_S".to_owned()));
    assert_eq!(origin(&loaded, "suite.map"), Origin::File(4));
    assert_eq!(origin(&loaded, "budget.no_progress"), Origin::Default);
}

#[test]
fn without_anything_all_is_default_and_every_setting_is_listed() {
    let loaded = load(None, &[], &[]).unwrap();
    assert_eq!(loaded.config, Config::default());
    assert!(loaded.settings.iter().all(|setting| setting.origin == Origin::Default));
    let list: Vec<String> =
        loaded.settings.iter().map(|setting| format!("{} = {}", setting.key, setting.value)).collect();
    insta::assert_snapshot!(list.join("\n"));
}

#[test]
fn what_is_wrong_is_said_with_place_and_hint() {
    let error = |text: &str| load(Some(("greenloop.toml", text)), &[], &[]).unwrap_err();
    let cases = [
        "[budget]\niteration = 3\n",
        "[sweet]\n",
        "[budget]\niterations = true\n",
        "[budget]\niterations = -1\n",
        "[tracker]\nkind = \"gitlab\"\n",
        "[suite\n",
        "[suite]\nfixture = 'a'\ncommand = ['b']\n",
        "[suite]\ncommand = ['b']\n",
        "[suite]\nfixture = 'a'\nformat = 'junit'\n",
        "[suite]\ncommand = []\nreport = 'r'\n",
        "[creator]\ncommand = ['']\n",
        "[creator]\ncommand = ['a']\npreset = 'codex'\n",
        "[reviewer]\ntimeout_s = 3\n",
        "[budget]\nflaky_max = 1.5\n",
        "[budget]\ncost_usd = -1.0\n",
        "[budget]\ncost_usd = nan\n",
        "[concurrency]\ncreators = 0\n",
        "[budget]\niterations = 1\niterations = 2\n",
    ];
    let shown: Vec<String> = cases
        .iter()
        .map(|text| {
            let error = error(text);
            let place = error.place.map(|place| place.compact()).unwrap_or_default();
            format!("{text}=> {place}: {}\n   hint: {}", error.message, error.hint.unwrap_or_default())
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n\n"));
}

#[test]
fn a_bad_variable_or_flag_is_named() {
    let bad = pairs(&[("GREENLOOP_BUDGET_ITERATIONS", "many")]);
    let error = load(None, &bad, &[]).unwrap_err();
    assert!(error.message.starts_with("the variable GREENLOOP_BUDGET_ITERATIONS has a value"), "{error}");
    let error = load(None, &[], &pairs(&[("budget.iteratons", "1")])).unwrap_err();
    assert_eq!(error.hint.as_deref(), Some("did you mean budget.iterations?"));
    // Variables of other tools with the same start are nobody's business.
    assert!(load(None, &pairs(&[("GREENLOOP_TEST_KILL_AT", "3"), ("GREENLOOP_TICKET", "x")]), &[]).is_ok());
}

/// The page for people has every key with its default, and its example is a valid file.
#[test]
fn the_documentation_is_true() {
    let page = include_str!("../../docs/config.md");
    for setting in load(None, &[], &[]).unwrap().settings {
        let key = &setting.key;
        let row =
            page.lines().find(|line| line.starts_with(&format!("| `{key}` |"))).unwrap_or_else(|| panic!("{key}"));
        let default = row.split('|').nth(2).unwrap().trim();
        let documented_in_type = ["reviewer.timeout_s", "reviewer.env"].contains(&key.as_str());
        if !setting.value.is_null() {
            assert_eq!(default, format!("`{}`", setting.value), "{key}");
        } else if !documented_in_type {
            assert!(default.is_empty() || default == "the map's", "{key}: {default}");
        }
    }
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    load(Some(("example", example)), &[], &[]).unwrap();
    // The lines that are commented out are valid, too, once the other way is taken away.
    let other: String = example
        .lines()
        .filter(|line| !line.starts_with("fixture"))
        .map(|line| format!("{}\n", line.strip_prefix("# ").unwrap_or(line)))
        .collect();
    load(Some(("example", &other)), &[], &[]).unwrap();
}
