//! Tests of the rig itself.

use super::rig::Rig;
use super::seed::RigSeed;

#[test]
fn smoke() {
    let started = std::time::Instant::now();
    let Some(rig) = Rig::start(&RigSeed::default()) else { return };
    eprintln!("started in {:?}", started.elapsed());
    let repo = rig.repo().to_owned();
    let reply = rig.call(rig.token(), "GET", &format!("/repos/{repo}/issues?state=all&per_page=2"), None).unwrap();
    eprintln!("{:?} {:#}", reply.headers, reply.value());
    eprintln!("{:?}", rig.issues());
    eprintln!("{:?}", rig.validate());
}
