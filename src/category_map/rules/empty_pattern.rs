//! `empty-pattern`: a signature pattern that matches everything.

use super::evidence::Compiled;
use super::registry::{Check, Rule};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "empty-pattern",
    severity: Severity::Error,
    what: "A signature pattern is blank, or it matches the empty text.",
    why: "It would match every failure and pull all of them into one category.",
    mend: "Demand at least one character that only this failure shows; `x*` and `(x)?` also match nothing at all.",
    check: Check::Evidence(check),
};

fn check(map: &RawMap, compiled: &Compiled, found: &mut Findings) {
    for (index, category) in map.categories().iter().enumerate() {
        for (signature, pattern) in category.signatures.iter().zip(compiled.signatures(index)) {
            let Some(text) = signature.pattern.get() else { continue };
            let message = match pattern {
                None => format!("a pattern of {} is blank", category.name()),
                Some(Ok(regex)) if regex.is_match("") => {
                    format!("the pattern {} of {} matches every text", quote(&text.value), category.name())
                }
                _ => continue,
            };
            let hint = "write something that only this failure shows".to_owned();
            found.add(&RULE, &text.spot, message, hint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_with, only};

    #[test]
    fn patterns_that_match_nothing_in_particular_are_errors() {
        for pattern in ["", "  ", "x*", "(panic)?", "^", "a|"] {
            let more = format!(", \"signatures\": [{{\"id\": \"s\", \"pattern\": \"{pattern}\"}}]");
            assert_eq!(only(&map_with(&category("a", &more))).code, "empty-pattern", "{pattern:?}");
        }
    }
}
