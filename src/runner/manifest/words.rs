//! The closed vocabularies of a manifest and their spellings.

use super::types::{CaseType, Criticality, EvalKind, EvalTier, EvidenceClass, ExecutionMode};

impl EvalKind {
    /// Every word and its value, in the order of the documentation.
    pub const WORDS: [(&'static str, Self); 2] =
        [("runner_selftest", Self::RunnerSelftest), ("scaffold", Self::Scaffold)];

    /// The spelling of manifests and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RunnerSelftest => "runner_selftest",
            Self::Scaffold => "scaffold",
        }
    }
}

impl EvalTier {
    /// Every word and its value, in the order of the documentation.
    pub const WORDS: [(&'static str, Self); 1] = [("compliance", Self::Compliance)];

    /// The spelling of manifests and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Compliance => "compliance",
        }
    }
}

impl CaseType {
    /// Every word and its value, in the order of the documentation.
    pub const WORDS: [(&'static str, Self); 3] =
        [("positive", Self::Positive), ("negative", Self::Negative), ("adversarial", Self::Adversarial)];

    /// The spelling of manifests and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::Adversarial => "adversarial",
        }
    }
}

impl EvidenceClass {
    /// True for the classes that claim to have met the real system.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::LiveE2e | Self::AdversarialLiveE2e)
    }

    /// Every word and its value, in the order of the documentation.
    pub const WORDS: [(&'static str, Self); 6] = [
        ("deterministic", Self::Deterministic),
        ("property_or_fuzz", Self::PropertyOrFuzz),
        ("fault_injected_deterministic", Self::FaultInjectedDeterministic),
        ("live_e2e", Self::LiveE2e),
        ("adversarial_live_e2e", Self::AdversarialLiveE2e),
        ("human_evaluation", Self::HumanEvaluation),
    ];

    /// The spelling of manifests and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deterministic => "deterministic",
            Self::PropertyOrFuzz => "property_or_fuzz",
            Self::FaultInjectedDeterministic => "fault_injected_deterministic",
            Self::LiveE2e => "live_e2e",
            Self::AdversarialLiveE2e => "adversarial_live_e2e",
            Self::HumanEvaluation => "human_evaluation",
        }
    }
}

impl ExecutionMode {
    /// Every word and its value, in the order of the documentation.
    pub const WORDS: [(&'static str, Self); 3] = [
        ("exploration", Self::Exploration),
        ("regression_replay", Self::RegressionReplay),
        ("test_repair", Self::TestRepair),
    ];

    /// The spelling of manifests and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exploration => "exploration",
            Self::RegressionReplay => "regression_replay",
            Self::TestRepair => "test_repair",
        }
    }
}

impl Criticality {
    /// Every word and its value, in the order of the documentation.
    pub const WORDS: [(&'static str, Self); 3] =
        [("critical", Self::Critical), ("important", Self::Important), ("optional", Self::Optional)];

    /// The spelling of manifests and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::Important => "important",
            Self::Optional => "optional",
        }
    }
}

/// The closed set of mutation flags: what somebody may say to have changed about a case.
pub const MUTATION_FLAGS: [&str; 17] = [
    "test_mutated",
    "locator_healed",
    "locator_changed",
    "step_changed",
    "assertion_changed",
    "fixture_input_changed",
    "exclusion_changed",
    "evidence_requirement_changed",
    "expected_output_changed",
    "oracle_changed",
    "fixture_changed",
    "case_ownership_changed",
    "category_map_changed",
    "proof_command_changed",
    "readiness_logic_changed",
    "test_exclusion_changed",
    "protected_surface_changed",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_spelled_as_serde_spells_them() {
        for (word, class) in EvidenceClass::WORDS {
            assert_eq!(serde_json::to_value(class).unwrap(), word);
            assert_eq!(class.as_str(), word);
        }
        for (word, mode) in ExecutionMode::WORDS {
            assert_eq!(serde_json::to_value(mode).unwrap(), word);
        }
        for (word, kind) in EvalKind::WORDS {
            assert_eq!(serde_json::to_value(kind).unwrap(), word);
        }
        for (word, kind) in CaseType::WORDS {
            assert_eq!(serde_json::to_value(kind).unwrap(), word);
        }
    }
}
