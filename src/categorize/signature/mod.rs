//! The canonical failure signature: what stays the same when the same failure happens again.
//!
//! [`normalize`] turns one text into its canonical form, [`normalize_problem`] does it for one problem of a report,
//! and [`case_signature`] hashes a case's problems. The rules are one version, [`VERSION`], and the version is
//! hashed too: any change of a rule is a new version.
//!
//! # How it works
//! 1. `clean` takes terminal escapes out and unifies line ends and spaces. Texts without any are not copied.
//!    `key_block` takes private keys out.
//! 2. `trigger` finds the bytes that every match has one of, 64 bytes at a time. `neighbours` and `window` dismiss most
//!    of them by the bytes beside them. Around the others `scanner` walks from word to word and tries the rules in the
//!    fixed order of the families: secrets, network names, identities, timestamps, durations, addresses, temporary
//!    paths, numbers after their keyword, source lines.
//! 3. What matched becomes a placeholder.
//!
//! # Placeholders
//! *Identities* (`<uuid1>`, `<ip2>`, `<tmp1>` …) are numbered by first appearance, per kind and text: the same value
//! has the same number, so that "the id sent is the id returned" stays distinct from "two ids".
//! *Measurements* (`<time>`, `<duration>`) and source lines (`<line>`) have no number. That two durations are equal
//! is a coincidence of one run; a number would carry it into something that is compared across runs.
//! A placeholder that is already in the text is a value like any other and takes its place in the numbering.
//!
//! # Why the result is a fixed point
//! `normalize(normalize(x)) == normalize(x)` holds because of two habits that every rule keeps:
//! - what stands *before* a candidate is judged on the text already written (a replaced neighbour reads as `>`);
//! - what stands *after* a candidate is judged on the one next byte, or on bytes that no rule can replace.
//!
//! # Cost
//! Linear in the text. A rule either consumes what it looked at, or looks at a bounded number of bytes, or leaves a
//! mark up to which it need not look again. No text is ever dropped because it is slow.

mod clean;
mod digest;
mod duration;
mod identity;
mod key_block;
mod keyword;
mod mask;
mod names;
mod neighbours;
mod network;
mod path;
mod placeholder;
mod problem;
mod redact;
mod scanner;
mod secret;
mod source_line;
mod timestamp;
mod trigger;
mod window;

#[cfg(test)]
mod tests;

pub use digest::{case_signature, problems_digest};
pub use names::is_secret_name;
pub use problem::{MAX_CHARS, normalize_problem};
pub use redact::{REDACTED, publishable, redact, redact_words};
pub use scanner::normalize;

/// Version of the rules. Part of every signature's hash input.
pub const VERSION: &str = "sig1";
