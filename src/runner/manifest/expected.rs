//! Reads the oracle of a case. Here unknown keys are errors: an expectation that nobody checks passes always.

use crate::diag::findings::{Spot, child, quote};
use crate::runner::exact::Exact;
use crate::runner::pointer::Pointer;

use super::path;
use super::reader::{At, Reader, nearest};
use super::rule::{BAD_HASH, BAD_PATH, BAD_POINTER, CONTRADICTION, SELF_COMPARISON, UNKNOWN_EXPECTATION};
use super::types::{ArtifactExpectation, EqualsArtifact, Expected};

const EXPECTED: [&str; 6] =
    ["exit_code", "stdout_contains", "stderr_contains", "stdout_excludes", "stderr_excludes", "artifacts"];
const ARTIFACT: [&str; 7] = ["path", "json_pointer", "equals", "min_bytes", "absent", "sha256", "equals_artifact"];
const OTHER: [&str; 2] = ["path", "json_pointer"];

const DEAD: &str = "every output holds the empty text: the check says nothing";
const HOPELESS: &str = "every output holds the empty text: the check fails always";

/// Exit codes that a process can have: 0 to 255, and minus the number of the signal that ended it.
const EXIT_CODES: (i64, i64) = (-64, 255);
/// Largest `min_bytes`: 2^53, beyond which JSON readers disagree about whole numbers.
const MAX_BYTES: i64 = 1 << 53;

/// Reads `expected` of the case that `whose` names.
pub(super) fn read(reader: &mut Reader, at: &At<'_>, whose: &str, folder: Option<&str>) -> Expected {
    if !reader.is_object(at, "`expected`") {
        return Expected::default();
    }
    refuse_unknown(reader, at, "`expected`", &EXPECTED);
    let whose = format!("`expected` of {whose}");
    let exit_code = reader
        .needed(at, "exit_code", &whose)
        .and_then(|code| reader.whole(&code, "`exit_code`", EXIT_CODES, "no process can exit with anything else"));
    let artifacts = reader.items(at, "artifacts");
    Expected {
        exit_code: exit_code.unwrap_or_default(),
        stdout_contains: reader.texts(at, "stdout_contains", DEAD),
        stderr_contains: reader.texts(at, "stderr_contains", DEAD),
        stdout_excludes: reader.texts(at, "stdout_excludes", HOPELESS),
        stderr_excludes: reader.texts(at, "stderr_excludes", HOPELESS),
        artifacts: artifacts.iter().filter_map(|item| artifact(reader, item, folder)).collect(),
    }
}

fn refuse_unknown(reader: &mut Reader, at: &At<'_>, what: &str, known: &[&str]) {
    for member in at.node.members().unwrap_or_default() {
        if !known.contains(&member.key.as_str()) {
            let spot = Spot::new(&child(&at.pointer, &member.key), &member.key_span);
            let hint = match nearest(&member.key, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("a check that nobody makes would pass always; known are {}", known.join(", ")),
            };
            reader.add(&UNKNOWN_EXPECTATION, &spot, format!("{what} has the unknown key {}", quote(&member.key)), hint);
        }
    }
}

fn artifact(reader: &mut Reader, at: &At<'_>, folder: Option<&str>) -> Option<ArtifactExpectation> {
    if !reader.is_object(at, "every item of `artifacts`") {
        return None;
    }
    refuse_unknown(reader, at, "an artifact", &ARTIFACT);
    let path = path_of(reader, at, "an artifact", folder);
    let json_pointer = pointer_of(reader, at);
    let equals = reader.any(at, "equals").and(at.get("equals")).map(|equals| Exact::of(equals.node));
    let min_bytes = at.get("min_bytes").and_then(|bytes| {
        let hint = "zero bytes is what every file has; leave it out instead";
        reader.whole(&bytes, "`min_bytes`", (1, MAX_BYTES), hint)
    });
    let absent = reader.flag(at, "absent").unwrap_or(false);
    let sha256 = sha256_of(reader, at);
    let equals_artifact = at.get("equals_artifact").and_then(|other| {
        reader.is_object(&other, "`equals_artifact`").then(|| {
            refuse_unknown(reader, &other, "`equals_artifact`", &OTHER);
            let path = path_of(reader, &other, "`equals_artifact`", folder);
            let json_pointer = pointer_of(reader, &other);
            path.map(|path| EqualsArtifact { path, json_pointer })
        })?
    });
    let others = ["json_pointer", "equals", "min_bytes", "sha256", "equals_artifact"];
    if absent && let Some(other) = others.iter().find(|key| at.get(key).is_some()) {
        let message = format!("an artifact cannot be `absent` and have `{other}`");
        reader.add(
            &CONTRADICTION,
            &at.start(),
            message,
            "a file that is not there has no content; keep one of the two",
        );
    }
    if at.get("equals").is_some() && at.get("equals_artifact").is_some() {
        let hint = "make two items of it, so that each says which of the two failed";
        reader.add(&CONTRADICTION, &at.start(), "an artifact has both `equals` and `equals_artifact`", hint);
    }
    let is_itself = |other: &&EqualsArtifact| {
        let same_file = path.as_ref().is_some_and(|path| path::is_same(path, &other.path, folder));
        let whole = |pointer: &Option<String>| pointer.clone().unwrap_or_default();
        same_file && whole(&json_pointer) == whole(&other.json_pointer)
    };
    if let Some(other) = equals_artifact.as_ref().filter(is_itself) {
        let message = format!("`equals_artifact` compares {} with itself at the same place", quote(&other.path));
        reader.add(&SELF_COMPARISON, &at.start(), message, "name the other file, or another place in this one");
    }
    Some(ArtifactExpectation {
        path: path?,
        json_pointer,
        equals,
        min_bytes: min_bytes.and_then(|bytes| u64::try_from(bytes).ok()),
        absent,
        sha256,
        equals_artifact,
    })
}

fn path_of(reader: &mut Reader, at: &At<'_>, whose: &str, folder: Option<&str>) -> Option<String> {
    let path = reader.needed(at, "path", whose)?;
    let text = reader.as_text(&path, "`path`")?;
    if let Err(refusal) = path::check(&text, folder) {
        let message = format!("the path {} {}", quote(&text), refusal.what);
        reader.add(&BAD_PATH, &path.spot(), message, refusal.hint);
        return None;
    }
    Some(text)
}

fn pointer_of(reader: &mut Reader, at: &At<'_>) -> Option<String> {
    let text = reader.text(at, "json_pointer")?;
    if let (Err(error), Some(pointer)) = (Pointer::parse(&text), at.get("json_pointer")) {
        reader.add(&BAD_POINTER, &pointer.spot(), format!("{} is no JSON pointer", quote(&text)), error.to_string());
        return None;
    }
    Some(text)
}

fn sha256_of(reader: &mut Reader, at: &At<'_>) -> Option<String> {
    let text = reader.text(at, "sha256")?;
    let hex = text.strip_prefix("sha256:").unwrap_or(&text);
    if hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Some(hex.to_ascii_lowercase());
    }
    let spot = at.get("sha256").map_or_else(|| at.start(), |hash| hash.spot());
    reader.add(&BAD_HASH, &spot, format!("{} is no SHA-256", quote(&text)), "write 64 hexadecimal digits");
    None
}
