//! The words of a new ticket, for the person or agent who picks it up. Everything from report and map is data and is
//! put in as [`crate::tracker::words`] makes it: no markup, mention or reference in it takes effect.
//!
//! Every section has its share of the body's length, so that the whole always fits. What is cut says where the whole is.

mod body;
mod cases;
mod dag;
mod judged;
mod reproduce;
mod shell;
#[cfg(test)]
mod tests;

pub(super) use body::{Subject, body, title};
pub use shell::shell_line;
