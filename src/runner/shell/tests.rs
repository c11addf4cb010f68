//! What is found behind wrapping and in scripts.

use proptest::prelude::*;

use super::word::Simple;
use super::wrapper::commands;

fn texts(argv: &[&str]) -> Vec<String> {
    let argv: Vec<String> = argv.iter().map(|text| (*text).to_owned()).collect();
    commands(&argv).iter().map(Simple::text).collect()
}

#[test]
fn wrapping_is_seen_through() {
    for argv in [
        &["echo", "ok"][..],
        &["bash", "-c", "echo ok"],
        &["/bin/bash", "-lc", "echo ok"],
        &["/usr/bin/env", "bash", "-euo", "pipefail", "-c", "echo ok"],
        &["env", "-i", "A=b", "-u", "X", "sh", "-c", "'echo' \"ok\""],
        &["timeout", "-k", "5", "10", "bash", "-c", "A=1 exec echo ok # note"],
        &["nice", "-n", "5", "bash", "--norc", "-c", "bash -c \"bash -c 'echo ok'\""],
        &["sh", "-c", "eval 'echo ok'"],
        &["busybox", "sh", "-c", "\\\necho ok > /dev/null 2>&1"],
        &["bash", "-c", "{ ! echo ok; }"],
    ] {
        assert_eq!(texts(argv), ["echo ok"], "{argv:?}");
    }
    assert_eq!(texts(&["bash", "run.sh", "-c", "x"]), ["bash run.sh -c x"], "a file, with its own `-c`");
    assert_eq!(texts(&["bash", "-c", "x $((1 + $(./y)))"]), ["x ", "echo 1 + ", "./y"]);
    assert!(texts(&["env", "A=b"]) == ["env A=b"] && texts(&["bash", "-c", ""]).is_empty());
}

#[test]
fn scripts_are_split() {
    let script = "cd .. && ./run.sh a|grep -q 'b;c' || exit 1\nif true; then x \"$(./y z)\" `w`; fi\ncat <<'E' | k\nrm -rf\nE\nlast <(inner 1)";
    let wanted = [
        "cd ..",
        "./run.sh a",
        "grep -q b;c",
        "exit 1",
        "true",
        "x  ",
        "./y z",
        "w",
        "cat",
        "k",
        "last /dev/fd/63",
        "inner 1",
    ];
    assert_eq!(texts(&["bash", "-c", script]), wanted);
}

#[test]
fn only_what_a_shell_expands_expands() {
    let argv: Vec<String> = ["bash", "-c", "p --seed $RANDOM '$RANDOM' \"$RANDOM\" \\$RANDOM"].map(Into::into).into();
    let expands: Vec<bool> = commands(&argv)[0].words.iter().map(|word| word.expands).collect();
    assert_eq!(expands, [false, false, true, false, true, false]);
}

proptest! {
    #[test]
    fn any_script_is_taken_apart(script in "[ -~\n]{0,80}", wrapped in any::<bool>()) {
        let argv = if wrapped { vec!["bash".to_owned(), "-c".to_owned(), script] } else { vec![script] };
        let found = commands(&argv);
        prop_assert!(found.iter().all(|simple| !simple.words.is_empty()));
    }
}
