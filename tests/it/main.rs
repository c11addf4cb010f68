//! All integration tests, in one binary.

mod small_disk;
mod smoke;
mod tracker;
