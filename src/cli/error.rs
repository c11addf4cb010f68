//! The one error of the command line: what happened, where, what to do, and which exit status says so.
//! Library errors know nothing of the terminal; one `From` per error, beside its command or here, picks these.

use super::exit_status;
use crate::diag::Place;

/// An error ready to be shown.
#[derive(Debug)]
pub struct CliError {
    /// One of [`exit_status`].
    pub status: u8,
    /// Where, if a file is to blame.
    pub place: Option<Place>,
    /// What happened, in one sentence.
    pub message: String,
    /// What lies behind it, outermost first.
    pub causes: Vec<String>,
    /// What to do.
    pub hints: Vec<String>,
}

impl CliError {
    /// An error with a status and a message.
    pub fn new(status: u8, message: impl Into<String>) -> Self {
        Self { status, place: None, message: message.into(), causes: Vec::new(), hints: Vec::new() }
    }

    /// Wrong usage or configuration.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(exit_status::USAGE, message)
    }

    /// An input that cannot be used.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(exit_status::INPUT, message)
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds the place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Adds what `error` and its sources say, below the message.
    #[must_use]
    pub fn caused_by(mut self, error: &dyn std::error::Error) -> Self {
        let mut next = Some(error);
        while let Some(cause) = next {
            self.causes.push(cause.to_string());
            next = cause.source();
        }
        self
    }
}

impl From<crate::ui::OutputError> for CliError {
    fn from(error: crate::ui::OutputError) -> Self {
        Self::new(exit_status::INPUT, "cannot write to standard output").caused_by(&error)
    }
}
