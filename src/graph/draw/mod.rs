//! The picture of a category DAG: one value in, five formats out.

mod picture;

pub use picture::{Picture, PictureEdge, PictureNode};
