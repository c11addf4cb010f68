//! The marker in a ticket's body: the machine-readable identity of a ticket on a tracker that has no field for it.
//!
//! `<!-- greenloop:v1 category_id=… campaign=… key=… -->`. People may edit the body around it and move it. No text of a
//! report or a map can make a second one: [`super::words`] lets no `<!--` through.

use std::ops::Range;

use crate::model::{CategoryId, display_safe, truncate_chars};

/// What every marker begins with, after `<!--` and white space.
const PREFIX: &str = "greenloop:";
/// The version that this program writes and reads.
const VERSION: &str = "v1";
/// Characters of a marker that an error quotes.
const QUOTED: usize = 120;

/// The identity of a ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The category that the ticket stands for.
    pub category_id: CategoryId,
    /// The campaign that filed it, or the journal that stands in for one.
    pub campaign: String,
    /// The idempotency key of the write that made it; `None` in a plan, where no write has happened yet.
    pub key: Option<String>,
}

/// Why a body's marker cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MarkerError {
    /// It begins like a marker and is none.
    #[error("the marker `{marker}` cannot be read: {why}")]
    Malformed {
        /// The marker, cut and safe to show.
        marker: String,
        /// What is wrong.
        why: &'static str,
    },
    /// Written by another version.
    #[error("the marker has version {0}; this greenloop reads v1")]
    Version(String),
    /// Two that say different things: nobody can tell which is true.
    #[error("the body has two different markers: `{first}` and `{second}`")]
    Several {
        /// The first one, safe to show.
        first: String,
        /// Another one, safe to show.
        second: String,
    },
    /// There is none to put a key into.
    #[error("the body has no marker")]
    Missing,
}

impl Marker {
    /// The marker as it stands in a body: one line. Only letters, digits and a few joiners stand in it as they are; the
    /// rest of campaign and key is percent-encoded, so that nothing in them ends the comment or adds a field.
    pub fn render(&self) -> String {
        let key = self.key.as_ref().map(|key| format!(" key={}", encode(key))).unwrap_or_default();
        let campaign = encode(&self.campaign);
        format!("<!-- {PREFIX}{VERSION} category_id={} campaign={campaign}{key} -->", self.category_id)
    }

    /// `body` with `key` in its marker; a key that was there is replaced.
    ///
    /// # Errors
    /// [`MarkerError::Missing`] without a marker, other kinds when [`parse_marker`] fails.
    pub fn with_key(body: &str, key: &str) -> Result<String, MarkerError> {
        let mut marker = parse_marker(body)?.ok_or(MarkerError::Missing)?;
        marker.key = Some(key.to_owned());
        let rendered = marker.render();
        let mut out = String::with_capacity(body.len() + rendered.len());
        let mut copied = 0;
        for comment in (Comments { body, at: 0 }) {
            out.push_str(&body[copied..comment.start]);
            out.push_str(&rendered);
            copied = comment.end;
        }
        out.push_str(&body[copied..]);
        Ok(out)
    }
}

/// The marker of a body, wherever people have moved it; the same one twice counts once.
///
/// # Errors
/// When something begins like a marker and cannot be read, or two markers differ.
pub fn parse_marker(body: &str) -> Result<Option<Marker>, MarkerError> {
    let mut found: Option<Marker> = None;
    for comment in (Comments { body, at: 0 }) {
        let marker = read(&body[comment])?;
        match &found {
            Some(first) if *first != marker => {
                return Err(MarkerError::Several { first: quote(&first.render()), second: quote(&marker.render()) });
            }
            _ => found = Some(marker),
        }
    }
    Ok(found)
}

/// The places of all comments that begin like a marker, `<!--` to `-->`, or to the end of the body.
struct Comments<'b> {
    body: &'b str,
    at: usize,
}

impl Iterator for Comments<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let start = self.at + self.body[self.at..].find("<!--")?;
            self.at = start + 4;
            let inside = self.body[self.at..].trim_start();
            if inside.get(..PREFIX.len()).is_some_and(|word| word.eq_ignore_ascii_case(PREFIX)) {
                let end = self.body[self.at..].find("-->").map_or(self.body.len(), |end| self.at + end + 3);
                self.at = end;
                return Some(start..end);
            }
        }
    }
}

/// Reads `<!-- greenloop:… -->`.
fn read(comment: &str) -> Result<Marker, MarkerError> {
    let malformed = |why| MarkerError::Malformed { marker: quote(comment), why };
    let inside = comment.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
    let inside = inside.ok_or_else(|| malformed("it has no end"))?.trim();
    let mut words = inside.get(PREFIX.len()..).unwrap_or_default().split_whitespace();
    match words.next() {
        Some(VERSION) => {}
        version => return Err(MarkerError::Version(quote(version.unwrap_or("none")))),
    }
    let (mut category_id, mut campaign, mut key) = (None, None, None);
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| malformed("a field has no `=`"))?;
        let slot = match name {
            "category_id" => &mut category_id,
            "campaign" => &mut campaign,
            "key" => &mut key,
            // A later v1 may say more.
            _ => continue,
        };
        let value = decode(value).ok_or_else(|| malformed("a value is not percent-encoded UTF-8"))?;
        if slot.replace(value).is_some() {
            return Err(malformed("a field stands twice"));
        }
    }
    let id = category_id.ok_or_else(|| malformed("it has no category_id"))?;
    Ok(Marker {
        category_id: id.parse().map_err(|_| malformed("its category_id is none"))?,
        campaign: campaign.ok_or_else(|| malformed("it has no campaign"))?,
        key,
    })
}

/// Percent-encodes everything but ASCII letters, digits and `-` `_` `.` `:` `/` `+`; of `--` the second, too, as some
/// readers of HTML end a comment there.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"_.:/+".contains(&byte) || (byte == b'-' && !out.ends_with('-'));
        if plain {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

fn quote(text: &str) -> String {
    truncate_chars(&display_safe(text), QUOTED).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marker(campaign: &str, key: Option<&str>) -> Marker {
        Marker {
            category_id: "evals:shop:cart-total".parse().unwrap(),
            campaign: campaign.to_owned(),
            key: key.map(ToOwned::to_owned),
        }
    }

    #[test]
    fn it_reads_as_people_know_it() {
        assert_eq!(
            marker("c1", Some("k-1")).render(),
            "<!-- greenloop:v1 category_id=evals:shop:cart-total campaign=c1 key=k-1 -->"
        );
        assert_eq!(
            marker("a --> b", None).render(),
            "<!-- greenloop:v1 category_id=evals:shop:cart-total campaign=a%20-%2D%3E%20b -->"
        );
    }

    #[test]
    fn a_body_that_people_edited_keeps_its_marker() {
        let wanted = marker("c1", Some("k"));
        let line = wanted.render();
        for body in [
            format!("{line}\n\ntext"),
            format!("text {line} text"),
            format!("text\r\n\r\n{line}\r\n"),
            format!("<!-- a comment of a person -->\n{line}"),
            format!("{line}\n{line}"),
            line.replace(' ', "\n  "),
            line.replace(" -->", " colour=blue -->"),
        ] {
            assert_eq!(parse_marker(&body), Ok(Some(wanted.clone())), "{body:?}");
        }
        for body in ["", "text", "<!-- greenloop -->", "greenloop:v1 category_id=a:b:c", "<!--"] {
            assert_eq!(parse_marker(body), Ok(None), "{body:?}");
        }
    }

    #[test]
    fn what_cannot_be_told_is_an_error() {
        let two = format!("{}\n{}", marker("c1", None).render(), marker("c2", None).render());
        assert!(matches!(parse_marker(&two), Err(MarkerError::Several { .. })));
        assert!(matches!(parse_marker("<!-- greenloop:v2 x -->"), Err(MarkerError::Version(v)) if v == "v2"));
        for bad in [
            "<!-- greenloop:v1 category_id=a:b:c campaign=x",
            "<!-- greenloop:v1 -->",
            "<!-- greenloop:v1 category_id=a:b:c -->",
            "<!-- greenloop:v1 category_id=a:b campaign=x -->",
            "<!-- greenloop:v1 category_id=a:b:c campaign=x campaign=y -->",
            "<!-- greenloop:v1 category_id=a:b:c campaign=%+1 -->",
            "<!-- greenloop:v1 category_id=a:b:c campaign=%ff -->",
            "<!-- greenloop:v1 category_id=a:b:c campaign=x key -->",
        ] {
            assert!(matches!(parse_marker(bad), Err(MarkerError::Malformed { .. })), "{bad}");
        }
    }

    #[test]
    fn a_key_goes_into_the_marker_that_is_there() {
        let plain = format!("a\n{}\nb\n", marker("c", None).render());
        let stamped = Marker::with_key(&plain, "k 1").unwrap();
        assert_eq!(stamped, format!("a\n{}\nb\n", marker("c", Some("k 1")).render()));
        assert_eq!(Marker::with_key(&stamped, "k 1").unwrap(), stamped);
        assert_eq!(Marker::with_key("a", "k"), Err(MarkerError::Missing));
    }

    proptest! {
        #[test]
        fn what_is_rendered_is_read(campaign in "\\PC{0,40}|[-<>!% \n=]{0,12}", key in proptest::option::of("\\PC{0,40}|[-<>!% ]{0,12}")) {
            let marker = Marker { category_id: "a:b:c".parse().unwrap(), campaign, key };
            let line = marker.render();
            prop_assert_eq!(line.matches("-->").count(), 1);
            prop_assert_eq!(line.lines().count(), 1);
            prop_assert_eq!(parse_marker(&line), Ok(Some(marker)));
        }

        #[test]
        fn any_body_is_taken(body in "(<!--|-->|greenloop:|v1| |category_id=a:b:c|campaign=x|%|é|\n){0,20}") {
            let _ = parse_marker(&body);
            let _ = Marker::with_key(&body, "k");
        }
    }
}
