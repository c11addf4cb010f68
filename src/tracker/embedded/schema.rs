//! The tables, and what the database refuses by itself.

/// Marks the file as a greenloop tracker: the bytes `GLTK`, in `PRAGMA application_id`.
pub(super) const APPLICATION_ID: i32 = i32::from_be_bytes(*b"GLTK");

/// The format that this program writes, in `PRAGMA user_version`.
pub(super) const FORMAT: i64 = 1;

/// What is added to a number to get the ticket's id. The two differ so that mixing them up is noticed here, and not
/// first with a tracker where it does harm.
pub(super) const ID_OFFSET: u64 = 1_000_000;

/// Everything in format 1.
pub(super) const TABLES: &str = "
CREATE TABLE ticket (
    number             INTEGER PRIMARY KEY AUTOINCREMENT,
    category_id        TEXT NOT NULL,
    title              TEXT NOT NULL,
    body               TEXT NOT NULL,
    state              TEXT NOT NULL CHECK (state IN ('open', 'closed')),
    state_reason       TEXT CHECK (state_reason IN ('completed', 'not_planned', 'duplicate')),
    reopened           INTEGER NOT NULL DEFAULT 0 CHECK (reopened >= 0),
    candidate_resolved INTEGER NOT NULL DEFAULT 0 CHECK (candidate_resolved IN (0, 1)),
    closure            TEXT,
    written_title      TEXT NOT NULL,
    written_state      TEXT NOT NULL CHECK (written_state IN ('open', 'closed'))
) STRICT;

CREATE UNIQUE INDEX one_live_ticket_per_category ON ticket (category_id) WHERE state = 'open';

CREATE TRIGGER ticket_keeps_its_category BEFORE UPDATE OF category_id, number ON ticket
BEGIN SELECT RAISE(ABORT, 'a ticket keeps its number and its category'); END;

CREATE TRIGGER ticket_is_history BEFORE DELETE ON ticket
BEGIN SELECT RAISE(ABORT, 'tickets are never deleted; close it instead'); END;

CREATE TABLE label (
    ticket INTEGER NOT NULL REFERENCES ticket (number),
    label  TEXT NOT NULL,
    PRIMARY KEY (ticket, label)
) STRICT, WITHOUT ROWID;

CREATE TABLE written_label (
    ticket INTEGER NOT NULL REFERENCES ticket (number),
    label  TEXT NOT NULL,
    PRIMARY KEY (ticket, label)
) STRICT, WITHOUT ROWID;

CREATE TABLE link (
    ticket    INTEGER NOT NULL REFERENCES ticket (number),
    upstream  INTEGER NOT NULL REFERENCES ticket (number),
    rationale TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (ticket, upstream),
    CHECK (ticket <> upstream)
) STRICT, WITHOUT ROWID;

CREATE INDEX link_by_upstream ON link (upstream);

CREATE TABLE written_link (
    ticket   INTEGER NOT NULL REFERENCES ticket (number),
    upstream INTEGER NOT NULL REFERENCES ticket (number),
    PRIMARY KEY (ticket, upstream)
) STRICT, WITHOUT ROWID;

CREATE TABLE receipt (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket  INTEGER NOT NULL REFERENCES ticket (number),
    receipt TEXT NOT NULL
) STRICT;

CREATE INDEX receipt_by_ticket ON receipt (ticket);

CREATE TABLE event (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket INTEGER NOT NULL REFERENCES ticket (number),
    key    TEXT NOT NULL,
    op     TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;

CREATE INDEX event_by_ticket ON event (ticket);

CREATE TRIGGER event_is_not_changed BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'history is never changed'); END;

CREATE TRIGGER event_is_not_deleted BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'history is never changed'); END;

CREATE TABLE done (
    key       TEXT PRIMARY KEY,
    operation TEXT NOT NULL,
    outcome   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";
