//! All integration tests, in one binary.

mod shop;
mod smoke;
