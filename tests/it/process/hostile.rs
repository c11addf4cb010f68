//! Output without measure, streams that stay open, commands that cannot start.

use std::time::{Duration, Instant};

use greenloop::process::{Captured, Invocation, SpawnError, Status};

use super::{command, run};

#[test]
fn a_gigabyte_without_a_line_end_is_kept_at_both_ends_only() {
    let script = "printf START; head -c 1000000000 /dev/zero | tr '\\0' a; printf END; printf err >&2";
    let exit = run(&command(&["sh", "-c", script])).unwrap();
    assert_eq!(exit.status, Status::Code(0));
    assert!(exit.stdout.head.starts_with(b"STARTaaa") && exit.stdout.tail.ends_with(b"aaaEND"));
    assert_eq!((exit.stdout.head.len(), exit.stdout.tail.len()), (4096, 4096));
    assert_eq!(exit.stdout.omitted, 1_000_000_008 - 8192);
    assert_eq!(exit.stderr.head, b"err");
}

#[test]
fn both_streams_are_drained_at_once() {
    // Each alone is more than a pipe holds, and the command waits for neither.
    let script = "for n in 1 2 3; do head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; done";
    let exit = run(&command(&["sh", "-c", script])).unwrap();
    for stream in [exit.stdout, exit.stderr] {
        assert_eq!(stream.omitted, 900_000 - 8192);
    }
}

#[test]
fn endless_output_ends_with_the_time() {
    let mut endless = command(&["sh", "-c", "yes"]);
    endless.limits.timeout = Duration::from_millis(500);
    let exit = run(&endless).unwrap();
    assert!(exit.timed_out && exit.stdout.omitted > 0 && exit.duration < Duration::from_secs(10));
}

#[test]
fn a_pipe_that_a_grandchild_holds_open_does_not_hang() {
    let start = Instant::now();
    let exit = run(&command(&["sh", "-c", "echo out; sleep 1000 & exit 5"])).unwrap();
    assert_eq!((exit.status, exit.stdout.head.as_slice()), (Status::Code(5), &b"out\n"[..]));
    assert_eq!(exit.orphans.len(), 1);
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn closed_streams_do_not_end_the_command() {
    let exit = run(&command(&["sh", "-c", "echo x; exec >&- 2>&-; sleep 0.2; exit 6"])).unwrap();
    assert_eq!((exit.status, exit.stdout.head.as_slice()), (Status::Code(6), &b"x\n"[..]));
    assert!(exit.duration >= Duration::from_millis(200));
}

#[test]
fn bytes_arrive_as_they_are_and_nothing_is_inherited() {
    let exit = run(&command(&["printf", "\\377\\000a"])).unwrap();
    assert_eq!(exit.stdout, Captured { head: vec![255, 0, b'a'], tail: Vec::new(), omitted: 0 });
    let mut bare = command(&["/usr/bin/env"]);
    bare.env = vec![("ONLY".into(), "this".into())];
    assert_eq!(run(&bare).unwrap().stdout.head, b"ONLY=this\n");
    // Standard input is closed. Of descriptors there are the three, the folder that is read, and what this test
    // process itself had to inherit from whoever started it.
    let exit =
        run(&command(&["python3", "-c", "import os, sys; print(sys.stdin.read(), *os.listdir('/proc/self/fd'))"]));
    let text = String::from_utf8(exit.unwrap().stdout.head).unwrap();
    let inherited = |fd: &str| {
        let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| u32::from_str_radix(line.strip_prefix("flags:")?.trim(), 8).ok());
        flags.is_some_and(|flags| flags & 0o2_000_000 == 0)
    };
    let open: Vec<&str> = text.split_whitespace().filter(|fd| !["0", "1", "2", "3"].contains(fd)).collect();
    assert!(open.iter().all(|fd| inherited(fd)), "{text}");
}

#[test]
fn what_cannot_start_is_an_error_with_a_name() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("script");
    std::fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let text = |command: &Invocation| run(command).unwrap_err().to_string();
    assert_eq!(text(&command(&["no-such-command-here"])), "command not found: no-such-command-here");
    assert!(
        text(&command(&[script.to_str().unwrap()])).ends_with("the interpreter named in its first line is missing")
    );
    assert!(text(&command(&["true", "a\0b"])).ends_with("an argument or a variable holds a NUL byte"));
    assert_eq!(run(&command(&[])), Err(SpawnError::Empty));
    let mut nowhere = command(&["true"]);
    nowhere.folder = dir.path().join("missing");
    assert!(text(&nowhere).ends_with("missing: No such file or directory"));
    // A relative folder is relative to this process, not to the supervisor.
    let mut here = command(&["ls", "Cargo.toml"]);
    here.folder = ".".into();
    assert_eq!(run(&here).unwrap().status, Status::Code(0));
}

#[test]
fn signals_are_no_exit_codes() {
    assert_eq!(run(&command(&["sh", "-c", "kill -6 $$"])).unwrap().status, Status::Signal(6));
    assert_eq!(run(&command(&["sh", "-c", "exit 134"])).unwrap().status, Status::Code(134));
}
