//! `greenloop.plan.v1`: the saved plan.

use serde::{Deserialize, Serialize};

use super::mutation::{Action, Mutation};
use crate::model::{CategoryId, Digest, TicketRef, canonical_json};
use crate::tracker::TrackerChoice;

/// Schema id of a plan.
pub const PLAN_SCHEMA: &str = "greenloop.plan.v1";

/// What a plan was made from. `apply` refuses the plan when any of it has moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Basis {
    /// How many plans of this journal were refused and undone before: a plan that is made again is another plan.
    #[serde(default)]
    pub attempt: u32,
    /// The campaign whose journal the plan belongs to.
    pub campaign: String,
    /// The commit the report ran on.
    pub evaluated_sha: Option<String>,
    /// Generation of the campaign.
    pub generation: u32,
    /// Iteration of the campaign; 0 outside a campaign.
    pub iteration: u32,
    /// The map's bytes.
    #[schemars(with = "String")]
    pub map_digest: Digest,
    /// The map's version.
    pub map_version: String,
    /// The report's bytes.
    #[schemars(with = "String")]
    pub report_digest: Digest,
    /// Where the tickets are; absent for the embedded tracker.
    #[serde(default, skip_serializing_if = "TrackerChoice::is_embedded")]
    pub tracker: TrackerChoice,
    /// The tracker's content.
    #[schemars(with = "String")]
    pub tracker_digest: Digest,
}

/// Something that a person should know and that changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Note {
    /// The category.
    #[schemars(with = "String")]
    pub category_id: CategoryId,
    /// The ticket, if there is one.
    pub ticket: Option<TicketRef>,
    /// What kind of note.
    pub kind: NoteKind,
    /// In words.
    pub text: String,
}

/// Kinds of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// The evidence is older than the proof that closed the ticket.
    PredatesFix,
    /// Reopened as often as allowed: no more automatic state changes.
    ReopenCap,
    /// A person changed something, and the person wins.
    PersonWins,
    /// The category is absent, but nothing proves that it is gone.
    AbsenceOfEvidence,
    /// It passes now on the same head on which it failed.
    SameHead,
    /// Every failing case disagrees with itself: not routed as a defect.
    Flaky,
    /// The ticket's category is unknown to the map.
    UnknownCategory,
}

/// Files a plan was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PlanFiles {
    /// The category map.
    pub map: String,
    /// The report.
    pub report: String,
}

/// A complete plan: every mutation in the order of execution, or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(title = "greenloop.plan.v1")]
pub struct Plan {
    /// What it was made from.
    pub basis: Basis,
    /// Number of mutations.
    pub changes: usize,
    /// [`Plan::digest`], written into the saved file: a file that was cut or edited is found.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub digest: Option<Digest>,
    /// The files that the report and the map were read from, as the user named them. Not part of the plan's digest:
    /// `apply` only looks whether they still hold the same bytes. `null` for plans of a campaign, whose inputs are frozen.
    #[serde(default)]
    pub files: Option<PlanFiles>,
    /// The mutations.
    pub mutations: Vec<Mutation>,
    /// What changes nothing but should be known, sorted.
    pub notes: Vec<Note>,
    /// `greenloop.plan.v1`.
    pub schema: String,
}

/// A file that is not a usable plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanFileError {
    /// Not JSON, or not of the plan's form.
    #[error("not a plan: {0}")]
    Malformed(#[from] serde_json::Error),
    /// Another schema.
    #[error("the schema is {0:?}; this program applies \"greenloop.plan.v1\"")]
    Schema(String),
    /// The content is not what the digest in the file says.
    #[error("the file was cut or edited: its digest is stated as {stated}, its content has {found}")]
    Edited {
        /// What the file says.
        stated: String,
        /// What it holds.
        found: Digest,
    },
    /// `changes` does not fit the list: the file was cut or edited.
    #[error("`changes` says {stated}, but there are {counted} mutations: the file was cut or edited")]
    Count {
        /// What the file says.
        stated: usize,
        /// What it holds.
        counted: usize,
    },
}

impl Plan {
    /// Digest of the plan; the journal and the receipt name the plan by it.
    ///
    /// # Panics
    /// Never: a plan is plain data with string keys.
    pub fn digest(&self) -> Digest {
        // Invariant: plain structs with string keys always serialize.
        #[expect(clippy::expect_used, reason = "plain structs with string keys always serialize")]
        let bytes = canonical_json(&Self { digest: None, files: None, ..self.clone() }).expect("a plan is plain data");
        Digest::in_domain("greenloop.plan.v1", &bytes)
    }

    /// The bytes of the file: indented JSON with sorted keys and a final newline.
    ///
    /// # Errors
    /// Never for a plan; the signature is serde's.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let saved = Self { digest: Some(self.digest()), ..self.clone() };
        let mut bytes = serde_json::to_vec_pretty(&serde_json::to_value(saved)?)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Reads a plan back.
    ///
    /// # Errors
    /// When it is not a plan of this version, or was cut or edited.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PlanFileError> {
        let plan: Self = serde_json::from_slice(bytes)?;
        if plan.schema != PLAN_SCHEMA {
            return Err(PlanFileError::Schema(plan.schema));
        }
        if plan.changes != plan.mutations.len() {
            return Err(PlanFileError::Count { stated: plan.changes, counted: plan.mutations.len() });
        }
        let found = plan.digest();
        if plan.digest != Some(found) {
            let stated = plan.digest.map_or_else(|| "none".to_owned(), |digest| digest.to_string());
            return Err(PlanFileError::Edited { stated, found });
        }
        Ok(Self { digest: None, ..plan })
    }

    /// The categories that this plan creates tickets for.
    pub fn creations(&self) -> impl Iterator<Item = &CategoryId> {
        self.mutations.iter().filter(|m| matches!(m.action, Action::Create { .. })).map(|m| &m.category_id)
    }
}
