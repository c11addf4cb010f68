//! report

mod freeze;

pub use freeze::{FreezeError, Frozen};
