//! What the gate and a run say about a fixture, as findings with places in its file: for people, CI and editors.

use crate::diag::findings::{Coded, Findings, Spot, quote};
use crate::diag::json::{self, Hints, Node};
use crate::diag::{Diagnostic, Severity};
use crate::model::Outcome;
use crate::report::OwnedReport;

use super::gate::GateVerdict;

const HINTS: Hints = Hints { empty: "", deep: "" };
/// Problems of a case that its finding tells.
const TOLD: usize = 5;

struct Rule {
    code: &'static str,
    severity: Severity,
}

impl Coded for Rule {
    fn code(&self) -> &'static str {
        self.code
    }

    fn severity(&self) -> Severity {
        self.severity
    }
}

/// The gate's violations, each at its case or at the start of the file. Warnings if the fixture is exempt.
pub fn gate_findings(file: &str, bytes: &[u8], verdict: &GateVerdict) -> Vec<Diagnostic> {
    let severity = if verdict.exempt.is_some() { Severity::Warning } else { Severity::Error };
    let mut about = About::new(bytes);
    for violation in &verdict.violations {
        let rule = Rule { code: violation.code, severity };
        about.add(&rule, violation.case.as_deref(), violation.message.clone());
    }
    about.finish(file)
}

/// Cases whose script is not there.
pub fn script_findings(file: &str, bytes: &[u8], missing: &[(String, String)]) -> Vec<Diagnostic> {
    let mut about = About::new(bytes);
    for (case, script) in missing {
        let rule = Rule { code: "missing-script", severity: Severity::Warning };
        let (case_name, script) = (quote(case), quote(script));
        let message = format!("{case_name} runs the script {script}, which is not in the fixture's folder");
        about.add(&rule, Some(case), message);
    }
    about.finish(file)
}

/// Cases that did not pass, each at its place in the fixture, and why the whole is not READY. Errors, except for cases
/// that are not required.
pub fn case_findings(file: &str, bytes: &[u8], report: &OwnedReport) -> Vec<Diagnostic> {
    let mut about = About::new(bytes);
    for reason in &report.readiness_reasons {
        let rule = Rule { code: "not-ready", severity: Severity::Error };
        about.add(&rule, None, format!("{}: {reason}", report.readiness.as_str()));
    }
    for case in &report.cases {
        let code = match case.outcome {
            Outcome::Pass => continue,
            Outcome::Fail if case.flaky => "case-flaky",
            Outcome::Fail => "case-failed",
            Outcome::Blocked => "case-blocked",
            Outcome::NotTested => "case-not-tested",
        };
        let severity = if case.required { Severity::Error } else { Severity::Warning };
        let mut problems: Vec<&str> = case.problems.iter().take(TOLD).map(String::as_str).collect();
        let more = format!("and {} more", case.problems.len().saturating_sub(TOLD));
        if case.problems.len() > TOLD {
            problems.push(&more);
        }
        let trials = format!("{} of {} trials passed", case.passed_trials, case.total_trials);
        about.add(
            &Rule { code, severity },
            Some(&case.name),
            format!("{}: {trials}; {}", case.name, problems.join("; ")),
        );
    }
    about.finish(file)
}

/// A fixture's text, and where its cases are.
struct About<'b> {
    text: &'b str,
    cases: std::collections::HashMap<String, Spot>,
    found: Findings,
}

impl<'b> About<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        let document = json::parse(bytes, HINTS);
        let mut cases = std::collections::HashMap::new();
        for (place, case) in document.root.as_ref().map_or(&[][..], list).iter().enumerate() {
            if let Some(name) = name(case) {
                cases.insert(name.to_owned(), Spot::new(&format!("/cases/{place}"), &case.span));
            }
        }
        Self { text: document.text, cases, found: Findings::about(document.text) }
    }

    fn add(&mut self, rule: &Rule, case: Option<&str>, message: String) {
        let start = Spot::new("", &(0..self.text.len().min(1)));
        let spot = case.and_then(|case| self.cases.get(case)).unwrap_or(&start).clone();
        // The start of the case is enough: an excerpt of all of it would hide the next one.
        let spot = Spot { span: spot.span.start..spot.span.start + spot.span.len().min(1), ..spot };
        self.found.add(rule, &spot, message, None);
    }

    fn finish(self, file: &str) -> Vec<Diagnostic> {
        self.found.into_diagnostics(file, self.text)
    }
}

fn list(root: &Node) -> &[Node] {
    let cases = root.members().and_then(|members| members.iter().find(|member| member.key == "cases"));
    match cases.map(|member| &member.value.value) {
        Some(json::Value::List(items)) => items,
        _ => &[],
    }
}

fn name(case: &Node) -> Option<&str> {
    let name = case.members()?.iter().find(|member| member.key == "name")?;
    if let json::Value::Text(text) = &name.value.value { Some(text) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::testing::{case, manifest};
    use serde_json::json;

    #[test]
    fn violations_stand_at_their_case() {
        let cases = [case("a", json!({})), case("b", json!({"command": ["true"]}))];
        let text = serde_json::to_string_pretty(&json!({"version": 2, "trials": 2, "cases": cases})).unwrap();
        let verdict = crate::runner::gate::gate(&manifest(&cases, json!({})), 2);
        let found = gate_findings("f.json", text.as_bytes(), &verdict);
        let trivial = found.iter().find(|finding| finding.code == "trivial-case").unwrap();
        assert_eq!(trivial.place.pointer.as_deref(), Some("/cases/1"));
        let line = text.lines().position(|line| line.contains("\"true\"")).unwrap();
        assert!(trivial.place.line.unwrap() < line && trivial.severity == Severity::Error, "{trivial:?}");
        let exempt = crate::runner::gate::gate(&manifest(&cases, json!({"eval_kind": "scaffold"})), 2);
        assert!(gate_findings("f.json", text.as_bytes(), &exempt).iter().all(|one| one.severity == Severity::Warning));
    }
}
