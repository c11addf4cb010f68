//! Exit statuses, one constant each. `docs/exit-status.md` has the same table, and a test compares the two.

/// The check held, or there was nothing to do. For `campaign step`: the campaign is GREEN.
pub const HELD: u8 = 0;
/// The check did not hold: map invalid, failures unclassified, not READY, verify failed. For `campaign step`: recorded, not green yet, go on.
pub const NOT_HELD: u8 = 1;
/// Wrong usage or configuration.
pub const USAGE: u8 = 2;
/// An input is unreadable, unusable for this step, or of an unsupported version.
pub const INPUT: u8 = 3;
/// The tracker refused, the plan is stale, or apply had to compensate.
pub const TRACKER: u8 = 4;
/// Oscillation: REPEAT, OSCILLATION, PATCHES_CANCEL.
pub const OSCILLATION: u8 = 10;
/// NO_PROGRESS: no new best in K integrations.
pub const NO_PROGRESS: u8 = 11;
/// BUDGET: iterations, wall time or cost used up.
pub const BUDGET: u8 = 12;
/// STARVED or STALLED: failures remain and nothing can be dispatched, or the head does not move.
pub const STARVED: u8 = 13;
/// NONDETERMINISM: the same tree gave different states, or too many cases are flaky.
pub const NONDETERMINISM: u8 = 14;
/// REOPEN_CAP or CHURN: a category keeps coming back, or the dependency graph keeps changing.
pub const REOPEN_CAP: u8 = 15;
/// An incident aborted the campaign.
pub const INCIDENT: u8 = 16;
/// Only external blockers remain.
pub const BLOCKED_EXTERNAL: u8 = 17;
/// A bug in greenloop.
pub const BUG: u8 = 70;
/// Interrupted.
pub const INTERRUPTED: u8 = 130;

/// Every status with its name, for the test that compares them with the documentation.
pub const ALL: [(u8, &str); 15] = [
    (HELD, "HELD"),
    (NOT_HELD, "NOT_HELD"),
    (USAGE, "USAGE"),
    (INPUT, "INPUT"),
    (TRACKER, "TRACKER"),
    (OSCILLATION, "OSCILLATION"),
    (NO_PROGRESS, "NO_PROGRESS"),
    (BUDGET, "BUDGET"),
    (STARVED, "STARVED"),
    (NONDETERMINISM, "NONDETERMINISM"),
    (REOPEN_CAP, "REOPEN_CAP"),
    (INCIDENT, "INCIDENT"),
    (BLOCKED_EXTERNAL, "BLOCKED_EXTERNAL"),
    (BUG, "BUG"),
    (INTERRUPTED, "INTERRUPTED"),
];
