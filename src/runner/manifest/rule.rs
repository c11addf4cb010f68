//! The rules of loading: their codes. What a finding says stands where it is found.

use crate::diag::Severity;
use crate::diag::findings::Coded;

/// One rule of loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    code: &'static str,
    severity: Severity,
}

impl Coded for Rule {
    fn code(&self) -> &'static str {
        self.code
    }

    fn severity(&self) -> Severity {
        self.severity
    }
}

const fn error(code: &'static str) -> Rule {
    Rule { code, severity: Severity::Error }
}

const fn warning(code: &'static str) -> Rule {
    Rule { code, severity: Severity::Warning }
}

pub(super) const BAD_JSON: Rule = error("manifest-bad-json");
pub(super) const BAD_VERSION: Rule = error("manifest-bad-version");
pub(super) const BAD_TYPE: Rule = error("manifest-bad-type");
pub(super) const BAD_NUMBER: Rule = error("manifest-bad-number");
pub(super) const BAD_TIMEOUT: Rule = error("manifest-bad-timeout");
pub(super) const RAISED_TIMEOUT: Rule = warning("manifest-raised-timeout");
pub(super) const MISSING: Rule = error("manifest-missing-field");
pub(super) const EMPTY: Rule = error("manifest-empty");
pub(super) const EMPTY_COMMAND: Rule = error("manifest-empty-command");
pub(super) const UNKNOWN_WORD: Rule = error("manifest-unknown-word");
pub(super) const UNKNOWN_EXPECTATION: Rule = error("manifest-unknown-expectation");
pub(super) const UNKNOWN_FLAG: Rule = error("manifest-unknown-flag");
pub(super) const UNKNOWN_CLAIM: Rule = error("manifest-unknown-claim");
pub(super) const UNKNOWN_SEAM: Rule = warning("manifest-unknown-seam");
pub(super) const LIKELY_TYPO: Rule = warning("manifest-likely-typo");
pub(super) const DUPLICATE_KEY: Rule = error("manifest-duplicate-key");
pub(super) const DUPLICATE_NAME: Rule = error("manifest-duplicate-name");
pub(super) const CONTRADICTION: Rule = error("manifest-contradiction");
pub(super) const SELF_COMPARISON: Rule = error("manifest-self-comparison");
pub(super) const BAD_POINTER: Rule = error("manifest-bad-pointer");
pub(super) const BAD_PATH: Rule = error("manifest-bad-path");
pub(super) const BAD_HASH: Rule = error("manifest-bad-hash");
