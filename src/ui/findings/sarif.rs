//! Findings as SARIF 2.1.0, which code-scanning services read.

use serde_json::{Value, json};

use super::json::safe_lines;
use crate::diag::{Diagnostic, Severity};
use crate::ui::json::json_document;

/// What SARIF says about a rule.
#[derive(Debug, Clone, Copy)]
pub struct RuleHelp {
    /// Its code.
    pub code: &'static str,
    /// Its usual severity.
    pub severity: Severity,
    /// What it says, in one sentence.
    pub what: &'static str,
    /// Why it is there.
    pub why: &'static str,
    /// How to mend.
    pub mend: &'static str,
}

/// One SARIF log with one run: all `rules`, and one result per finding. A finding whose code is not among the rules is
/// given without a rule index.
pub fn sarif(findings: &[Diagnostic], rules: &[RuleHelp]) -> String {
    let driver = json!({
        "name": "greenloop",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(rule).collect::<Vec<_>>(),
    });
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, rules)).collect();
    json_document(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results }],
    }))
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn rule(rule: &RuleHelp) -> Value {
    let help = format!("{}\n\nWhy: {}\n\nMend: {}", rule.what, rule.why, rule.mend);
    json!({
        "id": rule.code,
        "shortDescription": { "text": rule.what },
        "fullDescription": { "text": rule.why },
        "help": { "text": help },
        "defaultConfiguration": { "level": level(rule.severity) },
    })
}

fn result(finding: &Diagnostic, rules: &[RuleHelp]) -> Value {
    let mut text = safe_lines(&finding.message);
    if let Some(hint) = &finding.hint {
        text.push_str("\nhint: ");
        text.push_str(&safe_lines(hint));
    }
    let mut physical = json!({ "artifactLocation": { "uri": uri(&finding.place.file) } });
    if let Some(line) = finding.place.line {
        physical["region"] = json!({ "startLine": line });
        if let Some(column) = finding.place.column {
            physical["region"]["startColumn"] = json!(column);
        }
    }
    let mut location = json!({ "physicalLocation": physical });
    if let Some(pointer) = finding.place.pointer.as_ref().filter(|pointer| !pointer.is_empty()) {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": pointer }]);
    }
    let mut result = json!({
        "ruleId": finding.code,
        "level": level(finding.severity),
        "message": { "text": text },
        "locations": [location],
    });
    if let Some(index) = rules.iter().position(|rule| rule.code == finding.code) {
        result["ruleIndex"] = json!(index);
    }
    result
}

/// A file name as a URI reference (RFC 3986): everything but unreserved characters and slashes is percent-encoded.
fn uri(file: &str) -> String {
    let mut out = String::new();
    // A leading double slash would name a host.
    let file = file.strip_prefix("./").unwrap_or(file);
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            b'/' if !out.ends_with('/') => out.push('/'),
            b'/' => {}
            b'\\' if cfg!(windows) => out.push('/'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Place;

    const RULES: &[RuleHelp] = &[
        RuleHelp { code: "a-rule", severity: Severity::Warning, what: "A.", why: "B.", mend: "C." },
        RuleHelp { code: "b-rule", severity: Severity::Error, what: "A.", why: "B.", mend: "C." },
    ];

    /// The parts of the SARIF 2.1.0 schema that a log of this kind must satisfy (OASIS standard, sections 3.13 to 3.58).
    fn essential_schema() -> Value {
        let text = json!({ "type": "object", "required": ["text"], "properties": { "text": { "type": "string", "minLength": 1 } } });
        let level = json!({ "enum": ["none", "note", "warning", "error"] });
        let positive = json!({ "type": "integer", "minimum": 1 });
        let object = |properties: Value| json!({ "type": "object", "properties": properties });
        let list = |items: Value| json!({ "type": "array", "items": items });
        let with = |mut schema: Value, required: &[&str]| {
            schema["required"] = json!(required);
            schema
        };
        let rule = with(
            object(json!({
                "id": { "type": "string" },
                "shortDescription": text, "fullDescription": text, "help": text,
                "defaultConfiguration": object(json!({ "level": level })),
            })),
            &["id"],
        );
        let driver = with(object(json!({ "name": { "type": "string" }, "rules": list(rule) })), &["name"]);
        let physical = object(json!({
            "artifactLocation": object(json!({ "uri": { "type": "string", "format": "uri-reference" } })),
            "region": object(json!({ "startLine": positive, "startColumn": positive })),
        }));
        let location = object(json!({ "physicalLocation": physical, "logicalLocations": list(object(json!({}))) }));
        let result = with(
            object(json!({
                "ruleId": { "type": "string" },
                "ruleIndex": { "type": "integer", "minimum": -1 },
                "level": level, "message": text, "locations": list(location),
            })),
            &["message"],
        );
        let run = with(
            object(json!({
                "columnKind": { "enum": ["utf16CodeUnits", "unicodeCodePoints"] },
                "tool": with(object(json!({ "driver": driver })), &["driver"]),
                "results": list(result),
            })),
            &["tool"],
        );
        with(object(json!({ "version": { "const": "2.1.0" }, "runs": list(run) })), &["version", "runs"])
    }

    fn finding(file: &str) -> Diagnostic {
        Diagnostic {
            code: "b-rule",
            severity: Severity::Error,
            place: Place { line: Some(2), column: Some(5), pointer: Some("/a".to_owned()), ..Place::file(file) },
            message: "wrong \u{202e}".to_owned(),
            hint: Some("mend".to_owned()),
        }
    }

    #[test]
    fn the_log_has_the_shape_of_the_standard() {
        let log: Value = serde_json::from_str(&sarif(&[finding("a/b c%.json"), finding("x")], RULES)).unwrap();
        let validator = jsonschema::validator_for(&essential_schema()).unwrap();
        let errors: Vec<String> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let result = &log["runs"][0]["results"][0];
        assert_eq!((&result["ruleId"], &result["ruleIndex"]), (&json!("b-rule"), &json!(1)));
        assert_eq!(result["message"]["text"], "wrong \\u{202e}\nhint: mend");
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a/b%20c%25.json");
        let help = &log["runs"][0]["tool"]["driver"]["rules"][0];
        assert_eq!(
            (&help["help"]["text"], &help["defaultConfiguration"]["level"]),
            (&json!("A.\n\nWhy: B.\n\nMend: C."), &json!("warning"))
        );
    }

    #[test]
    fn an_empty_log_still_lists_the_rules() {
        let log: Value = serde_json::from_str(&sarif(&[], RULES)).unwrap();
        assert_eq!(log["runs"][0]["results"], json!([]));
        assert_eq!(log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn file_names_are_uri_references() {
        assert_eq!(uri("./maps/a:b.json"), "maps/a%3Ab.json");
        assert_eq!(uri("//host/x"), "/host/x");
        assert_eq!(uri("ü\n"), "%C3%BC%0A");
    }
}
