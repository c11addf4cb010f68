//! The vector picture. Layout decides where things go, this module how they look.

mod document;
mod edges;
mod heading;
mod list;
mod nodes;
mod palette;
mod xml;

pub use document::svg;
pub(super) use xml::http_link;
