//! Loading what many commands take: maps, reports, the embedded tracker, the clock. Errors name file and place.

use std::collections::BTreeSet;
use std::path::Path;

use super::context::Context;
use super::error::CliError;
use super::exit_status;
use super::tracker::TrackerArgs;
use crate::campaign::CampaignPaths;
use crate::categorize::{Categorization, Watch, categorize};
use crate::category_map::{self, CategoryMap};
use crate::diag::Severity;
use crate::ledger::{Entry, Ledger, Recovery};
use crate::model::{Digest, Hasher, TicketRef};
use crate::report::ReportSource;
use crate::tracker::{EmbeddedTracker, Snapshot, Tracker, TrackerChoice};
use crate::ui;

/// A valid map, or the findings on standard error and exit status 1.
pub(super) fn load_map(path: &Path) -> Result<(CategoryMap, Vec<u8>), CliError> {
    let file = path.to_string_lossy().into_owned();
    let bytes = std::fs::read(path)
        .map_err(|error| CliError::input(format!("the category map {file} cannot be read")).caused_by(&error))?;
    let loaded = category_map::parse(&file, &bytes);
    if let Some(map) = loaded.map {
        return Ok((map, bytes));
    }
    let mut errors = loaded.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let Some(first) = errors.next() else {
        return Err(CliError::new(exit_status::BUG, format!("the map {file} is invalid, but no rule says why")));
    };
    let more = errors.count();
    let mut error = CliError::new(exit_status::NOT_HELD, format!("the category map is not valid: {}", first.message))
        .at(first.place.clone());
    error.hints.extend(first.hint.clone());
    if more > 0 {
        error.hints.push(format!("there are {more} more error(s)"));
    }
    Err(error.hint(format!("see all with `greenloop map check {file}`")))
}

/// Reads and categorizes a report.
pub(super) fn categorize_file(path: &Path, map: &CategoryMap, watch: &Watch) -> Result<Categorization, CliError> {
    let source = ReportSource::open(path)?;
    Ok(categorize(&source, map, watch)?)
}

/// What is in the tracker, without making the file of the embedded one: a project without it has no tickets. `known`
/// are the tickets that a journal says must be there.
pub(super) fn tracker_snapshot(
    context: &Context,
    args: &TrackerArgs,
    choice: &TrackerChoice,
    known: &BTreeSet<TicketRef>,
) -> Result<Snapshot, CliError> {
    let Some(mut tracker) = args.open_to_read(context, choice)? else {
        return Ok(Snapshot::empty(EmbeddedTracker::IDENTITY));
    };
    tracker.expect(known);
    let snapshot = tracker.snapshot()?;
    say_remarks(tracker.as_ref());
    Ok(snapshot)
}

/// Says what the tracker noticed.
pub(super) fn say_remarks(tracker: &dyn Tracker) {
    for remark in tracker.remarks() {
        ui::remark(&remark);
    }
}

/// The time now, RFC 3339 in UTC, to the second.
pub(super) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The day now, in UTC.
pub(super) fn today() -> jiff::civil::Date {
    jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::now()).date()
}

/// Seconds between two times of [`now`]; 0 when the clock went backwards.
pub(super) fn elapsed_s(from: &str, to: &str) -> u64 {
    let parse = |text: &str| text.parse::<jiff::Timestamp>().ok();
    let seconds = parse(from).zip(parse(to)).map_or(0, |(from, to)| to.as_second() - from.as_second());
    u64::try_from(seconds).unwrap_or(0)
}

/// Says on standard error what a command is doing, when a person watches.
pub(super) fn progress(text: &str) {
    ui::progress(text);
}

/// The entries of a campaign's ledger; none if it is not there yet.
pub(super) fn ledger_entries(paths: &CampaignPaths) -> Result<Vec<Entry>, CliError> {
    if paths.ledger().is_file() { Ok(Ledger::read_only(&paths.ledger())?.entries) } else { Ok(Vec::new()) }
}

/// BLAKE3 of a file, read in pieces.
pub(super) fn digest_of(path: &Path) -> Result<Digest, CliError> {
    use std::io::Read as _;
    let unreadable =
        |error: std::io::Error| CliError::input(format!("{} cannot be read", path.display())).caused_by(&error);
    let mut file = std::fs::File::open(path).map_err(unreadable)?;
    let (mut hasher, mut piece) = (Hasher::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut piece).map_err(unreadable)? {
            0 => return Ok(hasher.finish()),
            read => hasher.update(&piece[..read]),
        }
    }
}

/// `sha256:` and the digest of a file, as reports name their fixture.
pub(super) fn sha256_of(path: &Path) -> Result<String, CliError> {
    use sha2::Digest as _;
    let bytes = std::fs::read(path)
        .map_err(|error| CliError::input(format!("the fixture {} cannot be read", path.display())).caused_by(&error))?;
    let mut text = "sha256:".to_owned();
    for byte in sha2::Sha256::digest(&bytes) {
        text += &format!("{byte:02x}");
    }
    Ok(text)
}

/// Reads a file whole; an error says what it is.
pub(super) fn read_file(path: &Path, what: &str) -> Result<Vec<u8>, CliError> {
    std::fs::read(path).map_err(|error| {
        CliError::input(format!("{what} cannot be read"))
            .at(crate::diag::Place::file(path.to_string_lossy()))
            .caused_by(&error)
    })
}

/// Says what had to be repaired in the ledger.
pub(super) fn say_recovery(recovery: &Recovery) {
    if let Some(text) = ui::recovery(recovery) {
        ui::note(&text);
    }
}
