//! What people see, in every format.

use super::*;

#[test]
fn small_picture() {
    let picture = small();
    insta::assert_snapshot!("small.svg", svg(&picture));
    insta::assert_snapshot!("small.dot", dot(&picture));
    insta::assert_snapshot!("small.mmd", mermaid(&picture));
    insta::assert_snapshot!("small.txt", text(&picture));
    insta::assert_snapshot!("small.json", ask_dag_json(&picture));
}

#[test]
fn cycles() {
    let picture = cyclic();
    insta::assert_snapshot!("cycle.svg", svg(&picture));
    insta::assert_snapshot!("cycle.dot", dot(&picture));
    insta::assert_snapshot!("cycle.mmd", mermaid(&picture));
    insta::assert_snapshot!("cycle.txt", text(&picture));
}

#[test]
fn nothing_active() {
    let picture = Picture { title: "Campaign demo · iteration 9".to_owned(), ..Picture::default() };
    insta::assert_snapshot!("empty.svg", svg(&picture));
    insta::assert_snapshot!("empty.dot", dot(&picture));
    insta::assert_snapshot!("empty.mmd", mermaid(&picture));
    insta::assert_snapshot!("empty.txt", text(&picture));
    insta::assert_snapshot!("empty.json", ask_dag_json(&picture));
}

/// The picture in docs/drawing.md is what the code draws today.
#[test]
fn the_example_of_the_docs_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/drawing-example.svg");
    let drawn = svg(&small());
    let shown = std::fs::read_to_string(path).unwrap_or_default();
    assert!(shown == drawn, "{path} is out of date: put the picture of the snapshot small.svg there");
}
