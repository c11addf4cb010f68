//! Manifests for tests of what is decided about them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::manifest::{Case, Manifest, parse};
use super::observation::{Artifact, Ended, Stream, TrialObservation};

/// A manifest with these cases; more top-level keys by `extra`.
pub(super) fn manifest(cases: &[Value], extra: Value) -> Manifest {
    let mut whole = json!({"version": 2, "trials": 2, "cases": cases});
    for (key, value) in extra.as_object().unwrap() {
        whole[key] = value.clone();
    }
    let loaded = parse("m.json", whole.to_string().as_bytes());
    loaded.manifest.unwrap_or_else(|| panic!("{:#?}", loaded.findings))
}

/// A case that runs `./shop`; more keys by `extra`.
pub(super) fn case(name: &str, extra: Value) -> Value {
    let mut case = json!({"name": name, "type": "positive", "command": ["./shop"], "expected": {"exit_code": 0}});
    for (key, value) in extra.as_object().unwrap() {
        case[key] = value.clone();
    }
    case
}

/// The only case of a manifest that supports nothing.
pub(super) fn alone(extra: Value) -> Case {
    manifest(&[case("a", extra)], json!({})).cases.remove(0)
}

/// A trial that ended with a code and these streams.
pub(super) fn trial(code: i32, stdout: &str, stderr: &str) -> TrialObservation {
    TrialObservation {
        ended: Ended::Exited(code),
        stdout: Stream::whole(stdout),
        stderr: Stream::whole(stderr),
        survivors: Vec::new(),
        artifacts: BTreeMap::new(),
    }
}

/// A file that the trial wrote.
pub(super) fn wrote(content: &str) -> Artifact {
    let sha256 = super::sha256::prefixed(content).replace("sha256:", "");
    Artifact::Written { size: content.len() as u64, sha256, content: Some(content.into()) }
}
