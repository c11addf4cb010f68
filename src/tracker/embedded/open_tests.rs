//! What the file itself holds and refuses: damage, newer formats, and people with `sqlite3`.

use std::collections::BTreeSet;
use std::fs;

use super::*;
use crate::model::{Digest, TicketRef};
use crate::tracker::{PersonChange, Receipt, TicketState};

fn receipt() -> Receipt {
    Receipt {
        report_digest: Digest::of(b"report"),
        head: None,
        iteration: 1,
        category_fingerprint: Digest::of(b"category"),
        provenance_fingerprint: Digest::of(b"provenance"),
        cases: vec!["case".into()],
    }
}

fn create(tracker: &mut EmbeddedTracker, name: &str) -> TicketRef {
    let operation = Operation::Create {
        category_id: format!("evals:shop:{name}").parse().unwrap(),
        title: name.to_owned(),
        body: "body".repeat(200),
        labels: BTreeSet::from(["eval".to_owned()]),
        receipt: receipt(),
    };
    tracker.execute(&format!("create-{name}"), &operation).unwrap().ticket
}

fn with_tickets(path: &Path, names: &[&str]) -> EmbeddedTracker {
    let mut tracker = EmbeddedTracker::open_or_create(path).unwrap();
    tracker.begin().unwrap();
    for name in names {
        create(&mut tracker, name);
    }
    tracker.commit().unwrap();
    tracker
}

/// Both ways of opening must refuse; returns what they say.
fn refusal(path: &Path) -> String {
    let before = fs::read(path).unwrap();
    let reading = EmbeddedTracker::open_existing(path).and_then(|t| t.unwrap().snapshot()).unwrap_err();
    assert!(matches!(reading, TrackerError::Unavailable { .. }), "{reading}");
    let writing = EmbeddedTracker::open_or_create(path).unwrap_err();
    assert!(matches!(writing, TrackerError::Unavailable { .. }), "{writing}");
    assert!(fs::read(path).unwrap() == before, "a refused file is not touched");
    reading.to_string()
}

#[test]
fn settings_are_the_durable_ones() {
    let dir = tempfile::tempdir().unwrap();
    let tracker = EmbeddedTracker::open_or_create(&dir.path().join("new/tracker.db")).unwrap();
    let text = |name| tracker.connection.pragma_query_value(None, name, |row| row.get::<_, String>(0)).unwrap();
    let number = |name| tracker.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(text("journal_mode"), "wal");
    assert_eq!((number("synchronous"), number("foreign_keys"), number("user_version")), (2, 1, FORMAT));
    assert_eq!(number("application_id"), i64::from(APPLICATION_ID));
}

#[test]
fn nothing_there_is_said_and_nothing_is_made() {
    let dir = tempfile::tempdir().unwrap();
    assert!(EmbeddedTracker::open_existing(&dir.path().join("tracker.db")).unwrap().is_none());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn making_leaves_one_file_and_reading_does_not_change_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tracker.db");
    drop(with_tickets(&path, &["a"]));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "the last writer takes its log with it");
    let before = fs::read(&path).unwrap();
    let mut reader = EmbeddedTracker::open_existing(&path).unwrap().unwrap();
    assert_eq!(reader.snapshot().unwrap().tickets.len(), 1);
    assert!(matches!(reader.begin(), Err(TrackerError::Unavailable { .. })));
    drop(reader);
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn files_that_are_no_tracker_are_never_an_empty_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tracker.db");
    fs::write(&path, b"").unwrap();
    assert!(refusal(&path).contains("the file is empty"), "{}", refusal(&path));
    fs::write(&path, "not a database at all, but long enough to have a header".repeat(20)).unwrap();
    assert!(refusal(&path).contains("restore it from a copy"), "{}", refusal(&path));
    fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE other (x)").unwrap();
    assert!(refusal(&path).contains("not a greenloop tracker"), "{}", refusal(&path));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(EmbeddedTracker::open_or_create(&path).is_err() && EmbeddedTracker::open_existing(&path).is_err());
}

/// Every page in turn is overwritten, and the file is cut at every page: never fewer tickets without an error.
#[test]
fn overwritten_and_missing_pages_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tracker.db");
    let names: Vec<String> = (0..60).map(|n| format!("n{n}")).collect();
    drop(with_tickets(&path, &names.iter().map(String::as_str).collect::<Vec<_>>()));
    let whole = fs::read(&path).unwrap();
    let pages = whole.len() / 4096;
    assert!(pages > 20);
    for page in 0..pages {
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
        fs::write(&path, &bytes).unwrap();
        refusal(&path);
        if page > 0 {
            fs::write(&path, &whole[..page * 4096]).unwrap();
            refusal(&path);
        }
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(EmbeddedTracker::open_existing(&path).unwrap().unwrap().snapshot().unwrap().tickets.len(), 60);
}

#[test]
fn a_newer_format_is_read_and_never_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tracker.db");
    let mut open = with_tickets(&path, &["a"]);
    open.connection.pragma_update(None, "user_version", 2).unwrap();
    assert!(matches!(open.begin(), Err(TrackerError::NewerFormat { found: 2, known: 1, .. })), "upgraded while open");
    assert!(matches!(EmbeddedTracker::open_or_create(&path), Err(TrackerError::NewerFormat { .. })));
    let mut reader = EmbeddedTracker::open_existing(&path).unwrap().unwrap();
    assert_eq!(reader.snapshot().unwrap().tickets.len(), 1);
    open.connection.execute_batch("ALTER TABLE receipt RENAME TO evidence").unwrap();
    assert!(matches!(reader.snapshot(), Err(TrackerError::NewerFormat { .. })));
}

#[test]
fn what_a_person_changes_is_seen_and_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tracker.db");
    let mut tracker = with_tickets(&path, &["a", "b", "c"]);
    let [a, b, c] = [1, 2, 3].map(super::super::read::reference);
    tracker.begin().unwrap();
    let wire = Operation::Link { ticket: b.clone(), upstream: a.clone(), rationale: "why".into() };
    tracker.execute("link", &wire).unwrap();
    tracker.commit().unwrap();
    assert!(tracker.snapshot().unwrap().tickets.iter().all(|t| t.person_changed.is_empty()));

    let person = Connection::open(&path).unwrap();
    person
        .execute_batch(
            "UPDATE ticket SET title = 'mine' WHERE number = 1;
             INSERT INTO label VALUES (1, 'urgent'); DELETE FROM label WHERE ticket = 1 AND label = 'eval';
             UPDATE ticket SET state = 'closed' WHERE number = 3;
             DELETE FROM link WHERE ticket = 2 AND upstream = 1;
             INSERT INTO link (ticket, upstream) VALUES (2, 3);",
        )
        .unwrap();
    let changed = |tracker: &mut EmbeddedTracker, ticket: &TicketRef| {
        tracker.snapshot().unwrap().ticket(ticket).unwrap().person_changed.iter().copied().collect::<Vec<_>>()
    };
    assert_eq!(changed(&mut tracker, &a), [PersonChange::Title, PersonChange::Labels]);
    assert_eq!(changed(&mut tracker, &b), [PersonChange::Links]);
    assert_eq!(changed(&mut tracker, &c), [PersonChange::State]);
    assert!(!tracker.snapshot().unwrap().ticket(&b).unwrap().blocked_by[0].ours);

    // Later operations of greenloop leave all that as it is.
    tracker.begin().unwrap();
    tracker.execute("publish", &Operation::Publish { ticket: a.clone() }).unwrap();
    tracker.execute("record", &Operation::Record { ticket: a.clone(), receipt: receipt() }).unwrap();
    let unlink = Operation::Unlink { ticket: b.clone(), upstream: c.clone() };
    assert!(matches!(tracker.execute("unlink", &unlink), Err(TrackerError::Refused(_))));
    tracker.commit().unwrap();
    let snapshot = tracker.snapshot().unwrap();
    let ticket = snapshot.ticket(&a).unwrap();
    assert_eq!(ticket.title, "mine");
    assert_eq!(ticket.labels.iter().map(String::as_str).collect::<Vec<_>>(), [Operation::ROUTING_LABEL, "urgent"]);
    assert_eq!(changed(&mut tracker, &a), [PersonChange::Title, PersonChange::Labels]);
}

#[test]
fn the_database_itself_keeps_the_rules() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tracker.db");
    let mut tracker = with_tickets(&path, &["a", "b"]);
    let person = Connection::open(&path).unwrap();
    person.pragma_update(None, "foreign_keys", true).unwrap();
    for (sql, says) in [
        (
            "INSERT INTO ticket (category_id, title, body, state, written_title, written_state)
             VALUES ('evals:shop:a', '', '', 'open', '', 'open')",
            "UNIQUE",
        ),
        ("UPDATE ticket SET category_id = 'evals:shop:x' WHERE number = 1", "keeps its number and its category"),
        ("DELETE FROM ticket WHERE number = 1", "never deleted"),
        ("UPDATE event SET op = 'x'", "never changed"),
        ("DELETE FROM event", "never changed"),
        ("INSERT INTO link (ticket, upstream) VALUES (1, 1)", "CHECK"),
        ("INSERT INTO link (ticket, upstream) VALUES (1, 99)", "FOREIGN KEY"),
        ("UPDATE ticket SET state = 'half' WHERE number = 1", "CHECK"),
        ("UPDATE ticket SET reopened = 'x' WHERE number = 1", "cannot store TEXT"),
    ] {
        let error = person.execute(sql, []).unwrap_err().to_string();
        assert!(error.contains(says), "{sql}: {error}");
    }
    let states: Vec<_> = tracker.snapshot().unwrap().tickets.iter().map(|t| t.state).collect();
    assert_eq!(states, [TicketState::Open, TicketState::Open]);
}

#[test]
fn text_that_is_not_what_was_written_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tracker.db");
    let mut tracker = with_tickets(&path, &["a"]);
    for sql in [
        "UPDATE receipt SET receipt = replace(receipt, 'blake3:', 'blake2:')",
        "UPDATE receipt SET receipt = ''",
        "UPDATE ticket SET closure = '{}'",
    ] {
        tracker.connection.execute_batch(&format!("SAVEPOINT s; {sql}")).unwrap();
        let error = tracker.snapshot().unwrap_err().to_string();
        assert!(error.contains("of ticket #1 cannot be read"), "{error}");
        tracker.connection.execute_batch("ROLLBACK TO s; RELEASE s").unwrap();
    }
    assert!(tracker.snapshot().is_ok());
}

#[test]
fn a_second_writer_waits_for_a_bounded_time_and_readers_do_not_wait() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tracker.db");
    let mut first = with_tickets(&path, &["a"]);
    let mut second = EmbeddedTracker::open_or_create(&path).unwrap().with_wait(Duration::from_millis(20)).unwrap();
    first.begin().unwrap();
    create(&mut first, "b");
    let error = second.begin().unwrap_err().to_string();
    assert!(error.contains("another process is writing"), "{error}");
    assert_eq!(second.snapshot().unwrap().tickets.len(), 1, "what is not committed is not there");
    assert_eq!(first.snapshot().unwrap().tickets.len(), 2);
    first.abort();
    assert_eq!(first.snapshot().unwrap().tickets.len(), 1);
    second.begin().unwrap();
    second.commit().unwrap();
    assert!(second.execute("key", &Operation::Publish { ticket: super::super::read::reference(1) }).is_err());
}

#[test]
fn an_operation_that_fails_half_way_takes_back_its_part_only() {
    let dir = tempfile::tempdir().unwrap();
    let mut tracker = EmbeddedTracker::open_or_create(&dir.path().join("tracker.db")).unwrap();
    tracker.begin().unwrap();
    create(&mut tracker, "a");
    let before = tracker.snapshot().unwrap();
    // The history is written last, so everything else of the operation is there already.
    let trigger = "CREATE TEMP TRIGGER full BEFORE INSERT ON main.event BEGIN SELECT RAISE(ABORT, 'no more'); END";
    tracker.connection.execute_batch(trigger).unwrap();
    let record = Operation::Record { ticket: before.tickets[0].ticket.clone(), receipt: receipt() };
    assert!(tracker.execute("record", &record).unwrap_err().to_string().contains("no more"));
    tracker.connection.execute_batch("DROP TRIGGER full").unwrap();
    tracker.commit().unwrap();
    assert_eq!(tracker.snapshot().unwrap(), before);
    assert_eq!(tracker.find_done("record").unwrap(), None);
}

#[test]
fn paths_with_any_bytes_are_the_path_of_a_uri() {
    assert_eq!(percent_encoded(Path::new("/a b/?#%ä.db")), "/a%20b/%3F%23%25%C3%A4.db");
}
