//! Evens out positions in the columns: every cell as near to its neighbours as the order and the distances allow.

use std::collections::BTreeSet;

use super::layers::Layers;

/// Distances between the centres of cells that follow each other in a column, in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spacing {
    /// Height of a box.
    pub(super) height: f64,
}

/// Free space between two boxes, in pixels.
const BOX_GAP: f64 = 20.0;
/// Between a box and a passing line.
const BOX_LANE_GAP: f64 = 15.0;
/// Between two passing lines.
const LANE_GAP: f64 = 13.0;
/// Sweeps over all columns. Each halves the distance of what hangs on one neighbour only, so outliers need a few.
const SWEEPS: usize = 32;
/// A line that would be straight but for this many pixels looks like a mistake.
const JOG: f64 = 14.0;

impl Spacing {
    pub(super) fn between(self, layers: &Layers, upper: usize, lower: usize) -> f64 {
        match (layers.is_lane(upper), layers.is_lane(lower)) {
            (false, false) => self.height + BOX_GAP,
            (true, true) => LANE_GAP,
            _ => self.height / 2.0 + BOX_LANE_GAP,
        }
    }

    /// Half of the height a cell takes.
    pub(super) fn half(self, layers: &Layers, cell: usize) -> f64 {
        if layers.is_lane(cell) { 0.0 } else { self.height / 2.0 }
    }
}

/// Moves the centres `y` (any start will do) to where lines are short and straight. Rounded to whole pixels; the
/// topmost edge of a box or line is 0.
pub(super) fn settle(layers: &Layers, y: &mut [f64], spacing: Spacing) {
    let last = layers.columns.len();
    for sweep in 0..SWEEPS {
        let both = sweep >= SWEEPS / 2;
        let rightwards = sweep % 2 == 0;
        for step in 0..last {
            let column = if rightwards { step } else { last - 1 - step };
            settle_column(layers, column, y, spacing, (both || rightwards, both || !rightwards));
        }
    }
    for at in y.iter_mut() {
        *at = at.round();
    }
    // Rounding may have taken a pixel from a distance.
    for column in &layers.columns {
        for pair in column.windows(2) {
            let free_from = y[pair[0]] + spacing.between(layers, pair[0], pair[1]).ceil();
            y[pair[1]] = y[pair[1]].max(free_from);
        }
    }
    straighten(layers, y, spacing);
    let top = (0..y.len()).map(|cell| y[cell] - spacing.half(layers, cell)).fold(f64::INFINITY, f64::min);
    for at in y.iter_mut() {
        *at -= top;
    }
}

/// Takes small jogs out of lines: everything that hangs straight on one end moves to the height of the other end, if
/// the distances in all its columns allow it. No line that was straight is bent by that.
fn straighten(layers: &Layers, y: &mut [f64], spacing: Spacing) {
    let mut place = vec![0; layers.cells.len()];
    for column in &layers.columns {
        for (at, &cell) in column.iter().enumerate() {
            place[cell] = at;
        }
    }
    for _ in 0..2 {
        for cell in 0..layers.cells.len() {
            for &right in &layers.cells[cell].right {
                let jog = y[cell] - y[right];
                if jog.abs() < 0.5 || jog.abs() > JOG {
                    continue;
                }
                for (end, by) in [(right, jog), (cell, -jog)] {
                    let group = straight_group(layers, y, end);
                    if can_move(layers, y, &place, &group, by, spacing) {
                        for &member in &group {
                            y[member] += by;
                        }
                        break;
                    }
                }
            }
        }
    }
}

/// The cells that straight lines connect with `start`, ascending.
fn straight_group(layers: &Layers, y: &[f64], start: usize) -> Vec<usize> {
    let mut group = BTreeSet::from([start]);
    let mut stack = vec![start];
    while let Some(cell) = stack.pop() {
        let here = &layers.cells[cell];
        for &other in here.left.iter().chain(&here.right) {
            if (y[other] - y[cell]).abs() < 0.5 && group.insert(other) {
                stack.push(other);
            }
        }
    }
    group.into_iter().collect()
}

fn can_move(layers: &Layers, y: &[f64], place: &[usize], group: &[usize], by: f64, spacing: Spacing) -> bool {
    group.iter().all(|&cell| {
        let column = &layers.columns[layers.cells[cell].column];
        let moved = y[cell] + by;
        let free = |other: Option<&usize>| {
            other.is_none_or(|&other| {
                group.binary_search(&other).is_ok()
                    || (moved - y[other]).abs() >= spacing.between(layers, cell, other)
                        && (moved > y[other]) == (y[cell] > y[other])
            })
        };
        free(place[cell].checked_sub(1).and_then(|above| column.get(above))) && free(column.get(place[cell] + 1))
    })
}

/// A run of cells that touch each other and move as one.
struct Block {
    cells: usize,
    weight: f64,
    wish: f64,
}

/// Pools adjacent violators: the least-squares positions for the wishes of a column under its order and distances.
fn settle_column(layers: &Layers, column: usize, y: &mut [f64], spacing: Spacing, (left, right): (bool, bool)) {
    let cells = &layers.columns[column];
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(cells.len());
    let mut blocks: Vec<Block> = Vec::new();
    for (at, &cell) in cells.iter().enumerate() {
        if at > 0 {
            offset += spacing.between(layers, cells[at - 1], cell);
        }
        offsets.push(offset);
        let (wish, weight) = wish(layers, cell, y, left, right);
        let mut block = Block { cells: 1, weight, wish: wish - offset };
        while let Some(above) = blocks.pop_if(|above| above.wish > block.wish) {
            let weight = above.weight + block.weight;
            block.wish = (above.wish * above.weight + block.wish * block.weight) / weight;
            block.weight = weight;
            block.cells += above.cells;
        }
        blocks.push(block);
    }
    let positions = blocks.iter().flat_map(|block| std::iter::repeat_n(block.wish, block.cells));
    for ((&cell, offset), position) in cells.iter().zip(offsets).zip(positions) {
        y[cell] = position + offset;
    }
}

/// The weighted median of the neighbours, and how much the cell insists on it. Lanes insist most, so that long lines
/// run straight.
fn wish(layers: &Layers, cell: usize, y: &[f64], left: bool, right: bool) -> (f64, f64) {
    let here = &layers.cells[cell];
    let neighbours = here.left.iter().filter(|_| left).chain(here.right.iter().filter(|_| right));
    let mut wishes: Vec<(f64, f64)> = neighbours
        .map(|&other| {
            let lanes = usize::from(layers.is_lane(cell)) + usize::from(layers.is_lane(other));
            (y[other], [1.0, 2.0, 8.0][lanes])
        })
        .collect();
    if wishes.is_empty() {
        return (y[cell], 0.1);
    }
    wishes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let weight: f64 = wishes.iter().map(|wish| wish.1).sum();
    let mut before = 0.0;
    for (at, &(position, own)) in wishes.iter().enumerate() {
        before += own;
        // Exactly half on each side: any point between is as good, the middle is the fairest.
        if (before * 2.0 - weight).abs() < 1e-9 {
            let next = wishes.get(at + 1).map_or(position, |next| next.0);
            return (f64::midpoint(position, next), weight);
        }
        if before * 2.0 > weight {
            return (position, weight);
        }
    }
    (y[cell], weight)
}
