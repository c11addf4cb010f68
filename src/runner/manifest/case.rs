//! Reads one case.

use std::time::Duration;

use crate::diag::findings::quote;
use crate::diag::json::Value;
use crate::model::CaseName;

use super::reader::{At, Reader};
use super::rule::{BAD_TIMEOUT, EMPTY_COMMAND, RAISED_TIMEOUT};
use super::types::{Case, CaseType, EvidenceClass, ExecutionMode, Expected};
use super::{expected, lineage};

const CASE: [&str; 21] = [
    "name",
    "type",
    "command",
    "expected",
    "real_world",
    "timeout_seconds",
    "evidence_class",
    "supports_claims",
    "seams",
    "risks",
    "required",
    "readback",
    "blocked_when_stdout_contains",
    "infra_blocked_when",
    "must_exercise",
    "execution_mode",
    "category",
    "category_id",
    "mocked",
    "uses_stub",
    "description",
];

/// Time limit of a trial when the case says none, in seconds (contracts.md).
const DEFAULT_TIMEOUT: f64 = 30.0;
/// Shortest time limit, in seconds (contracts.md).
const FLOOR: f64 = 0.1;
/// Longest time limit, in seconds: a week. A longer one is a slip of the pen.
const CEILING: f64 = 7.0 * 24.0 * 3600.0;

const NO_NAME: &str = "nothing is known by an empty name";
const ALWAYS: &str = "every output holds the empty text: the case could never be judged";
const NO_PROGRAM: &str = "name a file or a command";

/// Reads one case. `None` only when nothing of it can be kept; then there is an error about it.
pub(super) fn read(reader: &mut Reader, at: &At<'_>, index: usize, folder: Option<&str>) -> Option<Case> {
    if !reader.is_object(at, "every item of `cases`") {
        return None;
    }
    let known: Vec<&str> = CASE.iter().chain(&lineage::FIELDS).copied().collect();
    reader.suspect_typos(at, &known);
    let name = reader.needed_text(at, "name", &format!("the case {index}"));
    let whose = name.as_ref().map_or_else(|| format!("the case {index}"), |name| format!("the case {}", quote(name)));
    let case_type =
        reader.needed(at, "type", &whose).and_then(|kind| reader.as_word(&kind, "`type`", &CaseType::WORDS));
    let command = command(reader, at, &whose);
    let expected = match reader.needed(at, "expected", &whose) {
        Some(inner) => expected::read(reader, &inner, &whose, folder),
        None => Expected::default(),
    };
    let timeout = timeout(reader, at);
    Some(Case {
        case_type: case_type.unwrap_or(CaseType::Positive),
        command,
        expected,
        real_world: reader.flag(at, "real_world").unwrap_or(false),
        timeout,
        evidence_class: reader.word(at, "evidence_class", &EvidenceClass::WORDS),
        supports_claims: reader.texts(at, "supports_claims", NO_NAME),
        seams: reader.texts(at, "seams", NO_NAME),
        risks: reader.texts(at, "risks", NO_NAME),
        required: reader.flag(at, "required").unwrap_or(true),
        readback: readback(reader, at),
        blocked_when_stdout_contains: reader.texts(at, "blocked_when_stdout_contains", ALWAYS),
        infra_blocked_when: reader.texts(at, "infra_blocked_when", ALWAYS),
        must_exercise: reader.texts(at, "must_exercise", NO_PROGRAM),
        execution_mode: reader.word(at, "execution_mode", &ExecutionMode::WORDS),
        category: reader.text(at, "category"),
        category_id: reader.text(at, "category_id"),
        mocked: reader.flag(at, "mocked").unwrap_or(false),
        uses_stub: reader.flag(at, "uses_stub").unwrap_or(false),
        lineage: lineage::read(reader, at),
        description: reader.text(at, "description"),
        source: reader.as_json(at, &whose)?,
        name: CaseName::new(name?),
    })
}

fn command(reader: &mut Reader, case: &At<'_>, whose: &str) -> Vec<String> {
    let Some(at) = reader.needed(case, "command", whose) else { return Vec::new() };
    if at.node.items().is_none() {
        let hint = "write the program and each argument as an item of a list; a shell is started only by name";
        let message = format!("`command` of {whose} must be a list, not {}", at.node.kind());
        reader.add(&super::rule::BAD_TYPE, &at.spot(), message, hint);
        return Vec::new();
    }
    let items = reader.items_of(&at, "`command`");
    let mut argv = Vec::with_capacity(items.len());
    for item in &items {
        let Some(text) = reader.as_text(item, "every item of `command`") else { continue };
        if text.contains('\0') {
            let message = format!("`command` of {whose} holds a NUL character");
            reader.add(&EMPTY_COMMAND, &item.spot(), message, "no program can be given one");
        }
        argv.push(text);
    }
    let is_nothing = items.is_empty() || argv.first().is_some_and(|program| program.trim().is_empty());
    if is_nothing {
        let message = format!("`command` of {whose} names no program");
        reader.add(&EMPTY_COMMAND, &at.spot(), message, "the first item is the program");
    }
    argv
}

fn timeout(reader: &mut Reader, case: &At<'_>) -> Duration {
    let default = Duration::from_secs_f64(DEFAULT_TIMEOUT);
    let Some(at) = case.get("timeout_seconds") else { return default };
    let Value::Number(spelled) = &at.node.value else {
        let message = format!("`timeout_seconds` must be a number of seconds, not {}", at.node.kind());
        reader.add(&BAD_TIMEOUT, &at.spot(), message, "for example 30 or 0.5, without quotes");
        return default;
    };
    // Only a number that JSON allows comes here; one beyond all bounds becomes infinite, and is refused as that.
    let seconds: f64 = spelled.parse().unwrap_or(f64::NAN);
    if !(seconds > 0.0 && seconds <= CEILING) {
        let message = format!("`timeout_seconds` must be more than 0 and at most {CEILING}, not {}", quote(spelled));
        reader.add(&BAD_TIMEOUT, &at.spot(), message, "a trial needs some time, and none needs more than a week");
        return default;
    }
    if seconds < FLOOR {
        let message = format!("`timeout_seconds` of {} is raised to {FLOOR}", quote(spelled));
        reader.add(&RAISED_TIMEOUT, &at.spot(), message, "no process starts and ends reliably in less");
    }
    Duration::from_secs_f64(seconds.max(FLOOR))
}

/// `true`, or a description of the read-back. Null and numbers describe nothing.
fn readback(reader: &mut Reader, case: &At<'_>) -> Option<serde_json::Value> {
    let at = case.get("readback")?;
    if matches!(at.node.value, Value::Null | Value::Number(_)) {
        reader.wrong_type(&at, "`readback`", "true, false or a description");
        return None;
    }
    reader.as_json(&at, "`readback`")
}
