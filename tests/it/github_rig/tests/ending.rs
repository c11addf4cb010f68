//! Nothing of a rig outlives it.

use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::github_rig::install::install;
use crate::github_rig::{Rig, RigSeed};

/// Whether this becomes so within ten seconds.
fn soon(mut so: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(10) {
        if so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

fn listens(address: SocketAddr) -> bool {
    TcpStream::connect(address).is_ok()
}

#[test]
fn proxy_and_emulator_end_with_the_rig() {
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    let addresses = rig.addresses();
    assert!(addresses.into_iter().all(listens));
    drop(rig);
    for address in addresses {
        assert!(soon(|| !listens(address)), "{address} still listens");
    }
}

/// A test process that is killed drops nothing; then the emulator's standard input closes, and that ends it.
#[test]
fn the_leash_ends_what_its_owner_left() {
    if Rig::start(&RigSeed::default()).is_none() {
        return;
    }
    let installed = install().unwrap();
    let mut child = Command::new(&installed.node)
        .arg("--import")
        .arg(&installed.leash)
        .args(["-e", "setInterval(() => {}, 1000)"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None, "it runs while it is held");
    drop(child.stdin.take());
    let ended = soon(|| child.try_wait().unwrap().is_some());
    // Gone already, if all is well.
    let _ = child.kill();
    child.wait().unwrap();
    assert!(ended);
}
