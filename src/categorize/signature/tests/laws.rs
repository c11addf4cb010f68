//! Laws: a fixed point for any text, and the same result for texts that differ only in what is volatile.

use proptest::prelude::*;

use crate::categorize::signature::scanner::normalize_everywhere;
use crate::categorize::signature::{normalize, normalize_problem};

/// Pieces of all rules, whole and broken, with the bytes that join them.
fn nasty_piece() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "550e8400-e29b-41d4-a716-446655440000",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "1a2b3c4",
        "deadbeef",
        "<uuid1>",
        "<uuid2>",
        "<time>",
        "<duration>",
        "<tmp3>",
        "<ip",
        "<",
        ">",
        "10.0.0.1",
        "1.2.3.4.5",
        ":8080",
        ":80",
        "fe80::1",
        "::1",
        "::",
        "a::b",
        "12:34:56",
        ".789",
        "2026-12-01",
        "T",
        "12:34",
        "Z",
        "+01:00",
        "Dec  1 ",
        "Tue, ",
        "01 Dec 2026 ",
        "I1201 ",
        "5ms",
        "1.5 s",
        "3m20s",
        "5",
        "µs",
        "0x7f00aa11",
        "+0x1",
        "/tmp",
        "/tmp/",
        "tmpabc12345",
        "/x",
        "C:\\",
        "Users\\a\\AppData\\Local\\Temp\\",
        "%TEMP%",
        "$TMPDIR",
        "pid",
        "port ",
        "tid=",
        "line ",
        "\", ",
        "a.rs:12",
        "a.rs:12:5",
        ".py:",
        "http://",
        "file:///",
        "user:pw@",
        "host.example",
        "jo@example.com",
        "@",
        "@b.c",
        "password",
        "token",
        "secret",
        "=",
        ": ",
        "\"",
        "'",
        "\\",
        "Bearer ",
        "Basic ",
        "abcDefGhi",
        "sk-",
        "ghp_0123456789abcdefghij",
        "eyJhbGciOiJ9",
        ".",
        "-",
        "_",
        ",",
        " ",
        "\n",
        "\t",
        "(",
        ")",
        "[",
        "]",
        "]:",
        "x",
        "é",
        "“",
        "\u{a0}",
        "\u{1b}[0m",
        "\u{1b}",
        "\r\n",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "thread '",
        "' (",
        "1733056496",
        "ts=",
        "version ",
        "==",
        "sshd[",
        "1",
        "/",
        "#",
        "%",
        "code ",
        "Foo@",
        "1b2c3d4",
    ]);
    prop_oneof![8 => fixed.prop_map(str::to_owned), 1 => "[0-9a-f]{1,12}", 1 => "[ -~]{1,3}", 1 => "\\PC"]
}

fn nasty_text() -> impl Strategy<Value = String> {
    prop::collection::vec(nasty_piece(), 0..12).prop_map(|pieces| pieces.concat())
}

/// Sentences as tools write them; each `{}` is a place for something volatile.
const TEMPLATES: [(&str, Volatile); 16] = [
    ("request {} failed with 404", Volatile::Uuid),
    ("\"id\": \"{}\", \"count\": 3", Volatile::Uuid),
    ("worker (pid {}) exited with code 1", Volatile::Pid),
    ("[pid={}] killed", Volatile::Pid),
    ("open {}/out/report.json: no such file", Volatile::TempPath),
    ("E   FileNotFoundError: '{}/a.txt'", Volatile::TempPath),
    ("finished in {}", Volatile::Duration),
    ("--- FAIL: TestX ({})", Volatile::Duration),
    ("{} ERROR connection refused", Volatile::Time),
    ("[{}] step failed", Volatile::Time),
    ("dial tcp {}: connection refused", Volatile::Socket),
    ("GET http://{}/api/v1 returned 500", Volatile::Socket),
    ("HEAD is now at {}", Volatile::Git),
    ("<Foo object at {}>", Volatile::Address),
    ("panicked at src/lib.rs:{}: boom", Volatile::Line),
    ("  File \"a.py\", line {}, in f", Volatile::Line),
];

#[derive(Debug, Clone, Copy)]
enum Volatile {
    Uuid,
    Pid,
    TempPath,
    Duration,
    Time,
    Socket,
    Git,
    Address,
    Line,
}

/// A value of the kind, made from random numbers.
fn value(kind: Volatile, n: u64) -> String {
    match kind {
        Volatile::Uuid => {
            format!("{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}", n >> 32, n >> 48, n & 0xfff, (n >> 12) & 0xfff, n >> 16)
        }
        Volatile::Pid => (n % 4_000_000 + 1).to_string(),
        Volatile::TempPath => match n % 4 {
            0 => format!("/tmp/tmp{:08x}", n >> 32),
            1 => format!("/tmp/pytest-of-u{}/pytest-{}", n % 7, n >> 50),
            2 => format!("/private/var/folders/{:02x}/{:016x}0000gn/T/x.{:08x}1", n >> 56, n, n >> 32),
            _ => format!("/var/tmp/run-{}", n % 1_000_000 + 1_000),
        },
        Volatile::Duration => match n % 6 {
            0 => format!("{}ms", n % 10_000),
            1 => format!("{}.{:02}s", n % 500, n % 97),
            2 => format!("{}m{}s", n % 60, n % 59),
            3 => format!("{}µs", n % 1_000),
            4 => format!("{}.{} s", n % 60, n % 10),
            _ => format!("{} seconds", n % 100),
        },
        Volatile::Time => {
            let (month, day) = (n % 12 + 1, n % 28 + 1);
            let clock = format!("{:02}:{:02}:{:02}", n % 24, n % 60, (n >> 8) % 60);
            match n % 5 {
                0 => format!("2026-{month:02}-{day:02}T{clock}.{}Z", n % 1_000_000),
                1 => format!("2026-{month:02}-{day:02} {clock},{:03}", n % 1_000),
                2 => format!("2026/{month:02}/{day:02} {clock}"),
                3 => clock,
                _ => format!("Tue, {day:02} Dec 2026 {clock} +0{}00", n % 10),
            }
        }
        Volatile::Socket => format!("10.{}.{}.{}:{}", n % 256, (n >> 8) % 256, (n >> 16) % 256, n % 60_000 + 1_024),
        Volatile::Git => format!("a{:06x}1", n & 0xff_ffff),
        Volatile::Address => format!("0x{:012x}", n >> 16),
        Volatile::Line => (n % 5_000 + 1).to_string(),
    }
}

fn volatile_lines() -> impl Strategy<Value = Vec<(usize, u64, u64)>> {
    prop::collection::vec((0..TEMPLATES.len(), any::<u64>(), any::<u64>()), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn normalizing_twice_changes_nothing(text in nasty_text()) {
        let once = normalize(&text);
        prop_assert_eq!(normalize(&once), once);
    }

    /// The scanner only walks around triggers. It must find what a walk over every word finds.
    #[test]
    fn nothing_is_missed_between_triggers(text in nasty_text(), prose in "[a-zA-Z .,'-]{0,90}") {
        let text = format!("{text}{prose}{text}");
        prop_assert_eq!(normalize(&text), normalize_everywhere(&text));
    }

    /// Texts are looked at in blocks; where the blocks begin must not matter.
    #[test]
    fn what_stands_before_does_not_matter(text in nasty_text(), padding in 0..40_usize, prose in "[a-zA-Z .,'-]{0,60}") {
        let text = format!("{prose} {text}");
        let before = format!("{}\n", "~".repeat(padding));
        prop_assert_eq!(normalize(&format!("{before}{text}")), format!("{before}{}", normalize(&text)));
    }

    #[test]
    fn normalizing_a_problem_twice_changes_nothing(text in nasty_text(), kind in 0..4_usize) {
        let kinds = ["", "timed out after ", "process group survived teardown: ", "out/a.json: "];
        let once = normalize_problem(&format!("{}{text}", kinds[kind]));
        prop_assert_eq!(normalize_problem(&once), once);
    }

    #[test]
    fn any_text_is_normalized(text in "(?s).{0,200}") {
        let once = normalize(&text);
        prop_assert_eq!(normalize(&once), once);
        normalize_problem(&text);
    }

    /// Single lines, because two random values of one text may be equal in one text and not in the other.
    #[test]
    fn only_volatile_parts_differ_so_nothing_does(lines in volatile_lines()) {
        for (index, one, other) in lines {
            let (template, kind) = TEMPLATES[index];
            let (one, other) = (value(kind, one), value(kind, other));
            let first = normalize(&template.replace("{}", &one));
            prop_assert_eq!(&first, &normalize(&template.replace("{}", &other)), "{} / {}", one, other);
            prop_assert!(!first.contains(&one), "{} stayed in {}", one, first);
        }
    }

    #[test]
    fn equality_inside_one_text_survives(one in any::<u64>(), other in any::<u64>()) {
        let kinds = [Volatile::Uuid, Volatile::Socket, Volatile::Git, Volatile::Address];
        for kind in kinds {
            let (a, b) = (value(kind, one), value(kind, other));
            let same = normalize(&format!("{a} | {a}"));
            let (left, right) = same.split_once(" | ").unwrap();
            prop_assert_eq!(left, right);
            if a != b {
                prop_assert_ne!(normalize(&format!("{a} | {b}")), same);
            }
        }
    }
}
