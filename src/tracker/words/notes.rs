//! Notes: the short comments at the events of a ticket's life that people want to be told of. A reference to another
//! ticket is ours and is meant to link; all else is data.

use super::line::{code, plain};
use super::receipts;
use crate::model::{CaseName, TicketRef};
use crate::tracker::{Closure, Link, Receipt};

/// Characters of a commit or a digest: enough for people.
pub(super) const SHA_CHARS: usize = 12;
/// Characters of a whole commit or digest, with the name of its kind.
const WHOLE_CHARS: usize = 80;
/// Cases that a note names.
const CASES_NAMED: usize = 10;
/// Characters of a case's name in a note.
const CASE_CHARS: usize = 100;
/// Characters of a reason.
const REASON_CHARS: usize = 1_000;
/// Dependencies that a list names.
const LINKS_NAMED: usize = 100;

/// The proof that closes a ticket. It names both scopes: the full run and the slice.
pub fn closing_note(closure: &Closure) -> String {
    format!(
        "**Closed: proven gone.** A full run on the integrated head {} passes all of its slice{}.\n\nReport {}, \
         {} of the slice: {}.{}\n",
        code(&closure.proven_head, WHOLE_CHARS),
        iteration(closure.iteration),
        code(&closure.report_digest.to_string(), WHOLE_CHARS),
        count(closure.slice.len()),
        cases(&closure.slice),
        receipts::manner(closure),
    )
}

/// It failed again after it was closed.
pub fn reopened_note(receipt: &Receipt) -> String {
    let (count, cases) = (count(receipt.cases.len()), cases(&receipt.cases));
    format!("**Reopened: it fails again.** {count} failing{}: {cases}.\n", at(receipt))
}

/// Its cases pass, but nothing is proven yet.
pub fn candidate_note(receipt: &Receipt) -> String {
    format!(
        "**Its cases pass**{}: {} of them, {}.\n\nIt stays open until a full run on the integrated head proves it gone.\n",
        at(receipt),
        receipt.cases.len(),
        cases(&receipt.cases),
    )
}

/// The category was split or removed: the ticket stays as history.
pub fn superseded_note(note: &str, successors: &[TicketRef]) -> String {
    let list: Vec<String> = successors.iter().take(LINKS_NAMED).map(ToString::to_string).collect();
    let goes_on = if list.is_empty() { String::new() } else { format!("\n\nGoes on as {}.", list.join(", ")) };
    format!("**Superseded:** {}{goes_on}\n", plain(note, REASON_CHARS))
}

/// The category was merged into another one.
pub fn absorbed_note(note: &str, survivor: &TicketRef) -> String {
    format!("**Absorbed:** {}\n\nGoes on as {survivor}.\n", plain(note, REASON_CHARS))
}

/// What a ticket waits for, for trackers that cannot carry dependencies themselves; a list of links of ours.
pub fn dependencies(links: &[Link]) -> String {
    let mut text = String::from("**Blocked by:**\n\n");
    for link in links.iter().take(LINKS_NAMED) {
        text.push_str(&format!("- {}: {}\n", link.upstream, plain(&link.rationale, 200)));
    }
    if links.len() > LINKS_NAMED {
        text.push_str(&format!("\n… and {} more.\n", links.len() - LINKS_NAMED));
    }
    text
}

fn at(receipt: &Receipt) -> String {
    let head = receipt.head.as_deref().map_or("an unnamed commit".to_owned(), short_sha);
    format!(" at {head}{}, report {}", iteration(receipt.iteration), code(&receipt.report_digest.short(), SHA_CHARS))
}

/// The beginning of a commit's name, or of whatever stands in its place.
pub(super) fn short_sha(sha: &str) -> String {
    if sha.len() > SHA_CHARS && sha.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return code(&sha[..SHA_CHARS], SHA_CHARS);
    }
    code(sha, SHA_CHARS)
}

/// ` (iteration 3)`, or nothing outside a campaign.
pub(super) fn iteration(number: u32) -> String {
    if number == 0 { String::new() } else { format!(" (iteration {number})") }
}

/// `1 case`, `2 cases`.
pub(super) fn count(cases: usize) -> String {
    if cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") }
}

fn cases(names: &[CaseName]) -> String {
    let mut list: Vec<String> = names.iter().take(CASES_NAMED).map(|name| code(name.as_str(), CASE_CHARS)).collect();
    if names.len() > CASES_NAMED {
        list.push(format!("and {} more", names.len() - CASES_NAMED));
    }
    if list.is_empty() { "none".to_owned() } else { list.join(", ") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Digest;
    use crate::tracker::words::gfm;

    fn all(text: &str, case: &str) -> Vec<String> {
        let receipt = Receipt {
            report_digest: Digest::of(b"r"),
            head: Some(text.to_owned()),
            iteration: 3,
            category_fingerprint: Digest::of(b"f"),
            provenance_fingerprint: Digest::of(b"p"),
            cases: vec![CaseName::from(case); 2],
        };
        let closure = Closure {
            report_digest: Digest::of(b"r"),
            proven_head: text.to_owned(),
            iteration: 3,
            provenance_fingerprint: Digest::of(b"p"),
            slice: vec![CaseName::from(case); 12],
            manner: text.to_owned(),
            receipts: 1,
        };
        let ticket = |number| TicketRef { number, id: 9 };
        let link = Link { upstream: ticket(5), ours: true, rationale: text.to_owned() };
        vec![
            closing_note(&closure),
            reopened_note(&receipt),
            candidate_note(&receipt),
            superseded_note(text, &[ticket(3), ticket(4)]),
            superseded_note(text, &[]),
            absorbed_note(text, &ticket(3)),
            dependencies(&[link]),
        ]
    }

    #[test]
    fn what_people_see() {
        insta::assert_snapshot!(all("3f2a9c0d1e4b5a69, see #7", "cart total").join("---\n"));
    }

    proptest! {
        #[test]
        fn no_data_changes_a_note(text in gfm::hostile(), case in gfm::hostile()) {
            for (hostile, harmless) in all(&text, &case).iter().zip(all("a", "b")) {
                let drawn = gfm::draw(hostile);
                prop_assert_eq!(&drawn.structure, &gfm::draw(&harmless).structure, "{}", hostile);
                // Our own links, `#3` to `#5`, and nothing else.
                let ours: Vec<&String> = drawn.acting.iter().filter(|found| !["#3", "#4", "#5"].contains(&found.as_str())).collect();
                prop_assert!(ours.is_empty(), "{:?} in {}", ours, hostile);
            }
        }
    }
}
