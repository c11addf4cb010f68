//! `invalid-pattern`: a signature pattern that cannot be compiled.

use super::evidence::Compiled;
use super::registry::{Check, Rule};
use crate::category_map::place::Findings;
use crate::category_map::raw::RawMap;
use crate::diag::Severity;
use crate::model::display_safe;

pub(super) const RULE: Rule = Rule {
    code: "invalid-pattern",
    severity: Severity::Error,
    what: "A signature pattern is not a regular expression of the `regex` crate, or compiles to more than 4 MiB.",
    why: "A pattern that is skipped leaves failures unclassified in the middle of a campaign.",
    mend: "Correct the pattern; the dialect is linear-time and has no look-around and no back-references.",
    check: Check::Evidence(check),
};

fn check(map: &RawMap, compiled: &Compiled, found: &mut Findings) {
    for (index, category) in map.categories().iter().enumerate() {
        for (signature, pattern) in category.signatures.iter().zip(compiled.signatures(index)) {
            if let (Some(text), Some(Err(error))) = (signature.pattern.get(), pattern) {
                let message = format!(
                    "a pattern of {} cannot be compiled: {}",
                    category.name(),
                    display_safe(&error.to_string())
                );
                let hint = if error.to_string().contains("look-around") || error.to_string().contains("backreference") {
                    "the dialect is linear-time; describe the text itself, or use two signatures"
                } else {
                    "to match a character such as ( or [ as it is, write two backslashes before it"
                };
                found.add(&RULE, &text.spot, message, hint.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_with, only};

    #[test]
    fn what_cannot_be_compiled_names_its_category() {
        for pattern in ["a(b", "(?=x)y", "(?:\\\\w{1000}){1000}"] {
            let more = format!(", \"signatures\": [{{\"id\": \"s\", \"pattern\": \"{pattern}\"}}]");
            let finding = only(&map_with(&category("a", &more)));
            assert_eq!(finding.code, "invalid-pattern", "{pattern}");
            assert_eq!(finding.place.pointer.as_deref(), Some("/categories/a/signatures/0/pattern"));
            assert!(finding.message.starts_with("a pattern of `n:r:a`"), "{}", finding.message);
        }
    }
}
