//! What `greenloop doctor` found.

use super::output::{bold, green, red, yellow};
use crate::model::display_safe;
use crate::tracker::{Check, CheckState};

/// Each check with what was found and what to do.
pub fn checks(checks: &[Check]) -> String {
    let mut text = String::new();
    for check in checks {
        let sign = match check.state {
            CheckState::Ok => green("ok     "),
            CheckState::Warning => yellow("warning"),
            CheckState::Failed => red("failed "),
        };
        text += &format!("{sign} {:<13} {}\n", bold(check.name), display_safe(&check.found));
        if let Some(remedy) = &check.remedy {
            text += &format!("        do: {}\n", display_safe(remedy));
        }
    }
    text
}
