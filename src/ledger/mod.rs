//! Durable things: the hash-chained ledger, whole files written atomically, locks, and checkpoints for kill tests.
//!
//! # The ledger file (`greenloop.ledger_entry.v1`)
//!
//! One entry per line; each line ends with one line feed (U+000A). Nothing else is in the file: no header, no blank
//! line, no carriage return, no byte order mark. A line is the *canonical JSON* of the entry:
//!
//! - UTF-8; object keys sorted by code point, at every depth; no white space outside strings;
//! - in strings, `"` `\` are escaped with a backslash, U+0008 U+0009 U+000A U+000C U+000D as `\b \t \n \f \r`, all
//!   other characters below U+0020 as `\u00xx` in lower case; everything else stands as it is;
//! - numbers are integers from -2^63 to 2^64-1, in decimal, without sign `+`, leading zeros, fraction or exponent.
//!
//! An entry has the members `schema`, `seq` (from 0, plus 1 each), `prev`, `hash`, `at`, `campaign`, `epoch`, `kind`
//! and `data`. `prev` is the `hash` of the entry before; that of the first entry is `blake3:` and 64 zeros. `hash` is
//! BLAKE3 over three parts, one after the other: the text of `schema` (that is, `greenloop.ledger_entry.v1`), one
//! byte 0, and the canonical JSON of the entry *without its member `hash`*. Both are written as `blake3:` and 64
//! lower-case hexadecimal digits. Members that this version does not know are part of the hash like any other.
//!
//! A line must be byte for byte the canonical form of what it says, so re-formatting an entry is damage too.
//!
//! # What the chain shows, and what it cannot
//!
//! Every change inside the file is found: a flipped bit anywhere, a line changed, inserted, removed or moved. Two
//! things cannot be seen from the file alone: entries removed from the *end* at a line boundary, and a chain that
//! somebody computed anew from the first changed line on. Both are found against a [`Head`] that is kept elsewhere
//! (a plan, a receipt, a CI log): [`Ledger::extends`] and [`Summary::extends`].
//!
//! # Torn and damaged
//!
//! An entry is written with one write and is acknowledged only when it is synced. A crash between leaves a last line
//! without its line feed: the beginning of an entry (possibly followed by zero bytes, which some file systems leave).
//! Nothing depends on it, so [`Ledger::open`] cuts it off, and says so. If only the line feed is missing, the entry
//! is whole and true: it is kept and its line feed added. Everything else is damage, and an error. In particular a
//! whole entry followed by another byte than a line feed was acknowledged once, and is never cut off.
//!
//! # Cost
//!
//! Opening and verifying read the file once: linear time; memory is that of the entries. Appending costs one write
//! and one `fdatasync`, however long the ledger is.

mod atomic_file;
mod chain;
pub mod checkpoint;
mod entry;
mod file_error;
mod folder;
mod journal;
mod lock;

pub use atomic_file::write_atomic;
pub use chain::{Broken, Summary, TornTail, verify};
pub use entry::{Entry, Head, HeadError, NewEntry, SCHEMA, UnfitData};
pub use file_error::FileError;
pub use folder::{create_folder, sync_folder};
pub use journal::{Ledger, LedgerError, Recovery};
pub use lock::{CampaignLock, Holder, LockError};
