//! Fixture manifests, version 2: loading with places in the file, and everything that is wrong at once.

mod types;

pub use types::{
    ArtifactExpectation, CapabilityClaim, Case, CaseType, Criticality, EqualsArtifact, EvalKind, EvalTier,
    EvidenceClass, ExecutionMode, Exemption, Expected, Manifest, Seam,
};
