//! Writing to the two streams. The only file that prints.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};

use crate::model::display_safe;

/// Writing to standard output failed (a full disk, say; never a reader that went away).
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct OutputError(#[from] io::Error);

/// Writes data (the result that was asked for) to standard output, as it is. Colour codes in it are dropped when
/// standard output is not a terminal or `NO_COLOR` is set. A reader that went away (`| head`) is no error: the command
/// goes on quietly and ends with the status that it would have had.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub fn data(text: &str) -> Result<(), OutputError> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Writes one line for people to standard error. Failure to write is ignored: there is nobody to tell.
pub fn note(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{text}");
}

/// Says something that people should know and that changes nothing, on standard error.
pub fn remark(text: &str) {
    note(&format!("{} {}", yellow("note:"), display_safe(text)));
}

/// Says on standard error what is going on, but only to a person who watches: nothing when it is not a terminal.
pub fn progress(text: &str) {
    if io::IsTerminal::is_terminal(&io::stderr()) {
        note(&dim(&format!("… {text}")));
    }
}

/// Shows an error: `error: …`, `  at: file:line:column`, `  caused by: …`, then, after a blank line, `hint: …`.
pub fn error_report(message: &str, place: Option<&str>, causes: &[String], hints: &[String]) {
    let mut text = format!("{} {}", paint("error:", red_style()), display_safe(message));
    if let Some(place) = place {
        let _ = write!(text, "\n  {} {}", paint("at:", Style::new().bold()), display_safe(place)); // writing to a String cannot fail
    }
    for cause in causes {
        let _ = write!(text, "\n  {} {}", paint("caused by:", Style::new().bold()), display_safe(cause)); // writing to a String cannot fail
    }
    if !hints.is_empty() {
        text.push('\n');
    }
    for hint in hints {
        let _ = write!(text, "\n{} {}", paint("hint:", cyan_style()), display_safe(hint)); // writing to a String cannot fail
    }
    note(&text);
}

fn paint(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

const fn red_style() -> Style {
    AnsiColor::Red.on_default().bold()
}

const fn cyan_style() -> Style {
    AnsiColor::Cyan.on_default().bold()
}

/// `text` in red.
pub fn red(text: &str) -> String {
    paint(text, red_style())
}

/// `text` in green.
pub fn green(text: &str) -> String {
    paint(text, AnsiColor::Green.on_default().bold())
}

/// `text` in yellow.
pub fn yellow(text: &str) -> String {
    paint(text, AnsiColor::Yellow.on_default().bold())
}

/// `text` in bold.
pub fn bold(text: &str) -> String {
    paint(text, Style::new().bold())
}

/// `text` dimmed.
pub fn dim(text: &str) -> String {
    paint(text, Style::new().dimmed())
}
