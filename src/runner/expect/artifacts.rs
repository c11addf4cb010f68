//! Checks of files that a trial had to write.

use serde_json::Value;

use crate::diag::findings::quote;
use crate::model::{display_safe, truncate_chars};
use crate::runner::exact::Exact;
use crate::runner::manifest::ArtifactExpectation;
use crate::runner::observation::{Artifact, TrialObservation};
use crate::runner::pointer::Pointer;

/// Longest value in a problem, in characters.
const SHOWN: usize = 200;

struct Written<'t> {
    size: u64,
    sha256: &'t str,
    content: Option<&'t [u8]>,
}

pub(super) fn check(wanted: &ArtifactExpectation, trial: &TrialObservation, problems: &mut Vec<String>) {
    let path = display_safe(&wanted.path);
    if wanted.absent {
        match trial.artifacts.get(&wanted.path) {
            Some(Artifact::Missing) => {}
            None => problems.push(not_looked_at(&path)),
            // Whether there is a file behind a closed folder or a link to the outside, nobody knows.
            Some(Artifact::Refused(why)) => {
                problems.push(format!("evidence integrity: {path} {}", display_safe(why)));
            }
            Some(_) => problems.push(format!("{path}: there != absent")),
        }
        return;
    }
    let file = match written(&wanted.path, trial) {
        Ok(file) => file,
        Err(problem) => {
            problems.push(problem);
            return;
        }
    };
    if let Some(min) = wanted.min_bytes.filter(|min| file.size < *min) {
        problems.push(format!("{path}: {} bytes != at least {min} bytes", file.size));
    }
    if let Some(sha256) = wanted.sha256.as_ref().filter(|sha256| *sha256 != file.sha256) {
        problems.push(format!("{path}: sha256:{} != sha256:{sha256}", file.sha256));
    }
    if let Some(other) = &wanted.equals_artifact {
        let theirs = match written(&other.path, trial) {
            Ok(theirs) => theirs,
            Err(problem) => {
                problems.push(problem);
                return;
            }
        };
        let places = (wanted.json_pointer.as_deref(), other.json_pointer.as_deref());
        if places == (None, None) {
            // Without pointers the two files are compared as they are, JSON or not.
            if file.sha256 != theirs.sha256 {
                let other = display_safe(&other.path);
                problems.push(format!("cross-artifact mismatch: {path} and {other} hold different bytes"));
            }
            return;
        }
        let (ours, theirs) = (at(&file, places.0), at(&theirs, places.1));
        let is_equal = matches!((&ours, &theirs), (Ok(ours), Ok(theirs)) if ours.equals(theirs));
        if !is_equal {
            let left = place(&wanted.path, places.0);
            let right = place(&other.path, places.1);
            problems.push(format!("cross-artifact mismatch: {left} {} != {right} {}", shown(ours), shown(theirs)));
        }
    } else if wanted.equals.is_some() || wanted.json_pointer.is_some() {
        let pointer = wanted.json_pointer.as_deref();
        let ours = at(&file, pointer);
        match (&wanted.equals, &ours) {
            (None, Ok(_)) => {}
            (Some(equals), Ok(ours)) if ours.equals(equals) => {}
            (equals, _) => {
                let equals = equals.clone().map_or_else(|| "a value".to_owned(), |equals| shown(Ok(equals)));
                problems.push(format!("{}: {} != {equals}", place(&wanted.path, pointer), shown(ours)));
            }
        }
    }
}

/// The file, if this trial wrote it; else the problem.
fn written<'t>(path: &str, trial: &'t TrialObservation) -> Result<Written<'t>, String> {
    let shown = display_safe(path);
    match trial.artifacts.get(path) {
        Some(Artifact::Written { size, sha256, content }) => {
            Ok(Written { size: *size, sha256, content: content.as_deref() })
        }
        Some(Artifact::Missing) => Err(format!("{shown}: missing")),
        Some(Artifact::Stale) => {
            Err(format!("evidence integrity: {shown} was there before and this trial did not write it"))
        }
        Some(Artifact::Refused(why)) => Err(format!("evidence integrity: {shown} {}", display_safe(why))),
        None => Err(not_looked_at(&shown)),
    }
}

fn not_looked_at(path: &str) -> String {
    format!("evidence integrity: {path} was not looked at")
}

/// The value that the pointer finds, or why there is none.
fn at(file: &Written<'_>, pointer: Option<&str>) -> Result<Exact, String> {
    let content = file.content.ok_or("too large to be read as JSON")?;
    let root: Value = serde_json::from_slice(content).map_err(|error| not_json(&error))?;
    let pointer = Pointer::parse(pointer.unwrap_or_default()).map_err(|error| error.to_string())?;
    pointer.find(&root).map_err(|stopped| stopped.to_string())?;
    // It is valid JSON, and so it is UTF-8. Now with every digit and every key.
    let root = Exact::of_valid(std::str::from_utf8(content).map_err(|_| "not JSON: not UTF-8")?);
    let duplicate = |key: &str| format!("not JSON: duplicate key {}", quote(key));
    let mut value = &root;
    for token in pointer.tokens() {
        value = match value {
            Exact::Object(members) => {
                let mut found = members.iter().filter(|(key, _)| key == token);
                let first = found.next().ok_or("nothing there")?;
                if found.next().is_some() {
                    return Err(duplicate(token));
                }
                &first.1
            }
            Exact::List(items) => token.parse().ok().and_then(|at: usize| items.get(at)).ok_or("nothing there")?,
            _ => return Err("nothing there".to_owned()),
        };
    }
    value.duplicate().map_or_else(|| Ok(value.clone()), |key| Err(duplicate(key)))
}

/// Without line and column: where a broken file breaks may differ from run to run.
fn not_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    format!("not JSON: {}", text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what))
}

fn place(path: &str, pointer: Option<&str>) -> String {
    display_safe(&format!("{path}{}", pointer.unwrap_or_default())).into_owned()
}

fn shown(value: Result<Exact, String>) -> String {
    match value {
        Ok(value) => truncate_chars(&display_safe(&value.to_string()), SHOWN).into_owned(),
        Err(why) => format!("({})", truncate_chars(&display_safe(&why), SHOWN)),
    }
}
