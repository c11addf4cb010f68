//! The failing DAG around the category, as GitHub draws it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::body::Subject;
use crate::category_map::Category;
use crate::graph::draw::{Picture, PictureEdge, PictureNode, mermaid_around};
use crate::model::{CategoryId, NodeState};
use crate::tracker::words::{fence, units};

/// Categories that are drawn: the nearest ones.
const NODES: usize = 25;
/// UTF-16 units of the picture; with more, fewer categories are drawn.
const PICTURE_UNITS: usize = 8_000;

/// The picture, or nothing if the category stands alone.
pub(super) fn section(subject: &Subject<'_>) -> String {
    let active: Vec<&Category> =
        subject.map.categories.iter().filter(|category| subject.c.active(&category.id).is_some()).collect();
    let nearest = nearest(subject, &active);
    if nearest.len() < 2 {
        return String::new();
    }
    let mut count = nearest.len().min(NODES);
    loop {
        let shown: BTreeSet<&CategoryId> = nearest.iter().take(count).copied().collect();
        let picture = mermaid_around(&picture(subject, &active, &shown), Some(subject.category.id.as_str()));
        if units(&picture) > PICTURE_UNITS && count > 2 {
            count /= 2;
            continue;
        }
        if units(&picture) > PICTURE_UNITS {
            return String::new();
        }
        let left_out = nearest.len() - shown.len();
        let more = if left_out == 0 {
            String::new()
        } else {
            format!("\n… and {left_out} more that hang together with it: see the picture of the campaign.\n")
        };
        return format!(
            "\n## Where it stands\n\nWhat fails now around it, upstream first; this one has the thick border.\n\n{}\n{more}",
            fence("mermaid", picture.trim_end())
        );
    }
}

/// The active categories that hang together with this one, the nearest first, ties by id; itself first.
fn nearest<'a>(subject: &Subject<'a>, active: &[&'a Category]) -> Vec<&'a CategoryId> {
    let mut beside: BTreeMap<&CategoryId, BTreeSet<&'a CategoryId>> = BTreeMap::new();
    for category in active {
        for upstream in category.depends_on.iter().filter(|d| subject.c.active(&d.category_id).is_some()) {
            beside.entry(&category.id).or_default().insert(&upstream.category_id);
            beside.entry(&upstream.category_id).or_default().insert(&category.id);
        }
    }
    let mut order = vec![&subject.category.id];
    let mut seen: BTreeSet<&CategoryId> = order.iter().copied().collect();
    let mut queue: VecDeque<&CategoryId> = order.iter().copied().collect();
    while let Some(at) = queue.pop_front() {
        for next in beside.get(at).into_iter().flatten().copied() {
            if seen.insert(next) {
                order.push(next);
                queue.push_back(next);
            }
        }
    }
    order
}

fn picture(subject: &Subject<'_>, active: &[&Category], shown: &BTreeSet<&CategoryId>) -> Picture {
    let mut picture = Picture::default();
    for category in active.iter().filter(|category| shown.contains(&category.id)) {
        let waits = category.depends_on.iter().any(|d| subject.c.active(&d.category_id).is_some());
        picture.nodes.push(PictureNode {
            id: category.id.to_string(),
            label: category.id.name().to_owned(),
            state: Some(if waits { NodeState::BlockedUpstream } else { NodeState::Routable }),
            failing: subject.c.active(&category.id).map(|active| active.failures),
            new: None,
            ticket: None,
            url: None,
            ghost: false,
            tooltip: String::new(),
        });
        for upstream in category.depends_on.iter().filter(|d| shown.contains(&d.category_id)) {
            picture.edges.push(PictureEdge {
                from: category.id.to_string(),
                to: upstream.category_id.to_string(),
                rationale: String::new(),
            });
        }
    }
    picture
}
