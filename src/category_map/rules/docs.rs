//! The documentation of the rules, made from the rules.

use super::rules;
use crate::diag::Severity;

/// `docs/category-map-codes.md`: every code with its severity, what it says, why it is there and how to mend a map.
pub fn rules_markdown() -> String {
    let mut out = String::from(
        "# Codes of category-map findings\n\nMade from the rules in `src/category_map/rules/`; a test compares the two.\n\n\
         | code | severity | says |\n|---|---|---|\n",
    );
    let severity = |severity| if severity == Severity::Error { "error" } else { "warning" };
    for rule in rules() {
        let what = rule.what.replace('|', "\\|");
        out.push_str(&format!("| [{0}](#{0}) | {1} | {what} |\n", rule.code, severity(rule.severity)));
    }
    for rule in rules() {
        out.push_str(&format!(
            "\n## {}\n\n{}: {}\n\nWhy: {}\n\nMend: {}\n",
            rule.code,
            if rule.severity == Severity::Error { "Error" } else { "Warning" },
            rule.what,
            rule.why,
            rule.mend
        ));
    }
    out
}
