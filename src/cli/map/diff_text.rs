//! The difference of two maps, for people.

use crate::category_map::{CategoryChange, MapDiff, RetiredKind, RetiredSummary};
use crate::diag::{Diagnostic, Place, Severity};
use crate::model::{display_safe, truncate_chars};
use crate::ui::{self, findings};

/// Longest text of a map that is shown, in characters.
const SHOWN: usize = 100;

/// A failure that the new map puts elsewhere.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
pub(super) struct Move {
    /// The failing case.
    pub(super) case: String,
    /// Its category, or why it has none, with the old map.
    pub(super) from: String,
    /// The same with the new map.
    pub(super) to: String,
}

/// The whole text: what changed, then what must not happen. `new_file` is the file that problems are about.
pub(super) fn human(difference: &MapDiff, moves: Option<&[Move]>, new_file: &str) -> String {
    let mut out = String::new();
    let (version, repo) = (&difference.map_version, &difference.repo);
    if version.old != version.new {
        out.push_str(&format!("version {} → {}\n", show(&version.old), show(&version.new)));
    }
    if repo.old != repo.new {
        out.push_str(&format!("repository {} → {}\n", show(&repo.old), show(&repo.new)));
    }
    for category in &difference.added {
        line(&mut out, Sign::Plus, &format!("{}  {}", show(&category.category_id), show(&category.defect)));
    }
    for removal in &difference.removed {
        let end = removal.retired.as_ref().map_or("vanished".to_owned(), ending);
        line(&mut out, Sign::Minus, &format!("{}  {end}", show(&removal.category_id)));
    }
    difference.changed.iter().for_each(|category| changed(&mut out, category));
    for entry in &difference.retired_changed {
        let side = |side: &Option<RetiredSummary>| side.as_ref().map_or("no entry".to_owned(), ending);
        let text = format!("retired {}: {} → {}", show(&entry.category_id), side(&entry.old), side(&entry.new));
        line(&mut out, Sign::Tilde, &text);
    }
    for edge in &difference.edges_gained {
        let text = format!("{} depends on {}: {}", show(&edge.from), show(&edge.to), show(&edge.rationale));
        line(&mut out, Sign::Plus, &text);
    }
    for edge in &difference.edges_lost {
        line(&mut out, Sign::Minus, &format!("{} depends on {}", show(&edge.from), show(&edge.to)));
    }
    for edge in &difference.rationales_changed {
        let why = format!("{} → {}", quoted(&edge.old), quoted(&edge.new));
        line(&mut out, Sign::Tilde, &format!("{} depends on {}: {why}", show(&edge.from), show(&edge.to)));
    }
    if difference.is_same_meaning() {
        out.push_str("Both maps mean the same.\n");
    }
    if let Some(moves) = moves {
        out.push_str(&moved(moves));
    }
    if !difference.problems.is_empty() {
        out.push('\n');
        let diagnostics: Vec<Diagnostic> = difference
            .problems
            .iter()
            .map(|problem| Diagnostic {
                code: problem.code,
                severity: Severity::Error,
                place: Place::file(new_file),
                message: problem.message.clone(),
                hint: Some(problem.hint.clone()),
            })
            .collect();
        out.push_str(&findings::human(&diagnostics, &[]));
        out.push_str(&format!("The new map must not follow the old one: {}\n", findings::count_line(&diagnostics)));
    }
    out
}

fn changed(out: &mut String, category: &CategoryChange) {
    line(out, Sign::Tilde, &show(&category.category_id));
    for text in &category.texts {
        let side = |side: &Option<String>| side.as_deref().map_or("nothing".to_owned(), quoted);
        out.push_str(&format!("    {}: {} → {}\n", text.field, side(&text.old), side(&text.new)));
    }
    for list in &category.lists {
        for (sign, values) in [(Sign::Plus, &list.gained), (Sign::Minus, &list.lost)] {
            for value in values {
                out.push_str("    ");
                line(out, sign, &format!("{} {}", list.field, quoted(value)));
            }
        }
    }
}

fn moved(moves: &[Move]) -> String {
    let count = match moves.len() {
        0 => return "No failure of the report moves.\n".to_owned(),
        1 => "1 failure of the report moves:\n".to_owned(),
        more => format!("{more} failures of the report move:\n"),
    };
    let line = |entry: &Move| format!("  {}: {} → {}\n", show(&entry.case), show(&entry.from), show(&entry.to));
    moves.iter().fold(count, |text, entry| text + &line(entry))
}

fn ending(entry: &RetiredSummary) -> String {
    let into: Vec<String> = entry.into.iter().map(|id| show(id)).collect();
    let end = match entry.kind {
        RetiredKind::Split => format!("split into {}", into.join(", ")),
        RetiredKind::Merged => format!("merged into {}", into.join(", ")),
        RetiredKind::Removed => "removed".to_owned(),
    };
    format!("{end} ({})", show(&entry.reason))
}

#[derive(Clone, Copy)]
enum Sign {
    Plus,
    Minus,
    Tilde,
}

fn line(out: &mut String, sign: Sign, text: &str) {
    let sign = match sign {
        Sign::Plus => ui::green("+"),
        Sign::Minus => ui::red("-"),
        Sign::Tilde => ui::yellow("~"),
    };
    out.push_str(&format!("{sign} {text}\n"));
}

fn show(text: &str) -> String {
    truncate_chars(&display_safe(text), SHOWN).into_owned()
}

fn quoted(text: &str) -> String {
    format!("`{}`", show(text))
}
