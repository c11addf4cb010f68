//! A small file system of its own, for tests of full and read-only disks. Needs root; without it such a test says on
//! standard error that it was skipped.

#![cfg(test)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// A tmpfs, unmounted when dropped.
pub(crate) struct SmallDisk {
    mount_point: tempfile::TempDir,
}

impl SmallDisk {
    /// Mounts one of `size` (as `mount -o size=` takes it); `None`, said aloud, where that is not possible.
    pub(crate) fn mount(size: &str) -> Option<Self> {
        let disk = Self { mount_point: tempfile::tempdir().unwrap() };
        let options = format!("size={size}");
        if disk.run("mount", &["-t", "tmpfs", "-o", &options, "greenloop-test"]) {
            return Some(disk);
        }
        eprintln!("SKIPPED: a small disk cannot be mounted here (it needs root and tmpfs)");
        None
    }

    pub(crate) fn path(&self) -> &Path {
        self.mount_point.path()
    }

    fn ballast(&self) -> PathBuf {
        self.path().join("ballast")
    }

    /// Uses up all space that is left.
    pub(crate) fn fill(&self) {
        let error =
            std::io::copy(&mut std::io::repeat(0), &mut std::fs::File::create(self.ballast()).unwrap()).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    }

    /// Gives back so many bytes of what was filled.
    pub(crate) fn leave(&self, bytes: u64) {
        let file = std::fs::File::options().write(true).open(self.ballast()).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(bytes)).unwrap();
    }

    /// Gives the space back.
    pub(crate) fn free(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }

    /// From now on nothing can be written, not even by root.
    pub(crate) fn make_read_only(&self) {
        assert!(self.run("mount", &["-o", "remount,ro"]));
    }

    pub(crate) fn make_writable(&self) {
        assert!(self.run("mount", &["-o", "remount,rw"]));
    }

    fn run(&self, program: &str, arguments: &[&str]) -> bool {
        let done = Command::new(program).args(arguments).arg(self.path()).output();
        done.is_ok_and(|output| output.status.success())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a tracker of the test may still be open.
        self.run("umount", &["-l"]);
    }
}
