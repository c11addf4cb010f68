//! `unknown-stream`: a signature that looks nowhere.

use super::registry::{Check, Rule};
use crate::category_map::build::stream;
use crate::category_map::nearest::{did_you_mean, nearest};
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

pub(super) const RULE: Rule = Rule {
    code: "unknown-stream",
    severity: Severity::Error,
    what: "`in` of a signature is not `problems`, `stdout` or `stderr`.",
    why: "A pattern that looks at a stream that does not exist never matches.",
    mend: "Write one of the three, or leave `in` out to look at all of them.",
    check: Check::Map(check),
};

fn check(map: &RawMap, found: &mut Findings) {
    for category in map.categories() {
        for text in category.signatures.iter().filter_map(|signature| signature.stream.get()) {
            if stream(&text.value).is_none() {
                let known = ["problems", "stdout", "stderr"];
                let hint = did_you_mean(&nearest(&text.value, known, 1))
                    .unwrap_or_else(|| "write problems, stdout or stderr, or leave `in` out".to_owned());
                found.add(&RULE, &text.spot, format!("{} is not a kind of evidence", quote(&text.value)), hint);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, map_with, only};

    #[test]
    fn there_are_three_streams() {
        let more = r#", "signatures": [{"id": "s", "pattern": "x", "in": "sterr"}]"#;
        let finding = only(&map_with(&category("a", more)));
        assert_eq!((finding.code, finding.hint.as_deref()), ("unknown-stream", Some("did you mean `stderr`?")));
    }
}
