//! A command that a ticket shows runs as it was: bash takes the line back apart into the same words.

use std::io::Write as _;
use std::process::{Command, Stdio};

use greenloop::plan::shell_line;
use proptest::prelude::*;

/// What bash makes of a line: its words.
fn words_of(line: &str) -> Vec<String> {
    let mut bash = Command::new("bash")
        .args(["--norc", "--noprofile"])
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Through standard input, as a person would paste it; `show` is a function so that no word is a program.
    let script = format!("show() {{ printf '%s\\0' \"$@\"; }}\nshow {line}\n");
    bash.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = bash.wait_with_output().unwrap();
    assert!(output.status.success(), "{line}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_terminator('\0').map(ToOwned::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn bash_reads_the_same_words(
        argv in proptest::collection::vec(
            "[ -~]{0,8}|[^\u{0}]{0,4}|(<!--|'|\"|\\\\|\\$\\(id\\)|`id`|\n|\t|\u{1b}|\u{202e}|7|!|~|\\*|#| |é){0,8}",
            1..5,
        ),
    ) {
        let line = shell_line(&argv);
        prop_assert!(!line.contains("<!--"), "{}", line);
        prop_assert_eq!(words_of(&line), argv, "{}", line);
    }
}
