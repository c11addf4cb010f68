//! Every setting with its value and where it came from.

use serde::Serialize;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A flag of the command line.
    Flag,
    /// This variable of the environment.
    Environment(String),
    /// This line of the file.
    File(usize),
    /// Nobody said anything.
    Default,
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Setting {
    /// `section.key`.
    pub key: String,
    /// Its value, as JSON; `null` if it is not set.
    #[schemars(with = "serde_json::Value")]
    pub value: serde_json::Value,
    /// Where it came from.
    pub origin: Origin,
}
