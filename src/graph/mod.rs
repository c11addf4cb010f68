//! Graph questions (petgraph stays behind this module) and the pictures of the answers.
//!
//! Everything here is iterative and independent of the order in which nodes and edges were given: ids are sorted
//! once, and every answer follows that order.

mod cycle;
mod dag;
pub mod draw;
mod order;
mod reach;
mod reduction;

pub use cycle::Cycle;
pub use dag::{Dag, DagError, NodeIx};
pub use reduction::{MAX_NODES_FOR_REDUCTION, Reduction};
