//! All integration tests, in one binary.

mod exit_status;
mod fences;
mod help;
mod map;
mod shop;
mod small_disk;
mod smoke;
mod tracker;
