//! What people see in the comment of a ticket. Text from reports and maps is data: escaped, on one line, cut.

use super::record::Record;
use crate::model::{Digest, display_safe, truncate_chars};

/// Text inside a Markdown paragraph: nothing in it starts markup, a mention, a reference or HTML.
pub(super) fn inert(text: &str, chars: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for c in truncate_chars(&display_safe(text), chars).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '@' => out.push_str("&#64;"),
            '#' => out.push_str("&#35;"),
            // A bare address would become a link.
            ':' => out.push_str("&#58;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '!' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// A commit as code, so that it becomes no link to somewhere else.
fn commit(head: Option<&str>) -> String {
    let plain: String = head.unwrap_or("unknown").chars().filter(char::is_ascii_alphanumeric).take(12).collect();
    format!("`{plain}`")
}

/// The words of the comment.
pub(super) fn record(record: &Record) -> String {
    let mut text = "greenloop keeps its evidence for this ticket here, and edits this comment in place. \
                    Please leave it as it is.\n"
        .to_owned();
    if let Some(last) = record.receipts.last() {
        let what = if last.category_fingerprint == Digest::zero() {
            format!("all {} case(s) pass", last.cases.len())
        } else {
            format!("{} case(s) fail", last.cases.len())
        };
        text += &format!(
            "\n- Latest of {} receipt(s): {what} on {}, iteration {}, report `{}`",
            record.receipts.len(),
            commit(last.head.as_deref()),
            last.iteration,
            last.report_digest.short()
        );
    }
    if record.candidate {
        text += "\n- Its cases pass. It waits for the proof: a full run on the integrated head";
    }
    if record.reopened > 0 {
        text += &format!("\n- Reopened {} time(s)", record.reopened);
    }
    if let Some(closure) = &record.closure {
        text += &format!(
            "\n- Proven gone on {}, iteration {}: the full suite (report `{}`) and its slice of {} case(s); {}",
            commit(Some(&closure.proven_head)),
            closure.iteration,
            closure.report_digest.short(),
            closure.slice.len(),
            inert(&closure.manner, 200)
        );
    }
    for (number, link) in record.links.iter().take(50) {
        text += &format!("\n- Waits for #{number}: {}", inert(&link.why, 200));
    }
    if let Some(farewell) = &record.farewell {
        text += &format!("\n- {farewell}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_takes_effect() {
        let hostile = "@team #1 owner/repo#2 <b> [x](https://e.org) `code`\nfixes";
        let shown = inert(hostile, 200);
        assert!(!shown.contains('@') && !shown.contains('<') && !shown.contains('\n') && !shown.contains("://"));
        assert!(!shown.replace("&#", "").contains('#'), "{shown}");
        assert_eq!(commit(Some("abc`](x)")), "`abcx`");
    }
}
