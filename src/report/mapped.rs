//! Memory-mapped files: the only file with `unsafe` code.
//!
//! A mapping is sound as long as nobody changes the file while it is read. greenloop maps frozen copies, which are
//! read-only, and files that the user names; a file that another program truncates while it is mapped ends this
//! program with SIGBUS, as it does for every program that maps files. Small files are read instead (see `source`).
#![expect(unsafe_code, reason = "mapping a file and advising the kernel are system calls without a safe form")]

use std::fs::File;
use std::io;
use std::ops::Range;

use memmap2::{Advice, Mmap, UncheckedAdvice};

/// A read-only mapping of a whole file.
#[derive(Debug)]
pub(super) struct Mapped(Mmap);

impl Mapped {
    /// Maps `file` and tells the kernel that it will be read from front to back.
    pub(super) fn new(file: &File) -> io::Result<Self> {
        // SAFETY: the mapping is read-only and private to this process; see the module docs for the one assumption.
        let map = unsafe { Mmap::map(file)? };
        // Advice is only advice: a kernel that does not take it reads just as correctly.
        let _ = map.advise(Advice::Sequential);
        Ok(Self(map))
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Lets the kernel drop the pages that lie wholly inside `range` from this process. They stay readable: the next
    /// read fetches them again from the file. Keeps the resident size small while a large report is read.
    pub(super) fn release(&self, range: Range<usize>) {
        const PAGE: usize = 4096;
        let start = range.start.next_multiple_of(PAGE);
        let end = range.end / PAGE * PAGE;
        if start < end && end <= self.0.len() {
            // SAFETY: the mapping is backed by a file and never written, so dropped pages read back the same bytes.
            let _ = unsafe { self.0.unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start) };
        }
    }
}
