//! The embedded tracker: one SQLite file, one transaction per apply.
//!
//! What the database itself guarantees, whoever writes to it (greenloop, a second greenloop, a person with
//! `sqlite3`): one live ticket per category, a ticket's category never changes, tickets and history are never
//! deleted, links name tickets that exist.
//!
//! Beside the current title, state, labels and links stands what greenloop last wrote. Where the two differ a
//! person changed something, and the person wins: greenloop changes only its own marker labels after that.
//!
//! Cost: a snapshot reads everything once, linear in tickets, receipts and links. An operation is a few indexed
//! statements; `link` also walks the live tickets above the upstream one, if anything waits for the dependent.
//! Opening checks the structure of the whole file (`PRAGMA quick_check`), linear in its size.

mod fault;
mod history;
mod open;
mod read;
mod schema;
mod store;
mod write;

pub use history::Event;
pub use open::EmbeddedTracker;
