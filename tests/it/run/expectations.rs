//! Every expectation, met and not met and at its edges, each from a real child process.

use serde_json::{Value, json};

use super::{Stage, as_nobody, case, expects, outcomes, public_program, sh, table};

/// One case with one expectation about one file that it writes.
fn file(name: &str, script: &str, artifact: Value) -> Value {
    expects(name, script, &json!({"artifacts": [artifact]}))
}

/// Writes this text to the file `a`.
fn writes(text: &str) -> String {
    format!("printf '%s' '{text}' > a")
}

#[test]
fn exit_codes_and_streams() {
    let stage = Stage::new(&[
        expects("exit 0 is 0", "exit 0", &json!({})),
        expects("exit 7 is 7", "exit 7", &json!({"exit_code": 7})),
        expects("exit 255 is 255", "exit 255", &json!({"exit_code": 255})),
        expects("exit 1 is not 0", "exit 1", &json!({})),
        expects("exit 256 is what the kernel makes of it", "exit 256", &json!({"exit_code": 1})),
        expects("killed by 9 is not 137", "kill -9 $$", &json!({"exit_code": 137})),
        expects("exit 137 is not killed by 9", "exit 137", &json!({"exit_code": -9})),
        expects("killed by 15 is minus 15", "kill -15 $$", &json!({"exit_code": -15})),
        expects("aborted is not 0", "kill -6 $$", &json!({})),
        expects("contains", "echo one two", &json!({"stdout_contains": ["one", "e t", "two\n"]})),
        expects("contains not", "echo one", &json!({"stdout_contains": ["two", "ONE"]})),
        expects("the other stream is not searched", "echo one >&2", &json!({"stdout_contains": ["one"]})),
        expects("stderr contains", "echo one >&2", &json!({"stderr_contains": ["one"]})),
        expects("stderr contains not", "echo one", &json!({"stderr_contains": ["one"]})),
        expects("excludes", "echo one", &json!({"stdout_excludes": ["two"]})),
        expects("excludes not", "echo one", &json!({"stdout_excludes": ["one", "two"]})),
        expects("stderr excludes", "echo one >&2", &json!({"stderr_excludes": ["two"]})),
        expects("stderr excludes not", "echo one >&2", &json!({"stderr_excludes": ["one"]})),
        expects("a needle with quotes and lines", "true", &json!({"stdout_contains": ["it's\n\"so\"\u{1b}[31m"]})),
        expects(
            "a carriage return is kept",
            "printf 'a\\r\\n'",
            &json!({"stdout_contains": ["a\r\n"], "stdout_excludes": ["a\n"]}),
        ),
        expects("not UTF-8 is visible", "printf 'a\\377b'", &json!({"stdout_contains": ["a\\xffb"]})),
        expects("NUL is kept", "printf 'a\\000b'", &json!({"stdout_contains": ["a\u{0}b"]})),
        expects("composed is not decomposed", "printf 'e\\314\\201'", &json!({"stdout_contains": ["é"]})),
        expects(
            "all at once",
            "echo x; echo y >&2; exit 3",
            &json!({"stdout_contains": ["a"], "stdout_excludes": ["x"], "stderr_contains": ["b"], "stderr_excludes": ["y"]}),
        ),
        expects(
            "the start and the end of much are known",
            "echo start; head -c 2000000 /dev/zero; echo end",
            &json!({"stdout_contains": ["start", "end"]}),
        ),
        expects(
            "the middle of much is not known",
            "head -c 1000000 /dev/zero; echo middle; head -c 1000000 /dev/zero",
            &json!({"stdout_contains": ["middle"]}),
        ),
        expects("nor that it lacks something", "head -c 2000000 /dev/zero", &json!({"stdout_excludes": ["middle"]})),
        sh("no such program", "", &json!({"command": ["no-such-program-here", "x"]})),
        sh("not executable", "", &json!({"command": ["./plain.txt"]})),
        sh("a folder is no program", "", &json!({"command": ["./folder"]})),
        sh(
            "time out",
            "echo before; sleep 60",
            &json!({"timeout_seconds": 0.3, "expected": {"exit_code": 0, "stdout_contains": ["never"]}}),
        ),
        sh("a stopped command is out of time", "kill -STOP $$; exit 0", &json!({"timeout_seconds": 0.3})),
        sh("standard input is empty", "", &json!({"command": ["cat"], "timeout_seconds": 5})),
        expects("there is no terminal", "exec 3</dev/tty && exit 0; exit 2", &json!({"exit_code": 2})),
        sh(
            "a broken pipe ends a writer as usual",
            "",
            &json!({"command": ["bash", "-c", "yes | head -n 1; exit ${PIPESTATUS[0]}"], "expected": {"exit_code": 141}}),
        ),
        sh(
            "arguments arrive as they are",
            "",
            &json!({"command": ["printf", "%s|", "a b", "", "$HOME", "*", "'"], "expected": {"exit_code": 0, "stdout_contains": ["a b||$HOME|*|'|"]}}),
        ),
        sh(
            "it runs in the fixture's folder",
            "",
            &json!({"command": ["cat", "plain.txt"], "expected": {"exit_code": 0, "stdout_contains": ["plain"]}}),
        ),
    ]);
    stage.write("evals/plain.txt", "plain");
    std::fs::create_dir(stage.path("evals/folder")).unwrap();
    let report = stage.reported(&["--jobs", "2"]);
    insta::assert_snapshot!(table(&report));
    let code = |name: &str| &case(&report, name)["trials"][0]["exit_code"];
    assert_eq!((code("killed by 9 is not 137"), code("exit 137 is not killed by 9")), (&json!(-9), &json!(137)));
    assert_eq!((code("time out"), code("no such program")), (&Value::Null, &Value::Null));
    assert_eq!(case(&report, "time out")["trials"][0]["timed_out"], true);
    assert_eq!(case(&report, "time out")["trials"][0]["stdout"], "before\n", "what there was is kept");
}

#[test]
fn files_that_a_trial_writes() {
    let json_file = |name: &str, text: &str, pointer: &str, equals: Value| {
        file(name, &writes(text), json!({"path": "a", "json_pointer": pointer, "equals": equals}))
    };
    let digest = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
    let pair = |name: &str, a: &str, b: &str, ours: Option<&str>, theirs: Option<&str>| {
        let script = format!("printf '%s' '{a}' > a; printf '%s' '{b}' > b");
        let mut artifact = json!({"path": "a", "equals_artifact": {"path": "b"}});
        if let Some(pointer) = ours {
            artifact["json_pointer"] = pointer.into();
        }
        if let Some(pointer) = theirs {
            artifact["equals_artifact"]["json_pointer"] = pointer.into();
        }
        file(name, &script, artifact)
    };
    let stage = Stage::new(&[
        file("there", &writes("x"), json!({"path": "a", "min_bytes": 1})),
        file("not there", "true", json!({"path": "nothing", "min_bytes": 1})),
        file("in a folder that is not there", "true", json!({"path": "no/where", "min_bytes": 1})),
        file("a folder is no file", "mkdir -p d", json!({"path": "d", "min_bytes": 1})),
        file("a name with spaces and more", "printf x > 'ä b\"c'", json!({"path": "ä b\"c", "min_bytes": 1})),
        file("enough bytes", &writes("four"), json!({"path": "a", "min_bytes": 4})),
        file("too few bytes", &writes("four"), json!({"path": "a", "min_bytes": 5})),
        file("empty", ": > a", json!({"path": "a", "min_bytes": 1})),
        file("digest", &writes("foo"), json!({"path": "a", "sha256": digest})),
        file("another digest", &writes("fop"), json!({"path": "a", "sha256": digest})),
        file("absent", "rm -f a", json!({"path": "a", "absent": true})),
        file("not absent", &writes("x"), json!({"path": "a", "absent": true})),
        file("absent where a link hangs", "ln -sfn nowhere hanging", json!({"path": "hanging", "absent": true})),
        json_file("a value", r#"{"k": [1, {"x": "y"}]}"#, "/k/1/x", json!("y")),
        json_file("the whole file", r#"{"b": 1, "a": [2]}"#, "", json!({"a": [2], "b": 1})),
        json_file("escapes in a pointer", r#"{"a/b": {"m~n": 0}}"#, "/a~1b/m~0n", json!(0)),
        json_file("another value", r#"{"k": 1}"#, "/k", json!(2)),
        json_file("no such place", r#"{"k": [1]}"#, "/k/1", json!(1)),
        json_file("through a number", r#"{"k": 1}"#, "/k/x", json!(1)),
        json_file("one is not true", r#"{"k": 1}"#, "/k", json!(true)),
        json_file("true is not a text", r#"{"k": true}"#, "/k", json!("true")),
        json_file("null is a value", r#"{"k": null}"#, "/k", Value::Null),
        json_file("null is not missing", "{}", "/k", Value::Null),
        json_file("null is not false", r#"{"k": null}"#, "/k", json!(false)),
        json_file("1.0 is 1", r#"{"k": 1.0}"#, "/k", json!(1)),
        json_file("2^53 and one more", r#"{"k": 9007199254740993}"#, "/k", json!(9_007_199_254_740_992_u64)),
        json_file("not JSON", "{", "/k", json!(1)),
        json_file("JSON and more", "{} x", "", json!({})),
        file("only that there is a value", &writes(r#"{"k": null}"#), json!({"path": "a", "json_pointer": "/k"})),
        file("no value there", &writes("{}"), json!({"path": "a", "json_pointer": "/k"})),
        file(
            "JSON that is not UTF-8",
            "printf '\"\\377\"' > a",
            json!({"path": "a", "json_pointer": "", "equals": "x"}),
        ),
        file("bytes that are not UTF-8", "printf '\\377\\376' > a", json!({"path": "a", "min_bytes": 2})),
        pair("the same bytes", "x y", "x y", None, None),
        pair("other bytes", "x", "y", None, None),
        pair("the same value", r#"{"n": 1}"#, r#"[{"m": 1.0}]"#, Some("/n"), Some("/0/m")),
        pair("another value than the other file", r#"{"n": 1}"#, r#"{"n": "1"}"#, Some("/n"), Some("/n")),
        file("the other file is missing", &writes("x"), json!({"path": "a", "equals_artifact": {"path": "nothing"}})),
        file("stale", "true", json!({"path": "old", "min_bytes": 1})),
        file("written again with the same bytes", "printf old > old", json!({"path": "old", "min_bytes": 1})),
        file("touched by a change of mode only", "chmod 600 old", json!({"path": "old", "min_bytes": 1})),
        file("the other file is stale", &writes("old"), json!({"path": "a", "equals_artifact": {"path": "old"}})),
        file("a link to the outside", "ln -sf /etc/hostname out; true", json!({"path": "out", "min_bytes": 1})),
        file(
            "a folder that is a link to the outside",
            "ln -sfn /etc etc",
            json!({"path": "etc/hostname", "min_bytes": 1}),
        ),
        file("nothing behind a link to the outside", "ln -sfn /etc etc", json!({"path": "etc/none", "absent": true})),
        file("a link inside", "printf x > real; ln -sf real inside", json!({"path": "inside", "min_bytes": 1})),
        file("a link to itself", "ln -sfn loop loop", json!({"path": "loop", "min_bytes": 1})),
        file("a pipe", "rm -f p; mkfifo p", json!({"path": "p", "min_bytes": 1})),
        file("a device", "ln -sf /dev/zero zero", json!({"path": "zero", "min_bytes": 1})),
        file("20 MB", "head -c 20000000 /dev/zero > big", json!({"path": "big", "min_bytes": 20_000_000})),
        file(
            "20 MB is too much for JSON",
            "head -c 20000000 /dev/zero > big",
            json!({"path": "big", "json_pointer": "/k", "equals": 1}),
        ),
        file(
            "deep JSON",
            "head -c 100000 /dev/zero | tr '\\0' '[' > a",
            json!({"path": "a", "json_pointer": "/0", "equals": 1}),
        ),
    ]);
    stage.write("evals/old", "old");
    let report = stage.reported(&[]);
    insta::assert_snapshot!(table(&report));
    let hashes = &case(&report, "digest")["trials"][0]["artifact_hashes"];
    assert_eq!(hashes["a"], format!("sha256:{digest}"));
    assert_eq!(case(&report, "stale")["trials"][0]["artifact_hashes"], json!({}), "no digest of what it did not write");
}

/// The second trial must write the file again: what the first one left is no evidence.
#[test]
fn what_the_trial_before_left_is_stale() {
    let once = "test -e once || { : > once; printf x > a; }";
    let stage = Stage::of(
        &[
            file("only the first trial writes", once, json!({"path": "a", "min_bytes": 1})),
            file("each trial writes the same", "printf same > b", json!({"path": "b", "min_bytes": 1})),
            file("each trial replaces it", "printf same > c.new; mv c.new c", json!({"path": "c", "min_bytes": 1})),
        ],
        &json!({"trials": 3}),
    );
    let report = stage.reported(&[]);
    insta::assert_snapshot!(table(&report));
    assert_eq!((&case(&report, "only the first trial writes")["flaky"], outcomes(&report)[1]), (&json!(true), "PASS"));
}

/// Root may read everything, so this runs as somebody else.
#[test]
fn an_unreadable_file_is_no_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = public_program(folder.path()) else { return };
    let stage = Stage::new(&[
        file("unreadable", "printf x > a; chmod 000 a", json!({"path": "a", "min_bytes": 1})),
        file("in a closed folder", "mkdir -p d; printf x > d/a; chmod 000 d", json!({"path": "d/a", "min_bytes": 1})),
        file("is it absent in a closed folder?", "true", json!({"path": "d/none", "absent": true})),
    ]);
    stage.open_to_all();
    let args = ["run", "evals/fixture.json", "-o", "report.json"];
    let output = as_nobody(&program, &stage, &args).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    insta::assert_snapshot!(table(&stage.report()));
    // So that the folder can be removed.
    std::fs::set_permissions(stage.path("evals/d"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}
