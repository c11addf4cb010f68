//! Exemptions: complete, owned, and only to the end of their last day.

use jiff::civil::Date;

use crate::diag::findings::quote;
use crate::runner::manifest::{EvidenceClass, Exemption};

/// One exemption, judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExemptionVerdict {
    /// The class that it is about, if it says one.
    pub class: Option<EvidenceClass>,
    /// The reason code as declared.
    pub reason_code: Option<String>,
    /// The owner as declared.
    pub owner: Option<String>,
    /// The last day as declared.
    pub expires: Option<String>,
    /// Why it is ignored; empty if it counts.
    pub ignored_because: Vec<String>,
}

impl ExemptionVerdict {
    /// True if it is complete and holds today.
    pub const fn counts(&self) -> bool {
        self.ignored_because.is_empty()
    }
}

/// Judges an exemption on a day in UTC. It holds on its last day, to the end of it.
pub fn judge_exemption(exemption: &Exemption, today: Date) -> ExemptionVerdict {
    let mut ignored_because = Vec::new();
    if exemption.evidence_class.is_none() {
        ignored_because.push("it has no `evidence_class`".to_owned());
    }
    for (key, value) in [
        ("reason_code", &exemption.reason_code),
        ("justification", &exemption.justification),
        ("owner", &exemption.owner),
        ("expires", &exemption.expires),
    ] {
        if value.as_deref().is_none_or(|value| value.trim().is_empty()) {
            ignored_because.push(format!("it has no `{key}`"));
        }
    }
    if let Some(expires) = exemption.expires.as_deref().filter(|expires| !expires.trim().is_empty()) {
        match day(expires) {
            None => ignored_because.push(format!("{} is no day (YYYY-MM-DD)", quote(expires))),
            Some(last) if last < today => ignored_because.push(format!("it expired on {last}")),
            Some(_) => {}
        }
    }
    ExemptionVerdict {
        class: exemption.evidence_class,
        reason_code: exemption.reason_code.clone(),
        owner: exemption.owner.clone(),
        expires: exemption.expires.clone(),
        ignored_because,
    }
}

/// `YYYY-MM-DD`, alone or before a time of day: then the day is what counts.
fn day(text: &str) -> Option<Date> {
    let (date, rest) = text.trim().split_at_checked(10)?;
    let is_plain =
        date.bytes().enumerate().all(|(at, b)| if at == 4 || at == 7 { b == b'-' } else { b.is_ascii_digit() });
    let ends = rest.is_empty() || rest.starts_with(['T', 't', ' ']);
    if is_plain && ends { date.parse().ok() } else { None }
}
