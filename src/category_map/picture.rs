//! The picture of a whole map, right or wrong: a cycle is drawn, and highlighted.

use std::collections::BTreeMap;

use super::load;
use super::raw::RawMap;
use super::rules::edges;
use crate::graph::draw::{Picture, PictureEdge, PictureNode};

/// The graph of the map in `bytes`, as far as it can be read: every category, every dependency, dependencies on unknown
/// categories as ghosts, and the shortest cycle if there is one. `None` if the bytes are not a JSON map.
pub fn picture_of(bytes: &[u8]) -> Option<Picture> {
    let raw = load::lenient(bytes)?;
    raw.categories.get()?;
    let mut nodes = BTreeMap::new();
    for category in raw.categories() {
        if let Some(id) = category.id_text() {
            let tooltip = category.defect.get().map(|text| text.value.clone()).unwrap_or_default();
            nodes.entry(id.to_owned()).or_insert_with(|| node(id, tooltip, false));
        }
    }
    let mut seen = BTreeMap::new();
    for category in raw.categories() {
        for dependency in &category.depends_on {
            if let (Some(from), Some(to)) = (category.id_text(), dependency.target.get()) {
                let to = to.value.as_str();
                nodes.entry(to.to_owned()).or_insert_with(|| node(to, "not in this map".to_owned(), true));
                let rationale = dependency.rationale.get().map(|text| text.value.clone()).unwrap_or_default();
                seen.entry((from.to_owned(), to.to_owned())).or_insert(rationale);
            }
        }
    }
    let edge = |((from, to), rationale)| PictureEdge { from, to, rationale };
    Some(Picture {
        title: title(&raw),
        nodes: nodes.into_values().collect(),
        edges: seen.into_iter().map(edge).collect(),
        cycle: edges::graph_with_loops(&raw).shortest_cycle().map(|cycle| cycle.path).unwrap_or_default(),
    })
}

fn title(raw: &RawMap) -> String {
    let repo = raw.repo.get().map_or("unknown repository", |text| text.value.as_str());
    match raw.map_version.get() {
        Some(version) => format!("Category map · {repo} · version {}", version.value),
        None => format!("Category map · {repo}"),
    }
}

fn node(id: &str, tooltip: String, ghost: bool) -> PictureNode {
    let label = id.rsplit(':').next().unwrap_or(id).to_owned();
    PictureNode {
        id: id.to_owned(),
        label,
        state: None,
        failing: None,
        new: None,
        ticket: None,
        url: None,
        ghost,
        tooltip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_with_a_cycle_and_a_hole_is_still_drawn() {
        let map = br#"{"repo": "o/r", "categories": {
            "a": {"category_id": "n:r:a", "defect": "d", "depends_on": [{"category_id": "n:r:b", "rationale": "why"}]},
            "b": {"category_id": "n:r:b", "depends_on": ["n:r:a", "n:r:gone"]}}}"#;
        let picture = picture_of(map).unwrap();
        assert_eq!(picture.title, "Category map · o/r");
        assert_eq!(picture.cycle, ["n:r:a", "n:r:b"]);
        let nodes: Vec<_> = picture.nodes.iter().map(|n| (n.label.as_str(), n.ghost)).collect();
        assert_eq!(nodes, [("a", false), ("b", false), ("gone", true)]);
        assert_eq!(picture.edges.len(), 3);
        assert_eq!(picture.edges[0].rationale, "why");
        assert_eq!(picture_of(b"[]"), None);
        assert_eq!(picture_of(b"{}"), None);
    }
}
