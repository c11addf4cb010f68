//! Geometry of whole pictures: what a person would see as wrong.

use proptest::prelude::*;

use super::*;
use crate::graph::draw::tests::{chain, hub, picture, small};

/// Points on the path data of a line, which knows `M`, `H` and `C`.
fn sample(path: &str) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    let mut rest = path;
    while let Some(command) = rest.chars().next() {
        let body = &rest[1..];
        let end = body.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(body.len());
        let numbers: Vec<f64> = body[..end].split(' ').map(|number| number.parse().expect("a number")).collect();
        rest = &body[end..];
        let from = points.last().copied().unwrap_or(Point { x: 0.0, y: 0.0 });
        match (command, numbers.as_slice()) {
            ('M', &[x, y]) => points.push(Point { x, y }),
            ('H', &[x]) => {
                let step = |i: u32| Point { x: from.x + (x - from.x) * f64::from(i) / 40.0, y: from.y };
                points.extend((1..=40).map(step));
            }
            ('C', &[ax, ay, bx, by, x, y]) => {
                points.extend((1..=40).map(|i| {
                    let at = f64::from(i) / 40.0;
                    Point { x: bezier([from.x, ax, bx, x], at), y: bezier([from.y, ay, by, y], at) }
                }));
            }
            other => panic!("unexpected path command {other:?}"),
        }
    }
    points
}

fn bezier(handles: [f64; 4], at: f64) -> f64 {
    let rest = 1.0 - at;
    let weights = [rest.powi(3), 3.0 * rest * rest * at, 3.0 * rest * at * at, at.powi(3)];
    handles.iter().zip(weights).map(|(handle, weight)| handle * weight).sum()
}

/// Lays a picture out as it would be drawn, and checks every box and every line.
fn check(picture: &Picture) {
    let scene = Scene::new(picture);
    let style = BoxStyle::of(&scene);
    let request = Request {
        nodes: scene.nodes.len(),
        edges: scene.forward_edges(),
        box_width: style.width,
        box_height: style.height,
    };
    let layout = layout(&request).expect("small enough to be drawn");

    for (at, a) in layout.boxes.iter().enumerate() {
        assert!(a.x >= 0.0 && a.y >= -0.01, "box {at} lies outside");
        assert!(a.x + style.width <= layout.width + 0.01 && a.y + style.height <= layout.height + 0.01);
        for b in &layout.boxes[..at] {
            let apart = (a.x - b.x).abs() >= style.width || (a.y - b.y).abs() >= style.height + 4.0;
            assert!(apart, "boxes overlap: {a:?} {b:?}");
        }
    }
    let lines = lines(&scene, &request, &layout, &|point| *point);
    assert_eq!(lines.len(), scene.edges.len());
    for line in lines.iter().filter(|line| line.edge.from != line.edge.to) {
        let (path, tip) = line.path();
        let (up, down) = (layout.boxes[line.edge.to], layout.boxes[line.edge.from]);
        let border = if line.backwards { down.x + style.width } else { down.x };
        assert!((tip.x - border).abs() < 0.01, "the tip {tip:?} is not on the border of {down:?}");
        assert!(tip.y > down.y && tip.y < down.y + style.height);
        let points = sample(&path);
        let (first, last) = (points[0], points[points.len() - 1]);
        let (start, near_tip) = if line.backwards { (last, first) } else { (first, last) };
        let origin = if line.backwards { up.x } else { up.x + style.width };
        assert!((start.x - origin).abs() < 0.11 && start.y > up.y && start.y < up.y + style.height, "{start:?} {up:?}");
        assert!((near_tip.y - tip.y).abs() < 0.11 && (near_tip.x - tip.x).abs() < 7.2, "{near_tip:?} {tip:?}");
        for point in points {
            for (at, other) in layout.boxes.iter().enumerate() {
                let inside = point.x > other.x + 0.11
                    && point.x < other.x + style.width - 0.11
                    && point.y > other.y - 1.0
                    && point.y < other.y + style.height + 1.0;
                assert!(!inside, "{} runs through box {at}", line.title);
            }
        }
    }
}

#[test]
fn hubs_and_chains_keep_clear_of_boxes() {
    check(&small());
    for nodes in [2, 6, 7, 14, 30, 60] {
        check(&chain(nodes));
        check(&hub(nodes, false));
        check(&hub(nodes, true));
    }
}

#[test]
fn a_long_chain_is_wrapped_and_a_hub_is_not_a_tower() {
    for picture in [chain(20), hub(50, false), hub(50, true)] {
        let scene = Scene::new(&picture);
        let style = BoxStyle::of(&scene);
        let request = Request {
            nodes: scene.nodes.len(),
            edges: scene.forward_edges(),
            box_width: style.width,
            box_height: style.height,
        };
        let layout = layout(&request).unwrap();
        let shape = layout.width / layout.height;
        assert!((0.4..5.0).contains(&shape), "{} is drawn {shape:.1} times as wide as high", picture.title);
        assert_eq!(layout.crossings, 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_box_overlaps_and_no_line_runs_through_a_box((n, edges) in crate::graph::dag::tests::acyclic(40)) {
        check(&picture(n, &edges));
    }

    #[test]
    fn cyclic_graphs_are_drawn_as_carefully((n, edges) in crate::graph::dag::tests::any_graph(14)) {
        check(&picture(n, &edges));
    }
}
