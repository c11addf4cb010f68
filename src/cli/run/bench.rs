//! Where trials run: environment, secrets, supervisors, and what the report says about all of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Args;
use super::fixture::Fixture;
use crate::cli::error::CliError;
use crate::cli::{env, exit_status, inputs};
use crate::dispatch::{GitHead, read_head};
use crate::model::display_safe;
use crate::process::{Cancel, Limits, Pool, Program};
use crate::report::OwnedRepo;
use crate::runner::manifest::Manifest;
use crate::runner::{Bench, Redactor, Surroundings, artifacts, environment, lock};
use crate::ui;

/// Changed paths that are named.
const NAMED: usize = 5;

/// A bench that is set up, and the means to stop it.
pub(super) struct Stand {
    pub(super) bench: Bench,
    pub(super) cancel: Cancel,
    /// What must not count as a change of the work tree: what this run writes.
    aside: Vec<PathBuf>,
}

impl Stand {
    pub(super) fn set_up(args: &Args, fixture: &Fixture) -> Result<Self, CliError> {
        let system = |what: &str, error: std::io::Error| CliError::new(exit_status::INPUT, what).caused_by(&error);
        let cancel = Cancel::new().map_err(|error| system("no trial can be started", error))?;
        cancel.on_signals().map_err(|error| system("no signal can be caught", error))?;
        let program = Program::this().map_err(|error| system("no trial can be started", error))?;
        let pool = Pool::exclusive(program).map_err(|error| system("no trial can be started", error))?;
        let caller = env::all();
        let bench = Bench {
            pool,
            folder: fixture.folder.clone(),
            redactor: Redactor::new(&caller),
            env: environment::scrubbed(caller, &args.keep),
            limits: Limits::default(),
            timeout: args.timeout_seconds,
        };
        let aside = args.output.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
        Ok(Self { bench, cancel, aside: aside.collect() })
    }

    pub(super) fn surroundings(&self, args: &Args, manifest: &Manifest) -> Result<Surroundings, CliError> {
        let files = match args.environment_lock.as_slice() {
            [] => lock::lock_files(&self.bench.folder),
            given => given.to_vec(),
        };
        let environment_lock_digest = lock::lock_digest(&files)
            .map_err(|error| CliError::input("a lock file cannot be read").caused_by(&error))?;
        Ok(Surroundings {
            repo: self.repo(&self.aside(manifest)),
            environment_lock_digest,
            timeout_override: self.bench.timeout.map(|timeout| timeout.as_secs_f64().to_string()),
            ..surroundings(args.fixture.to_string_lossy().into_owned())
        })
    }

    /// What is no change of the work tree: what this run writes, and what its cases must write.
    fn aside<'a>(&'a self, manifest: &'a Manifest) -> Vec<&'a Path> {
        let mut aside: Vec<&Path> = self.aside.iter().map(PathBuf::as_path).collect();
        aside.extend(manifest.cases.iter().flat_map(artifacts::paths_of).map(Path::new));
        aside
    }

    fn head(&self, aside: &[&Path]) -> Result<Option<GitHead>, String> {
        read_head(&self.bench.folder, aside, &self.bench.env, &self.bench.pool, &self.cancel)
    }

    /// The repository around the fixture, as far as it can be told. What cannot is said.
    fn repo(&self, aside: &[&Path]) -> OwnedRepo {
        match self.head(aside) {
            Ok(Some(head)) => {
                note_changed("the work tree is not the commit", &head.changed);
                OwnedRepo { sha: head.sha, reference: head.branch, dirty: Some(!head.changed.is_empty()) }
            }
            Ok(None) => OwnedRepo::default(),
            Err(why) => {
                let why = display_safe(&why);
                ui::note(&format!("{} the commit is not known: {why}", ui::yellow("note:")));
                OwnedRepo::default()
            }
        }
    }

    /// What changed while the trials ran: then they did not all judge the same thing. A work tree that is not the commit
    /// any more makes the report a dirty one, as it would make the next.
    pub(super) fn after(&self, fixture: &Fixture, manifest: &Manifest, around: &mut Surroundings) {
        if fixture.has_changed() {
            around.incomplete_because.push("the fixture changed while it ran".to_owned());
        }
        // An interrupted run cannot ask any more, and is incomplete already.
        if self.cancel.is_cancelled() {
            return;
        }
        let now = self.head(&self.aside(manifest)).ok().flatten().unwrap_or_default();
        if now.sha != around.repo.sha {
            let name = |sha: Option<&str>| sha.unwrap_or("none").to_owned();
            let (before, after) = (name(around.repo.sha.as_deref()), name(now.sha.as_deref()));
            around.incomplete_because.push(format!("the commit changed while it ran, from {before} to {after}"));
        }
        if around.repo.dirty == Some(false) && !now.changed.is_empty() {
            note_changed("while it ran, the work tree became another than the commit", &now.changed);
            around.repo.dirty = Some(true);
        }
    }
}

fn note_changed(what: &str, changed: &[String]) {
    if changed.is_empty() {
        return;
    }
    let names: Vec<_> = changed.iter().take(NAMED).map(|path| display_safe(path)).collect();
    let more = if changed.len() > NAMED { ", …" } else { "" };
    let list = names.join(", ");
    let note = ui::yellow("note:");
    ui::note(&format!("{note} {what} ({list}{more}): the report proves nothing about the commit"));
}

/// Run id and time of a report that is made now.
pub(in crate::cli) fn surroundings(source: String) -> Surroundings {
    use std::hash::{BuildHasher as _, Hasher as _};
    // The standard library seeds its hash maps at random; that is all the randomness that an id needs.
    let random = std::hash::RandomState::new().build_hasher().finish();
    let time = inputs::now();
    let compact: String = time.chars().filter(char::is_ascii_alphanumeric).collect();
    Surroundings {
        source,
        run_id: format!("{compact}-{:08x}", random >> 32),
        generated_at: time,
        ..Surroundings::default()
    }
}

/// A time limit in seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let expected = || "expected seconds from 0.1 to 86400, for example 90 or 2.5".to_owned();
    let seconds: f64 = text.parse().map_err(|_| expected())?;
    if (0.1..=86_400.0).contains(&seconds) { Ok(Duration::from_secs_f64(seconds)) } else { Err(expected()) }
}
