//! The ledger and atomic files among kills and full disks, and the ledger commands of the real program.

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use assert_cmd::assert::OutputAssertExt as _;
use greenloop::ledger::{CampaignLock, FileError, Ledger, LedgerError, NewEntry, Recovery, checkpoint, write_atomic};
use greenloop::model::Digest;
use greenloop::report::{FreezeError, Frozen};
use serde_json::json;

const AT: &str = "2026-01-02T03:04:05Z";
/// Names the role of a child process: `<role> <folder> <checkpoint>`.
const ROLE: &str = "GREENLOOP_TEST_LEDGER_CHILD";

fn note(n: u64) -> NewEntry {
    NewEntry { kind: "note".into(), data: json!({ "n": n }), at: AT.into(), epoch: 1 }
}

/// Makes the project's ledger of `campaign` with `count` entries; the project folder, and the file.
fn project(campaigns: &[(&str, u64)]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let mut path = PathBuf::new();
    for (campaign, count) in campaigns {
        path = dir.path().join(".greenloop/campaigns").join(campaign).join("ledger.jsonl");
        let (mut ledger, _) = Ledger::open(&path, campaign).unwrap();
        ledger.append_many((0..*count).map(note).collect()).unwrap();
    }
    (dir, path)
}

/// Not a test by itself: the children of the tests below run it.
#[test]
#[ignore = "runs only as a child process of the other tests"]
fn child() {
    #[expect(clippy::disallowed_methods, reason = "a test child learns its role from its parent")]
    let role = std::env::var(ROLE).unwrap();
    let [role, folder, step] = role.splitn(3, '\t').collect::<Vec<_>>().try_into().unwrap();
    let folder = Path::new(folder);
    checkpoint::arm(step.parse().unwrap());
    match role {
        "append" => {
            let (mut ledger, _) = Ledger::open(&folder.join("ledger.jsonl"), "c1").unwrap();
            for n in 0..3 {
                ledger.append("note", json!({ "n": n }), AT, 1).unwrap();
                // The effect that the entry announces.
                fs::write(folder.join(format!("effect-{n}")), b"").unwrap();
            }
        }
        "replace" => write_atomic(&folder.join("plan.json"), b"new, and longer than before").unwrap(),
        "freeze" => drop(Frozen::store_bytes(folder, b"report").unwrap()),
        "lock" => {
            let _lock = CampaignLock::acquire(&folder.join("lock"), Duration::ZERO).unwrap();
            fs::write(folder.join("ready"), b"").unwrap();
            std::thread::sleep(Duration::from_secs(60));
        }
        other => panic!("no such role: {other}"),
    }
}

fn child_process(role: &str, folder: &Path, step: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "ledger::child", "--ignored"])
        .env(ROLE, format!("{role}\t{}\t{step}", folder.display()))
        .stdout(std::process::Stdio::null());
    command
}

/// Runs a role once per checkpoint, killed there, until it runs to its end; how many checkpoints there were.
fn kill_everywhere(role: &str, prepare: impl Fn(&Path), check: impl Fn(&Path, u64)) -> u64 {
    for step in 1.. {
        let dir = tempfile::tempdir().unwrap();
        prepare(dir.path());
        let status = child_process(role, dir.path(), step).status().unwrap();
        if status.success() {
            return step - 1;
        }
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "{status}");
        check(dir.path(), step);
    }
    unreachable!("a role ends")
}

#[test]
fn no_effect_without_its_entry_wherever_a_kill_strikes() {
    let steps = kill_everywhere(
        "append",
        |_| {},
        |dir, step| {
            let (mut ledger, recovery) = Ledger::open(&dir.join("ledger.jsonl"), "c1").unwrap();
            assert_eq!(recovery, Recovery::Nothing);
            // Checkpoints 1, 3, 5 are before a write and 2, 4, 6 after its sync.
            let entries = ledger.entries().len() as u64;
            assert_eq!(entries, step / 2);
            let effects = fs::read_dir(dir).unwrap().count() as u64 - 1;
            assert!(effects <= entries, "an effect without its entry");
            assert_eq!(ledger.append("note", json!(0), AT, 1).unwrap().seq, entries);
        },
    );
    assert_eq!(steps, 6);
}

#[test]
fn a_replaced_file_is_the_old_or_the_new_one_wherever_a_kill_strikes() {
    let steps = kill_everywhere(
        "replace",
        |dir| write_atomic(&dir.join("plan.json"), b"old").unwrap(),
        |dir, step| {
            let found = fs::read_to_string(dir.join("plan.json")).unwrap();
            assert_eq!(found, if step == 1 { "old" } else { "new, and longer than before" });
            write_atomic(&dir.join("plan.json"), b"again").unwrap();
        },
    );
    assert_eq!(steps, 2);
}

#[test]
fn a_frozen_file_is_whole_or_missing_wherever_a_kill_strikes() {
    let digest = Digest::of(b"report");
    let steps = kill_everywhere(
        "freeze",
        |_| {},
        |dir, step| {
            match Frozen::open(dir, digest) {
                Ok(_) => assert_eq!(step, 2),
                Err(FreezeError::Missing { .. }) => assert_eq!(step, 1),
                Err(error) => panic!("{error}"),
            }
            assert_eq!(Frozen::store_bytes(dir, b"report").unwrap().digest(), digest);
        },
    );
    assert_eq!(steps, 2);
}

#[test]
fn a_killed_holder_lets_go_of_its_lock() {
    let dir = tempfile::tempdir().unwrap();
    let mut holder = child_process("lock", dir.path(), 0).spawn().unwrap();
    while !dir.path().join("ready").exists() {
        assert_eq!(holder.try_wait().unwrap(), None, "the child ended early");
        std::thread::sleep(Duration::from_millis(5));
    }
    let path = dir.path().join("lock");
    let error = CampaignLock::acquire(&path, Duration::from_millis(50)).unwrap_err().to_string();
    assert!(error.contains(&format!("held by process {}", holder.id())), "{error}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    CampaignLock::acquire(&path, Duration::from_secs(10)).unwrap();
}

#[test]
fn a_full_disk_is_said_and_leaves_nothing_half_done() {
    let Some(disk) = crate::small_disk::SmallDisk::mount("200k") else { return };
    let ledger_path = disk.path().join("ledger.jsonl");
    let (mut ledger, _) = Ledger::open(&ledger_path, "c1").unwrap();
    ledger.append("note", json!(0), AT, 1).unwrap();
    let plan = disk.path().join("plan.json");
    write_atomic(&plan, b"old").unwrap();
    disk.fill();
    let names = || fs::read_dir(disk.path()).unwrap().map(|e| e.unwrap().file_name()).collect::<Vec<_>>();
    let before = names();

    let big = json!("x".repeat(50_000));
    let error = ledger.append("big", big.clone(), AT, 1).unwrap_err();
    assert!(matches!(&error, LedgerError::File(FileError::DiskFull { path, .. }) if *path == ledger_path), "{error:?}");
    assert_eq!(Ledger::read_only(&ledger_path).unwrap().torn, None, "what was written of it is taken back");
    let error = write_atomic(&plan, &vec![b'x'; 50_000]).unwrap_err();
    assert!(error.to_string().starts_with("the disk is full: cannot write"), "{error}");
    assert_eq!(fs::read(&plan).unwrap(), b"old");
    let error = Frozen::store_bytes(disk.path(), &vec![b'x'; 50_000]).unwrap_err().to_string();
    assert!(error.starts_with("the disk is full"), "{error}");
    assert_eq!(fs::read_dir(disk.path().join("frozen")).map_or(0, Iterator::count), 0);
    assert!(names().iter().all(|name| before.contains(name) || name == "frozen"));

    disk.free();
    assert_eq!(ledger.append("big", big, AT, 1).unwrap().seq, 1, "the same writer goes on when there is room");
    assert_eq!(Ledger::read_only(&ledger_path).unwrap().entries, ledger.entries());
}

#[test]
fn a_read_only_disk_is_said_and_can_be_read() {
    let Some(disk) = crate::small_disk::SmallDisk::mount("1m") else { return };
    let path = disk.path().join("ledger.jsonl");
    Ledger::open(&path, "c1").unwrap().0.append("note", json!(0), AT, 1).unwrap();
    let frozen = Frozen::store_bytes(disk.path(), b"x").unwrap();
    disk.make_read_only();
    assert_eq!(Ledger::read_only(&path).unwrap().entries.len(), 1);
    assert_eq!(Frozen::open(disk.path(), frozen.digest()).unwrap(), frozen);
    let refused = [
        Ledger::open(&path, "c1").unwrap_err().to_string(),
        write_atomic(&disk.path().join("plan.json"), b"x").unwrap_err().to_string(),
        CampaignLock::acquire(&disk.path().join("lock"), Duration::ZERO).unwrap_err().to_string(),
        Frozen::store_bytes(disk.path(), b"y").unwrap_err().to_string(),
    ];
    for message in refused {
        assert!(
            message.starts_with("no permission to ") && message.contains(disk.path().to_str().unwrap()),
            "{message}"
        );
    }
}

fn greenloop(project: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::new(env!("CARGO_BIN_EXE_greenloop"));
    command.args(arguments).arg("--project").arg(project).assert()
}

fn stdout(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn stderr(assert: &assert_cmd::assert::Assert, project: &Path) -> String {
    let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    text.replace(project.to_str().unwrap(), "PROJECT")
}

#[test]
fn show_lists_entries_and_filters_them() {
    let (dir, path) = project(&[("2026-01", 3)]);
    Ledger::open(&path, "2026-01").unwrap().0.append("hostile", json!({"a": "\u{1b}[31m\u{202e}"}), AT, 2).unwrap();
    insta::assert_snapshot!(stdout(&greenloop(dir.path(), &["ledger", "show"]).success()));
    let last = stdout(&greenloop(dir.path(), &["ledger", "show", "--kind", "note", "--last", "1"]).success());
    assert_eq!(last.lines().count(), 2, "{last}");
    let text = stdout(&greenloop(dir.path(), &["ledger", "show", "--format", "json", "--last", "2"]).success());
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (value["schema"].as_str(), value["entries"][1]["seq"].as_u64()),
        (Some("greenloop.ledger_entries.v1"), Some(3))
    );
}

#[test]
fn verify_says_what_it_found() {
    let (dir, path) = project(&[("c1", 3)]);
    let held = greenloop(dir.path(), &["ledger", "verify"]).success();
    insta::assert_snapshot!("verify_held", stdout(&held));
    let pin = stdout(&held).lines().find_map(|line| line.strip_prefix("head      ").map(str::to_owned)).unwrap();
    let whole = fs::read_to_string(&path).unwrap();

    fs::write(&path, &whole[..whole.len() - 20]).unwrap();
    insta::assert_snapshot!("verify_torn", stdout(&greenloop(dir.path(), &["ledger", "verify"]).success()));
    assert_eq!(fs::read_to_string(&path).unwrap(), whole[..whole.len() - 20], "verify repairs nothing");

    fs::write(&path, whole.replacen("\"n\":1", "\"n\":7", 1)).unwrap();
    let broken = greenloop(dir.path(), &["ledger", "verify", "--campaign", "c1"]).code(1);
    insta::assert_snapshot!("verify_broken", stderr(&broken, dir.path()));
    let text = stdout(&greenloop(dir.path(), &["ledger", "verify", "--format", "json"]).code(1));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((value["ok"].as_bool(), value["broken"]["line"].as_u64()), (Some(false), Some(2)));
    greenloop(dir.path(), &["ledger", "show"]).code(3);

    // Cut at a line: whole for itself, but not against what was printed before.
    let end = whole.trim_end().rfind('\n').unwrap() + 1;
    fs::write(&path, &whole[..end]).unwrap();
    greenloop(dir.path(), &["ledger", "verify"]).success();
    let cut = greenloop(dir.path(), &["ledger", "verify", "--pin", &pin]).code(1);
    insta::assert_snapshot!("verify_cut", stderr(&cut, dir.path()));
    fs::write(&path, &whole).unwrap();
    greenloop(dir.path(), &["ledger", "verify", "--pin", &pin]).success();
    greenloop(dir.path(), &["ledger", "verify", "--pin", "nonsense"]).code(2);
}

#[test]
fn which_ledger_is_meant() {
    let none = tempfile::tempdir().unwrap();
    insta::assert_snapshot!("no_campaign", stderr(&greenloop(none.path(), &["ledger", "verify"]).code(3), none.path()));
    assert_eq!(fs::read_dir(none.path()).unwrap().count(), 0, "reading makes nothing");
    let (dir, path) = project(&[("a", 1), ("b", 2)]);
    insta::assert_snapshot!("several", stderr(&greenloop(dir.path(), &["ledger", "show"]).code(2), dir.path()));
    greenloop(dir.path(), &["ledger", "verify", "--campaign", "a"]).success();
    greenloop(dir.path(), &["ledger", "verify", "--campaign", path.to_str().unwrap()]).success();
    let unknown = greenloop(dir.path(), &["ledger", "verify", "--campaign", "../a"]).code(3);
    assert!(stderr(&unknown, dir.path()).contains("campaigns: a, b"));
    greenloop(dir.path(), &["ledger", "show", "--format", "sarif"]).code(2);
}
