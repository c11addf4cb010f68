//! The embedded tracker among threads, processes, kills and full disks.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::*;
use greenloop::ledger::checkpoint;

/// Names the role of a child process: `<role> <folder> <number>`.
const ROLE: &str = "GREENLOOP_TEST_TRACKER_CHILD";

/// How many tickets a child makes in its one transaction.
const TICKETS: usize = 5;

/// Not a test by itself: the children of the tests below run it.
#[test]
#[ignore = "runs only as a child process of the other tests"]
fn child() {
    #[expect(clippy::disallowed_methods, reason = "a test child learns its role from its parent")]
    let role = std::env::var(ROLE).unwrap();
    let [role, folder, number] = role.splitn(3, '\t').collect::<Vec<_>>().try_into().unwrap();
    let folder = Path::new(folder);
    let number: u64 = number.parse().unwrap();
    match role {
        "killed" => {
            checkpoint::arm(number);
            fill(folder, "t");
        }
        "writer" => {
            // Every writer wants the same category once; exactly one can have it.
            let mut tracker = embedded(folder);
            for round in 0..20 {
                tracker.begin().unwrap();
                let _ = tracker.execute(&format!("{number}-{round}"), &creation(&format!("shared-{round}")));
                tracker.execute(&format!("{number}-{round}-own"), &creation(&format!("own-{number}-{round}"))).unwrap();
                tracker.commit().unwrap();
            }
        }
        "stopped" => {
            // In the middle of a transaction, until the parent kills it.
            let mut tracker = embedded(folder);
            tracker.begin().unwrap();
            create(&mut tracker, "half");
            std::fs::write(folder.join("ready"), b"").unwrap();
            std::thread::sleep(std::time::Duration::from_secs(60));
        }
        other => panic!("no such role: {other}"),
    }
}

fn command(role: &str, folder: &Path, number: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "tracker::processes::child", "--ignored", "--nocapture"])
        .env(ROLE, format!("{role}\t{}\t{number}", folder.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn fill(folder: &Path, prefix: &str) {
    let mut tracker = embedded(folder);
    tracker.begin().unwrap();
    for n in 0..TICKETS {
        create(&mut tracker, &format!("{prefix}{n}"));
    }
    tracker.commit().unwrap();
}

fn count(folder: &Path) -> usize {
    match EmbeddedTracker::open_existing(&folder.join("tracker.db")).unwrap() {
        Some(mut tracker) => tracker.snapshot().unwrap().tickets.len(),
        None => 0,
    }
}

fn was_killed(output: &Output) -> bool {
    std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(9)
}

/// Kill at every checkpoint of the first use of a tracker: all tickets or none, and the same command again ends well.
#[test]
fn a_kill_at_any_checkpoint_leaves_all_or_nothing() {
    let mut seen = Vec::new();
    for step in 1.. {
        let dir = tempfile::tempdir().unwrap();
        let output = command("killed", dir.path(), step).output().unwrap();
        if !was_killed(&output) {
            assert!(output.status.success(), "{output:?}");
            break;
        }
        seen.push(count(dir.path()));
        fill(dir.path(), "t");
        assert_eq!(count(dir.path()), TICKETS, "the same work again, after a kill at checkpoint {step}");
    }
    // Before and after the file gets its name, before and after the commit.
    assert_eq!(seen, [0, 0, 0, TICKETS]);
}

#[test]
fn a_kill_in_the_middle_of_a_transaction_leaves_nothing_and_no_lock() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), "t");
    let mut child = command("stopped", dir.path(), 0).spawn().unwrap();
    while !dir.path().join("ready").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "the child ended early");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(count(dir.path()), TICKETS, "readers do not wait for a writer");
    child.kill().unwrap();
    child.wait().unwrap();
    let mut tracker = embedded(dir.path());
    assert_eq!(tracker.snapshot().unwrap().tickets.len(), TICKETS);
    tracker.begin().unwrap();
    create(&mut tracker, "half");
    tracker.commit().unwrap();
}

#[test]
fn many_processes_write_at_once_and_nothing_is_lost_or_doubled() {
    let dir = tempfile::tempdir().unwrap();
    let children: Vec<_> = (0..4).map(|n| command("writer", dir.path(), n).spawn().unwrap()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let snapshot = embedded(dir.path()).snapshot().unwrap();
    let ids: BTreeSet<&str> = snapshot.tickets.iter().map(|t| t.category_id.as_str()).collect();
    assert_eq!((snapshot.tickets.len(), ids.len()), (4 * 20 + 20, 4 * 20 + 20));
}

#[test]
fn many_threads_make_the_file_at_once() {
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for n in 0..6 {
            let folder = dir.path();
            scope.spawn(move || fill(folder, &format!("thread-{n}-")));
        }
    });
    assert_eq!(count(dir.path()), 6 * TICKETS);
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| name.to_string_lossy().starts_with("tracker.db")), "{left:?}");
}

#[test]
fn a_full_disk_is_said_and_changes_nothing() {
    let Some(disk) = crate::small_disk::SmallDisk::mount("400k") else { return };
    let mut tracker = embedded(disk.path());
    tracker.begin().unwrap();
    create(&mut tracker, "first");
    tracker.commit().unwrap();
    disk.fill();
    tracker.begin().unwrap();
    let mut result = Ok(());
    for n in 0..200 {
        result = tracker.execute(&format!("n{n}"), &creation(&format!("n{n}"))).map(|_| ());
        if result.is_err() {
            break;
        }
    }
    let error = result.and_then(|()| tracker.commit()).unwrap_err().to_string();
    assert!(error.contains("the disk is full"), "{error}");
    tracker.abort();
    assert_eq!(tracker.snapshot().unwrap().tickets.len(), 1);
    disk.free();
    fill(disk.path(), "t");
    assert_eq!(count(disk.path()), 1 + TICKETS);
    drop(tracker);
}

#[test]
fn a_read_only_disk_can_be_read_and_refuses_writers() {
    let Some(disk) = crate::small_disk::SmallDisk::mount("4m") else { return };
    fill(disk.path(), "t");
    disk.make_read_only();
    assert_eq!(count(disk.path()), TICKETS);
    let error = EmbeddedTracker::open_or_create(&disk.path().join("tracker.db"))
        .and_then(|mut tracker| tracker.begin())
        .unwrap_err();
    assert!(matches!(error, TrackerError::Unavailable { .. }), "{error}");
    let error = EmbeddedTracker::open_or_create(&disk.path().join("new/other.db")).unwrap_err().to_string();
    assert!(error.contains("cannot be made") && error.contains("other.db"), "{error}");
}
