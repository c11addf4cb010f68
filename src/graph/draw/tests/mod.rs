//! Pictures for tests, and what holds for every format.

mod formats;
mod hostile;
mod snapshots;

use super::*;
use crate::graph::dag::tests::name;
use crate::model::NodeState;

pub(super) fn node(id: &str, label: &str) -> PictureNode {
    PictureNode {
        id: id.to_owned(),
        label: label.to_owned(),
        state: None,
        failing: None,
        new: None,
        ticket: None,
        url: None,
        ghost: false,
        tooltip: String::new(),
    }
}

pub(super) fn edge(from: &str, to: &str) -> PictureEdge {
    PictureEdge { from: from.to_owned(), to: to.to_owned(), rationale: format!("{from} reads what {to} writes") }
}

/// A picture of `n` nodes and (dependent, upstream) pairs; states and counts vary with the number.
pub(super) fn picture(n: usize, edges: &[(usize, usize)]) -> Picture {
    let nodes = (0..n).map(|at| PictureNode {
        state: Some(NodeState::ALL[at % 6]),
        failing: Some(at * 3 % 40),
        new: Some(at % 4),
        ticket: (at % 3 > 0).then(|| format!("#{at}")),
        ..node(&name(at), &format!("label-{at}"))
    });
    Picture {
        title: format!("{n} nodes"),
        nodes: nodes.collect(),
        edges: edges.iter().map(|&(from, to)| edge(&name(from), &name(to))).collect(),
        cycle: Vec::new(),
    }
}

pub(super) fn chain(n: usize) -> Picture {
    picture(n, &(1..n).map(|at| (at, at - 1)).collect::<Vec<_>>())
}

/// One node that all others depend on, or, `inward`, one that depends on all others.
pub(super) fn hub(n: usize, inward: bool) -> Picture {
    picture(n, &(1..n).map(|at| if inward { (0, at) } else { (at, 0) }).collect::<Vec<_>>())
}

/// Every state, a ghost, a ticket link and an implied edge.
pub(super) fn small() -> Picture {
    let state = |id: &str, state, failing, ticket: &str| PictureNode {
        state: Some(state),
        failing: Some(failing),
        new: Some(failing / 10),
        ticket: Some(ticket.to_owned()),
        url: Some(format!("https://tracker.example/{}", &ticket[1..])),
        tooltip: format!("What is wrong with {id}."),
        ..node(&format!("defect:shop:{id}"), id)
    };
    let named = |from: &str, to: &str| edge(&format!("defect:shop:{from}"), &format!("defect:shop:{to}"));
    Picture {
        title: "Campaign demo · iteration 4".to_owned(),
        nodes: vec![
            state("tokenizer", NodeState::Routable, 12, "#7"),
            state("join-keys", NodeState::BlockedUpstream, 30, "#8"),
            state("date-parsing", NodeState::PatchCandidate, 4, "#9"),
            state("currency", NodeState::CategoryGreen, 0, "#10"),
            state("geo-match", NodeState::Integrated, 0, "#11"),
            state("lookup", NodeState::Closed, 0, "#12"),
            PictureNode { ghost: true, ..node("defect:shop:schema", "schema") },
        ],
        edges: vec![
            named("join-keys", "tokenizer"),
            named("date-parsing", "join-keys"),
            named("date-parsing", "tokenizer"),
            named("currency", "schema"),
            named("geo-match", "lookup"),
        ],
        cycle: Vec::new(),
    }
}

/// Three nodes in a circle, a fourth behind it, a self-edge and a pair that depends on each other.
pub(super) fn cyclic() -> Picture {
    picture(6, &[(0, 1), (1, 2), (2, 0), (3, 2), (3, 3), (4, 5), (5, 4)])
}
