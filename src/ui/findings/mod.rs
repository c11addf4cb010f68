//! Findings in four formats: for people, JSON, GitHub annotations, SARIF. Each is a pure function to a text.
//!
//! Text of checked files never acts in any of them: it cannot move a cursor, turn text around, start an annotation or
//! leave a JSON text. Each format costs time proportional to its output.

mod github;
mod human;
mod json;
mod sarif;

pub use github::github;
pub use human::{Source, count_line, human};
pub use json::{FindingOutput, FindingsOutput, json};
pub use sarif::{RuleHelp, sarif};
