//! All integration tests, in one binary.

mod ledger;
mod small_disk;
mod smoke;
mod tracker;
