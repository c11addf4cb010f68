//! What a case's command really runs: the simple commands of an argv, also behind `bash -c`, `env`, `timeout` and the
//! like, and only those that can be reached. Not a shell: it knows as much of the grammar as is needed to see through
//! wrapping, and takes what it does not understand for a command that does something.

mod conditions;
mod lexer;
#[cfg(test)]
mod tests;
mod variables;
mod walk;
mod word;
mod wrapper;

pub(super) use word::{Simple, Word};
pub(super) use wrapper::{SHELLS, commands};
