//! Which tracker is meant: by a flag, by what a campaign or a plan remembers, by the configuration, in this order.

use super::{Kind, TrackerArgs, base_url, repo};
use crate::cli::config::loaded;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::config::{self, Loaded, Origin, TrackerKind};
use crate::model::RepoSlug;
use crate::tracker::TrackerChoice;
use crate::ui;

/// What the configuration says of the tracker, checked.
pub(super) struct Configured {
    pub(super) tracker: config::Tracker,
    repo: Option<RepoSlug>,
    base_url: Option<String>,
    /// The kind, if somebody said it, and whether that was a flag.
    kind: Option<(TrackerKind, bool)>,
}

impl Configured {
    fn new(loaded: Loaded) -> Result<Self, CliError> {
        let tracker = loaded.config.tracker;
        let fault = |key: &str, why: &str| CliError::usage(format!("the configuration cannot be used: {key}: {why}"));
        let repo = tracker.repo.as_deref().map(repo).transpose().map_err(|why| fault("tracker.repo", &why))?;
        let base_url =
            tracker.base_url.as_deref().map(base_url).transpose().map_err(|why| fault("tracker.base_url", &why))?;
        let origin =
            loaded.settings.iter().find(|setting| setting.key == "tracker.kind").map(|setting| &setting.origin);
        let kind = origin.filter(|origin| **origin != Origin::Default).map(|o| (tracker.kind, *o == Origin::Flag));
        Ok(Self { tracker, repo, base_url, kind })
    }
}

impl TrackerArgs {
    pub(super) fn configured(&self, context: &Context) -> Result<Configured, CliError> {
        Configured::new(loaded(context, &self.overrides)?)
    }

    /// Tickets that one apply may create and touch, unless a flag says otherwise.
    pub(in crate::cli) fn limits(&self, context: &Context) -> Result<(usize, usize), CliError> {
        let tracker = loaded(context, &self.overrides)?.config.tracker;
        Ok((tracker.create_cap, tracker.circuit_breaker))
    }

    /// The tracker that is meant. What is remembered cannot be overridden: the tickets are there.
    pub(in crate::cli) fn choice(
        &self,
        context: &Context,
        remembered: Option<&TrackerChoice>,
        map_repo: Option<&RepoSlug>,
    ) -> Result<TrackerChoice, CliError> {
        let configured = self.configured(context)?;
        let named = (self.repo.is_some() || self.base_url.is_some()).then_some(TrackerKind::Github);
        let flag = match self.tracker {
            Some(Kind::Embedded) => Some(TrackerKind::Embedded),
            Some(Kind::Github) => Some(TrackerKind::Github),
            None => named.or(configured.kind.filter(|(_, is_flag)| *is_flag).map(|(kind, _)| kind)),
        };
        let kind = match (flag, remembered) {
            (None, Some(remembered)) => {
                if configured.kind.is_some_and(|(kind, _)| (kind == TrackerKind::Embedded) != remembered.is_embedded())
                {
                    ui::remark(&format!(
                        "the tickets are in {remembered}; that the configuration names another tracker counts for new campaigns"
                    ));
                }
                return Ok(remembered.clone());
            }
            (Some(kind), _) => kind,
            (None, None) => configured.tracker.kind,
        };
        let chosen = match kind {
            TrackerKind::Embedded => TrackerChoice::Embedded,
            TrackerKind::Github => {
                let (known, server) = match remembered {
                    Some(TrackerChoice::Github { repo, base_url }) => (Some(repo), base_url.clone()),
                    _ => (None, configured.base_url),
                };
                let repo = self.repo.as_ref().or(known).or(configured.repo.as_ref()).or(map_repo).cloned();
                let repo = repo.ok_or_else(|| {
                    CliError::usage("which GitHub repository?").hint(
                        "name it with --repo OWNER/NAME, or as repo = \"OWNER/NAME\" in [tracker] of greenloop.toml",
                    )
                })?;
                TrackerChoice::Github { repo, base_url: self.base_url.clone().or(server) }
            }
        };
        match remembered.filter(|remembered| **remembered != chosen) {
            Some(remembered) => Err(CliError::usage(format!("the tickets are in {remembered}, not in {chosen}"))
                .hint("leave --tracker, --repo and --base-url away, or begin another campaign with --id")),
            None => Ok(chosen),
        }
    }
}
