//! Fixture manifests, version 2: loading with places in the file, and everything that is wrong at once.
//!
//! [`parse`] is pure. What it decides beyond the documented format: whole numbers are spelled as such (`2.0` and `true`
//! are none); `null` is no value of a known key; empty needles and markers are refused, because every output holds
//! them; a time limit of 0 or less is refused, one below 0.1 s is raised; artifacts lie inside the manifest's folder.

mod case;
mod claims;
mod expected;
mod lineage;
mod load;
mod path;
mod reader;
mod rule;
#[cfg(test)]
mod tests;
mod types;
mod words;

pub use load::{Loaded, parse, parse_in};
pub use types::{
    Admission, ArtifactExpectation, CapabilityClaim, Case, CaseType, Criticality, EqualsArtifact, EvalKind, EvalTier,
    EvidenceClass, ExecutionMode, Exemption, Expected, Manifest, Seam,
};
pub use words::MUTATION_FLAGS;
