//! `greenloop map diff`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::diff_text::{self, Move};
use crate::categorize::Watch;
use crate::category_map::{self, CategoryMap, MapDiff};
use crate::cli::args::Format;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::exit_status;
use crate::cli::inputs::{categorize_file, load_map};
use crate::ui;

/// Arguments of `greenloop map diff`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Order, white space and examples are not compared.\n\
                        Exit status: 0 the new map may follow the old one, 1 it must not, or a map is not valid, 3 a file cannot be read.")]
pub(super) struct Args {
    /// The map as it was.
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The map as it shall be.
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Also categorize this report with both maps and list the failures that move to another category.
    #[arg(long, value_name = "REPORT")]
    report: Option<PathBuf>,
}

/// The document `greenloop.map_diff.v1`.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
#[schemars(title = "greenloop.map_diff.v1")]
pub(in crate::cli) struct MapDiffDocument<'a> {
    #[serde(flatten)]
    #[schemars(with = "MapDiff")]
    difference: &'a MapDiff,
    /// Failures that move; `null` without a report.
    #[schemars(with = "Option<Vec<Move>>")]
    moves: Option<&'a [Move]>,
    /// True if nothing has to be mended.
    ok: bool,
    /// True if both maps mean the same.
    same_meaning: bool,
    /// `greenloop.map_diff.v1`.
    schema: &'static str,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let (old, new) = (load_map(&args.old)?.0, load_map(&args.new)?.0);
    let difference = category_map::diff(&old, &new);
    let moves = args.report.as_deref().map(|report| moves(report, &old, &new)).transpose()?;
    let text = match context.format {
        Format::Json => ui::json_document(&MapDiffDocument {
            difference: &difference,
            moves: moves.as_deref(),
            ok: difference.problems.is_empty(),
            same_meaning: difference.is_same_meaning(),
            schema: "greenloop.map_diff.v1",
        }),
        _ => diff_text::human(&difference, moves.as_deref(), &args.new.to_string_lossy()),
    };
    ui::data(&text)?;
    Ok(if difference.problems.is_empty() { exit_status::HELD } else { exit_status::NOT_HELD })
}

fn moves(report: &Path, old: &CategoryMap, new: &CategoryMap) -> Result<Vec<Move>, CliError> {
    let (before, after) = (verdicts(report, old)?, verdicts(report, new)?);
    // Both sides list every failing case of the same report.
    let pairs = before.into_iter().filter_map(|(case, from)| {
        let to = after.get(&case).filter(|to| **to != from)?.clone();
        Some(Move { case, from, to })
    });
    Ok(pairs.collect())
}

/// Every failing case with its category, `unclassified` or `ambiguous: …`, sorted by name.
fn verdicts(report: &Path, map: &CategoryMap) -> Result<BTreeMap<String, String>, CliError> {
    let result = categorize_file(report, map, &Watch::default())?;
    let id = |index: u32| map.categories.get(index as usize).map_or(String::new(), |category| category.id.to_string());
    let name = |case: &crate::model::CaseName| case.as_str().to_owned();
    let assigned = result.assignments.iter().map(|entry| (name(&entry.case), id(entry.category)));
    let unclassified = result.unclassified.iter().map(|entry| (name(&entry.case), "unclassified".to_owned()));
    let ambiguous = result.ambiguous.iter().map(|entry| {
        let candidates: Vec<&str> = entry.candidates.iter().map(|(id, _)| id.as_str()).collect();
        (name(&entry.case), format!("ambiguous: {}", candidates.join(" or ")))
    });
    Ok(assigned.chain(unclassified).chain(ambiguous).collect())
}
