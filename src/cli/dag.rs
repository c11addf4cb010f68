//! `greenloop dag`.

use std::path::{Path, PathBuf};

use super::args::Format;
use super::context::Context;
use super::error::CliError;
use super::tracker::TrackerArgs;
use super::{categorize, inputs, remembered};
use crate::campaign::active_picture;
use crate::categorize::Watch;
use crate::graph::draw::{self, DrawFormat};
use crate::ledger::write_atomic;
use crate::plan::category_states;
use crate::ui;

/// Arguments of `greenloop dag`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The picture shows the categories that fail in this report, what each waits for, and, when the \
    project has a tracker, its ticket. Inactive categories that an active one depends on are drawn faint.\n\n\
    Example: greenloop dag report.json --map category_maps/shop.json -o dag.svg"
)]
pub struct Args {
    /// The report (agentic_evals.report.v2 or v1).
    report: PathBuf,
    /// The category map.
    #[arg(long, value_name = "FILE")]
    map: PathBuf,
    /// Where to draw: the ending decides (.svg, .dot, .mmd, .txt, .json). May be given several times. Default: text on standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Heading of the picture.
    #[arg(long)]
    title: Option<String>,
    #[command(flatten)]
    tracker: TrackerArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let formats = args.output.iter().map(|path| draw_format(path)).collect::<Result<Vec<_>, _>>()?;
    let (map, _) = inputs::load_map(&args.map)?;
    let c = inputs::categorize_file(&args.report, &map, &Watch::default())?;
    let (remembered, known) = remembered::of_project(context, None)?;
    let choice = args.tracker.choice(context, remembered.as_ref(), Some(&map.repo))?;
    let snapshot = inputs::tracker_snapshot(context, &args.tracker, &choice, &known)?;
    let states = category_states(&c, &map, &snapshot);
    let title = args.title.clone().unwrap_or_else(|| format!("{} · failing categories", c.map.repo));
    let picture = active_picture(title, &c, &map, &states, None);
    for (path, format) in args.output.iter().zip(formats) {
        write_atomic(path, format.draw(&picture).as_bytes())?;
        ui::note(&format!("wrote {}", path.display()));
    }
    if args.output.is_empty() {
        let text = if context.format == Format::Json { draw::ask_dag_json(&picture) } else { draw::text(&picture) };
        ui::data(&text)?;
    }
    if !c.is_total() {
        ui::note(&format!(
            "note: {} failing case(s) are not in the picture, because they have no single category",
            c.unclassified.len() + c.ambiguous.len()
        ));
    }
    Ok(categorize::status(&c))
}

/// The format that the ending of a file asks for.
pub(super) fn draw_format(path: &Path) -> Result<DrawFormat, CliError> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    DrawFormat::from_extension(extension).ok_or_else(|| {
        CliError::usage(format!("no picture format has the ending of {}", path.display()))
            .hint("use .svg, .dot, .mmd, .txt or .json")
    })
}
