//! The configuration, typed. Keys, defaults and meaning are those of the documentation (docs/config.md).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A whole configuration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How a full run is made.
    pub suite: Suite,
    /// Where tickets live.
    pub tracker: Tracker,
    /// Who writes fixes.
    pub creator: Creator,
    /// Who may veto them; without it the guard alone decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<Reviewer>,
    /// What no fix may touch.
    pub protect: Protect,
    /// Where fixes land.
    pub integrate: Integrate,
    /// How much happens at once.
    pub concurrency: Concurrency,
    /// When to stop.
    pub budget: Budget,
}

/// How a full run is made: a fixture that greenloop runs itself, or a command that writes a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Suite {
    /// Fixture manifest, relative to the project's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixture: Option<String>,
    /// Program and arguments. Its exit status is not trusted, its report is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// The file that the command writes, relative to the checkout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// Its format.
    pub format: ReportFormat,
    /// Wall time of a full run, in seconds.
    pub timeout_s: u64,
    /// Cases of the fixture that run at the same time.
    pub jobs: u16,
    /// The category map, relative to the project's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<String>,
}

impl Default for Suite {
    fn default() -> Self {
        Self {
            fixture: None,
            command: None,
            report: None,
            format: ReportFormat::ReportV2,
            timeout_s: 1800,
            jobs: 1,
            map: None,
        }
    }
}

/// Formats of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReportFormat {
    /// `agentic_evals.report.v2`.
    ReportV2,
    /// `JUnit` XML.
    Junit,
}

/// Where tickets live.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tracker {
    /// Which tracker.
    pub kind: TrackerKind,
    /// `owner/name`; default: the map's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Address of the server's API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Name of the variable that holds the token; never the token. Default: `GITHUB_TOKEN`, then `GH_TOKEN`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_env: Option<String>,
    /// A command that prints the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_command: Option<Vec<String>>,
    /// Tickets that one apply may create.
    pub create_cap: usize,
    /// Tickets that one apply may touch.
    pub circuit_breaker: usize,
    /// Pause between writes, in milliseconds.
    pub write_interval_ms: u64,
    /// Pause before a create of unknown outcome is looked for, in seconds.
    pub unknown_wait_s: u64,
}

impl Default for Tracker {
    fn default() -> Self {
        Self {
            kind: TrackerKind::Embedded,
            repo: None,
            base_url: None,
            token_env: None,
            token_command: None,
            create_cap: 25,
            circuit_breaker: 100,
            write_interval_ms: 1000,
            unknown_wait_s: 15,
        }
    }
}

/// Trackers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrackerKind {
    /// A file in `.greenloop`.
    Embedded,
    /// GitHub issues.
    Github,
}

/// Who writes fixes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Creator {
    /// Program and arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// A known one, instead of `command`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// Wall time of an attempt, in seconds.
    pub timeout_s: u64,
    /// Attempts per ticket and generation.
    pub attempts: u32,
    /// Names of variables that pass to it.
    pub env: Vec<String>,
    /// Bytes that its workspace may grow by.
    pub disk_bytes: u64,
}

impl Default for Creator {
    fn default() -> Self {
        Self { command: None, preset: None, timeout_s: 2700, attempts: 3, env: Vec::new(), disk_bytes: 2_000_000_000 }
    }
}

/// Known creators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// `claude -p`.
    Claude,
    /// `codex exec`.
    Codex,
}

/// Who may veto fixes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reviewer {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Wall time of a review, in seconds.
    #[serde(default = "review_timeout")]
    pub timeout_s: u64,
    /// Names of variables that pass to it.
    #[serde(default)]
    pub env: Vec<String>,
}

const fn review_timeout() -> u64 {
    900
}

/// What no fix may touch, beyond the built-in surfaces.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Protect {
    /// Globs, relative to the project's root.
    pub globs: Vec<String>,
}

/// Where fixes land.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Integrate {
    /// The branch that fixes start from.
    pub base: String,
    /// The branch of the integrated head; `{campaign}` is the campaign's id.
    pub branch: String,
    /// What happens to `base` when the campaign is green.
    pub land: Land,
}

impl Default for Integrate {
    fn default() -> Self {
        Self { base: "main".to_owned(), branch: "greenloop/{campaign}".to_owned(), land: Land::Never }
    }
}

/// Landing on the base branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Land {
    /// Is the user's step.
    Never,
    /// The base branch moves forward to the proven head, if it has not moved since.
    FastForward,
}

/// How much happens at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Concurrency {
    /// Creators.
    pub creators: u16,
}

impl Default for Concurrency {
    fn default() -> Self {
        Self { creators: 2 }
    }
}

/// When to stop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Full runs.
    pub iterations: u32,
    /// Integrations without a new best.
    pub no_progress: u32,
    /// Reopenings of one ticket.
    pub reopen_cap: u32,
    /// Further dispatch cycles on an unmoved head.
    pub stalled: u32,
    /// Wall time in seconds; 0 is no limit.
    pub wall_s: u64,
    /// Cost of all attempts, in US dollars; 0 is no limit.
    pub cost_usd: f64,
    /// What an attempt of unknown cost is charged.
    pub cost_per_attempt_usd: f64,
    /// Size of one patch.
    pub patch_bytes: u64,
    /// Share of required cases that may be flaky, 0 to 1.
    pub flaky_max: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            iterations: 10,
            no_progress: 3,
            reopen_cap: 2,
            stalled: 3,
            wall_s: 14_400,
            cost_usd: 25.0,
            cost_per_attempt_usd: 2.0,
            patch_bytes: 1_000_000,
            flaky_max: 0.1,
        }
    }
}
