//! Disks that are full, and disks that cannot be written.

use crate::small_disk::SmallDisk;
use crate::world::World;

#[test]
fn a_full_disk_is_said_and_the_step_can_be_made_later() {
    let undisturbed = World::started("a b<a c", &[]);
    undisturbed.step("h1", "a1- b1- c1+").exits(1);
    let second = undisturbed.report("h2", "a1- b1-=other c1-");
    let base = undisturbed.copy();
    undisturbed.run(&["campaign", "step", &second]).exits(1);
    let (mut refused, mut went_on) = (0, 0);
    for free in (0..=60).step_by(5) {
        let Some(disk) = SmallDisk::mount("4m") else { return };
        let world = base.copy_to(&disk.path().join("project"));
        let before = world.tickets();
        disk.fill();
        disk.leave(free * 4096);
        let done = world.run(&["campaign", "step", &second]);
        match done.status {
            Some(3 | 4) => {
                refused += 1;
                assert!(done.stderr.contains("full"), "{}", done.stderr);
            }
            Some(1) => went_on += 1,
            _ => panic!("{done:?}"),
        }
        world.run(&["ledger", "verify"]).exits(0);
        disk.free();
        // The tickets are those of before, or all of those of after.
        let now = world.tickets();
        assert!(now == before || now == undisturbed.tickets(), "half done");
        world.run(&["campaign", "step", &second]).exits(1);
        assert_eq!(world.end_state(), undisturbed.end_state());
        assert_eq!(world.status(), undisturbed.status());
        world.verifies();
    }
    assert!(refused > 3 && went_on > 0, "{refused} {went_on}");
}

#[test]
fn a_disk_that_cannot_be_written_is_said_and_read() {
    let Some(disk) = SmallDisk::mount("4m") else { return };
    let base = World::started("a b<a", &[]);
    base.step("h1", "a1- b1-").exits(1);
    let world = base.copy_to(&disk.path().join("project"));
    let plan = world.campaign_dir().join("iter-001/plan.json");
    disk.make_read_only();
    let before = world.listing();
    let map = world.input("map.map.json");
    let report = world.report("h2", "a1+ b1+");
    for arguments in [
        &["campaign", "step", &report][..],
        &["apply", plan.to_str().unwrap()],
        &["campaign", "start", "--id", "c", "--map", &map, "--new-generation"],
        &["campaign", "start", "--id", "new", "--map", &map],
    ] {
        let done = world.run(arguments);
        assert!(matches!(done.status, Some(3 | 4)), "{arguments:?}: {done:?}");
        let words = done.stderr.to_lowercase();
        let says = ["read-only", "must not be written", "check that it is a file, and the mode of its folder"];
        assert!(says.iter().any(|text| words.contains(text)), "{}", done.stderr);
    }
    // Everything that only reads goes on.
    world.verifies();
    assert_eq!(world.status(), base.status());
    assert_eq!(world.tickets(), base.tickets());
    world.run(&["plan", &report, "--map", &map, "--campaign", "c"]).exits(0);
    assert_eq!(world.listing(), before);
    disk.make_writable();
    world.run(&["campaign", "step", &report]).exits(0);
}
