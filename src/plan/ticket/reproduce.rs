//! How to reproduce: the commands of the first failing cases.

use super::body::{Subject, within};
use super::cases::NAME_CHARS;
use super::shell::shell_line;
use crate::categorize::Excerpt;
use crate::categorize::signature::{REDACTED, redact};
use crate::model::display_safe;
use crate::tracker::words::{code, fence, units};

/// Commands that are shown; the same one twice counts once.
const COMMANDS: usize = 5;
/// UTF-16 units of all of them.
const COMMANDS_UNITS: usize = 8_000;
/// UTF-16 units of one. A longer one is left out: half a command does not run.
const COMMAND_UNITS: usize = 4_500;

pub(super) fn section(subject: &Subject<'_>) -> String {
    let mut seen: Vec<&[String]> = Vec::new();
    let mut commands: Vec<String> = Vec::new();
    for excerpt in subject.active.excerpts.iter().filter(|excerpt| !excerpt.argv.is_empty()) {
        if commands.len() < COMMANDS && !seen.contains(&excerpt.argv.as_slice()) {
            seen.push(&excerpt.argv);
            commands.extend(command(excerpt));
        }
    }
    let (shown, _) = within(commands, COMMANDS_UNITS);
    let sha = subject.c.provenance.evaluated_sha.as_deref();
    let head = sha.map_or_else(|| "the evaluated commit".to_owned(), |sha| format!("commit {}", code(sha, 80)));
    if shown.is_empty() {
        return format!(
            "\n## How to reproduce\n\nCheck out {head} and run the suite. The report holds no command of these cases that \
             can be shown here.\n"
        );
    }
    let hidden =
        if shown.contains(REDACTED) { " A secret was taken out of a command: put your own in its place." } else { "" };
    format!(
        "\n## How to reproduce\n\nCheck out {head}; then, in the folder of the suite's manifest, run what the cases run. The \
         commands are the report's: read them before you run them.{hidden}\n{shown}"
    )
}

/// One command under the name of its case; `None` if it is too long.
fn command(excerpt: &Excerpt) -> Option<String> {
    let line = redact(&shell_line(&excerpt.argv)).into_owned();
    // Only line breaks are left of what cannot be seen, and those belong to the command.
    let lines: Vec<_> = line.split('\n').map(display_safe).collect();
    let block = lines.join("\n");
    (units(&block) <= COMMAND_UNITS && !block.contains("<!--"))
        .then(|| format!("\n{}\n\n{}\n", code(excerpt.case.as_str(), NAME_CHARS), fence("bash", &block)))
}
