//! Places and findings of a map: those of every file, found by the rules of maps.

use super::rules::Rule;
use crate::diag::Severity;
use crate::diag::findings::Coded;

pub(super) use crate::diag::findings::{Findings, Spot, child, quote};

impl Coded for Rule {
    fn code(&self) -> &'static str {
        self.code
    }

    fn severity(&self) -> Severity {
        self.severity
    }
}
