//! The only file that reads environment variables.
#![expect(clippy::disallowed_methods, reason = "this is the file that may")]

/// The whole environment of this process. Only what [`crate::runner::environment`] lets through reaches a trial.
pub(super) fn all() -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    std::env::vars_os().collect()
}

/// The variables that are text.
pub(super) fn named() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// True in a CI job: nearly every service sets `CI`.
pub(super) fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false" && value != "0")
}

/// In debug builds, `GREENLOOP_TEST_KILL_AT=N` kills the process (SIGKILL, nothing runs after it) at the N-th
/// durable step; the kill-matrix tests use it. Release builds do not know the variable.
pub(super) fn test_kill_at() -> Option<u64> {
    if cfg!(debug_assertions) { std::env::var("GREENLOOP_TEST_KILL_AT").ok()?.parse().ok() } else { None }
}

/// Names of the variables that may hold a token of GitHub, the first one first.
pub(super) const TOKENS: [&str; 2] = ["GITHUB_TOKEN", "GH_TOKEN"];

/// The value of one variable that the user named.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The whole environment for a command of the user's own, without the usual tokens and the one that is named.
pub(super) fn without_tokens(named: Option<&str>) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let is_token = |name: &std::ffi::OsStr| TOKENS.into_iter().chain(named).any(|token| name == token);
    std::env::vars_os().filter(|(name, _)| !is_token(name)).collect()
}
