//! The text of a problem: what a signature is computed from and what people read first. It has to be the same for
//! the same failure (no stack frames) and different for different ones (not only `test failure`).

use super::parse::{Problem, ProblemKind};

/// Lines of the body that join the message.
const DETAIL_LINES: usize = 3;

/// `<type>: <message>`, then up to three lines of the body that say something new. Stack frames are left out of
/// both: they move with every edit of a file. The second value is true if that cut the message short.
pub(super) fn problem_text(problem: &Problem) -> (String, bool) {
    let whole = problem.message.trim();
    let message = before_frames(whole);
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
        text = format!("{what} without a message");
    }
    (text, message.len() < whole.len())
}

/// The part of a message above its first stack frame; all of it if it starts with one.
fn before_frames(message: &str) -> &str {
    let mut end = 0;
    for line in message.split_inclusive('\n') {
        if is_frame(line.trim()) && end > 0 {
            return message[..end].trim_end();
        }
        end += line.len();
    }
    message
}

/// The lines of a body that say what went wrong: of a Python traceback the last one, of pytest's excerpt those
/// marked with `E`, of other bodies the first ones, without the frame lines of `go test` and up to the first
/// stack frame.
fn details(body: &str) -> Vec<&str> {
    let mut lines = body.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
    if body.contains("Traceback (most recent call last)") {
        return lines.rfind(|line| !line.starts_with([' ', '\t'])).map(str::trim).into_iter().collect();
    }
    let lines: Vec<&str> = lines.map(str::trim).collect();
    let marked: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("E ")).map(str::trim).collect();
    let is_excerpt = lines.iter().any(|line| line.starts_with("> ") || *line == ">");
    let said = if is_excerpt && !marked.is_empty() { marked } else { lines };
    said.into_iter().filter(|line| !is_go_framing(line)).take_while(|line| !is_frame(line)).take(DETAIL_LINES).collect()
}

/// A line of a stack trace, as the JVM, JavaScript, .NET and Python write it.
fn is_frame(line: &str) -> bool {
    (line.starts_with("at ") && line.contains(['(', '/', '.']))
        || (line.starts_with("File \"") && line.contains("line "))
}

/// What `go test -v` prints around the output of every test.
fn is_go_framing(line: &str) -> bool {
    ["=== RUN", "=== PAUSE", "=== CONT", "=== NAME", "--- FAIL: ", "--- SKIP: ", "--- PASS: "]
        .iter()
        .any(|start| line.starts_with(start))
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
        .0
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

    #[test]
    fn pytest_and_go_say_what_went_wrong_in_the_middle() {
        let excerpt = "def test_sum():\n>       assert total() == 3\nE       assert 4 == 3\nE        + where 4 = total()\na.py:3: AssertionError";
        assert_eq!(text("", "assert 4 == 3", excerpt), "assert 4 == 3\n+ where 4 = total()");
        let go = "=== RUN   TestSum\n    sum_test.go:9: got 4, want 3\n--- FAIL: TestSum (0.00s)\n";
        assert_eq!(text("", "Failed", go), "Failed\nsum_test.go:9: got 4, want 3");
    }

    #[test]
    fn stack_frames_in_a_message_are_left_out_and_told() {
        let message = "Boom: no\n\tat x.Y.z(Y.java:3)\n\tat x.Y.a(Y.java:9)";
        let problem = Problem { message: message.to_owned(), ..Problem::default() };
        assert_eq!(problem_text(&problem), ("Boom: no".to_owned(), true));
        assert_eq!(text("", "at x.Y.z(Y.java:3)", ""), "at x.Y.z(Y.java:3)");
    }
}
