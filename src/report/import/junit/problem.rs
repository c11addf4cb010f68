//! The text of a problem: what a signature is computed from and what people read first. It has to be the same for
//! the same failure (no stack frames) and different for different ones (not only `test failure`).

use super::parse::{Problem, ProblemKind};

/// Lines of the body that join the message.
const DETAIL_LINES: usize = 3;

/// `<type>: <message>`, then up to three lines of the body that say something new. Of a Python traceback that is
/// its last line; of other bodies the lines before the first stack frame.
pub(super) fn problem_text(problem: &Problem) -> String {
    let message = problem.message.trim();
    let kind = problem.kind_name.trim();
    let mut text = match (kind.is_empty(), message.is_empty()) {
        (false, false) if message.starts_with(kind) => message.to_owned(),
        (false, false) => format!("{kind}: {message}"),
        _ => format!("{kind}{message}"),
    };
    let only_kind = message.is_empty();
    for line in details(&problem.body) {
        if text.contains(line) {
            // The first line of a body often is `type: message` once more.
        } else if line.contains(text.as_str()) {
            line.clone_into(&mut text);
        } else {
            text.push_str(if only_kind && text == kind { ": " } else { "\n" });
            text.push_str(line);
        }
    }
    if text.is_empty() {
        let what = if problem.kind == ProblemKind::Error { "error" } else { "failure" };
        return format!("{what} without a message");
    }
    text
}

fn details(body: &str) -> Vec<&str> {
    let mut lines = body.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
    if body.contains("Traceback (most recent call last)") {
        return lines.rfind(|line| !line.starts_with([' ', '\t'])).map(str::trim).into_iter().collect();
    }
    lines.map(str::trim).take_while(|line| !is_frame(line)).take(DETAIL_LINES).collect()
}

/// A line of a stack trace, as the JVM, JavaScript, .NET and Python write it.
fn is_frame(line: &str) -> bool {
    (line.starts_with("at ") && line.contains(['(', '/', '.']))
        || (line.starts_with("File \"") && line.contains("line "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kind: &str, message: &str, body: &str) -> String {
        problem_text(&Problem {
            kind: ProblemKind::Failure,
            kind_name: kind.to_owned(),
            message: message.to_owned(),
            body: body.to_owned(),
            ..Problem::default()
        })
    }

    #[test]
    fn type_and_message_come_first() {
        assert_eq!(text("AssertionError", "1 != 2", ""), "AssertionError: 1 != 2");
        assert_eq!(text("E", "E: gone", ""), "E: gone");
        assert_eq!(text("", "gone", ""), "gone");
        assert_eq!(text("NullPointerException", "", " \n "), "NullPointerException");
        assert_eq!(text("", "", " "), "failure without a message");
    }

    #[test]
    fn the_body_adds_what_is_new_and_no_stack_frames() {
        assert_eq!(text("x.Err", "bad", "x.Err: bad\n\tat x.Y.z(Y.java:3)\n\tat a.B.c(B.java:4)"), "x.Err: bad");
        assert_eq!(text("x.Err", "", "x.Err: from setup\n\tat x.Y.z(Y.java:3)"), "x.Err: from setup");
        assert_eq!(text("", "", "error during go run"), "error during go run");
        assert_eq!(text("", "failed", "it failed: disk full"), "it failed: disk full");
        assert_eq!(text("E", "", "one\ntwo\nthree\nfour"), "E: one\ntwo\nthree");
        let trace =
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    assert a == 1\nTypeError: oops\n";
        assert_eq!(text("", "test failure", trace), "test failure\nTypeError: oops");
    }
}
