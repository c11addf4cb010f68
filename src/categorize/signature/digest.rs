//! Signatures: digests over normalized problems.
//!
//! The bytes that are hashed, in order: the version, the case name (only in [`case_signature`]), and the number of
//! problems followed by each problem, sorted by bytes, without duplicates. Every text is preceded by its length in
//! bytes, and every length and the number of problems is a 64-bit little-endian integer. So no two different lists
//! have the same bytes.

use std::collections::BTreeSet;

use super::{VERSION, normalize_problem};
use crate::model::{CaseName, Digest};

/// Domain of [`case_signature`].
const CASE_DOMAIN: &str = "greenloop.case-signature";
/// Domain of [`problems_digest`].
const PROBLEMS_DOMAIN: &str = "greenloop.problems";

/// Computes the signature of a failing case: its name and what went wrong, without anything that changes from run
/// to run. The order of the problems and repeated problems do not matter.
pub fn case_signature<'p>(case_name: &CaseName, problems: impl Iterator<Item = &'p str>) -> Digest {
    let mut bytes = Vec::new();
    push_text(&mut bytes, VERSION);
    push_text(&mut bytes, case_name.as_str());
    push_problems(&mut bytes, problems);
    Digest::in_domain(CASE_DOMAIN, &bytes)
}

/// Computes the digest of what went wrong alone. A parent and its child (a package and its test, a suite and its
/// case) that report one crash have different signatures but the same problems.
pub fn problems_digest<'p>(problems: impl Iterator<Item = &'p str>) -> Digest {
    let mut bytes = Vec::new();
    push_text(&mut bytes, VERSION);
    push_problems(&mut bytes, problems);
    Digest::in_domain(PROBLEMS_DOMAIN, &bytes)
}

fn push_problems<'p>(bytes: &mut Vec<u8>, problems: impl Iterator<Item = &'p str>) {
    let normalized: BTreeSet<String> = problems.map(normalize_problem).collect();
    push_length(bytes, normalized.len());
    for problem in &normalized {
        push_text(bytes, problem);
    }
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push_length(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

fn push_length(bytes: &mut Vec<u8>, length: usize) {
    // `usize` has at most 64 bits on every platform Rust knows, so nothing is lost.
    bytes.extend_from_slice(&(length as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(name: &str, problems: &[&str]) -> Digest {
        case_signature(&CaseName::from(name), problems.iter().copied())
    }

    #[test]
    fn order_repetition_and_volatile_parts_do_not_matter() {
        let first = signature("login", &["exit_code 1 != 0", "timed out after 30s", "exit_code 1 != 0"]);
        assert_eq!(first, signature("login", &["timed out after 45.5s", "exit_code 1 != 0"]));
    }

    #[test]
    fn name_problems_and_exit_codes_matter() {
        let first = signature("login", &["exit_code 1 != 0"]);
        assert_ne!(first, signature("logout", &["exit_code 1 != 0"]));
        assert_ne!(first, signature("login", &["exit_code 2 != 0"]));
        assert_ne!(first, signature("login", &[]));
        assert_ne!(signature("a", &["HTTP 404"]), signature("a", &["HTTP 500"]));
    }

    #[test]
    fn framing_is_unambiguous() {
        assert_ne!(signature("a", &["bc"]), signature("ab", &["c"]));
        assert_ne!(signature("a", &["b", "c"]), signature("a", &["b\nc"]));
        assert_ne!(signature("a", &["b", "c"]), signature("a", &["bc"]));
    }

    #[test]
    fn parent_and_child_share_their_problems_digest() {
        let parent = problems_digest(["panic at src/lib.rs:12:5 (pid 77)"].into_iter());
        let child = problems_digest(["panic at src/lib.rs:12:5 (pid 78)"].into_iter());
        assert_eq!(parent, child);
        assert_ne!(parent, problems_digest(["panic at src/main.rs:12:5 (pid 77)"].into_iter()));
    }

    /// A changed digest here is a changed rule or framing: it needs a new [`VERSION`].
    #[test]
    fn the_signature_of_this_version_is_pinned() {
        insta::assert_snapshot!(signature("login", &["exit_code 1 != 0", "timed out after 30s"]));
    }
}
