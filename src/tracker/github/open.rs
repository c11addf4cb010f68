//! The tracker itself: one repository, one writer.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::super::{Event, Operation, OperationOutcome, Snapshot, Tracker, TrackerError};
use super::client::{Client, PlannedRequest};
use super::seen::Seen;
use super::settings::GithubSettings;
use super::unfinished::UnfinishedFiles;
use super::write::short_key;
use crate::ledger::{CampaignLock, create_folder};
use crate::model::TicketRef;

/// How long `begin` waits for another writer on this machine.
const WRITER_WAIT: Duration = Duration::from_secs(10);

/// Whether the server has issue dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dependencies {
    /// It has them.
    Yes,
    /// It has none: an older edition. Links stand in records, bodies and a label.
    No,
    /// Not known before there is an issue to ask about.
    Unknown,
}

/// Issues of one GitHub repository as a tracker.
#[derive(Debug)]
pub struct GithubTracker {
    pub(super) client: Client,
    /// Logins whose markers and records are ours; empty before the first request.
    pub(super) ours: Vec<String>,
    /// Tickets by number, as of the last listing and our own writes since.
    pub(super) seen: Option<BTreeMap<u64, Seen>>,
    pub(super) unfinished: UnfinishedFiles,
    pub(super) dependencies: Dependencies,
    /// Tickets that must be there.
    pub(super) expected: BTreeSet<TicketRef>,
    pub(super) remarks: Vec<String>,
    pub(super) labels_ensured: bool,
    lock: Option<CampaignLock>,
}

impl GithubTracker {
    /// The tracker of one repository. Sends nothing yet.
    ///
    /// # Errors
    /// When the address of the server is none, or the network cannot be set up.
    pub fn open(settings: GithubSettings) -> Result<Self, TrackerError> {
        let unfinished = UnfinishedFiles::new(settings.folder().join("unfinished"));
        Ok(Self {
            client: Client::new(settings)?,
            ours: Vec::new(),
            seen: None,
            unfinished,
            dependencies: Dependencies::Unknown,
            expected: BTreeSet::new(),
            remarks: Vec::new(),
            labels_ensured: false,
            lock: None,
        })
    }

    /// Requests sent so far by this process.
    pub const fn requests_sent(&self) -> usize {
        self.client.sent
    }

    /// Tickets by number; listed first if they are not known yet.
    pub(super) fn tickets(&mut self) -> Result<&mut BTreeMap<u64, Seen>, TrackerError> {
        if self.seen.is_none() {
            self.list()?;
        }
        Ok(self.seen.get_or_insert_default())
    }

    fn is_writing(&self) -> bool {
        self.lock.is_some() || self.client.settings.rehearse
    }
}

impl Tracker for GithubTracker {
    fn identity(&self) -> String {
        self.client.identity().to_owned()
    }

    fn snapshot(&mut self) -> Result<Snapshot, TrackerError> {
        self.list()?;
        Ok(self.to_snapshot())
    }

    fn is_transactional(&self) -> bool {
        false
    }

    fn begin(&mut self) -> Result<(), TrackerError> {
        self.seen = None;
        if self.client.settings.rehearse {
            return Ok(());
        }
        let folder = self.client.settings.folder();
        let failed = |error: &dyn std::fmt::Display| self.client.unavailable(error.to_string());
        create_folder(&folder).map_err(|error| failed(&error))?;
        let lock = CampaignLock::acquire(&folder.join("lock"), WRITER_WAIT).map_err(|error| failed(&error))?;
        self.lock = Some(lock);
        // Another process may have written since this one began.
        self.client.read_pace();
        if !self.unfinished.all().map_err(|why| self.client.unavailable(why))?.is_empty() {
            // What a process that died sent last may still be under way; it must be done before anything is listed.
            self.client.settle();
        }
        Ok(())
    }

    fn find_done(&mut self, key: &str) -> Result<Option<OperationOutcome>, TrackerError> {
        let key = short_key(key);
        let done = self.tickets()?.values().find(|seen| seen.has_done(&key));
        Ok(done.map(|seen| OperationOutcome { ticket: seen.ticket.clone(), adopted: true }))
    }

    fn execute(&mut self, key: &str, operation: &Operation) -> Result<OperationOutcome, TrackerError> {
        self.check_writing()?;
        self.execute_once(key, operation)
    }

    fn finish(&mut self, key: &str, operation: &Operation) -> Result<OperationOutcome, TrackerError> {
        self.check_writing()?;
        self.finish_begun(key, operation)
    }

    fn commit(&mut self) -> Result<(), TrackerError> {
        self.check_writing()?;
        self.save_all()?;
        self.lock = None;
        Ok(())
    }

    fn abort(&mut self) {
        // What was not saved is on disk, and the next writer saves it.
        self.lock = None;
        self.seen = None;
    }

    fn expect(&mut self, known: &BTreeSet<TicketRef>) {
        self.expected.extend(known.iter().cloned());
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn planned_requests(&self) -> Vec<PlannedRequest> {
        self.client.planned.clone()
    }

    fn page(&self, number: u64) -> Option<String> {
        Some(self.client.settings.page(number))
    }

    fn body(&mut self, number: u64) -> Result<Option<String>, TrackerError> {
        Ok(self.tickets()?.get(&number).map(|seen| seen.body.clone()))
    }

    fn history(&mut self, number: u64) -> Result<Vec<Event>, TrackerError> {
        let record = self.tickets()?.get(&number).and_then(|seen| seen.record.as_ref());
        let event = |done: &super::record::DoneKey| Event {
            op: done.op.clone(),
            key: done.key.clone(),
            detail: serde_json::Value::Null,
        };
        Ok(record.map(|record| record.done.iter().map(event).collect()).unwrap_or_default())
    }
}

impl GithubTracker {
    fn check_writing(&self) -> Result<(), TrackerError> {
        if self.is_writing() {
            return Ok(());
        }
        Err(self.client.unavailable("nobody holds the writer's place: begin was not called, or it was given up"))
    }
}

impl Seen {
    /// True if the operation under this (short) key was done here.
    pub(super) fn has_done(&self, key: &str) -> bool {
        self.marker.key.as_deref() == Some(key) || self.record.as_ref().is_some_and(|record| record.done(key).is_some())
    }
}
