//! ask.dag.v1: the graph as JSON for other tools.

use serde::Serialize;

use super::Picture;
use super::scene::Scene;

#[derive(Serialize)]
struct AskDag<'a> {
    schema_version: &'static str,
    graph_id: &'a str,
    nodes: Vec<AskNode<'a>>,
}

#[derive(Serialize)]
struct AskNode<'a> {
    id: &'a str,
    r#type: &'static str,
    display_type: &'static str,
    label: &'a str,
    depends_on: Vec<&'a str>,
}

/// The graph as an ask.dag.v1 document, pretty-printed JSON. `type` is always `category`; `display_type` is the
/// state, `inactive` for a ghost, or `category` without a report. Ids and labels are the raw ones.
pub fn ask_dag_json(picture: &Picture) -> String {
    let scene = Scene::new(picture);
    let upstream = scene.upstream();
    let id = |at: usize| scene.nodes[at].node.id.as_str();
    let document = AskDag {
        schema_version: "ask.dag.v1",
        graph_id: &scene.title,
        nodes: scene
            .nodes
            .iter()
            .zip(&upstream)
            .map(|(node, upstream)| AskNode {
                id: &node.node.id,
                r#type: "category",
                display_type: match (node.node.ghost, node.node.state) {
                    (true, _) => "inactive",
                    (false, Some(state)) => state.as_str(),
                    (false, None) => "category",
                },
                label: if node.node.label.is_empty() { &node.node.id } else { &node.node.label },
                depends_on: upstream.iter().map(|&up| id(up)).collect(),
            })
            .collect(),
    };
    // Strings and lists only: serialization cannot fail.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}
