//! Which tracker a command works on, and how it is reached: the same arguments for every command.

use std::time::Duration;

use super::context::Context;
use super::error::CliError;
use super::{campaign, token};
use crate::model::RepoSlug;
use crate::tracker::{EmbeddedTracker, GithubSettings, GithubTracker, Tracker, TrackerChoice};

/// Kinds of trackers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Kind {
    /// A file beside the project; needs no server.
    Embedded,
    /// Issues of a GitHub repository.
    Github,
}

/// Arguments about the tracker.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Tracker")]
pub(super) struct TrackerArgs {
    /// Where the tickets are. Default: where the campaign or the plan has them, else embedded.
    #[arg(long, value_enum, value_name = "KIND")]
    tracker: Option<Kind>,
    /// The GitHub repository. Default: that of the campaign or the plan, else the map's.
    #[arg(long, value_name = "OWNER/NAME", value_parser = repo)]
    repo: Option<RepoSlug>,
    /// Root of the API of a GitHub Enterprise Server, as in https://ghe.example/api/v3. Default: github.com.
    #[arg(long, value_name = "URL", value_parser = base_url)]
    base_url: Option<String>,
    /// A shell command that prints the token. Default: the variable GITHUB_TOKEN, else GH_TOKEN.
    #[arg(long, value_name = "COMMAND")]
    token_command: Option<String>,
    /// A login whose tickets count as ours, beside the token's own: for when the token changed hands.
    #[arg(long, value_name = "LOGIN")]
    author: Vec<String>,
    /// Pause between two writes to GitHub, in milliseconds. GitHub asks for at least one second.
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    write_interval_ms: u64,
    /// How long to wait before looking for what a lost answer may have done, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 15.0, value_parser = seconds)]
    unknown_wait_s: f64,
    /// The longest wait for a rate limit within one run, in seconds. Beyond, the run ends and can be run again later.
    #[arg(long, value_name = "SECONDS", default_value_t = 900)]
    limit_wait_s: u64,
    /// Limit on connecting to, writing to and reading from the server, each, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = seconds)]
    network_timeout_s: f64,
}

fn repo(text: &str) -> Result<RepoSlug, String> {
    RepoSlug::parse(text).ok_or_else(|| "expected `owner/name`".to_owned())
}

fn base_url(text: &str) -> Result<String, String> {
    let known = text.starts_with("https://") || text.starts_with("http://");
    if known { Ok(text.trim_end_matches('/').to_owned()) } else { Err("expected https://…".to_owned()) }
}

fn seconds(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    if (0.0..=3600.0).contains(&number) { Ok(number) } else { Err("expected 0 to 3600 seconds".to_owned()) }
}

impl TrackerArgs {
    /// The tracker that is meant. What is remembered cannot be overridden: the tickets are there.
    pub(super) fn choice(
        &self,
        remembered: Option<&TrackerChoice>,
        map_repo: Option<&RepoSlug>,
    ) -> Result<TrackerChoice, CliError> {
        let base_url = self.base_url.clone();
        let chosen = match (self.tracker, remembered) {
            (None, None) if self.repo.is_none() && base_url.is_none() => TrackerChoice::Embedded,
            (None, Some(remembered)) if self.repo.is_none() && base_url.is_none() => remembered.clone(),
            (Some(Kind::Embedded), _) => TrackerChoice::Embedded,
            (Some(Kind::Github) | None, _) => {
                let known = match remembered {
                    Some(TrackerChoice::Github { repo, base_url }) => (Some(repo), base_url.clone()),
                    _ => (None, None),
                };
                let repo = self.repo.as_ref().or(known.0).or(map_repo).cloned().ok_or_else(|| {
                    CliError::usage("which GitHub repository?").hint("name it with --repo OWNER/NAME")
                })?;
                TrackerChoice::Github { repo, base_url: base_url.or(known.1) }
            }
        };
        match remembered.filter(|remembered| **remembered != chosen) {
            Some(remembered) => Err(CliError::usage(format!("the tickets are in {remembered}, not in {chosen}"))
                .hint("leave --tracker, --repo and --base-url away, or begin another campaign with --id")),
            None => Ok(chosen),
        }
    }

    /// The tracker for reading; `None` if it is the embedded one and its file is not there.
    pub(super) fn open_to_read(
        &self,
        context: &Context,
        choice: &TrackerChoice,
    ) -> Result<Option<Box<dyn Tracker>>, CliError> {
        if choice.is_embedded() {
            let tracker = EmbeddedTracker::open_existing(&context.tracker_path())?;
            return Ok(tracker.map(|tracker| Box::new(tracker) as Box<dyn Tracker>));
        }
        Ok(Some(Box::new(self.github(context, choice, false)?)))
    }

    /// The tracker for writing. The embedded one is made if `may_create`; else its absence is an error.
    pub(super) fn open_to_write(
        &self,
        context: &Context,
        choice: &TrackerChoice,
        may_create: bool,
    ) -> Result<Box<dyn Tracker>, CliError> {
        if choice.is_embedded() {
            let path = context.tracker_path();
            if !may_create && !path.is_file() {
                return Err(campaign::tracker_gone(&path));
            }
            return Ok(Box::new(EmbeddedTracker::open_or_create(&path)?));
        }
        Ok(Box::new(self.github(context, choice, false)?))
    }

    /// The GitHub tracker; in a rehearsal it sends no write.
    pub(super) fn github(
        &self,
        context: &Context,
        choice: &TrackerChoice,
        rehearse: bool,
    ) -> Result<GithubTracker, CliError> {
        let TrackerChoice::Github { repo, base_url } = choice else {
            return Err(CliError::usage("this needs --tracker github"));
        };
        let (token, _) = token::find(context, self.token_command.as_deref())?;
        let settings = GithubSettings {
            base_url: base_url.clone(),
            authors: self.author.clone(),
            write_interval: Duration::from_millis(self.write_interval_ms),
            unknown_wait: Duration::from_secs_f64(self.unknown_wait_s),
            limit_wait: Duration::from_secs(self.limit_wait_s),
            timeout: Duration::from_secs_f64(self.network_timeout_s.max(0.01)),
            rehearse,
            ..GithubSettings::new(repo.clone(), token, context.state_dir())
        };
        Ok(GithubTracker::open(settings)?)
    }
}
