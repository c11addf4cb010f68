//! The picture of a category DAG: one value in, five formats out.
//!
//! Every format is a pure function of the [`Picture`]: the same picture gives the same bytes, whatever the order of
//! its lists. Text of a picture is data; each format escapes it in its own way and none lets it act.

mod ask;
mod collapse;
mod dot;
mod format;
mod layout;
mod mermaid;
mod picture;
mod scene;
mod svg;
#[cfg(test)]
mod tests;
mod text;

pub use ask::ask_dag_json;
pub use dot::dot;
pub use format::DrawFormat;
pub use layout::crossings;
pub use mermaid::{mermaid, mermaid_around};
pub use picture::{Picture, PictureEdge, PictureNode};
pub use svg::svg;
pub use text::text;
