//! The words of a new ticket, for the person or agent who picks it up. Everything from report and map is data: it
//! stands in fences or as escaped text, so no markup, mention or `#12` in it takes effect. A bare URL stays a URL.

use std::fmt::Write as _;

use crate::categorize::{ActiveCategory, Categorization};
use crate::category_map::Category;
use crate::model::{display_safe, truncate_chars};

/// Characters of a title: well under the 256 that remote trackers allow.
const TITLE_CHARS: usize = 120;
/// Names of cases listed in full.
const CASES_LISTED: usize = 50;

/// `<name>: <defect>`, on one line.
pub(super) fn title(category: &Category) -> String {
    let text = format!("{}: {}", category.id.name(), category.defect);
    truncate_chars(&display_safe(&text), TITLE_CHARS).into_owned()
}

/// The body of a new ticket.
pub(super) fn body(category: &Category, active: &ActiveCategory, c: &Categorization, campaign: &str) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "**What is broken:** {}", plain(&category.defect));
    if let Some(expected) = &category.expected {
        let _ = writeln!(text, "\n**Expected:** {}", plain(expected));
    }
    let _ = writeln!(text, "\n## Failing cases ({})", active.failures);
    for excerpt in &active.excerpts {
        let mut block = display_safe(excerpt.case.as_str()).into_owned();
        for problem in &excerpt.problems {
            for line in problem.lines() {
                let _ = write!(block, "\n    {}", display_safe(line));
            }
        }
        let _ = writeln!(text, "\n{}", fence(&block));
    }
    let others: Vec<_> =
        c.cases_of(active).filter(|case| !active.excerpts.iter().any(|excerpt| excerpt.case == **case)).collect();
    if !others.is_empty() {
        let mut block: Vec<_> = others.iter().take(CASES_LISTED).map(|case| display_safe(case.as_str())).collect();
        if others.len() > CASES_LISTED {
            block.push(
                format!("… and {} more: see the categorization of the report", others.len() - CASES_LISTED).into(),
            );
        }
        let _ = writeln!(text, "\nAlso failing:\n\n{}", fence(&block.join("\n")));
    }
    if !category.depends_on.is_empty() {
        text.push_str("\n## Depends on\n\n");
        for dependency in &category.depends_on {
            let state = if c.active(&dependency.category_id).is_some() { "fails now" } else { "does not fail now" };
            let _ = writeln!(text, "- `{}` ({state}): {}", dependency.category_id, plain(&dependency.rationale));
        }
    }
    let _ = write!(
        text,
        "\n## How it is judged\n\nThis ticket closes when all of these cases pass in a full run of the suite on the \
         integrated head.\nA passing part of the suite, a review, or closing it by hand does not close it.\n\n\
         Evidence: report `{}`, commit `{}`, fingerprint `{}`.\n\n\
         <!-- greenloop:v1 category_id={} campaign={} -->\n",
        c.report.digest,
        plain(c.provenance.evaluated_sha.as_deref().unwrap_or("unknown")),
        active.fingerprint,
        category.id,
        campaign
    );
    text
}

/// Text inside a Markdown paragraph: on one line, with every character that could start markup, a mention, a
/// reference or HTML escaped.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in display_safe(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A zero-width space would be invisible; entities keep the text readable and inert.
            '@' => out.push_str("&#64;"),
            '#' => out.push_str("&#35;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '!' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// A fenced block whose fence is longer than any run of backticks in it.
fn fence(block: &str) -> String {
    let mut longest = 2;
    let mut run = 0;
    for c in block.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence}text\n{block}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_outgrow_their_content() {
        assert_eq!(fence("a"), "```text\na\n```");
        assert!(fence("a ````` b").starts_with("``````text\n"));
    }

    #[test]
    fn plain_text_is_inert() {
        assert_eq!(plain("@me #1 <b> [x](y) fixes\n`c`"), "&#64;me &#35;1 &lt;b&gt; \\[x\\](y) fixes\\\\n\\`c\\`");
    }
}
