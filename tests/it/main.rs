//! All integration tests, in one binary.

mod import_junit;
mod smoke;
