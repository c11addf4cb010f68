//! What commands leave behind.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use greenloop::process::{Cancel, Invocation, Pool, SpawnError, Status};

use super::{command, eventually, living, marker, pool, run};

/// Python programs that leave something behind and end at once. `MARK` is an argument of what is left.
const LEAVES: [(&str, &str); 9] = [
    ("plain", "spawn()"),
    ("new session", "spawn(start_new_session=True)"),
    ("new group", "spawn(preexec_fn=lambda: os.setpgid(0, 0))"),
    (
        "double fork",
        "if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: spawn()
    os._exit(0)",
    ),
    ("cleared environment", "spawn(start_new_session=True, env={})"),
    (
        "term-proof",
        "spawn(pre='import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGHUP, signal.SIG_IGN)')",
    ),
    ("closed streams", "spawn(start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)"),
    ("stopped", "os.kill(spawn(start_new_session=True).pid, 19)"),
    (
        "a family",
        "spawn(pre='import subprocess, os; [subprocess.Popen([\"sleep\", \"1000\"], start_new_session=True) for _ in range(5)]')",
    ),
];

const PRELUDE: &str = r#"
import os, subprocess, sys, time
mark = sys.argv[1]
def spawn(pre="", **options):
    ready_read, ready_write = os.pipe()
    code = pre + "\nimport os, time\nos.write(%d, b'x'); os.close(%d)\ntime.sleep(1000)" % (ready_write, ready_write)
    child = subprocess.Popen([sys.executable, "-c", code, mark], pass_fds=[ready_write], **options)
    os.close(ready_write)
    os.read(ready_read, 1)
    return child
"#;

fn leaves(body: &str, mark: &str) -> Invocation {
    command(&["python3", "-c", &format!("{PRELUDE}\n{body}\nprint('done', flush=True)\nos._exit(3)"), mark])
}

#[test]
fn whatever_is_left_behind_is_found_named_and_dead() {
    let pool = pool();
    for (name, body) in LEAVES {
        let mark = marker(&name.replace(' ', "-"));
        let exit = pool.run(&leaves(body, &mark), &Cancel::new().unwrap()).unwrap();
        let shown = format!("{name}: {exit:?}");
        assert_eq!(exit.status, Status::Code(3), "{shown}");
        assert!(!exit.orphans.is_empty(), "{shown}");
        assert_eq!(exit.survivors, [0; 0], "{shown}");
        assert!(exit.stdout.head.starts_with(b"done"), "{shown}");
        assert!(exit.duration < Duration::from_secs(20), "{shown}");
        assert_eq!(living(&mark), [0; 0], "{shown}");
    }
    // The same supervisor afterwards blames nobody.
    let exit = pool.run(&command(&["true"]), &Cancel::new().unwrap()).unwrap();
    assert_eq!((exit.status, exit.orphans.len()), (Status::Code(0), 0));
}

#[test]
fn what_ends_by_itself_at_once_is_no_orphan() {
    let exit = run(&command(&["sh", "-c", "sleep 0.005 & exit 0"])).unwrap();
    assert_eq!(exit.orphans, [0; 0]);
}

#[test]
fn a_process_that_forks_while_it_is_killed_is_caught() {
    for hop in ["os.setsid()", "pass"] {
        let mark = marker("hopper");
        // Each generation forks the next one and ends, so its id is never the one that was just read.
        let body = format!(
            "if os.fork() == 0:
    while True:
        if os.fork() == 0:
            {hop}
        else:
            os._exit(0)"
        );
        let exit = run(&leaves(&body, &mark)).unwrap();
        assert!(!exit.orphans.is_empty(), "{hop}: {exit:?}");
        assert_eq!(exit.survivors, [0; 0], "{hop}");
        assert_eq!(living(&mark), [0; 0], "{hop}");
    }
}

#[test]
fn a_command_that_ignores_term_is_killed_after_its_grace() {
    let mark = marker("deaf");
    let mut deaf = command(&[
        "python3",
        "-c",
        "
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(['sleep', '1000'])
subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)', sys.argv[1]], start_new_session=True)
print('ready', flush=True)
time.sleep(1000)",
        &mark,
    ]);
    deaf.limits.timeout = Duration::from_secs(2);
    let start = Instant::now();
    let exit = run(&deaf).unwrap();
    assert!(start.elapsed() < Duration::from_secs(7), "what left the group is not waited for: {:?}", start.elapsed());
    assert!(exit.timed_out && !exit.cancelled);
    assert_eq!(exit.status, Status::Signal(9));
    assert!(exit.duration >= Duration::from_millis(2400), "{:?}", exit.duration);
    // The member of the group died with it; the one in its own session had to be found.
    assert_eq!(exit.orphans.len(), 1, "{exit:?}");
    assert_eq!(living(&mark), [0; 0]);
}

#[test]
fn a_command_that_obeys_term_ends_at_once_and_its_group_has_the_grace() {
    let mut polite = command(&[
        "sh",
        "-c",
        "trap 'exit 7' TERM; (trap 'sleep 0.1; echo bye; exit' TERM; while :; do sleep 0.01; done) & while :; do sleep 0.01; done",
    ]);
    polite.limits.timeout = Duration::from_millis(300);
    polite.limits.grace = Duration::from_secs(20);
    let exit = run(&polite).unwrap();
    assert_eq!(exit.status, Status::Code(7));
    assert!(exit.timed_out && exit.duration < Duration::from_secs(15), "{exit:?}");
    assert_eq!(exit.stdout.head, b"bye\n");
    assert_eq!(exit.orphans, [0; 0]);
}

#[test]
fn commands_at_the_same_time_blame_their_own_orphans() {
    let pool = pool();
    let report = |body: &str, mark: &str| {
        let exit = pool.run(&leaves(body, mark), &Cancel::new().unwrap()).unwrap();
        let said: BTreeSet<i32> = String::from_utf8_lossy(&exit.stdout.head)
            .lines()
            .filter_map(|line| line.strip_prefix("pid ")?.parse().ok())
            .collect();
        (said, exit.orphans.into_iter().collect::<BTreeSet<i32>>())
    };
    let escape = "for n in range(3): print('pid', spawn(start_new_session=True, env={}).pid, flush=True)";
    for round in 0..5 {
        std::thread::scope(|scope| {
            let guilty: Vec<_> = (0..3)
                .map(|n| scope.spawn(move || report(escape, &marker(&format!("parallel-{round}-{n}")))))
                .collect();
            let innocent = scope.spawn(|| report("time.sleep(0.1)", "innocent"));
            for one in guilty {
                let (said, found) = one.join().unwrap();
                assert_eq!(said.len(), 3);
                assert_eq!(said, found);
            }
            assert_eq!(innocent.join().unwrap(), (BTreeSet::new(), BTreeSet::new()));
        });
    }
}

#[test]
fn cancelling_tears_everything_down() {
    let mark = marker("cancelled");
    let dir = tempfile::tempdir().unwrap();
    let ready = dir.path().join("ready");
    let cancel = Cancel::new().unwrap();
    let pool = pool();
    let exit = std::thread::scope(|scope| {
        let body = format!("spawn(start_new_session=True); open({ready:?}, 'w'); time.sleep(1000)");
        let (pool, cancel, mark) = (&pool, &cancel, &mark);
        let run = scope.spawn(move || pool.run(&leaves(&body, mark), cancel));
        eventually("the command runs", || ready.exists());
        assert_eq!(living(mark).len(), 2, "the command and what it started");
        cancel.cancel();
        run.join().unwrap().unwrap()
    });
    assert!(exit.cancelled && !exit.timed_out);
    assert_eq!(exit.status, Status::Signal(15));
    assert_eq!(exit.orphans.len(), 1);
    assert_eq!(living(&mark), [0; 0]);
    assert_eq!(pool.run(&command(&["true"]), &cancel), Err(SpawnError::Cancelled));
}

#[test]
fn a_command_that_kills_or_stops_its_supervisor_fails_and_the_next_one_runs() {
    let pool = pool();
    let cancel = Cancel::new().unwrap();
    let lost = pool.run(&command(&["sh", "-c", "kill -9 $PPID; sleep 0.2"]), &cancel);
    assert_eq!(lost, Err(SpawnError::Lost { orphans: Vec::new() }));
    assert_eq!(pool.run(&command(&["true"]), &cancel).unwrap().status, Status::Code(0));
}

/// Not a test of its own: the process that `an_exclusive_pool_finds_what_a_lost_supervisor_left` starts, because
/// such a pool owns all children of its process.
#[test]
#[ignore = "started by another test"]
fn exclusive_child() {
    let this = greenloop::process::Program::at(env!("CARGO_BIN_EXE_greenloop").into());
    let pool = Pool::exclusive(this).unwrap();
    let cancel = Cancel::new().unwrap();
    let mark = marker("lost");
    std::thread::scope(|scope| {
        let other = scope.spawn(|| pool.run(&command(&["sleep", "2"]), &cancel).unwrap());
        let body = "spawn(start_new_session=True, env={}); os.kill(os.getppid(), 9); time.sleep(1000)";
        let Err(SpawnError::Lost { orphans }) = pool.run(&leaves(body, &mark), &cancel) else { panic!("not lost") };
        assert_eq!(orphans.len(), 2, "the command and what it started");
        assert_eq!(living(&mark), [0; 0]);
        // A supervisor that is not lost is left alone.
        assert_eq!(other.join().unwrap().status, Status::Code(0));
    });
}

#[test]
fn an_exclusive_pool_finds_what_a_lost_supervisor_left() {
    let name = "process::trees::exclusive_child";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--test-threads=1"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// Also only started by another test; it is killed while its command runs.
#[test]
#[ignore = "started by another test"]
fn killed_child() {
    let mark = marker("killed");
    println!("mark {mark}");
    let _ = run(&leaves("spawn(start_new_session=True); time.sleep(1000)", &mark));
}

#[test]
fn nothing_is_left_when_this_program_is_killed() {
    use std::io::{BufRead as _, BufReader};
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "process::trees::killed_child", "--ignored", "--nocapture"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mark = lines.map_while(Result::ok).find_map(|line| Some(line.split_once("mark ")?.1.to_owned())).unwrap();
    eventually("the command runs", || living(&mark).len() == 2);
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("its command is torn down", || living(&mark).is_empty());
}

#[test]
fn it_works_for_an_unprivileged_user_too() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: already unprivileged, so every other test showed it");
        return;
    }
    // The test binary and the program may lie where only root may look, so both are copied.
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let program = dir.path().join("greenloop");
    let tests = dir.path().join("tests");
    std::fs::copy(env!("CARGO_BIN_EXE_greenloop"), &program).unwrap();
    std::fs::copy(std::env::current_exe().unwrap(), &tests).unwrap();
    let output = std::process::Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"])
        .arg(&tests)
        .args(["--exact", "process::trees::unprivileged_child", "--ignored", "--test-threads=1"])
        .env("GREENLOOP_TEST_PROGRAM", &program)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", "/")
        .current_dir("/")
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: no setpriv here");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// Runs as nobody: a session of its own, a double fork, a time-out, a folder that may not be entered.
#[test]
#[ignore = "started by another test"]
fn unprivileged_child() {
    #[expect(clippy::disallowed_methods, reason = "a test may read its environment")]
    let program = std::env::var_os("GREENLOOP_TEST_PROGRAM").unwrap();
    let pool = Pool::new(greenloop::process::Program::at(program.into()));
    let cancel = Cancel::new().unwrap();
    assert_eq!(rustix::process::geteuid().as_raw(), 65534);
    let mark = marker("nobody");
    let script = "setsid sh -c 'sleep 1000; true' \"$0\" & (setsid setsid sh -c 'sleep 1001; true' \"$0\" &) ; sleep 0.2; exit 4";
    let exit = pool.run(&command(&["sh", "-c", script, &mark]), &cancel).unwrap();
    assert_eq!(exit.status, Status::Code(4));
    assert!(exit.orphans.len() >= 2 && exit.survivors.is_empty(), "{exit:?}");
    assert_eq!(living(&mark), [0; 0]);
    let mut slow = command(&["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done", &mark]);
    slow.limits.timeout = Duration::from_millis(200);
    let start = Instant::now();
    let exit = pool.run(&slow, &cancel).unwrap();
    assert!(exit.timed_out && exit.status == Status::Signal(9) && start.elapsed() < Duration::from_secs(20));
    assert_eq!(living(&mark), [0; 0]);
    let mut locked = command(&["true"]);
    locked.folder = "/root".into();
    let refused = pool.run(&locked, &cancel).unwrap_err().to_string();
    assert_eq!(refused, "cannot enter the folder /root: Permission denied");
}
