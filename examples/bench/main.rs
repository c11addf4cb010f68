//! Benchmarks that print ratios side by side.

mod normalize;

fn main() {
    normalize::run();
}
