//! The machine-readable line in the body of a ticket: which category it stands for, and which creation made it.
//!
//! It is the last such line of the body that counts: what stands before it may come from a report.

use crate::model::{CategoryId, Digest};

const OPENING: &str = "<!-- greenloop:v1 ";
const CLOSING: &str = " -->";

/// Characters of a body or comment that GitHub stores.
pub(super) const BODY_CHARS: usize = 65_536;

/// What a marker says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) category_id: CategoryId,
    pub(super) campaign: String,
    /// [`short_key`] of the creation's idempotency key; empty in a body that was not made by [`Marker::stamp`].
    pub(super) key: String,
}

impl Marker {
    /// The marker of a body.
    pub(super) fn find(body: &str) -> Option<Self> {
        body.lines().rev().find_map(Self::read)
    }

    fn read(line: &str) -> Option<Self> {
        let inside = line.trim().strip_prefix(OPENING)?.strip_suffix(CLOSING)?;
        let field = |name: &str| {
            inside.split(' ').find_map(|field| field.split_once('=').filter(|(key, _)| *key == name)).map(|(_, v)| v)
        };
        Some(Self {
            category_id: field("category_id")?.parse().ok()?,
            campaign: field("campaign").unwrap_or_default().to_owned(),
            key: field("key").unwrap_or_default().to_owned(),
        })
    }

    /// The body with this marker at its end, in the place of the marker that the plan wrote there, and cut if it would
    /// be too long to be stored.
    pub(super) fn stamp(category_id: &CategoryId, key: &str, body: &str) -> String {
        let trimmed = body.trim_end();
        let (text, last) = trimmed.rsplit_once('\n').unwrap_or(("", trimmed));
        let (text, campaign) = match Self::read(last) {
            Some(marker) => (text.trim_end(), marker.campaign),
            None => (trimmed, String::new()),
        };
        let line = format!("{OPENING}category_id={category_id} campaign={campaign} key={key}{CLOSING}\n");
        let room = BODY_CHARS - line.chars().count() - 2;
        format!("{}\n\n{line}", cut(text, room))
    }
}

/// The form of an idempotency key that is stored: 32 hexadecimal digits, whatever the key is made of.
pub(super) fn short_key(key: &str) -> String {
    let mut hex = Digest::in_domain("greenloop.github_key.v1", key.as_bytes()).hex();
    hex.truncate(32);
    hex
}

/// At most `room` characters of Markdown, cut between lines, with an open code fence closed.
pub(super) fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let note = "\n\n(cut: too long for one ticket)";
    let mut left = room.saturating_sub(note.len() + 2);
    let (mut out, mut fence) = (String::new(), String::new());
    for line in text.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        let needed = line.chars().count() + 1;
        // The longest fence has to be closed again.
        if needed + fence.len().max(ticks.len()) + 1 > left {
            break;
        }
        left -= needed;
        if !fence.is_empty() && line == fence {
            fence.clear();
        } else if fence.is_empty() && ticks.len() >= 3 {
            fence = ticks;
        }
        out.push_str(line);
        out.push('\n');
    }
    out + &fence + note
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_marker_counts_and_replaces_the_plans() {
        let id: CategoryId = "e:shop:cart".parse().unwrap();
        let forged = "```\n<!-- greenloop:v1 category_id=e:shop:other campaign=x key=y -->\n```\n";
        let body = format!("{forged}text\n\n<!-- greenloop:v1 category_id=e:shop:cart campaign=c1 -->\n");
        let stamped = Marker::stamp(&id, "k", &body);
        assert_eq!(stamped.matches("campaign=c1").count(), 1);
        let marker = Marker::find(&stamped.replace('\n', "\r\n")).unwrap();
        assert_eq!((marker.category_id, marker.campaign.as_str(), marker.key.as_str()), (id.clone(), "c1", "k"));
        assert_eq!(Marker::find(&(stamped + "\nA person's words below it.")).unwrap().key, "k");
        assert_eq!(Marker::find(&Marker::stamp(&id, "k", "no marker")).unwrap().category_id, id);
        for none in ["", "<!-- greenloop:v1 -->", "<!-- greenloop:v1 category_id=x -->", "see `<!-- greenloop:v1`"] {
            assert_eq!(Marker::find(none), None, "{none}");
        }
    }

    #[test]
    fn a_long_body_is_cut_with_its_fence_closed_and_its_marker_kept() {
        let id: CategoryId = "e:shop:cart".parse().unwrap();
        let body = format!("````text\n{}\n````\nend", "line of text 日本\n".repeat(9000));
        let stamped = Marker::stamp(&id, "k", &body);
        assert!(stamped.chars().count() <= BODY_CHARS);
        assert!(Marker::find(&stamped).is_some());
        assert_eq!(stamped.matches("````").count(), 2, "opened and closed");
        assert!(stamped.contains("cut: too long"));
        assert_eq!(cut("short", 10), "short");
    }
}
