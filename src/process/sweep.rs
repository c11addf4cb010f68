//! Finding, killing and reaping everything below this process.
//!
//! Only direct children get signals, and the groups they are in: this process alone may reap them, so neither their
//! ids nor those of their groups can have gone to another process. What is deeper becomes a direct child when its
//! parent dies. A signal to a group is atomic against `fork`, so a group that forks while it is killed dies whole;
//! one that changes its group with every fork is chased without a pause.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpgid, getpgrp, kill_process, kill_process_group, wait};

/// How long killed processes may take to be gone.
pub(super) const KILL_WAIT: Duration = Duration::from_secs(5);
/// So many processes are named; a chase could meet any number.
const MAX_NAMED: usize = 64;
/// Rounds without a pause.
const FAST_ROUNDS: u32 = 200;

/// Reaps every child that has ended. False when there is none left: then nothing is below this process.
pub(super) fn children_left() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// What a sweep found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Swept {
    pub(super) orphans: Vec<i32>,
    pub(super) survivors: Vec<i32>,
}

/// Kills and reaps everything below this process. `between` is called in every round, to empty pipes.
pub(super) fn kill_all(mut between: impl FnMut()) -> Swept {
    let deadline = Instant::now() + KILL_WAIT;
    let mut orphans = BTreeSet::new();
    let mut round = 0_u32;
    while children_left() {
        let children = children_of("self");
        for child in &children {
            name(*child, &mut orphans);
            for deeper in descendants(*child) {
                name(deeper, &mut orphans);
            }
        }
        for child in children.iter().filter_map(|child| Pid::from_raw(*child)) {
            // Gone already, or not ours to kill: the next round and the deadline tell.
            if let Ok(group) = getpgid(Some(child))
                && group != getpgrp()
            {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = kill_process(child, Signal::KILL);
        }
        if Instant::now() >= deadline {
            // Without a list (no /proc) something is alive that cannot be named: the supervisor's own id says so.
            let mut survivors = children;
            if survivors.is_empty() {
                survivors.push(rustix::process::getpid().as_raw_nonzero().get());
            }
            return Swept { orphans: orphans.into_iter().collect(), survivors };
        }
        between();
        round += 1;
        if round < FAST_ROUNDS { std::thread::yield_now() } else { std::thread::sleep(Duration::from_millis(1)) }
    }
    Swept { orphans: orphans.into_iter().collect(), survivors: Vec::new() }
}

fn name(pid: i32, orphans: &mut BTreeSet<i32>) {
    if orphans.len() < MAX_NAMED {
        orphans.insert(pid);
    }
}

/// Direct children of a process, of all its threads: from the kernel's list, or from all processes where it has none.
pub(super) fn children_of(process: &str) -> Vec<i32> {
    let mut children = Vec::new();
    let mut has_list = false;
    for thread in entries(Path::new("/proc").join(process).join("task").as_path()) {
        if let Ok(list) = fs::read_to_string(thread.join("children")) {
            has_list = true;
            children.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
        }
    }
    if !has_list {
        let parent = if process == "self" {
            Some(rustix::process::getpid().as_raw_nonzero().get())
        } else {
            process.parse().ok()
        };
        children = all_with_parent(parent.unwrap_or_default());
    }
    children
}

/// Living processes below `pid`, not more than can be named.
fn descendants(pid: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut queue = vec![pid];
    while let Some(next) = queue.pop() {
        for child in children_of(&next.to_string()) {
            if found.len() < MAX_NAMED && stat(child).is_some_and(|(state, _)| state != 'Z') {
                found.push(child);
                queue.push(child);
            }
        }
    }
    found
}

fn all_with_parent(parent: i32) -> Vec<i32> {
    let pids = entries(Path::new("/proc"));
    let pids = pids.iter().filter_map(|path| path.file_name()?.to_str()?.parse::<i32>().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|(_, of)| of == parent)).collect()
}

/// State and parent of a process.
fn stat(pid: i32) -> Option<(char, i32)> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything, also parentheses.
    let end = text.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(&text[end + 1..]).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

fn entries(folder: &Path) -> Vec<std::path::PathBuf> {
    fs::read_dir(folder).map(|found| found.flatten().map(|entry| entry.path()).collect()).unwrap_or_default()
}
