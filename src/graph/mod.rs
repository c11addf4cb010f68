//! Graph questions (petgraph stays behind this module) and the pictures of the answers.

pub mod draw;
