//! Problems by kind, and the limit of their length.

use crate::categorize::signature::{MAX_CHARS, normalize_problem};

#[test]
fn known_kinds_are_canonical() {
    for (input, expected) in [
        ("exit_code 137 != 0", "exit_code 137 != 0"),
        ("exit_code None != 0", "exit_code None != 0"),
        ("exit_code 1 != 0 after 5s", "exit_code 1 != 0 after <duration>"),
        ("stdout missing 'took 5ms on 10.0.0.1'", "stdout missing 'took 5ms on 10.0.0.1'"),
        ("stderr missing \"it's 5ms\" in 5ms", "stderr missing \"it's 5ms\" in <duration>"),
        ("stdout unexpectedly contains 'pid 7'", "stdout unexpectedly contains 'pid 7'"),
        ("precondition unmet: saw 'port 80 in use'", "precondition unmet: saw 'port 80 in use'"),
        ("external blocker: saw 'HTTP 429'", "external blocker: saw 'HTTP 429'"),
        ("stdout missing: 5ms", "stdout missing: <duration>"),
        ("out/2026-12-01.json: missing", "out/2026-12-01.json: missing"),
        ("/tmp/tmpabc12345/out.json: missing", "<tmp1>/out.json: missing"),
        ("out/5ms.json/total: 3 != 4", "out/5ms.json/total: 3 != 4"),
        ("out/a.json/at: '2026-12-01T00:00:00Z' != 'x'", "out/a.json/at: '<time>' != 'x'"),
        // The value of the expectation tells one failure from another; what was found may vary.
        ("out/a.json/for: \"5ms\" != \"6ms\"", "out/a.json/for: \"<duration>\" != \"6ms\""),
        (
            "a.json: \"1 != 2\" != {\"at\": \"2026-12-01T00:00:00Z\"}",
            "a.json: \"1 != 2\" != {\"at\": \"2026-12-01T00:00:00Z\"}",
        ),
        ("AssertionError: 3 != \"5ms\"", "AssertionError: 3 != \"<duration>\""),
        ("test.py: 3 != 4 after 5ms", "test.py: 3 != 4 after <duration>"),
        ("cross-artifact mismatch: a 5ms vs b 6ms", "cross-artifact mismatch: a <duration> vs b <duration>"),
        ("evidence integrity: pid 7", "evidence integrity: pid <pid1>"),
        ("timed out after 30s", "timed out after <duration>"),
        ("timed out after 30", "timed out after <duration>"),
        ("timed out after 0.5 seconds (pid 9)", "timed out after <duration> (pid <pid1>)"),
        ("timed out after 30 sheep", "timed out after <duration> sheep"),
        ("timed out after 1.5 sjo@example.com:", "timed out after <duration> <email1>:"),
        ("timed out after lunch", "timed out after lunch"),
        ("process group survived teardown: [123, 456]", "process group survived teardown"),
        ("process group survived teardown: 789", "process group survived teardown"),
        ("process group survived teardown: 12 (sleep)", "process group survived teardown: sleep"),
    ] {
        let once = normalize_problem(input);
        assert_eq!(once, expected, "{input:?}");
        assert_eq!(normalize_problem(&once), once, "not a fixed point: {input:?}");
    }
}

#[test]
fn long_problems_lose_repeated_lines_first() {
    let mut text = "start\n".to_owned();
    for millis in 0..2_000 {
        text.push_str(&format!("retry after {millis}ms\n"));
    }
    text.push_str("end");
    assert_eq!(normalize_problem(&text), "start\nretry after <duration>\nend");
}

#[test]
fn long_problems_keep_head_and_tail() {
    let mut text = String::new();
    for n in 0..5_000 {
        text.push_str(&format!("value {n}é\n"));
    }
    let short = normalize_problem(&text);
    assert!(short.starts_with("value 0é\nvalue 1é\n"));
    assert!(short.ends_with("value 4999é\n"));
    assert!(short.contains("\n[... middle left out ...]\n"));
    assert!(short.chars().count() <= MAX_CHARS);
    assert_eq!(normalize_problem(&short), short);
}

#[test]
fn repeated_lines_of_short_problems_stay() {
    assert_eq!(normalize_problem("a\na\na"), "a\na\na");
}
