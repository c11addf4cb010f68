//! Starting a campaign, or a new generation of it: freeze the inputs, write the first entry.

use super::error::CampaignError;
use super::events::{GenerationStarted, Limits, VerdictRecord, kind};
use super::paths::CampaignPaths;
use super::state::CampaignState;
use super::step::frozen_map;
use crate::category_map::{self, CategoryMap};
use crate::ledger::{Ledger, Recovery};
use crate::report::Frozen;
use crate::tracker::TrackerChoice;

/// What a campaign starts from.
#[derive(Debug)]
pub struct StartInput<'a> {
    /// Where it lives.
    pub paths: &'a CampaignPaths,
    /// The map's bytes, already checked.
    pub map_bytes: &'a [u8],
    /// The map.
    pub map: &'a CategoryMap,
    /// The map's file, for messages.
    pub map_file: &'a str,
    /// SHA-256 of the fixture as `sha256:…`.
    pub fixture_sha256: Option<String>,
    /// The limits.
    pub limits: Limits,
    /// Where its tickets are.
    pub tracker: TrackerChoice,
    /// Begin a new generation of a campaign that is there.
    pub new_generation: bool,
    /// The time, RFC 3339.
    pub at: &'a str,
}

/// What starting did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The generation that is now current.
    pub generation: u32,
    /// False if the same campaign had been started before, and nothing was changed.
    pub changed: bool,
    /// What had to be repaired in the ledger.
    pub recovery: Recovery,
}

/// Starts a campaign. Starting it again with the same inputs changes nothing.
///
/// # Errors
/// [`CampaignError::InputsDiffer`] when the id is taken by a campaign with another map or fixture and no new
/// generation was asked for.
pub fn start(input: &StartInput<'_>) -> Result<Started, CampaignError> {
    let (mut ledger, recovery) = Ledger::open(&input.paths.ledger(), input.paths.id())?;
    let state = CampaignState::fold(ledger.entries())?;
    // The tickets of earlier generations are there, so a later one cannot have its own elsewhere.
    if let Some(current) = state.generation.as_ref().filter(|current| current.tracker != input.tracker) {
        return Err(CampaignError::InputsDiffer {
            id: input.paths.id().to_owned(),
            what: "tracker",
            frozen: current.tracker.to_string(),
            now: input.tracker.to_string(),
        });
    }
    if let Some(current) = state.generation.as_ref().filter(|_| !input.new_generation) {
        let differs = |what, frozen: String, now: String| {
            Err(CampaignError::InputsDiffer { id: input.paths.id().to_owned(), what, frozen, now })
        };
        if current.map_digest != input.map.digest {
            return differs("map", current.map_digest.to_string(), input.map.digest.to_string());
        }
        if input.fixture_sha256.is_some() && state.fixture_sha256 != input.fixture_sha256 {
            let name = |fixture: &Option<String>| fixture.clone().unwrap_or_else(|| "none".to_owned());
            return differs("fixture", name(&state.fixture_sha256), name(&input.fixture_sha256));
        }
        if current.limits != input.limits {
            let text = |limits: &Limits| serde_json::to_string(limits).unwrap_or_default();
            return differs("set of limits", text(&current.limits), text(&input.limits));
        }
        if state.is_over() {
            return Err(CampaignError::Over(state.verdict.unwrap_or(VerdictRecord::Green)));
        }
        return Ok(Started { generation: current.generation, changed: false, recovery });
    }
    if state.generation.is_some() {
        let old = frozen_map(input.paths, &state)?;
        let problems: Vec<String> =
            category_map::diff(&old, input.map).problems.into_iter().map(|problem| problem.message).collect();
        if !problems.is_empty() {
            return Err(CampaignError::MapsDiffer(problems));
        }
    }
    let frozen = Frozen::store_bytes(input.paths.state_dir(), input.map_bytes)?;
    let generation = state.generation_number() + 1;
    let started = GenerationStarted {
        generation,
        map_digest: frozen.digest(),
        map_version: input.map.map_version.clone(),
        map_file: input.map_file.to_owned(),
        fixture_sha256: input.fixture_sha256.clone(),
        limits: input.limits,
        tracker: input.tracker.clone(),
        greenloop_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let data = serde_json::to_value(&started)?;
    ledger.append(kind::GENERATION_STARTED, data, input.at, u64::from(generation))?;
    Ok(Started { generation, changed: true, recovery })
}
