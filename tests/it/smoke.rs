//! The program starts and teaches.

#[test]
fn help_lists_the_commands() {
    let output = assert_cmd::Command::cargo_bin("greenloop").unwrap().arg("--help").output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains("campaign"));
}
