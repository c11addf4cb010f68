//! Every code that a fixture, the gate or a run can be told, with its reason: `docs/fixture-codes.md` is made from it.

use crate::diag::Severity;

/// A code, and what there is to say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleText {
    /// Kebab-case, stable across versions.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What is found.
    pub what: &'static str,
    /// Which failure it prevents.
    pub why: &'static str,
    /// What to do.
    pub mend: &'static str,
}

const fn error(code: &'static str, what: &'static str, why: &'static str, mend: &'static str) -> RuleText {
    RuleText { code, severity: Severity::Error, what, why, mend }
}

const fn warning(code: &'static str, what: &'static str, why: &'static str, mend: &'static str) -> RuleText {
    RuleText { code, severity: Severity::Warning, what, why, mend }
}

/// All of them: loading, the gate, the compliance tier, outcomes.
pub const ALL: &[RuleText] = &[
    error(
        "manifest-bad-json",
        "The file is not JSON, or not UTF-8.",
        "What cannot be read cannot be run.",
        "Mend the file at the place.",
    ),
    error(
        "manifest-bad-version",
        "`version` is missing or not 2.",
        "Another version means other things by the same words.",
        "Write `\"version\": 2`.",
    ),
    error(
        "manifest-bad-type",
        "A value has another type than its key needs.",
        "`\"false\"` or `1` in place of a boolean would silently mean something.",
        "Write the type that the message names.",
    ),
    error(
        "manifest-bad-number",
        "A number is out of range or not a whole one.",
        "`true` or `2.5` is no number of trials.",
        "Write a whole number in the range.",
    ),
    error(
        "manifest-bad-timeout",
        "`timeout_seconds` is no positive number.",
        "A case without a limit can hang the run.",
        "Write seconds, for example 30.",
    ),
    warning(
        "manifest-raised-timeout",
        "`timeout_seconds` is below 0.1 and counts as 0.1.",
        "No program starts in less.",
        "Write at least 0.1.",
    ),
    error(
        "manifest-missing-field",
        "A required key is missing.",
        "A default for it would decide an outcome unseen.",
        "Add the key.",
    ),
    error(
        "manifest-empty",
        "A list or a text is empty that must not be.",
        "An empty needle is in every output, so its check cannot fail.",
        "Fill it or remove the key.",
    ),
    error("manifest-empty-command", "`command` has no program.", "There is nothing to run.", "Name a program."),
    error(
        "manifest-unknown-word",
        "A word is not in its closed list.",
        "A misspelt class or type would count as nothing.",
        "Use a word of the list.",
    ),
    error(
        "manifest-unknown-expectation",
        "`expected` has a key that nobody checks.",
        "A dead oracle passes everything.",
        "Correct the spelling or remove the key.",
    ),
    error(
        "manifest-unknown-flag",
        "A mutation flag is not in the closed set.",
        "A change under another name would be undeclared.",
        "Use a flag of the set.",
    ),
    error(
        "manifest-unknown-claim",
        "A case or a seam names a claim that is not declared.",
        "Evidence for nothing proves nothing.",
        "Declare the claim or correct its id.",
    ),
    warning(
        "manifest-unknown-seam",
        "A case names a seam that is not declared.",
        "Coverage cannot count it.",
        "Declare the seam or correct its id.",
    ),
    warning(
        "manifest-likely-typo",
        "A key is unknown and looks like a known one.",
        "It would be ignored.",
        "Correct the spelling.",
    ),
    error(
        "manifest-duplicate-key",
        "A key stands twice in one object.",
        "Readers disagree about which one counts.",
        "Remove one.",
    ),
    error(
        "manifest-duplicate-name",
        "Two cases, claims or seams have the same name.",
        "A name is the identity across runs.",
        "Rename one.",
    ),
    error(
        "manifest-contradiction",
        "Two expectations exclude each other.",
        "The case could never pass.",
        "Remove one.",
    ),
    error(
        "manifest-self-comparison",
        "`equals_artifact` compares a file with itself, at the same place.",
        "What is compared with itself is always equal.",
        "Name the other file, or another place in this one.",
    ),
    error(
        "manifest-bad-pointer",
        "A JSON pointer is not RFC 6901.",
        "It would point nowhere, or somewhere else.",
        "Begin with `/`, or leave it empty for the whole file.",
    ),
    error(
        "manifest-bad-path",
        "The path of an artifact leaves the fixture's folder.",
        "A trial must not be judged by files of somebody else.",
        "Write the file below the folder.",
    ),
    error("manifest-bad-hash", "A digest is not 64 hexadecimal digits.", "It could never match.", "Write the SHA-256."),
    error("too-few-trials", "Fewer than two trials.", "One run is luck.", "Ask for at least 2 trials."),
    error(
        "only-positive",
        "No required case is negative or adversarial.",
        "A program that accepts everything would pass.",
        "Add a case that must be refused.",
    ),
    error(
        "no-real-world",
        "No required case exercises a live path.",
        "Stand-ins agree with whoever wrote them.",
        "Add a `real_world` case that starts the product.",
    ),
    error(
        "not-real-world",
        "A `real_world` case does not qualify.",
        "The flag alone proves nothing.",
        "Let it start the product without feeding it fixtures.",
    ),
    error(
        "trivial-case",
        "A command runs nothing but constants.",
        "It would pass without the product.",
        "Run the product.",
    ),
    error(
        "not-exercised",
        "A command does not run what `must_exercise` names.",
        "The case would pass without it.",
        "Run it, or correct `must_exercise`.",
    ),
    error(
        "compliance-minority",
        "Compliance: not a strict majority of cases is adversarial or negative.",
        "Compliance is about what must not happen.",
        "Add hostile cases.",
    ),
    error(
        "compliance-no-sampling",
        "Compliance: no case samples afresh.",
        "Fixed inputs can be learned by heart.",
        "Add a case that draws new samples.",
    ),
    error(
        "compliance-no-size",
        "Compliance: a sampling case does not state its size.",
        "Nobody can say how sure the result is.",
        "State it, for example `--samples 50`.",
    ),
    error(
        "compliance-too-few-samples",
        "Compliance: fewer than 50 samples.",
        "Rare failures stay unseen.",
        "Take at least 50.",
    ),
    warning(
        "missing-script",
        "An interpreter is given a script that is not there.",
        "It says so with an exit code, and a case that expects just that code would pass for ever.",
        "Correct the name, or check more than the exit code.",
    ),
    error(
        "case-failed",
        "A case failed.",
        "An expectation does not hold.",
        "Mend the product, or categorize the report.",
    ),
    error(
        "case-flaky",
        "The trials of a case disagree.",
        "A flaky pass is no pass.",
        "Find what differs between the trials.",
    ),
    error("case-blocked", "A case could not be judged.", "A blocked case is not green.", "Provide what it needs."),
    error("case-not-tested", "A case did not run to its end.", "Absence of evidence is no evidence.", "Run it."),
    error(
        "not-ready",
        "The whole is not READY.",
        "One reason each, from cases, claims, gate and completeness.",
        "Look at the reason.",
    ),
];

/// `docs/fixture-codes.md`: every code with its severity, what is found, why it matters and what to do.
pub fn markdown() -> String {
    let severity = |rule: &RuleText| if rule.severity == Severity::Error { "error" } else { "warning" };
    let mut out = String::from(
        "# Codes of fixtures and runs\n\nWhat `greenloop run` and `greenloop run --check` can find. Made from \
         `src/runner/rules.rs`; a test compares the two.\n\n| code | severity | says |\n|---|---|---|\n",
    );
    for rule in ALL {
        let what = rule.what.replace('|', "\\|");
        out.push_str(&format!("| [{0}](#{0}) | {1} | {what} |\n", rule.code, severity(rule)));
    }
    for rule in ALL {
        out.push_str(&format!("\n## {}\n\n{}\n\nWhy: {}\n\nMend: {}\n", rule.code, rule.what, rule.why, rule.mend));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Codes as they stand in the sources.
    fn codes(source: &str, before: &str) -> Vec<String> {
        source
            .split(before)
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .filter(|code| code.contains('-') && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn every_code_is_explained_once() {
        let mut used: Vec<String> = codes(include_str!("manifest/rule.rs"), "(\"");
        let (gate, compliance) = (include_str!("gate/mod.rs"), include_str!("gate/compliance.rs"));
        used.extend(codes(gate, "add(\"").into_iter().chain(codes(compliance, "add(\"")));
        used.extend(
            codes(include_str!("findings.rs"), "=> \"")
                .into_iter()
                .chain(codes(include_str!("findings.rs"), "code: \"")),
        );
        let known: BTreeSet<&str> = ALL.iter().map(|rule| rule.code).collect();
        assert_eq!(known.len(), ALL.len(), "each once");
        let used: BTreeSet<&str> = used.iter().map(String::as_str).collect();
        assert_eq!(used, known);
    }
}
