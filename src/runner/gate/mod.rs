//! The anti-slop gate: a fixture that could pass while it proves nothing is not run. Fails closed; every violation is
//! named at once. Only required cases count: what readiness can do without proves nothing about readiness.

mod compliance;
#[cfg(test)]
mod tests;

use super::entry::{Seen, stub_reason};
use super::manifest::{Case, CaseType, EvalKind, EvalTier, Manifest};
use crate::diag::findings::quote;

/// What the gate says about a fixture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateVerdict {
    /// The kind that exempts the fixture from the gate, if any. The report says so.
    pub exempt: Option<EvalKind>,
    /// Everything that keeps it from running, in the order of the rules and of the file. Of an exempt fixture: what
    /// would have kept it from running.
    pub violations: Vec<Violation>,
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Kebab-case code of the rule.
    pub code: &'static str,
    /// The case, if it is about one.
    pub case: Option<String>,
    /// What is wrong and what to do, in one sentence.
    pub message: String,
}

impl GateVerdict {
    /// True if the fixture may run.
    pub fn is_open(&self) -> bool {
        self.exempt.is_some() || self.violations.is_empty()
    }

    /// The sentence for the report about an exemption.
    pub fn exemption(&self) -> Option<String> {
        let kind = self.exempt?;
        let count = self.violations.len();
        let waived = format!("{count} violation{} waived", if count == 1 { "" } else { "s" });
        Some(format!("exempt from the gate as `{}`: {waived}; this is no evidence about a product", kind.as_str()))
    }
}

/// A case and what its command amounts to.
pub(super) struct Looked<'m> {
    pub(super) case: &'m Case,
    pub(super) seen: Seen,
}

/// Judges a fixture that is to run with `trials` trials per case.
pub fn gate(manifest: &Manifest, trials: u32) -> GateVerdict {
    let look = |case| Looked { case, seen: Seen::of(&case.command) };
    let cases: Vec<Looked> = manifest.cases.iter().map(look).collect();
    let required = || cases.iter().filter(|looked| looked.case.required);
    let mut violations = Vec::new();
    let mut add = |code, case: Option<&Case>, message: String| {
        violations.push(Violation { code, case: case.map(|case| case.name.as_str().to_owned()), message });
    };
    if trials < 2 {
        add("too-few-trials", None, format!("`trials` is {trials}; one run is no evidence, ask for at least 2"));
    }
    if !required().any(|looked| is_hostile(looked.case)) {
        let message = "no required case is negative or adversarial; add one that must be refused".to_owned();
        add("only-positive", None, message);
    }
    if !required().any(|looked| is_real(manifest, looked)) {
        let message = "no required case with `real_world` reaches an entry point of the product without feeding itself \
                       stand-ins";
        add("no-real-world", None, message.to_owned());
        for looked in cases.iter().filter(|looked| looked.case.real_world) {
            let name = quote(looked.case.name.as_str());
            if !looked.case.required {
                add("not-real-world", Some(looked.case), format!("{name} is not required, so it does not count"));
            }
            if !looked.seen.reaches_entry_point() {
                add("not-real-world", Some(looked.case), format!("{name} starts nothing but constants and plumbing"));
            }
            if let Some(reason) = stub_reason(manifest, looked.case, &looked.seen) {
                add("not-real-world", Some(looked.case), format!("{name}: {reason}"));
            }
        }
    }
    for looked in &cases {
        let name = quote(looked.case.name.as_str());
        if looked.seen.is_trivial() {
            let message =
                format!("{name} runs nothing but constants ({}); it would pass without the product", shown(looked));
            add("trivial-case", Some(looked.case), message);
        }
        for wanted in &looked.case.must_exercise {
            if !looked.seen.exercises(wanted) {
                let message = format!("{name} must exercise {} and its command does not run it", quote(wanted));
                add("not-exercised", Some(looked.case), message);
            }
        }
    }
    if manifest.eval_tier == Some(EvalTier::Compliance) {
        compliance::check(&cases, &mut add);
    }
    GateVerdict { exempt: manifest.eval_kind, violations }
}

/// It says what must not happen.
pub(super) const fn is_hostile(case: &Case) -> bool {
    matches!(case.case_type, CaseType::Negative | CaseType::Adversarial)
}

fn is_real(manifest: &Manifest, looked: &Looked<'_>) -> bool {
    let is_fed = stub_reason(manifest, looked.case, &looked.seen).is_some();
    looked.case.real_world && looked.seen.reaches_entry_point() && !is_fed
}

fn shown(looked: &Looked<'_>) -> String {
    let mut programs: Vec<String> = looked.seen.simple.iter().map(|simple| quote(simple.program())).collect();
    programs.dedup();
    if programs.is_empty() { "no command at all".to_owned() } else { programs.join(", ") }
}
