//! Colours, outlines and badges. Every state has its own outline and badge, so that colour is never needed to tell
//! them apart; the hues are Okabe and Ito's, darkened to a contrast of at least 4.5 to 1 on white.

use super::xml::number;
use crate::graph::draw::layout::Point;
use crate::model::NodeState;

/// How one kind of node looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) class: &'static str,
    pub(super) stroke: &'static str,
    pub(super) fill: &'static str,
    pub(super) stroke_width: &'static str,
    pub(super) dash: Option<&'static str>,
    pub(super) outline: Outline,
    /// Badge as a path in a box of 16 by 16 pixels, drawn with rounded lines.
    pub(super) badge: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outline {
    Rounded,
    Octagon,
    CutCorner,
    Stadium,
    Double,
}

pub(super) const fn look(state: Option<NodeState>, ghost: bool) -> Look {
    let plain = Look {
        class: "plain",
        stroke: "#59636e",
        fill: "#f6f8fa",
        stroke_width: "1.4",
        dash: None,
        outline: Outline::Rounded,
        badge: None,
    };
    if ghost {
        return Look {
            class: "ghost",
            stroke: "#8c959f",
            fill: "#ffffff",
            dash: Some("2 4"),
            badge: Some("M3 8h.1M8 8h.1M13 8h.1"),
            ..plain
        };
    }
    match state {
        None => plain,
        Some(NodeState::Routable) => {
            Look { class: "routable", stroke: "#0969a8", fill: "#e8f3fb", badge: Some("M4.5 2.5v11l9-5.5z"), ..plain }
        }
        Some(NodeState::BlockedUpstream) => Look {
            class: "blocked",
            stroke: "#b34700",
            fill: "#fdefe6",
            dash: Some("6 4"),
            outline: Outline::Octagon,
            badge: Some("M5 3v10M11 3v10"),
            ..plain
        },
        Some(NodeState::PatchCandidate) => Look {
            class: "candidate",
            stroke: "#7d6200",
            fill: "#fbf7dd",
            outline: Outline::CutCorner,
            badge: Some("M2.5 13.5l1-3.5 7.5-7.5 2.5 2.5-7.5 7.5zM9 4.5l2.5 2.5"),
            ..plain
        },
        Some(NodeState::CategoryGreen) => Look {
            class: "green",
            stroke: "#00735a",
            fill: "#e4f6f0",
            outline: Outline::Stadium,
            badge: Some("M2.5 8.5l3.5 4 7.5-9"),
            ..plain
        },
        Some(NodeState::Integrated) => Look {
            class: "integrated",
            stroke: "#9a3f77",
            fill: "#f8ebf4",
            stroke_width: "2.8",
            outline: Outline::Stadium,
            badge: Some("M4 2v12M4 5c0 4 8 2 8 6v3M9.5 11.5l2.5 2.5 2.5-2.5"),
            ..plain
        },
        Some(NodeState::Closed) => Look {
            class: "closed",
            stroke: "#6b6f75",
            fill: "#f0f1f2",
            outline: Outline::Double,
            badge: Some("M3.5 3.5h9v9h-9zM5.5 8.2l2 2 3.3-4.4"),
            ..plain
        },
    }
}

/// Classes with their colours in the dark: stroke, fill.
const DARK: [(&str, &str, &str); 8] = [
    ("plain", "#9198a1", "#161b22"),
    ("ghost", "#6e7681", "#0d1117"),
    ("routable", "#58a6ff", "#0f2438"),
    ("blocked", "#f0883e", "#301c0c"),
    ("candidate", "#d4b106", "#2a250a"),
    ("green", "#3fb98f", "#0c2a20"),
    ("integrated", "#d983bb", "#321a2a"),
    ("closed", "#8d959e", "#1c2026"),
];

/// Colours that are not a state's.
pub(super) const PAPER: &str = "#ffffff";
pub(super) const INK: &str = "#1f2328";
pub(super) const MUTED: &str = "#59636e";
pub(super) const LINE: &str = "#7d8691";
pub(super) const ALARM: &str = "#cf222e";

/// Fonts of names and lists.
pub(super) const MONOSPACE: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

/// The style sheet: colours for dark surroundings, and a line that grows under the pointer. Without it the picture is
/// complete, because every element carries its light colours itself.
pub(super) fn style_sheet() -> String {
    let mut css = String::from(
        ".edge:hover .line{stroke-width:3}\n@media (prefers-color-scheme:dark){\n.paper{fill:#0d1117}\n\
         .ink{fill:#e6edf3}\n.muted{fill:#9198a1}\n.line{stroke:#6e7681}\n.head{fill:#6e7681}\n\
         .alarm .line,.ring{stroke:#ff7b72}\n.alarm .head,.warn{fill:#ff7b72}\n",
    );
    for (class, stroke, fill) in DARK {
        css.push_str(&format!(".{class}{{stroke:{stroke};fill:{fill}}}\n.{class}-badge{{stroke:{stroke}}}\n"));
    }
    css.push('}');
    css
}

/// The outline of a box as path data, and a second one inside it for [`Outline::Double`].
pub(super) fn outline(kind: Outline, at: Point, width: f64, height: f64) -> (String, Option<String>) {
    match kind {
        Outline::Rounded => (rounded(at, width, height, 6.0), None),
        Outline::Stadium => (rounded(at, width, height, height / 2.0), None),
        Outline::Double => {
            let inner = Point { x: at.x + 3.5, y: at.y + 3.5 };
            (rounded(at, width, height, 1.5), Some(rounded(inner, width - 7.0, height - 7.0, 0.5)))
        }
        Outline::CutCorner => {
            let cut = (height / 4.0).min(14.0);
            (polygon(at, &[(0.0, 0.0), (width - cut, 0.0), (width, cut), (width, height), (0.0, height)]), None)
        }
        Outline::Octagon => {
            let cut = (height / 5.0).min(11.0);
            let points = [
                (cut, 0.0),
                (width - cut, 0.0),
                (width, cut),
                (width, height - cut),
                (width - cut, height),
                (cut, height),
                (0.0, height - cut),
                (0.0, cut),
            ];
            (polygon(at, &points), None)
        }
    }
}

fn polygon(at: Point, points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        path.push(if i == 0 { 'M' } else { 'L' });
        path.push_str(&format!("{} {}", number(at.x + x), number(at.y + y)));
    }
    path.push('Z');
    path
}

pub(super) fn rounded(at: Point, width: f64, height: f64, radius: f64) -> String {
    let r = number(radius);
    let (h, v) = (number(width - 2.0 * radius), number(height - 2.0 * radius));
    format!(
        "M{} {}h{h}a{r} {r} 0 0 1 {r} {r}v{v}a{r} {r} 0 0 1 -{r} {r}h-{h}a{r} {r} 0 0 1 -{r} -{r}v-{v}a{r} {r} 0 0 1 {r} -{r}z",
        number(at.x + radius),
        number(at.y),
    )
}
