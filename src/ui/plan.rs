//! Plans and receipts, in the shape people know from other tools.

use std::collections::BTreeMap;

use super::categorization::count;
use super::output::{bold, dim, green, red, yellow};
use crate::apply::{ApplyReceipt, ReceiptStep, StepOutcome};
use crate::ledger::Recovery;
use crate::model::display_safe;
use crate::plan::{Action, Mutation, Plan};
use crate::tracker::PlannedRequest;

/// The plan: every mutation with its reason, the notes, and the counts.
pub fn plan(plan: &Plan) -> String {
    let mut text = String::new();
    for mutation in &plan.mutations {
        let sign = match mutation.action.sign() {
            '+' => green("+"),
            '-' => red("-"),
            _ => yellow("~"),
        };
        text += &format!("{sign} {:<18} {}\n", mutation.action.name(), bold(&subject(mutation)));
        text += &format!("    {}\n", dim(&display_safe(&mutation.reason)));
    }
    for note in &plan.notes {
        let ticket = note.ticket.as_ref().map(|ticket| format!(" {ticket}")).unwrap_or_default();
        text += &format!("{} {}{ticket}: {}\n", yellow("note:"), note.category_id.name(), display_safe(&note.text));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text + &counts(plan)
}

/// `cart-total #3`, or `cart-total → money-rounding` for a dependency.
fn subject(mutation: &Mutation) -> String {
    let ticket = mutation.ticket.as_ref().map(|ticket| format!(" {ticket}")).unwrap_or_default();
    let name = mutation.category_id.name();
    match &mutation.action {
        Action::Link { upstream, .. } => format!("{name}{ticket} waits for {}", upstream.name()),
        Action::Unlink { upstream_ticket } => format!("{name}{ticket} no longer waits for {upstream_ticket}"),
        _ => format!("{name}{ticket}"),
    }
}

fn counts(plan: &Plan) -> String {
    if plan.mutations.is_empty() {
        return "Plan: nothing to do.\n".to_owned();
    }
    let mut by_op: BTreeMap<usize, (&str, usize)> = BTreeMap::new();
    for mutation in &plan.mutations {
        let name = mutation.action.name();
        let order = ORDER.iter().position(|op| *op == name).unwrap_or(ORDER.len());
        by_op.entry(order).or_insert((name, 0)).1 += 1;
    }
    let parts: Vec<String> = by_op.values().map(|(name, n)| format!("{n} {name}")).collect();
    format!("Plan: {} ({}).\n", count(plan.changes as u64, "change"), parts.join(", "))
}

/// The order in which operations are counted.
const ORDER: [&str; 10] =
    ["create", "record", "reopen", "candidate-resolved", "close", "supersede", "absorb", "link", "unlink", "publish"];

/// What applying did.
pub fn receipt(receipt: &ApplyReceipt) -> String {
    let mut text = String::new();
    for step in &receipt.steps {
        let outcome = match step.outcome {
            StepOutcome::Done => green("done   "),
            StepOutcome::Adopted => green("adopted"),
            StepOutcome::Skipped => dim("skipped"),
            StepOutcome::Refused => red("refused"),
            StepOutcome::Compensated => yellow("undone "),
        };
        let ticket = step.ticket.as_ref().map(|ticket| format!(" {ticket}")).unwrap_or_default();
        let upstream = step.upstream.as_ref().map(|upstream| format!(" ← {upstream}")).unwrap_or_default();
        text += &format!("{outcome} {:<18} {}{ticket}{upstream}\n", step.op, step.category_id.name());
    }
    let verdict = if receipt.complete { "Applied" } else { "Not applied" };
    text + &format!("{verdict}: {}.\n", count(receipt.steps.len() as u64, "step"))
}

/// What applying would do.
pub fn rehearsal(receipt: &ApplyReceipt) -> String {
    let line = |step: &ReceiptStep| {
        let ticket = step.ticket.as_ref().map(|ticket| format!(" {ticket}")).unwrap_or_default();
        let upstream = step.upstream.as_ref().map(|upstream| format!(" ← {upstream}")).unwrap_or_default();
        format!("would {:<18} {}{ticket}{upstream}\n", step.op, step.category_id.name())
    };
    receipt.steps.iter().map(line).collect::<String>() + &count(receipt.steps.len() as u64, "step") + ".\n"
}

/// Requests as they would be sent, each with its JSON.
pub fn requests(requests: &[PlannedRequest]) -> String {
    let mut text = String::new();
    for request in requests {
        text += &format!("{} {}\n", bold(request.method), display_safe(&request.path));
        let body = request.body.as_ref().and_then(|body| serde_json::to_string_pretty(body).ok());
        for line in body.iter().flat_map(|body| body.lines()) {
            text += &format!("    {}\n", display_safe(line));
        }
    }
    text + &count(requests.len() as u64, "request") + ".\n"
}

/// What had to be repaired in a ledger; `None` when it was whole.
pub fn recovery(recovery: &Recovery) -> Option<String> {
    let what = match recovery {
        Recovery::Nothing => return None,
        Recovery::TornTail { bytes } => format!("its unfinished {bytes} bytes were cut off; nothing depended on them"),
        Recovery::LineFeedAdded { seq } => format!("entry {seq} was whole, its line feed was added"),
    };
    Some(format!("{} a crash had torn the last line of the ledger: {what}", yellow("recovered:")))
}
