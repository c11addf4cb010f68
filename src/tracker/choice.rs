//! Which tracker holds the tickets: what a plan and a campaign remember.

use serde::{Deserialize, Serialize};

use crate::model::RepoSlug;

/// Which tracker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TrackerChoice {
    /// The one in a file beside the project.
    #[default]
    Embedded,
    /// Issues of a GitHub repository.
    Github {
        /// `owner/name`.
        #[schemars(with = "String")]
        repo: RepoSlug,
        /// Root of the API of a GitHub Enterprise Server; absent for github.com.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_url: Option<String>,
    },
}

impl TrackerChoice {
    /// True for the tracker that needs no server.
    pub fn is_embedded(&self) -> bool {
        *self == Self::Embedded
    }
}

impl std::fmt::Display for TrackerChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Embedded => f.write_str("embedded"),
            Self::Github { repo, base_url: None } => write!(f, "github {repo}"),
            Self::Github { repo, base_url: Some(url) } => write!(f, "github {repo} at {url}"),
        }
    }
}
