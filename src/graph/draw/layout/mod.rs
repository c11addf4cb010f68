//! Where boxes and lines go. Everything else of a picture knows only [`layout`] and its [`Layout`].

mod assemble;
mod layers;
mod ordering;
mod pack;
mod place;
mod settle;

pub use assemble::crossings;
pub(super) use assemble::{Layout, Point, Request, layout};
pub(super) use ordering::real;
