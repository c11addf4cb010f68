//! Laws of all formats: complete, well-formed, independent of input order.

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::*;
use crate::graph::dag::tests::{acyclic, any_graph};

/// Parses the document to its end, checking every name and attribute, and counts elements by name and class.
pub(super) fn parse(svg: &str) -> std::collections::BTreeMap<String, usize> {
    let mut reader = Reader::from_str(svg);
    reader.config_mut().check_end_names = true;
    let mut counts = std::collections::BTreeMap::new();
    let mut depth = 0;
    loop {
        let event = reader.read_event().expect("well-formed");
        match &event {
            Event::Start(element) | Event::Empty(element) => {
                let mut key = element.name().as_ref().to_owned();
                for attribute in element.attributes() {
                    let attribute = attribute.expect("a well-formed attribute");
                    let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).expect("known entities");
                    if attribute.key.as_ref() == "class" {
                        key = format!("{key}.{value}");
                    }
                    assert!(!attribute.key.as_ref().starts_with("on"), "no event handlers");
                }
                *counts.entry(key).or_insert(0) += 1;
                if matches!(event, Event::Start(_)) {
                    depth += 1;
                }
            }
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            Event::Text(_) | Event::GeneralRef(_) => {}
            other => panic!("unexpected {other:?}"),
        }
    }
    assert_eq!(depth, 0);
    assert!(!svg.chars().any(|c| c != '\n' && crate::model::is_unsafe_for_display(c)));
    counts
}

fn all(picture: &Picture) -> Vec<String> {
    DrawFormat::ALL.iter().map(|format| format.draw(picture)).collect()
}

#[test]
fn large_pictures_fold_hide_or_list_and_say_so() {
    let fold = svg(&hub(300, false));
    assert!(fold.contains("folded into “+N”") && fold.contains("+49"), "{}", &fold[..600]);
    parse(&fold);

    let layered: Vec<(usize, usize)> =
        (20..100).flat_map(|at| [(at, at - 20), (at, at - 19), (at, at % 20)]).filter(|(a, b)| a > b).collect();
    let map = svg(&picture(100, &layered));
    assert!(map.contains("implied edges hidden"));
    parse(&map);

    // Every pair of halves: too many long lines.
    let dense: Vec<(usize, usize)> = (1..700).flat_map(|at| [(at, at - 1), (at, at / 2)]).collect();
    let list = svg(&picture(700, &dense)).replace('\u{a0}', " ");
    assert!(list.contains("too large or too dense to draw, so it is listed"));
    assert!(list.contains("more lines: the formats text, DOT and Mermaid have all of them"));
    parse(&list);
    assert_eq!(text(&picture(700, &dense)).matches("← depends on").count(), 699);
}

#[test]
fn a_chain_of_thousands_is_drawn_by_every_format() {
    for output in all(&chain(4_000)) {
        assert!(output.len() > 1000);
    }
}

#[test]
fn an_edge_to_an_unknown_category_shows_a_ghost() {
    let picture = Picture { nodes: vec![node("a", "a")], edges: vec![edge("a", "gone")], ..Picture::default() };
    let counts = parse(&svg(&picture));
    assert_eq!(counts["g.node"], 2);
    assert!(text(&picture).contains("← depends on gone"));
    assert!(text(&picture).contains("not active"));
}

#[test]
fn crossings_are_counted() {
    assert_eq!(crossings(&small()), Some(0));
    let complete: Vec<(usize, usize)> = (3..6).flat_map(|a| (0..3).map(move |b| (a, b))).collect();
    assert_eq!(crossings(&picture(6, &complete)), Some(9), "three by three, complete: no order has fewer");
}

#[test]
fn equal_labels_are_told_apart_by_their_ids() {
    let picture = Picture { nodes: vec![node("x:a:n", "n"), node("y:a:n", "n")], ..Picture::default() };
    let text = text(&picture);
    assert!(text.contains("x:a:n") && text.contains("y:a:n"));
}

#[test]
fn a_cycle_that_the_picture_names_is_the_one_highlighted() {
    let edges = [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2)];
    let mut picture = picture(5, &edges);
    picture.cycle = vec![name(2), name(3), name(4)];
    assert!(text(&picture).contains("cycle: label-2 → label-3 → label-4 → label-2"));
    // A path that is no cycle of the graph is not believed.
    picture.cycle = vec![name(2), name(4), name(3)];
    assert!(text(&picture).contains("cycle: label-0 → label-1 → label-0"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_node_and_every_edge_is_drawn_once((n, edges) in acyclic(40)) {
        let picture = picture(n, &edges);
        let distinct: std::collections::BTreeSet<_> = edges.iter().collect();
        let svg = svg(&picture);
        let counts = parse(&svg);
        prop_assert_eq!(counts["g.node"], n);
        prop_assert_eq!(counts.get("g.edge").copied().unwrap_or(0), distinct.len());
        for &&(from, to) in &distinct {
            let title = format!("<title>label-{from} depends on label-{to}\n");
            prop_assert_eq!(svg.matches(&title).count(), 1);
        }
        prop_assert_eq!(mermaid(&picture).matches("--> ").count(), distinct.len());
        prop_assert_eq!(dot(&picture).matches(" -> ").count(), distinct.len());
    }

    #[test]
    fn cyclic_graphs_are_complete_in_every_format((n, edges) in any_graph(16)) {
        let picture = picture(n, &edges);
        let distinct: std::collections::BTreeSet<_> = edges.iter().collect();
        let counts = parse(&svg(&picture));
        prop_assert_eq!(counts["g.node"], n);
        let drawn = counts.get("g.edge").copied().unwrap_or(0) + counts.get("g.edge alarm").copied().unwrap_or(0);
        prop_assert_eq!(drawn, distinct.len());
        let json: serde_json::Value = serde_json::from_str(&ask_dag_json(&picture)).unwrap();
        let depends: usize = json["nodes"].as_array().unwrap().iter().map(|n| n["depends_on"].as_array().unwrap().len()).sum();
        prop_assert_eq!(depends, distinct.len());
        prop_assert!(!text(&picture).is_empty());
    }

    #[test]
    fn the_order_of_the_lists_does_not_matter((n, edges) in any_graph(20), seed in any::<u64>()) {
        let picture = picture(n, &edges);
        let mut shuffled = picture.clone();
        let key = |text: &str| text.bytes().fold(seed, |sum, b| sum.wrapping_mul(31).wrapping_add(u64::from(b)));
        shuffled.nodes.sort_by_key(|node| key(&node.id));
        shuffled.edges.sort_by_key(|edge| key(&edge.rationale));
        prop_assert_eq!(all(&picture), all(&shuffled));
    }
}
