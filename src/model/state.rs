//! The state of a category in the active DAG.

use std::fmt;

use serde::{Deserialize, Serialize};

/// State of one category (a node of the active DAG), as the design names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// A fix can be dispatched now.
    Routable,
    /// An upstream category is still live.
    #[serde(rename = "blocked:upstream")]
    BlockedUpstream,
    /// A fix exists and waits for its checks.
    PatchCandidate,
    /// The category's slice passes with the fix.
    CategoryGreen,
    /// The fix is on the integrated head.
    Integrated,
    /// A full run on the integrated head proved it gone.
    Closed,
}

impl NodeState {
    /// Every state, in the order of the life of a category.
    pub const ALL: [Self; 6] = [
        Self::Routable,
        Self::BlockedUpstream,
        Self::PatchCandidate,
        Self::CategoryGreen,
        Self::Integrated,
        Self::Closed,
    ];

    /// The spelling used in JSON, pictures and tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Routable => "routable",
            Self::BlockedUpstream => "blocked:upstream",
            Self::PatchCandidate => "patch_candidate",
            Self::CategoryGreen => "category_green",
            Self::Integrated => "integrated",
            Self::Closed => "closed",
        }
    }
}

impl fmt::Display for NodeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
