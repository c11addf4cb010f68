//! Packs components on shelves, so that many small ones do not make one endless row.

use super::assemble::Point;

/// Size of a component in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Free space between components.
const GAP_X: f64 = 48.0;
const GAP_Y: f64 = 28.0;
/// Wanted width for one of height: a wide screen, minus the heading.
const ASPECT: f64 = 1.7;

/// Top-left corners, in the order of `sizes`, and the size of the whole.
///
/// Shelves are filled from left to right, and a shelf's free height takes further small components one below the
/// other. Components keep their order, so that a picture changes little when one of them does.
pub(super) fn pack(sizes: &[Size]) -> (Vec<Point>, Size) {
    let area: f64 = sizes.iter().map(|size| (size.width + GAP_X) * (size.height + GAP_Y)).sum();
    let widest = sizes.iter().map(|size| size.width).fold(0.0, f64::max);
    let limit = widest.max((area * ASPECT).sqrt());

    let mut corners = Vec::with_capacity(sizes.len());
    let mut whole = Size { width: 0.0, height: 0.0 };
    let mut shelf_top = 0.0;
    let mut shelf_height = 0.0;
    // The stack that grows at the right end of the shelf: its left edge, width and filled height.
    let (mut left, mut stack_width, mut filled) = (0.0, 0.0, 0.0);
    for (at, size) in sizes.iter().enumerate() {
        let fits_below = at > 0 && size.width <= stack_width && filled + GAP_Y + size.height <= shelf_height;
        if fits_below {
            filled += GAP_Y;
        } else {
            if at > 0 {
                left += stack_width + GAP_X;
            }
            if at > 0 && left + size.width > limit + 0.5 {
                shelf_top += shelf_height + GAP_Y;
                shelf_height = 0.0;
                left = 0.0;
            }
            stack_width = size.width;
            filled = 0.0;
        }
        corners.push(Point { x: left, y: shelf_top + filled });
        filled += size.height;
        shelf_height = f64::max(shelf_height, filled);
        whole.width = f64::max(whole.width, left + size.width);
        whole.height = f64::max(whole.height, shelf_top + filled);
    }
    (corners, whole)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn components_never_overlap(
            sizes in prop::collection::vec((1_u16..900, 1_u16..900), 0..40)
        ) {
            let sizes: Vec<Size> =
                sizes.iter().map(|&(w, h)| Size { width: f64::from(w), height: f64::from(h) }).collect();
            let (corners, whole) = pack(&sizes);
            for (i, (a, sa)) in corners.iter().zip(&sizes).enumerate() {
                prop_assert!(a.x + sa.width <= whole.width && a.y + sa.height <= whole.height);
                for (b, sb) in corners.iter().zip(&sizes).take(i) {
                    let apart = a.x + sa.width <= b.x || b.x + sb.width <= a.x
                        || a.y + sa.height <= b.y || b.y + sb.height <= a.y;
                    prop_assert!(apart);
                }
            }
        }
    }
}
