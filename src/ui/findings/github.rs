//! Findings as GitHub workflow commands, which become annotations of a pull request.

use super::json::safe_lines;
use crate::diag::{Diagnostic, Severity};
use crate::model::display_safe;

/// One workflow command per finding: `::error file=…,line=…,col=…,title=…::…`. Empty when there is none.
pub fn github(findings: &[Diagnostic]) -> String {
    findings.iter().map(command).collect()
}

fn command(finding: &Diagnostic) -> String {
    let name = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut properties = vec![format!("file={}", property(&display_safe(&finding.place.file)))];
    if let Some(line) = finding.place.line {
        properties.push(format!("line={line}"));
    }
    if let Some(column) = finding.place.column {
        properties.push(format!("col={column}"));
    }
    properties.push(format!("title={}", property(finding.code)));
    let mut message = safe_lines(&finding.message);
    if let Some(hint) = &finding.hint {
        message.push_str("\nhint: ");
        message.push_str(&safe_lines(hint));
    }
    format!("::{name} {}::{}\n", properties.join(","), data(&message))
}

/// Escapes the data of a command. Source of both escapes: `@actions/core`, `command.ts`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property's value, which also must not end the property or the list.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Place;

    #[test]
    fn no_text_can_start_a_command_or_a_property() {
        let finding = Diagnostic {
            code: "cycle",
            severity: Severity::Error,
            place: Place { line: Some(3), column: Some(7), ..Place::file("a,title=x::y%\n::warning::b.json") },
            message: "100% of\n::error::it".to_owned(),
            hint: Some("mend\r::it".to_owned()),
        };
        assert_eq!(
            github(&[finding]),
            "::error file=a%2Ctitle=x%3A%3Ay%25\\n%3A%3Awarning%3A%3Ab.json,line=3,col=7,title=cycle\
             ::100%25 of%0A::error::it%0Ahint: mend\\r::it\n"
        );
        assert_eq!(github(&[]), "");
    }
}
