//! `greenloop.toml`: what a project says about its suite, its tracker, its creator and its limits.
//!
//! One value comes from the first of these that has it: a flag, the environment, the file, the default. An unknown key is
//! an error with a suggestion: a misspelt limit would be no limit.

mod load;
mod origin;
mod types;

pub use load::{ConfigError, ENVIRONMENT_PREFIX, FILE_NAME, Loaded, load};
pub use origin::{Origin, Setting};
pub use types::{
    Budget, Concurrency, Config, Creator, Integrate, Land, Preset, Protect, ReportFormat, Reviewer, Suite, Tracker,
    TrackerKind,
};
