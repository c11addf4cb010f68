//! The only file that reads environment variables.
#![expect(clippy::disallowed_methods, reason = "this is the file that may")]

/// In debug builds, `GREENLOOP_TEST_KILL_AT=N` kills the process (SIGKILL, nothing runs after it) at the N-th
/// durable step; the kill-matrix tests use it. Release builds do not know the variable.
pub(super) fn test_kill_at() -> Option<u64> {
    if cfg!(debug_assertions) { std::env::var("GREENLOOP_TEST_KILL_AT").ok()?.parse().ok() } else { None }
}
