//! Results of other tools as reports: one module per foreign format, over shared parts (decoding bytes, strict
//! XML, building a report).
//!
//! Laws of every importer: no failure of a file is lost; a case that did not run is never a pass; the same input
//! gives the same bytes; an input that cannot be read whole gives an error with its place and no report at all.

mod build;
mod decode;
mod error;
mod inputs;
mod junit;
mod name;
mod xml;

pub use build::{Imported, Summary};
pub use error::ImportError;
pub use inputs::{Input, MAX_INPUT_BYTES, collect_inputs};
pub use junit::import_junit;
