//! What is drawn, free of any format.

use crate::model::NodeState;

/// A DAG ready to be drawn. Order of the lists does not matter: every format sorts by id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picture {
    /// Heading, for example `Campaign demo · iteration 4`.
    pub title: String,
    /// Categories.
    pub nodes: Vec<PictureNode>,
    /// Dependencies.
    pub edges: Vec<PictureEdge>,
    /// A cycle as an ordered path of ids (first one not repeated), to be highlighted; empty when there is none.
    pub cycle: Vec<String>,
}

/// One category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureNode {
    /// Unique id: the category id.
    pub id: String,
    /// Short name that people read: the name part of the id.
    pub label: String,
    /// Its state; `None` for a plain map graph without a report.
    pub state: Option<NodeState>,
    /// Number of failing cases; `None` for a plain map graph.
    pub failing: Option<usize>,
    /// How many of them are new since the last iteration.
    pub new: Option<usize>,
    /// The ticket, as people see it, for example `#12`.
    pub ticket: Option<String>,
    /// Link to the ticket; drawn only if it is http or https.
    pub url: Option<String>,
    /// True for an inactive category that an active one depends on: shown faint, never wired.
    pub ghost: bool,
    /// Longer text for the tooltip: the defect.
    pub tooltip: String,
}

/// `from` depends on `to`: drawn from upstream (`to`) to downstream (`from`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureEdge {
    /// The dependent category.
    pub from: String,
    /// The category it waits for.
    pub to: String,
    /// Why, from the map; the edge's tooltip.
    pub rationale: String,
}
