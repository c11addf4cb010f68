//! Everything that touches repositories.

mod head;

pub use head::{GitHead, read_head};
