//! Lines: straight across a column, curved only in the gaps, with the arrow's tip on the border of its box.

use super::palette::{ALARM, LINE};
use super::xml::{Xml, number};
use crate::graph::draw::layout::Point;
use crate::graph::draw::scene::SceneEdge;
use crate::model::{display_safe, truncate_chars};

/// Length and half width of an arrowhead.
const HEAD: (f64, f64) = (8.0, 4.2);
/// Rationales are cut here.
const MAX_RATIONALE: usize = 600;

/// One edge, ready to be drawn: route from left to right, the tip at the right end unless it runs backwards.
pub(super) struct Line<'a> {
    pub(super) edge: &'a SceneEdge,
    pub(super) route: Vec<Point>,
    pub(super) backwards: bool,
    pub(super) faint: bool,
    pub(super) title: String,
}

impl Line<'_> {
    pub(super) fn draw(&self, xml: &mut Xml) {
        let (path, tip) = self.path();
        let heading = if self.backwards { -1.0 } else { 1.0 };
        self.write(xml, &path, &arrowhead(tip, heading));
    }

    /// A dependency of a category on itself: a loop at the right border of its box.
    pub(super) fn draw_loop(&self, xml: &mut Xml, right: f64, middle: f64) {
        let (out, back) = (middle - 11.0, middle + 11.0);
        let path = format!(
            "M{r} {}C{far} {} {far} {} {} {}",
            number(out),
            number(out - 12.0),
            number(back + 12.0),
            number(right + HEAD.0 - 1.0),
            number(back),
            r = number(right),
            far = number(right + 40.0),
        );
        self.write(xml, &path, &arrowhead(Point { x: right, y: back }, -1.0));
    }

    fn write(&self, xml: &mut Xml, path: &str, head: &str) {
        let alarm = self.edge.cyclic;
        xml.open("g", &[("class", if alarm { "edge alarm" } else { "edge" })]);
        let rationale = display_safe(&truncate_chars(&self.edge.rationale, MAX_RATIONALE)).into_owned();
        let title = if rationale.is_empty() { self.title.clone() } else { format!("{}\n{rationale}", self.title) };
        xml.text("title", &[], &title);
        // An invisible broad line makes the tooltip easy to reach.
        xml.empty(
            "path",
            &[("d", path), ("fill", "none"), ("stroke", LINE), ("stroke-opacity", "0"), ("stroke-width", "12")],
        );
        let colour = if alarm { ALARM } else { LINE };
        let mut attributes = vec![
            ("class", "line"),
            ("d", path),
            ("fill", "none"),
            ("stroke", colour),
            ("stroke-width", if self.edge.in_cycle { "2.8" } else { "1.4" }),
        ];
        if self.faint {
            attributes.push(("stroke-dasharray", "2 4"));
        }
        xml.empty("path", &attributes);
        xml.empty("path", &[("class", "head"), ("d", head), ("fill", colour)]);
        xml.close();
    }

    /// Path data from left to right, and the tip of the arrow. The line ends inside the arrowhead.
    pub(super) fn path(&self) -> (String, Point) {
        let mut points = self.route.clone();
        let nowhere = Point { x: 0.0, y: 0.0 };
        let tip = if self.backwards { points.first() } else { points.last() }.copied().unwrap_or(nowhere);
        let shortened = HEAD.0 - 1.0;
        if self.backwards {
            points.iter_mut().take(1).for_each(|start| start.x += shortened);
        } else {
            points.iter_mut().rev().take(1).for_each(|end| end.x -= shortened);
        }
        let mut path = String::new();
        let mut heading = 1.0;
        for (at, &to) in points.iter().enumerate() {
            let Some(from) = at.checked_sub(1).map(|before| points[before]) else {
                path.push_str(&format!("M{} {}", number(to.x), number(to.y)));
                continue;
            };
            if (to.x - from.x).abs() < HEAD.0 + 1.0 {
                path.push_str(&u_turn(from, to, heading));
                heading = -heading;
            } else if (to.y - from.y).abs() < 0.05 {
                path.push_str(&format!("H{}", number(to.x)));
            } else {
                let bend = (to.x - from.x) / 2.0;
                path.push_str(&format!(
                    "C{} {} {} {} {} {}",
                    number(from.x + bend),
                    number(from.y),
                    number(to.x - bend),
                    number(to.y),
                    number(to.x),
                    number(to.y)
                ));
            }
        }
        (path, tip)
    }
}

/// A bow out to the right (`heading` 1) or to the left (-1) and back to nearly the same x.
fn u_turn(from: Point, to: Point, heading: f64) -> String {
    // Handles of two thirds of the height make about a half circle; the limit keeps it inside a margin.
    let reach = heading * ((to.y - from.y).abs() * 2.0 / 3.0).min(24.0);
    format!(
        "C{} {} {} {} {} {}",
        number(from.x + reach),
        number(from.y),
        number(to.x + reach),
        number(to.y),
        number(to.x),
        number(to.y)
    )
}

/// A triangle with its tip at `tip`; `heading` is 1 to the right, -1 to the left.
pub(super) fn arrowhead(tip: Point, heading: f64) -> String {
    let back = number(tip.x - heading * HEAD.0);
    format!("M{} {}L{back} {}L{back} {}Z", number(tip.x), number(tip.y), number(tip.y - HEAD.1), number(tip.y + HEAD.1))
}
