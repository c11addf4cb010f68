//! All integration tests, in one binary.

mod exit_status;
mod fences;
mod help;
mod shop;
mod smoke;
