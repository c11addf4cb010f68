//! Findings as JSON: `greenloop.findings.v1`.

use serde::Serialize;

use crate::diag::{Diagnostic, Severity};
use crate::model::display_safe;
use crate::ui::json::json_document;

/// The document `greenloop.findings.v1`. Keys are declared in sorted order.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[schemars(title = "greenloop.findings.v1")]
pub struct FindingsOutput {
    /// All findings, in the order of the files and of the places in them.
    pub findings: Vec<FindingOutput>,
    /// True if no finding is an error.
    pub ok: bool,
    /// `greenloop.findings.v1`.
    pub schema: &'static str,
}

/// One finding.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct FindingOutput {
    /// Kebab-case code of the rule.
    pub code: &'static str,
    /// Column in characters, counted from 1.
    pub column: Option<usize>,
    /// The file, as the user named it.
    pub file: String,
    /// What to do.
    pub hint: Option<String>,
    /// Line, counted from 1.
    pub line: Option<usize>,
    /// What is wrong; text of the file in it is cut, on one line, and without invisible characters.
    pub message: String,
    /// JSON pointer (RFC 6901) of the value.
    pub pointer: Option<String>,
    /// Error or warning.
    pub severity: Severity,
}

impl FindingsOutput {
    /// The document about these findings.
    pub fn new(findings: &[Diagnostic]) -> Self {
        Self {
            findings: findings.iter().map(FindingOutput::new).collect(),
            ok: findings.iter().all(|finding| finding.severity != Severity::Error),
            schema: "greenloop.findings.v1",
        }
    }
}

impl FindingOutput {
    fn new(finding: &Diagnostic) -> Self {
        Self {
            code: finding.code,
            column: finding.place.column,
            file: finding.place.file.clone(),
            hint: finding.hint.as_deref().map(safe_lines),
            line: finding.place.line,
            message: safe_lines(&finding.message),
            pointer: finding.place.pointer.clone(),
            severity: finding.severity,
        }
    }
}

/// Every line made safe for display; the line breaks between them are greenloop's own.
pub(super) fn safe_lines(text: &str) -> String {
    text.lines().map(display_safe).collect::<Vec<_>>().join("\n")
}

/// The findings as one indented JSON document with a line break at its end. File names and pointers keep their exact
/// value; characters that could act in a terminal are written as escapes.
pub fn json(findings: &[Diagnostic]) -> String {
    json_document(&FindingsOutput::new(findings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Place;
    use crate::model::is_unsafe_for_display;

    #[test]
    fn values_are_exact_and_bytes_are_harmless() {
        let file = "a\u{202e}b\u{e0041}\u{1b}.json";
        let finding = Diagnostic {
            code: "x",
            severity: Severity::Error,
            place: Place { pointer: Some("/\u{9b}".to_owned()), ..Place::file(file) },
            message: "one\ntwo \u{202e}".to_owned(),
            hint: None,
        };
        let text = json(&[finding]);
        assert!(!text.chars().any(|c| c != '\n' && is_unsafe_for_display(c)), "{text}");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["findings"][0]["file"], file);
        assert_eq!(value["findings"][0]["pointer"], "/\u{9b}");
        assert_eq!(value["findings"][0]["message"], "one\ntwo \\u{202e}");
        assert_eq!(value["ok"], false);
        assert_eq!(value["findings"][0]["line"], serde_json::Value::Null);
    }

    #[test]
    fn the_document_fits_its_own_schema() {
        let schema = serde_json::to_value(schemars::schema_for!(FindingsOutput)).unwrap();
        let finding = Diagnostic {
            code: "x",
            severity: Severity::Warning,
            place: Place::file("f"),
            message: "m".to_owned(),
            hint: Some("h".to_owned()),
        };
        let value: serde_json::Value = serde_json::from_str(&json(&[finding])).unwrap();
        assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&value), "{value}");
        assert_eq!(value["ok"], true);
    }
}
