//! `greenloop map graph`.

use std::path::PathBuf;

use super::{read, text_of};
use crate::category_map;
use crate::cli::args::Format;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::exit_status;
use crate::graph::draw::DrawFormat;
use crate::ledger::write_atomic;
use crate::ui::{self, findings};

/// Arguments of `greenloop map graph`.
#[derive(Debug, clap::Args)]
#[command(after_help = "A map with errors is drawn as far as it can be read; a cycle is highlighted.\n\
                        Exit status: 0 drawn, 1 the map has errors, 3 the file cannot be read.")]
pub(super) struct Args {
    /// The category map.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where to write; the extension says the format: svg, dot, mmd (Mermaid), txt, json (ask.dag.v1). Default: text
    /// (with --format json: ask.dag.v1) on standard output.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<u8, CliError> {
    context.only(&[Format::Human, Format::Json])?;
    let output = args.output.as_ref().map(|path| Ok::<_, CliError>((path, format_of(path)?))).transpose()?;
    let bytes = read(&args.file)?;
    let name = args.file.to_string_lossy();
    let loaded = category_map::parse(&name, &bytes);
    let errors = loaded.errors();
    let Some(picture) = category_map::picture_of(&bytes) else {
        let source = findings::Source { file: &name, text: text_of(&bytes) };
        ui::note(findings::human(&loaded.findings, &[source]).trim_end());
        return Err(CliError::new(exit_status::NOT_HELD, "there is no map to draw in this file"));
    };
    match output {
        Some((path, format)) => {
            write_atomic(path, format.draw(&picture).as_bytes())
                .map_err(|error| CliError::input("the picture cannot be written").caused_by(&error))?;
        }
        None if context.format == Format::Json => ui::data(&DrawFormat::AskDag.draw(&picture))?,
        None => ui::data(&DrawFormat::Text.draw(&picture))?,
    }
    if errors == 0 {
        return Ok(exit_status::HELD);
    }
    let count = findings::count_line(&loaded.findings);
    ui::note(&format!("The map is not valid ({count}); `greenloop map check` says why."));
    Ok(exit_status::NOT_HELD)
}

fn format_of(path: &std::path::Path) -> Result<DrawFormat, CliError> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    DrawFormat::from_extension(extension).ok_or_else(|| {
        CliError::usage(format!("the extension of {} names no picture format", path.display()))
            .hint("use .svg, .dot, .mmd, .txt or .json")
    })
}
