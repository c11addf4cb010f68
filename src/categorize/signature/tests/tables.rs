//! What each rule changes, and what it must leave alone, in lines as tools write them.

use crate::categorize::signature::normalize;

fn check(table: &[(&str, &str)]) {
    for (input, expected) in table {
        assert_eq!(normalize(input), *expected, "{input:?}");
        assert_eq!(normalize(expected), *expected, "not a fixed point: {expected:?}");
    }
}

fn kept(texts: &[&str]) {
    for text in texts {
        assert_eq!(normalize(text), *text);
    }
}

#[test]
fn placeholders_are_numbered_by_first_appearance() {
    let (a, b) = ("550e8400-e29b-41d4-a716-446655440000", "6fa459ea-ee8a-3ca4-894e-db77e160355e");
    check(&[
        (&format!("sent {a}, got {a}"), "sent <uuid1>, got <uuid1>"),
        (&format!("sent {a}, got {b}"), "sent <uuid1>, got <uuid2>"),
        (&format!("<uuid2> then {a}"), "<uuid1> then <uuid2>"),
        (&format!("<uuid7> {a} <uuid7>"), "<uuid1> <uuid2> <uuid1>"),
    ]);
    kept(&["<uuid1> <uuid2> <ip1> <time> <duration>", "<uuid> <foo1> <div> a < b > c <"]);
}

#[test]
fn secrets_are_redacted_and_words_are_not() {
    check(&[
        ("Authorization: Bearer abc123def456.xyz", "Authorization: Bearer <secret1>"),
        ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic <secret1>"),
        ("curl -H 'Bearer a1b2c3d4e5'", "curl -H 'Bearer <secret1>'"),
        ("API_TOKEN=s3cr3t next", "API_TOKEN=<secret1> next"),
        ("DB_PASSWORD='two words' x", "DB_PASSWORD='<secret1>' x"),
        (r#"{"clientSecret": "abc", "n": 1}"#, r#"{"clientSecret": "<secret1>", "n": 1}"#),
        (r#"{\"password\": \"abc\"}"#, r#"{\"password\": \"<secret1>\"}"#),
        ("GET /x?token=abc&page=2", "GET /x?token=<secret1>&page=2"),
        ("password: hunter2", "password: <secret1>"),
        ("x-api-key: 9f8e7d6c5b", "x-api-key: <secret1>"),
        ("secret_key = aB3dE5fG", "secret_key = <secret1>"),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345!", "<secret1>!"),
        ("github_pat_11ABCDEFG0abcdefghijkl_mnop", "<secret1>"),
        ("key sk-proj-abcdefghij0123456789 used", "key <secret1> used"),
        ("AKIAIOSFODNN7EXAMPLE and AKIAIOSFODNN7EXAMPLE", "<secret1> and <secret1>"),
        ("xoxb-123456789012-abcdef", "<secret1>"),
        ("glpat-abcdefghij0123456789", "<secret1>"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF_123", "<secret1>"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nend", "<secret1>\nend"),
        ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg, cut", "<secret1>, cut"),
    ]);
    kept(&[
        "Bearer token missing",
        "basic authentication failed",
        "unexpected token: foo",
        "SyntaxError: Unexpected token < in JSON",
        "password: required",
        "token=None and secret=null",
        "password=$DB_PASSWORD and token=${TOKEN}",
        r#""max_token": 5"#,
        "max_tokens=100",
        "if token == 'abc'",
        "task-force sk-learn",
        "-----BEGIN CERTIFICATE-----",
        "primary key: user_id",
    ]);
}

#[test]
fn network_names() {
    check(&[
        ("mail to jo.doe+x@mail.example.com.", "mail to <email1>."),
        ("http://localhost:8080/health?x=1", "http://<host1>/health?x=1"),
        ("see https://example.com.", "see https://<host1>."),
        ("git+ssh://git@github.com/a/b.git", "git+ssh://git@<host1>/a/b.git"),
        ("https://ghp_0123456789abcdefghij@github.com/a", "https://<secret1>@<host1>/a"),
        ("http://a.rs:12@🡠", "http://a.rs:<line>@🡠"),
        ("https://1a2b3c4@github.com/a", "https://1a2b3c4@<host1>/a"),
        ("postgres://app:pw@db.internal:5432/main", "postgres://<secret1>@<host1>/main"),
        ("http://[::1]:3000/x", "http://<host1>/x"),
        ("GET https://a.example/api/550e8400-e29b-41d4-a716-446655440000", "GET https://<host1>/api/<uuid1>"),
        ("dial tcp 127.0.0.1:43211: connect: connection refused", "dial tcp <ip1>: connect: connection refused"),
        ("10.0.0.1 -> 10.0.0.2 -> 10.0.0.1", "<ip1> -> <ip2> -> <ip1>"),
        ("subnet 10.1.2.0/24", "subnet <ip1>/24"),
        ("listen on [::1]:8080", "listen on [<ip1>]:<port1>"),
        ("from fe80::1ff:fe23:4567:890a: reset", "from <ip1>: reset"),
        ("2001:0db8:0000:0000:0000:ff00:0042:8329", "<ip1>"),
        ("mapped ::ffff:192.168.0.1.", "mapped <ip1>."),
        ("localhost:8080 refused", "localhost:<port1> refused"),
    ]);
    kept(&[
        "version 1.2.3.4",
        "1.2.3.4.5",
        "pkg-1.2.3.4.tar.gz",
        "pkg==1.2.3.4",
        "256.1.2.3",
        "a::b::c",
        "std::f64::consts",
        "dead::beef",
        "abc::d3::e4",
        "::std::mem",
        "aa:bb:cc:dd:ee:ff",
        "00:11:22:33:44:55",
        "16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48",
        "@pytest.mark.skip",
        "serde@1.0.1",
        "C::new",
    ]);
}

#[test]
fn identities() {
    check(&[
        ("traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "traceparent: <trace1>"),
        (&format!("00-{}-{}-01", "a".repeat(32), "b".repeat(16)), "<trace1>"),
        (
            "deadbeef-dead-beef-dead-beefdeadbeef and so on and so on and so on and so on, in prose",
            "<uuid1> and so on and so on and so on and so on, in prose",
        ),
        ("{550E8400-E29B-41D4-A716-446655440000}", "{<uuid1>}"),
        ("md5 d41d8cd98f00b204e9800998ecf8427e", "md5 <hash1>"),
        ("at da39a3ee5e6b4b0d3255bfef95601890afd80709", "at <hash1>"),
        ("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "sha256:<hash1>"),
        ("HEAD is now at 1a2b3c4 fix", "HEAD is now at <git1> fix"),
        ("merge a1b2c3d..e4f5a6b", "merge <git1>..<git2>"),
        ("ptr 0x7ffee4c0 and 0x7ffee4c0", "ptr <addr1> and <addr1>"),
        ("<Foo object at 0x7f1b2c3d4e5f>", "<Foo object at <addr1>>"),
        ("com.acme.Foo@1b2c3d4 != com.acme.Foo@5e6f7a8", "com.acme.Foo@<addr1> != com.acme.Foo@<addr2>"),
        ("[Ljava.lang.String;@7852e922", "[Ljava.lang.String;@<addr1>"),
        ("main.f(0xc000012345, 0x1)\n\t/src/a.go:12 +0x1d", "main.f(<addr1>, 0x1)\n\t/src/a.go:<line> +<addr2>"),
    ]);
    kept(&[
        "deadbeef in prose",
        "effaced facade",
        "1234567 items",
        "1234567e8",
        "build 20261399",
        "byte 0xff",
        "exit code 0xC0000005",
        "0xyz",
        "A1B2C3D",
        "a1b2c",
    ]);
}

#[test]
fn timestamps() {
    check(&[
        ("2026-12-01T12:34:56Z", "<time>"),
        ("at 2026-12-01T12:34:56.123456+01:00.", "at <time>."),
        ("2026-12-01 12:34:56,789 ERROR x", "<time> ERROR x"),
        ("2026-12-01 12:34:56.789 +0000 UTC m", "<time> UTC m"),
        ("2026/12/01 12:34:56 http: panic", "<time> http: panic"),
        ("on 2026-12-01 we", "on <time> we"),
        ("20261201T123456Z and 20261201-123456", "<time> and <time>"),
        ("Date: Tue, 01 Dec 2026 12:34:56 +0000", "Date: <time>"),
        ("Date: Tue, 01 Dec 2026 12:34:56 GMT", "Date: <time>"),
        ("Tue Dec  1 12:34:56 UTC 2026", "<time>"),
        ("Tue Dec  1 12:34:56 2026", "<time>"),
        ("Dec 01, 2026 1:02:03 PM com.acme.Main run", "<time> com.acme.Main run"),
        ("[01/Dec/2026:12:34:56 +0000] \"GET /\" 404", "[<time>] \"GET /\" 404"),
        ("12:34:56.789 [main] WARN", "<time> [main] WARN"),
        ("[12:34:56] step", "[<time>] step"),
        ("I1201 12:34:56.123456   12345 server.go:12] up", "I<time> <tid1> server.go:<line>] up"),
        ("E0102 01:02:03.000001       7 a.go:1] down", "E<time> <tid1> a.go:<line>] down"),
        ("Dec  1 12:34:56 web1 sshd[1234]: closed", "<time> web1 sshd[<pid1>]: closed"),
        ("timestamp=1733056496 ts: 1733056496123", "timestamp=<time> ts: <time>"),
        ("\"epoch\": 1733056496.25", "\"epoch\": <time>"),
        ("a 5:00:00 b", "a <time> b"),
    ]);
    kept(&[
        "ratio 16:9",
        "12:34",
        "25:61:61",
        "10:11:12:13",
        "2026-13-01",
        "May 5 items",
        "Sun rises",
        "March 2026",
        "ts=12",
        "E1234 failed",
        "items[12]: x",
        "1733056496",
    ]);
}

#[test]
fn durations() {
    check(&[
        ("took 5µs", "took <duration>"),
        ("took 5μs", "took <duration>"),
        ("in 3m20s.", "in <duration>."),
        ("in 1h2m3.5s", "in <duration>"),
        ("1.5 s", "<duration>"),
        ("(250ms)", "(<duration>)"),
        ("waited 30 seconds, 2 minutes", "waited <duration>, <duration>"),
        ("1,234 ms", "<duration>"),
        ("===== 1 failed, 2 passed in 0.12s (0:01:23) =====", "===== 1 failed, 2 passed in <duration> (<time>) ====="),
        (
            "test result: FAILED. 3 passed; 1 failed; finished in 0.01s",
            "test result: FAILED. 3 passed; 1 failed; finished in <duration>",
        ),
        ("--- FAIL: TestX (0.00s)", "--- FAIL: TestX (<duration>)"),
        ("FAIL\texample.com/x\t0.123s", "FAIL\texample.com/x\t<duration>"),
        ("  ✕ adds (5 ms)", "  ✕ adds (<duration>)"),
        (
            "Tests run: 3, Failures: 1, Time elapsed: 0.123 s <<< FAILURE!",
            "Tests run: 3, Failures: 1, Time elapsed: <duration> <<< FAILURE!",
        ),
        ("range 2-5ms", "range 2-<duration>"),
    ]);
    kept(&["python3s", "1.2.3s", "5 m", "3 items", "5 minds", "5mb", "x5s", "5s_", "5sé", "4 ms-dos"]);
}

#[test]
fn temporary_paths() {
    check(&[
        ("/tmp/tmpk3x9ab2c/out/report.json", "<tmp1>/out/report.json"),
        ("open /tmp/report.json: no such file", "open <tmp1>/report.json: no such file"),
        ("'/tmp/.tmpAbC123/x'", "'<tmp1>/x'"),
        ("/tmp/pytest-of-jo/pytest-12/test_foo0/a.txt", "<tmp1>/test_foo0/a.txt"),
        ("/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/tmp.AbCdEfGh/log", "<tmp1>/log"),
        ("/private/var/tmp/greenloop-a1b2c3/x", "<tmp1>/x"),
        ("/tmp/go-build123456/b001/x.test", "<tmp1>/b001/x.test"),
        ("/tmp/report2026.json", "<tmp1>/report2026.json"),
        ("cd /tmp && ls", "cd <tmp1> && ls"),
        ("/run/user/1000/x.sock", "<tmp1>/x.sock"),
        (r"C:\Users\Jo Doe\AppData\Local\Temp\tmpabc123\out.txt", r"<tmp1>\out.txt"),
        (r"C:\\Users\\jo\\AppData\\Local\\Temp\\x.txt", r"<tmp1>\\x.txt"),
        (r"%TEMP%\build-8f3a2b1c\log.txt", r"<tmp1>\log.txt"),
        ("$TMPDIR/a/b", "<tmp1>/a/b"),
        ("file:///tmp/tmpabcdefgh/a.py", "file://<tmp1>/a.py"),
        ("/tmp/x1y2z3/a /tmp/x1y2z3/b /tmp/q9w8e7/a", "<tmp1>/a <tmp1>/b <tmp2>/a"),
    ]);
    kept(&["/usr/lib/tmp/x", "src/tmp/x", "/tmpfoo/x", "./tmp/x", "/home/jo/x", r"C:\src\x", "read-only file"]);
}

#[test]
fn numbers_behind_keywords() {
    check(&[
        ("pid 1234 killed", "pid <pid1> killed"),
        ("(pid=1234, PID: 1234)", "(pid=<pid1>, PID: <pid1>)"),
        ("{\"pid\": 77, \"server_port\": 8080}", "{\"pid\": <pid1>, \"server_port\": <port1>}"),
        ("tid 9 on port 8080", "tid <tid1> on port <port1>"),
        ("goroutine 17 [running]:", "goroutine <tid1> [running]:"),
        ("(node:4242) Warning: x", "(node:<pid1>) Warning: x"),
        ("thread 'main' (12345) panicked at src/a.rs:1:2:", "thread 'main' (<tid1>) panicked at src/a.rs:<line>:"),
    ]);
    kept(&["support 5", "export 3 files", "exit code 137", "HTTP 404", "status 500", "rapid 5", "port 1.5"]);
}

#[test]
fn source_lines() {
    check(&[
        ("thread 'x' panicked at src/lib.rs:12:5:", "thread 'x' panicked at src/lib.rs:<line>:"),
        ("    a_test.go:44: got 3, want 4", "    a_test.go:<line>: got 3, want 4"),
        ("tests/test_a.py:12: AssertionError", "tests/test_a.py:<line>: AssertionError"),
        ("  File \"/app/a.py\", line 12, in f", "  File \"/app/a.py\", line <line>, in f"),
        ("\tat com.acme.Foo.bar(Foo.java:123)", "\tat com.acme.Foo.bar(Foo.java:<line>)"),
        ("    at Object.<anonymous> (src/a.test.ts:5:17)", "    at Object.<anonymous> (src/a.test.ts:<line>)"),
        ("src/a.ts(12,5): error TS2304", "src/a.ts(<line>): error TS2304"),
        ("   at A.B() in /src/A.cs:line 12", "   at A.B() in /src/A.cs:line <line>"),
    ]);
    kept(&["tests/test_a.py::test_b[1]", "items.rs:", "key:12", "a.rs:12x", "line 12", "test_a.py: 3 failed"]);
}

#[test]
fn escapes_and_spaces_come_first() {
    check(&[
        ("\u{1b}[31m5\u{1b}[0mms\r\nx\u{a0}y", "<duration>\nx y"),
        ("\u{1b}]8;;file:///tmp/a\u{7}pid\u{1b}]8;;\u{7} 12", "pid <pid1>"),
    ]);
}

#[test]
fn what_carries_meaning_stays() {
    kept(&[
        "exit_code 1 != 0",
        "expected 404, got 500",
        "3 of 5 checks failed",
        "assert 41 == 42",
        "read-only file system",
        "größe 5größe",
        "E       assert [1, 2] == [1, 3]",
        "error[E0308]: mismatched types",
        "index out of bounds: the len is 3 but the index is 5",
        "",
    ]);
}
