//! Text made to be slow or to break the scanner. A quadratic rule would need many minutes for these, so the
//! suite would not end: linearity needs no clock.

use crate::categorize::signature::normalize;

const SIZE: usize = 1 << 18;

#[test]
fn a_long_text_of_anything_ends() {
    let units = [
        "a:a:a:",
        "1:1:1:",
        "1",
        "1.",
        "1,",
        "111,",
        "1,111m",
        "1.1m",
        "1m",
        "a.",
        "a@",
        "a.b@",
        "@",
        ":",
        "::",
        "a::",
        "1::",
        "<",
        "<uuid",
        "<uuid1",
        "/tmp/",
        "/tmp/=",
        "/tmp/a:",
        "%TEMP%",
        "$TMPDIR/",
        r"C:\",
        r"C:\temp\",
        "a://",
        "a://b@",
        "file:///",
        "secret:",
        "secret=$",
        "token='",
        r"token='\'",
        r#"token=\""#,
        "token=\"a",
        "Bearer ",
        "Basic a1b2c3d4 ",
        "sk-",
        "eyJ.",
        "eyJaaaaaaaaaa.",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY----- -----END ",
        "0x",
        "Dec  1 12:34:56 a b[",
        "I1201 12:34:56.1 ",
        "thread '",
        "pid 1 ",
        "a.rs:1:",
        "2026-12-01T",
        "\u{1b}]",
        "\u{1b}[",
        "\u{9d}",
        "\u{1b}",
        "\r",
        "µ5µs",
        "é",
        "“",
        "deadbee1-",
    ];
    for unit in units {
        let text = unit.repeat(SIZE / unit.len());
        let once = normalize(&text);
        assert!(normalize(&once) == once, "not a fixed point: {unit:?} repeated");
    }
}

/// Distinct values, so that the numbering itself must be linear.
#[test]
fn many_distinct_values_are_numbered() {
    let mut text = String::new();
    for n in 0..30_000 {
        text.push_str(&format!("550e8400-e29b-41d4-a716-{n:012x} "));
    }
    let normalized = normalize(&text);
    assert!(normalized.ends_with("<uuid30000> "));
    assert!(normalize(&normalized) == normalized);
}
