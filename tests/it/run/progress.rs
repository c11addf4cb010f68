//! How far a run is: a bar on a terminal, lines in CI, nothing on a pipe.

use std::process::Command;

use serde_json::json;

use super::{Ran, Stage, sh};

fn stage() -> Stage {
    Stage::new(&[
        sh("good", "sleep 0.4; echo secret-of-no-one", &json!({})),
        sh("bad \u{1b}[31m\u{202e}", "exit 1", &json!({})),
        sh("slow", "sleep 0.5", &json!({})),
    ])
}

/// What the program writes on a terminal of 100 columns; `None`, said aloud, without python3.
fn on_a_terminal(stage: &Stage, env: &[(&str, &str)]) -> Option<String> {
    let python = r"
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    os.environ['TERM'] = 'xterm-256color'
    os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 100, 0, 0))
try:
    while True:
        piece = os.read(fd, 65536)
        if not piece: break
        sys.stdout.buffer.write(piece)
except OSError:
    pass
os.waitpid(pid, 0)
";
    let mut command = Command::new("python3");
    command.args(["-c", python, env!("CARGO_BIN_EXE_greenloop"), "run", "evals/fixture.json", "-o", "report.json"]);
    super::bare(&mut command);
    command.envs(env.iter().copied());
    let Ok(output) = command.current_dir(stage.root()).output() else {
        eprintln!("SKIPPED: no python3 here");
        return None;
    };
    Some(Ran::from(output).stdout)
}

#[test]
fn a_terminal_has_a_bar_and_it_is_taken_away() {
    let Some(seen) = on_a_terminal(&stage(), &[]) else { return };
    assert!(seen.contains("/3 trials") && seen.contains("━"), "{seen:?}");
    assert!(seen.contains("3/3 cases") || seen.contains("2/3 cases"), "{seen:?}");
    // The failing case is told as soon as it is known, before the last case is done, and nothing in its name acts.
    let told = seen.find("FAIL").unwrap();
    assert!(told < seen.rfind("/3 trials").unwrap(), "{seen:?}");
    assert!(!seen.contains("\u{202e}") && !seen.contains("bad \u{1b}[31m"), "{seen:?}");
    // After the bar's last drawing its line is cleared, and the summary stands alone.
    let after = &seen[seen.rfind("/3 trials").unwrap()..];
    assert!(after.contains("\r\u{1b}[2K"), "{after:?}");
    assert!(after.contains("NOT_READY") || after.contains("USABLE_WITH_GAPS"), "{after:?}");
}

#[test]
fn ci_has_plain_lines_even_on_a_terminal() {
    let Some(seen) = on_a_terminal(&stage(), &[("CI", "1"), ("NO_COLOR", "1")]) else { return };
    assert!(!seen.contains("━") && !seen.contains('\u{1b}'), "{seen:?}");
    assert!(seen.contains("FAIL bad "), "{seen:?}");
    let ran = Ran::from(stage().command(&[]).env("CI", "1").output().unwrap());
    assert!(
        ran.stderr.lines().any(|line| line.starts_with("FAIL bad ") && line.ends_with(": exit_code 1 != 0")),
        "{ran:?}"
    );
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\r'), "{ran:?}");
}

#[test]
fn a_pipe_gets_the_summary_only() {
    let stage = stage();
    let ran = stage.run(&[]);
    let notes: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(notes.len(), 1, "the gate's exemption: {ran:?}");
    assert!(notes[0].starts_with("note: exempt from the gate"), "{ran:?}");
    let time = regex::Regex::new(r" in [0-9.]+ s").unwrap();
    insta::assert_snapshot!(time.replace(&ran.stdout, " in TIME"));
    // With data for machines on standard output, the readiness goes to standard error.
    let ran = stage.run(&["--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&report["readiness"], ran.stderr.lines().count()), (&json!("USABLE_WITH_GAPS"), 4), "{ran:?}");
}
