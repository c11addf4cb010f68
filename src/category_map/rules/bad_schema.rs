//! `bad-schema`: another kind of document, or another version.

use super::registry::{Check, Rule};
use crate::category_map::nearest::did_you_mean;
use crate::category_map::place::{Findings, quote};
use crate::category_map::raw::RawMap;
use crate::diag::Severity;

/// The one schema that is read.
pub(in crate::category_map) const SCHEMA: &str = "agentic_evals.category_map.v1";

pub(in crate::category_map) const RULE: Rule = Rule {
    code: "bad-schema",
    severity: Severity::Error,
    what: "`schema` is missing, or it is not `agentic_evals.category_map.v1`; another schema is not looked at further.",
    why: "A later version may give the same fields another meaning, and a report or a manifest is not a map.",
    mend: "Write `\"schema\": \"agentic_evals.category_map.v1\"`, or pass the right file.",
    check: Check::Map(check),
};

/// True if the file names another schema, so that nothing else about it can be judged.
pub(in crate::category_map) fn is_other(map: &RawMap) -> bool {
    map.schema.get().is_some_and(|schema| schema.value != SCHEMA)
}

fn check(map: &RawMap, found: &mut Findings) {
    if map.schema.is_missing() {
        let hint = format!("add \"schema\": \"{SCHEMA}\"");
        found.add(&RULE, &map.spot, "the map does not say its schema", hint);
    } else if is_other(map)
        && let Some(schema) = map.schema.get()
    {
        let hint = if schema.value.starts_with("agentic_evals.category_map.") {
            format!("this version of greenloop reads {SCHEMA} only")
        } else {
            did_you_mean(&crate::category_map::nearest::nearest(&schema.value, [SCHEMA], 1))
                .unwrap_or_else(|| format!("a category map says {SCHEMA}"))
        };
        found.add(&RULE, &schema.spot, format!("{} is not a schema of category maps", quote(&schema.value)), hint);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{category, clean, map_with, only};

    #[test]
    fn only_this_schema_is_read() {
        let good = map_with(&category("a", ""));
        clean(&good);
        let later = only(&good.replace("map.v1", "map.v2"));
        assert_eq!((later.code, later.place.pointer.as_deref()), ("bad-schema", Some("/schema")));
        assert!(later.hint.unwrap().contains("reads agentic_evals.category_map.v1 only"));
        assert_eq!(only(&good.replace("\"schema\": \"agentic_evals.category_map.v1\", ", "")).code, "bad-schema");
    }

    #[test]
    fn another_kind_of_document_is_one_finding_and_not_a_flood() {
        let report = r#"{"schema": "agentic_evals.report.v2", "cases": [], "repo": {"sha": null}, "trials": 3}"#;
        assert_eq!(only(report).code, "bad-schema");
    }
}
