//! `bad-json`: the file is not strict JSON.

use super::registry::{Check, Rule};
use crate::diag::Severity;

pub(in crate::category_map) const RULE: Rule = Rule {
    code: "bad-json",
    severity: Severity::Error,
    what: "The file is not strict JSON in UTF-8: a syntax error, a byte order mark, a truncated file, or nesting without end.",
    why: "A reader that repairs what it cannot parse decides about tickets from a map that nobody wrote.",
    mend: "Go to the line and column of the finding; there are no comments and no trailing commas in JSON.",
    check: Check::Reading,
};

#[cfg(test)]
mod tests {
    use super::super::testing::only;

    #[test]
    fn broken_files_are_findings_with_a_place() {
        let finding = only("{\"schema\": \"x\",}");
        assert_eq!((finding.code, finding.place.line, finding.place.column), ("bad-json", Some(1), Some(16)));
        assert_eq!(only("").message, "the file is empty");
    }
}
