//! The picture of the active DAG of one report.

use std::collections::{BTreeMap, BTreeSet};

use crate::categorize::Categorization;
use crate::category_map::CategoryMap;
use crate::graph::draw::{Picture, PictureEdge, PictureNode};
use crate::model::CategoryId;
use crate::plan::CategoryState;

/// The active categories with their states, and, as ghosts, inactive ones that they depend on directly.
///
/// `previous` are the failing cases of the iteration before, by category; without them nothing is called new.
pub fn active_picture(
    title: String,
    c: &Categorization,
    map: &CategoryMap,
    states: &BTreeMap<CategoryId, CategoryState>,
    previous: Option<&BTreeMap<String, BTreeSet<String>>>,
) -> Picture {
    let mut picture = Picture { title, ..Picture::default() };
    let mut ghosts: BTreeSet<&CategoryId> = BTreeSet::new();
    for category in &map.categories {
        let Some(active) = c.active(&category.id) else { continue };
        let state = states.get(&category.id);
        let before = previous.map(|cases| cases.get(category.id.as_str()));
        let new = before.map(|before| {
            c.cases_of(active).filter(|case| before.is_none_or(|before| !before.contains(case.as_str()))).count()
        });
        picture.nodes.push(PictureNode {
            id: category.id.to_string(),
            label: category.id.name().to_owned(),
            state: state.and_then(|state| state.state),
            failing: Some(active.failures),
            new,
            ticket: state.and_then(|state| state.ticket.as_ref()).map(ToString::to_string),
            url: None,
            ghost: false,
            tooltip: category.defect.clone(),
        });
        for dependency in &category.depends_on {
            if c.active(&dependency.category_id).is_none() {
                ghosts.insert(&dependency.category_id);
            }
            picture.edges.push(PictureEdge {
                from: category.id.to_string(),
                to: dependency.category_id.to_string(),
                rationale: dependency.rationale.clone(),
            });
        }
    }
    for category in map.categories.iter().filter(|category| ghosts.contains(&category.id)) {
        let state = states.get(&category.id);
        picture.nodes.push(PictureNode {
            id: category.id.to_string(),
            label: category.id.name().to_owned(),
            state: state.and_then(|state| state.state),
            failing: Some(0),
            new: None,
            ticket: state.and_then(|state| state.ticket.as_ref()).map(ToString::to_string),
            url: None,
            ghost: true,
            tooltip: format!("does not fail in this report: {}", category.defect),
        });
    }
    picture
}
