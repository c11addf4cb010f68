//! Loading: file, environment and flags to one configuration.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use super::origin::{Origin, Setting};
use super::types::{Config, ReportFormat};
use crate::diag::{Place, line_column};

/// The file's name, looked for upwards from the working folder.
pub const FILE_NAME: &str = "greenloop.toml";
/// A setting's variable is this and `SECTION_KEY`, for example `GREENLOOP_BUDGET_ITERATIONS`.
pub const ENVIRONMENT_PREFIX: &str = "GREENLOOP_";

/// A configuration, and where each of its values came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The values.
    pub config: Config,
    /// The same as a list, in the order of keys, settings that are not set included.
    pub settings: Vec<Setting>,
}

/// What is wrong, in one sentence, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    /// What is wrong.
    pub message: String,
    /// Where in the file, if the file is to blame.
    pub place: Option<Place>,
    /// What to do.
    pub hint: Option<String>,
}

/// Loads a configuration. `file` is the name and the text of `greenloop.toml`, if there is one; `environment` are the
/// variables of the caller; `flags` are `section.key` and a value in TOML's spelling (a text may stand without quotes).
///
/// # Errors
/// For the first thing that is wrong.
pub fn load(
    file: Option<(&str, &str)>,
    environment: &[(String, String)],
    flags: &[(String, String)],
) -> Result<Loaded, ConfigError> {
    let known = known_keys();
    let mut lines = BTreeMap::new();
    let mut table = toml::Table::new();
    if let Some((name, text)) = file {
        // Read into its types first: these errors know their place in the text.
        toml::from_str::<Config>(text).map_err(|error| in_file(name, text, &error, &known))?;
        table = toml::from_str(text).map_err(|error| in_file(name, text, &error, &known))?;
        lines = lines_of(text);
    }
    let mut origins: BTreeMap<String, Origin> =
        lines.into_iter().map(|(key, line)| (key, Origin::File(line))).collect();
    for key in known.keys() {
        let variable = variable(key);
        let Some((_, value)) = environment.iter().find(|(name, value)| *name == variable && !value.is_empty()) else {
            continue;
        };
        set(&mut table, key, value);
        check(&table, &format!("the variable {variable}"))?;
        origins.insert(key.clone(), Origin::Environment(variable));
    }
    for (key, value) in flags {
        if !known.contains_key(key) {
            let hint = nearest(key, known.keys()).map(|key| format!("did you mean {key}?"));
            return Err(ConfigError { message: format!("there is no setting {key}"), place: None, hint });
        }
        set(&mut table, key, value);
        check(&table, &format!("the flag for {key}"))?;
        origins.insert(key.clone(), Origin::Flag);
    }
    let config = Config::deserialize(table).map_err(|error| plain(error.message()))?;
    consistent(&config).map_err(|(message, hint)| ConfigError {
        message,
        place: file.map(|(name, _)| Place::file(name)),
        hint: Some(hint),
    })?;
    let values = flat(&serde_json::to_value(&config).unwrap_or_default());
    let setting = |key: &String| Setting {
        key: key.clone(),
        value: values.get(key).cloned().unwrap_or(Json::Null),
        origin: origins.get(key).cloned().unwrap_or(Origin::Default),
    };
    let settings = known.keys().map(setting).collect();
    Ok(Loaded { config, settings })
}

/// What no type can say.
fn consistent(config: &Config) -> Result<(), (String, String)> {
    let fault = |message: &str, hint: &str| Err((message.to_owned(), hint.to_owned()));
    let suite = &config.suite;
    if suite.fixture.is_some() && suite.command.is_some() {
        return fault("[suite] has both a fixture and a command", "keep the one that makes a full run");
    }
    if suite.command.is_some() && suite.report.is_none() {
        return fault("[suite] has a command and no report", "name the file that the command writes: report = \"…\"");
    }
    if suite.fixture.is_some() && (suite.report.is_some() || suite.format != ReportFormat::ReportV2) {
        return fault("[suite] has a fixture, so report and format mean nothing", "remove them");
    }
    for (key, argv) in [
        ("suite.command", suite.command.as_ref()),
        ("creator.command", config.creator.command.as_ref()),
        ("reviewer.command", config.reviewer.as_ref().map(|reviewer| &reviewer.command)),
        ("tracker.token_command", config.tracker.token_command.as_ref()),
    ] {
        if argv.is_some_and(|argv| argv.first().is_none_or(String::is_empty)) {
            return fault(&format!("{key} has no program"), "write a list: program, then arguments");
        }
    }
    if let Some(name) = &config.tracker.token_env {
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let is_token =
            ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"].iter().any(|start| name.starts_with(start));
        // It may be the token itself, so it is not shown.
        if !is_name || is_token {
            return fault(
                "tracker.token_env is not the name of a variable",
                "write the name of the variable that holds the token; a token that stood in a file should be revoked",
            );
        }
        if config.tracker.token_command.is_some() {
            return fault("[tracker] has both a token_env and a token_command", "keep one");
        }
    }
    if config.creator.command.is_some() && config.creator.preset.is_some() {
        return fault("[creator] has both a command and a preset", "keep one");
    }
    if !(0.0..=1.0).contains(&config.budget.flaky_max) {
        return fault("budget.flaky_max must be from 0 to 1", "it is a share: 0.1 is one in ten");
    }
    let costs = [config.budget.cost_usd, config.budget.cost_per_attempt_usd];
    if costs.iter().any(|cost| !cost.is_finite() || *cost < 0.0) {
        return fault("a cost must be 0 or more", "0 is no limit");
    }
    let at_least_one = [
        ("budget.iterations", u64::from(config.budget.iterations)),
        ("budget.no_progress", u64::from(config.budget.no_progress)),
        ("concurrency.creators", u64::from(config.concurrency.creators)),
        ("creator.attempts", u64::from(config.creator.attempts)),
        ("creator.timeout_s", config.creator.timeout_s),
        ("suite.timeout_s", suite.timeout_s),
        ("suite.jobs", u64::from(suite.jobs)),
    ];
    if let Some((key, _)) = at_least_one.iter().find(|(_, value)| *value == 0) {
        return fault(&format!("{key} must be at least 1"), "with 0 nothing would ever happen");
    }
    Ok(())
}

/// Every leaf key of the configuration, with an example of its value.
fn known_keys() -> BTreeMap<String, Json> {
    // A configuration in which every optional part is there.
    let text = "[suite]\nfixture=''\ncommand=[]\nreport=''\nmap=''\n[tracker]\nrepo=''\nbase_url=''\ntoken_env=''\n\
                token_command=[]\n[creator]\ncommand=[]\npreset='claude'\n[reviewer]\ncommand=[]\n";
    let whole: Config = toml::from_str(text).unwrap_or_default();
    flat(&serde_json::to_value(whole).unwrap_or_default())
}

/// `section.key` of every leaf. Lists are leaves.
fn flat(value: &Json) -> BTreeMap<String, Json> {
    let mut all = BTreeMap::new();
    for (section, members) in value.as_object().into_iter().flatten() {
        for (key, value) in members.as_object().into_iter().flatten() {
            all.insert(format!("{section}.{key}"), value.clone());
        }
    }
    all
}

fn variable(key: &str) -> String {
    format!("{ENVIRONMENT_PREFIX}{}", key.replace('.', "_").to_uppercase())
}

fn set(table: &mut toml::Table, key: &str, value: &str) {
    let Some((section, name)) = key.split_once('.') else { return };
    // A text needs no quotes here; whatever is no TOML value is one.
    let value = value.parse::<toml::Value>().unwrap_or_else(|_| toml::Value::String(value.to_owned()));
    let section = table.entry(section).or_insert_with(|| toml::Value::Table(toml::Table::new()));
    if let toml::Value::Table(section) = section {
        section.insert(name.to_owned(), value);
    }
}

fn check(table: &toml::Table, who: &str) -> Result<(), ConfigError> {
    // A reviewer whose command is still to come is no fault of this value.
    Config::deserialize(table.clone())
        .map(|_| ())
        .map_err(|error| plain(&format!("{who} has a value that does not fit: {}", error.message())))
}

fn plain(message: &str) -> ConfigError {
    ConfigError { message: message.to_owned(), place: None, hint: None }
}

/// The line of each leaf key in the file.
fn lines_of(text: &str) -> BTreeMap<String, usize> {
    let Ok(document) = toml::de::DeTable::parse(text) else { return BTreeMap::new() };
    let mut lines = BTreeMap::new();
    for (section, value) in document.get_ref() {
        if let toml::de::DeValue::Table(members) = value.get_ref() {
            for key in members.keys() {
                let name = format!("{}.{}", section.get_ref(), key.get_ref());
                lines.insert(name, line_column(text, key.span().start).0);
            }
        }
    }
    lines
}

fn in_file(name: &str, text: &str, error: &toml::de::Error, known: &BTreeMap<String, Json>) -> ConfigError {
    let place = error.span().map_or_else(
        || Place::file(name),
        |span| {
            let (line, column) = line_column(text, span.start);
            Place { line: Some(line), column: Some(column), span: Some(span), ..Place::file(name) }
        },
    );
    let unknown = error.message().strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
    let candidates = known.keys().flat_map(|key| key.split('.'));
    let hint = unknown.and_then(|key| nearest(key, candidates)).map(|key| format!("did you mean {key}?"));
    ConfigError { message: error.message().to_owned(), place: Some(place), hint }
}

fn nearest<'k>(key: &str, known: impl Iterator<Item = impl AsRef<str> + 'k>) -> Option<String> {
    known
        .map(|candidate| (strsim::jaro_winkler(key, candidate.as_ref()), candidate.as_ref().to_owned()))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
